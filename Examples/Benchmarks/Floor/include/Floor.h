#ifndef FLOOR_H
#define FLOOR_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// The bare system calls that write bytes to files. Errors are not handled: each function returns 0, or -1 with errno.

/// Replaces a file in an open folder: temporary file, write, fsync, rename, fsync of the folder.
int floor_replace(int folder, const char *name, const void *bytes, size_t size, int syncs_file, int syncs_folder);

/// Makes and opens a file with space for appended records, which is completely written and synced.
int floor_make_log(int folder, const char *name, size_t size);

/// Writes a record at an offset of a log, and syncs it if requested.
int floor_append(int log, const void *bytes, size_t size, off_t offset, int syncs);

/// Appends a record to a file that other processes share: checks that it is still the same file, locks another one, and reads the
/// bytes at the offset to find writes by others. `path` is the path of the log.
int floor_append_shared(const char *path, int log, int lock, const void *bytes, size_t size, off_t offset);

/// Reads a whole file into new memory and computes its XXH64 checksum.
int floor_read(const char *path, uint64_t *checksum, size_t *size);

#endif
