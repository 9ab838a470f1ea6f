#ifndef FLOOR_H
#define FLOOR_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// What the system itself takes to put bytes into files. No error is mended: each function returns 0, or -1 with errno.

/// Replaces a file in an open folder: temporary file, write, fsync, rename, fsync of the folder.
int floor_replace(int folder, const char *name, const void *bytes, size_t size, int syncs_file, int syncs_folder);

/// Makes a file with room for appended records, all of it written and synced, and opens it.
int floor_make_log(int folder, const char *name, size_t size);

/// Writes a record at a place of a log, and syncs it if wished.
int floor_append(int log, const void *bytes, size_t size, off_t offset, int syncs);

/// Appends a record as a program must that shares the file with others: looks whether it is still the same file, locks another one,
/// and reads whether somebody has written at the place. `path` leads to the log.
int floor_append_shared(const char *path, int log, int lock, const void *bytes, size_t size, off_t offset);

/// Reads a whole file into new memory and gives its checksum, XXH64.
int floor_read(const char *path, uint64_t *checksum, size_t *size);

#endif
