// Swift's module for Musl leaves out this header of the C library, which nothing else stands for.
#include <sys/inotify.h>
