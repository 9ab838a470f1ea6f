#define _GNU_SOURCE
#include "Floor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static int write_all(int file, const char *bytes, size_t size) {
  while (size > 0) {
    ssize_t count = write(file, bytes, size);
    if (count < 0) return -1;
    bytes += count;
    size -= (size_t)count;
  }
  return 0;
}

#ifdef __APPLE__
enum { full = F_FULLFSYNC, barrier = F_BARRIERFSYNC };
#else
enum { full, barrier };
#endif

// Syncs as a store does: fully or in order. On Apple's systems, fsync alone only reaches the drive's cache.
static int flush(int file, int strength) {
#ifdef __APPLE__
  if (fcntl(file, strength) != -1) return 0;
  // Network file systems and those of other systems support neither command.
  if (errno != ENOTSUP && errno != EINVAL && errno != ENOTTY) return -1;
#else
  (void)strength;
#endif
  return fsync(file);
}

int floor_replace(int folder, const char *name, const void *bytes, size_t size, int syncs_file, int syncs_folder) {
  int file = openat(folder, "floor.tmp", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return -1;
  if (write_all(file, bytes, size) < 0) return -1;
  if (syncs_file && flush(file, syncs_folder ? full : barrier) < 0) return -1;
  if (close(file) < 0) return -1;
  if (renameat(folder, "floor.tmp", folder, name) < 0) return -1;
  return syncs_folder ? flush(folder, full) : 0;
}

int floor_make_log(int folder, const char *name, size_t size) {
  int log = openat(folder, name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  char *zeros = calloc(1, size);
  if (log < 0 || !zeros) return -1;
  int written = write_all(log, zeros, size);
  free(zeros);
  if (written < 0 || flush(log, full) < 0 || flush(folder, full) < 0) return -1;
  return log;
}

int floor_append(int log, const void *bytes, size_t size, off_t offset, int syncs) {
  if (pwrite(log, bytes, size, offset) != (ssize_t)size) return -1;
#ifdef __APPLE__
  return syncs ? flush(log, full) : 0;
#else
  return syncs ? fdatasync(log) : 0;
#endif
}

int floor_append_shared(const char *path, int log, int lock, const void *bytes, size_t size, off_t offset) {
  struct stat before, after;
  char found[16];
  if (flock(lock, LOCK_EX | LOCK_NB) < 0) return -1;
  if (stat(path, &before) < 0 || pread(log, found, sizeof found, offset) < 0) return -1;
  if (pwrite(log, bytes, size, offset) != (ssize_t)size) return -1;
  if (fstat(log, &after) < 0 || after.st_ino != before.st_ino) return -1;
  return flock(lock, LOCK_UN);
}

// XXH64 according to its specification: the checksum of a store's file, in C, which is fastest.

static const uint64_t prime1 = 0x9e3779b185ebca87u, prime2 = 0xc2b2ae3d27d4eb4fu, prime3 = 0x165667b19e3779f9u,
                      prime4 = 0x85ebca77c2b2ae63u, prime5 = 0x27d4eb2f165667c5u;

static uint64_t rotated(uint64_t value, int count) { return value << count | value >> (64 - count); }

static uint64_t next(uint64_t lane, uint64_t input) { return rotated(lane + input * prime2, 31) * prime1; }

static uint64_t word(const uint8_t *bytes) {
  uint64_t value;
  memcpy(&value, bytes, 8);
  return value;
}

static uint64_t xxhash64(const uint8_t *bytes, size_t size) {
  const uint8_t *end = bytes + size;
  uint64_t hash = prime5;
  if (size >= 32) {
    uint64_t lanes[4] = {prime1 + prime2, prime2, 0, 0 - prime1};
    for (; end - bytes >= 32; bytes += 32)
      for (int lane = 0; lane < 4; lane++) lanes[lane] = next(lanes[lane], word(bytes + 8 * lane));
    hash = rotated(lanes[0], 1) + rotated(lanes[1], 7) + rotated(lanes[2], 12) + rotated(lanes[3], 18);
    for (int lane = 0; lane < 4; lane++) hash = (hash ^ next(0, lanes[lane])) * prime1 + prime4;
  }
  hash += size;
  for (; end - bytes >= 8; bytes += 8) hash = rotated(hash ^ next(0, word(bytes)), 27) * prime1 + prime4;
  if (end - bytes >= 4) {
    uint32_t half;
    memcpy(&half, bytes, 4);
    hash = rotated(hash ^ half * prime1, 23) * prime2 + prime3;
    bytes += 4;
  }
  for (; bytes < end; bytes++) hash = rotated(hash ^ *bytes * prime5, 11) * prime1;
  hash = (hash ^ hash >> 33) * prime2;
  hash = (hash ^ hash >> 29) * prime3;
  return hash ^ hash >> 32;
}

int floor_read(const char *path, uint64_t *checksum, size_t *size) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  struct stat status;
  if (fstat(file, &status) < 0) return -1;
  *size = (size_t)status.st_size;
  uint8_t *bytes = malloc(*size + 1);
  if (!bytes) return -1;
  size_t filled = 0;
  ssize_t count;
  while ((count = read(file, bytes + filled, *size + 1 - filled)) > 0) filled += (size_t)count;
  *checksum = xxhash64(bytes, filled);
  free(bytes);
  close(file);
  return count < 0 || filled != *size ? -1 : 0;
}
