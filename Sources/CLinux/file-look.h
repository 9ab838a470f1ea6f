// Asking for a file's status without its times.
//
// From Linux 6.13 on, a file whose times somebody has asked for gets a new time at its next write, to the nanosecond; one that
// nobody has asked for gets a new one every few milliseconds. A new time has to be written to the medium beside the bytes: the
// sync of an append takes some 40 % longer. `stat` always asks for all, `statx` for what it is told to.
//
// C, because Swift cannot call `syscall`, and shows `statx` only where GNU's names are on. The structure is the kernel's own, as
// statx(2) describes it, under a name that no C library has.

#pragma once

#include <errno.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

struct file_look_time {
  int64_t seconds;
  uint32_t nanoseconds;
  int32_t reserved;
};

struct file_look {
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
  struct file_look_time accessed, born, changed, modified;
  uint32_t special_device_major, special_device_minor;
  uint32_t device_major, device_minor;
  uint64_t reserved[14];
};

_Static_assert(sizeof(struct file_look) == 256, "the kernel writes 256 bytes");

/// What a name in a folder stands for, or an open file where the name is empty. Links are not followed.
///
/// Answers 0 or the number of the error: ENOSYS where the kernel has no `statx`, EPERM where a sandbox forbids it.
static inline int file_look(int descriptor, const char *name, struct file_look *look) {
  enum { no_follow = 0x100, empty_path = 0x1000 };                           // AT_SYMLINK_NOFOLLOW, AT_EMPTY_PATH
  enum { type = 1, mode = 2, links = 4, owner = 8, group = 0x10, inode = 0x100, size = 0x200 };  // STATX_TYPE, …
  long answer = syscall(
      SYS_statx, descriptor, name, no_follow | empty_path, type | mode | links | owner | group | inode | size, look);
  return answer == 0 ? 0 : errno;
}

/// The number of a device as `stat` tells it.
static inline uint64_t file_look_device(const struct file_look *look) {
  uint64_t major = look->device_major, minor = look->device_minor;
  return (major & 0xfffff000) << 32 | (major & 0xfff) << 8 | (minor & 0xffffff00) << 12 | (minor & 0xff);
}
