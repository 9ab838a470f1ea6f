// Renaming a file without replacing another one. C, because Swift cannot call `syscall`, and the C library has
// `renameat2` only since 2018, and only for GNU programs.

#pragma once

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

/// Renames a file in a folder to a name that must be free. Returns 0 or -1, as `renameat2` does, with RENAME_NOREPLACE.
static inline int file_rename_without_replacing(int folder, const char *name, const char *new_name) {
  return (int)syscall(SYS_renameat2, folder, name, folder, new_name, 1);
}
