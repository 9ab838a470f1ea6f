// The functions of the C library that the byte layer calls.

#include <stddef.h>

void *_Nullable malloc(size_t size);
void *_Nullable realloc(void *_Nullable block, size_t size);
void free(void *_Nullable block);
int memcmp(const void *_Nonnull left, const void *_Nonnull right, size_t count);
