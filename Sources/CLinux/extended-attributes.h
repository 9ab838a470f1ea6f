// Swift's modules for Linux omit this header of the C library.
#include <sys/xattr.h>
