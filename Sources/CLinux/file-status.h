// Requesting a file's status without its times.
//
// From Linux 6.13 on, a file whose times were requested gets a new time at its next write, exact to the nanosecond; other files get
// a new one every few milliseconds. The new time has to reach the disk, too, so the sync of an append takes some 40 % longer. `stat`
// always requests all fields, `statx` only the given ones.
//
// C, because Swift cannot call `syscall`, and the C library has `statx` only for GNU programs. The structure is the kernel's own, as
// documented in statx(2), under a name that no C library has.

#pragma once

#include <errno.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

struct file_status_time {
  int64_t seconds;
  uint32_t nanoseconds;
  int32_t reserved;
};

struct file_status {
  uint32_t mask;
  uint32_t block_size;
  uint64_t attributes;
  uint32_t link_count;
  uint32_t owner;
  uint32_t group;
  uint16_t mode;
  uint16_t spare;
  uint64_t inode;
  uint64_t size;
  uint64_t blocks;
  uint64_t attributes_mask;
  struct file_status_time accessed, born, changed, modified;
  uint32_t special_device_major, special_device_minor;
  uint32_t device_major, device_minor;
  uint64_t reserved[14];
};

_Static_assert(sizeof(struct file_status) == 256, "the kernel writes 256 bytes");

/// Gets the status of a name in a folder or, if the name is empty, of an open file. Does not follow links.
///
/// Returns 0 or the number of the error: ENOSYS if the kernel does not have `statx`, EPERM if a sandbox forbids it.
static inline int file_status(int descriptor, const char *name, struct file_status *status) {
  enum { no_follow = 0x100, empty_path = 0x1000 };                           // AT_SYMLINK_NOFOLLOW, AT_EMPTY_PATH
  enum { type = 1, mode = 2, links = 4, owner = 8, group = 0x10, inode = 0x100, size = 0x200 };  // STATX_TYPE, …
  long result = syscall(
      SYS_statx, descriptor, name, no_follow | empty_path, type | mode | links | owner | group | inode | size, status);
  return result == 0 ? 0 : errno;
}

/// Returns the number of a device in the form of `stat`.
static inline uint64_t file_status_device(const struct file_status *status) {
  uint64_t major = status->device_major, minor = status->device_minor;
  return (major & 0xfffff000) << 32 | (major & 0xfff) << 8 | (minor & 0xffffff00) << 12 | (minor & 0xff);
}
