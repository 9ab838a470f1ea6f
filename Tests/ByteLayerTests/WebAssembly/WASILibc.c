// The few functions of the C library that the byte layer and Swift's runtime call, for a program of WebAssembly that has no C
// library. They are simple, not fast.

#include "WASILibc.h"
#include <stdbool.h>
#include <stdint.h>

// MARK: Memory

// Memory that was freed is overwritten, and loops copy, unless this is built with instructions for whole blocks.
#ifdef __wasm_bulk_memory__
enum { overwritesFreed = false };

void *memmove(void *target, const void *source, size_t count) { return __builtin_memmove(target, source, count); }

void *memset(void *target, int byte, size_t count) { return __builtin_memset(target, byte, count); }
#else
enum { overwritesFreed = true };

void *memmove(void *target, const void *source, size_t count) {
  unsigned char *to = target;
  const unsigned char *from = source;
  if (to < from) {
    for (size_t index = 0; index < count; index += 1) to[index] = from[index];
  } else {
    for (size_t index = count; index > 0; index -= 1) to[index - 1] = from[index - 1];
  }
  return target;
}

void *memset(void *target, int byte, size_t count) {
  for (size_t index = 0; index < count; index += 1) ((unsigned char *)target)[index] = (unsigned char)byte;
  return target;
}
#endif

void *memcpy(void *target, const void *source, size_t count) { return memmove(target, source, count); }

int memcmp(const void *left, const void *right, size_t count) {
  const unsigned char *first = left, *second = right;
  for (size_t index = 0; index < count; index += 1) {
    if (first[index] != second[index]) return first[index] < second[index] ? -1 : 1;
  }
  return 0;
}

size_t strlen(const char *text) {
  size_t length = 0;
  while (text[length] != 0) length += 1;
  return length;
}

// Blocks have a power of two as their size, which stands in the 16 bytes before them; free ones of a size are a list.
enum { header = 16, classes = 32 };
static void *freeBlocks[classes];
extern unsigned char __heap_base;
static uintptr_t heapEnd;

static int classOf(size_t size) {
  int class = 4;
  while (class < classes - 1 && ((size_t)1 << class) < size) class += 1;
  return class;
}

void *malloc(size_t size) {
  if (size > (size_t)1 << 30) return 0;
  int class = classOf(size + header);
  unsigned char *block = freeBlocks[class];
  if (block) {
    freeBlocks[class] = *(void **)(block + header);
  } else {
    if (heapEnd == 0) heapEnd = ((uintptr_t)&__heap_base + 15) & ~(uintptr_t)15;
    uintptr_t end = heapEnd + ((size_t)1 << class);
    size_t pages = (end + 0xffff) >> 16, present = __builtin_wasm_memory_size(0);
    if (pages > present && __builtin_wasm_memory_grow(0, pages - present) == (size_t)-1) return 0;
    block = (unsigned char *)heapEnd;
    heapEnd = end;
  }
  *(int *)block = class;
  return block + header;
}

void free(void *memory) {
  if (!memory) return;
  unsigned char *block = (unsigned char *)memory - header;
  // What was freed is not to look as it did.
  if (overwritesFreed) memset(memory, 0xdd, ((size_t)1 << *(int *)block) - header);
  *(void **)memory = freeBlocks[*(int *)block];
  freeBlocks[*(int *)block] = block;
}

void *realloc(void *memory, size_t size) {
  void *other = malloc(size);
  if (!memory || !other) return other;
  size_t room = ((size_t)1 << *(int *)((unsigned char *)memory - header)) - header;
  memmove(other, memory, size < room ? size : room);
  free(memory);
  return other;
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  *memory = alignment <= header ? malloc(size) : 0;
  return *memory ? 0 : 12;
}

// MARK: Numbers of 128 bits

typedef unsigned __int128 wide;

static wide product(uint64_t left, uint64_t right) {
  uint64_t a = left >> 32, b = left & 0xffffffff, c = right >> 32, d = right & 0xffffffff;
  uint64_t low = b * d, middle = a * d + (low >> 32), other = b * c + (middle & 0xffffffff);
  return (wide)(a * c + (middle >> 32) + (other >> 32)) << 64 | (other << 32 | (low & 0xffffffff));
}

// What the compiler calls for a product.
wide __multi3(wide left, wide right) {
  uint64_t high = (uint64_t)(left >> 64) * (uint64_t)right + (uint64_t)left * (uint64_t)(right >> 64);
  return product((uint64_t)left, (uint64_t)right) + ((wide)high << 64);
}

// MARK: The host

#define IMPORT(name) __attribute__((import_module("wasi_snapshot_preview1"), import_name(name)))

IMPORT("fd_write") int32_t wasi_fd_write(int32_t descriptor, const void *pieces, int32_t count, int32_t *written);
IMPORT("random_get") int32_t wasi_random_get(void *bytes, size_t count);

int putchar(int character) {
  char byte = (char)character;
  struct { const void *bytes; size_t count; } piece = { &byte, 1 };
  int32_t written;
  return wasi_fd_write(1, &piece, 1, &written) == 0 ? character : -1;
}

void arc4random_buf(void *bytes, size_t count) {
  if (wasi_random_get(bytes, count) != 0) __builtin_trap();
}
