// Swift's module for Musl omits this header of the C library.
#include <sys/inotify.h>
