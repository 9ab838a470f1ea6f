// Swift's own modules for Linux leave out this header of the C library, which nothing else stands for.
#include <sys/xattr.h>
