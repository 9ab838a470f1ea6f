// A library to preload: makes chosen system calls of a process fail or end halfway, or kills the process there.
//
//     LD_PRELOAD=faults.so FAULT_FOLDER=... FAULT_NTH=7 FAULT_ACTION=kill FAULT_LOG=... PROGRAM ...
//
// Only calls for files in one folder, or for that folder, are counted. A program's own start is not counted.
//
//     FAULT_FOLDER   the folder, absolute and without symbolic links; without it nothing is counted
//     FAULT_CALLS    the kinds of calls to count, separated by commas (write,fsync); by default all
//     FAULT_NTH      the number of the call to meet, from 1; 0 or absent only counts
//     FAULT_TIMES    the number of calls to meet from that one on; 1 by default, 0 for all
//     FAULT_ACTION   a number: the call is not made and fails with this errno
//                    after:NUMBER: the call is made, but fails with this errno
//                    short: a read or write does half of its work
//                    zero: a read or write does nothing and reports 0
//                    kill, kill-after: the process gets SIGKILL instead of the call, or right after it
//                    delay:PERCENT:MICROSECONDS: the call is made; in PERCENT of the cases, up to MICROSECONDS later
//                    half-kill: a write does half of its work, then the process gets SIGKILL
//     FAULT_TICK     the nanoseconds of a clock tick: file times are rounded to it, as by older kernels
//     FAULT_LOG      a file outside of the folder: gets a line "NUMBER CALL NAME" for each counted call, with " MET" if the
//                    action was taken, so that a run in which nothing happened can be detected
//
// Linux with the GNU C library. Only the C library's functions are replaced. System calls without them, and the C
// library's calls to itself, are not met.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *folder, *calls, *action;
static size_t folder_length;
static long nth, times = 1, counted, tick;
static int delay_percent, delay_microseconds;
static int log_descriptor = -1;

static void configure(void) {
  folder = getenv("FAULT_FOLDER");
  folder_length = folder ? strlen(folder) : 0;
  calls = getenv("FAULT_CALLS");
  action = getenv("FAULT_ACTION");
  if (!action) action = "";
  sscanf(action, "delay:%d:%d", &delay_percent, &delay_microseconds);
  if (getenv("FAULT_NTH")) nth = atol(getenv("FAULT_NTH"));
  if (getenv("FAULT_TIMES")) times = atol(getenv("FAULT_TIMES"));
  if (getenv("FAULT_TICK")) tick = atol(getenv("FAULT_TICK"));
  const char *log = getenv("FAULT_LOG");
  if (log) log_descriptor = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (log && log_descriptor < 0) _exit(98);
}

static int is_inside(const char *path) {
  if (!folder_length || strncmp(path, folder, folder_length) != 0) return 0;
  return path[folder_length] == 0 || path[folder_length] == '/' || path[folder_length] == ' ';  // " (deleted)"
}

// The path of a descriptor, or of a name in a folder's descriptor; false if it is not in the folder.
static int finds(int descriptor, const char *name, char *path, size_t size) {
  pthread_once(&once, configure);
  if (!folder_length) return 0;
  if (name && name[0] == '/') {
    snprintf(path, size, "%s", name);
    return is_inside(path);
  }
  char link[40];
  if (descriptor == AT_FDCWD) snprintf(link, sizeof link, "/proc/self/cwd");
  else snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, path, size - 1);
  if (length < 0) return 0;
  path[length] = 0;
  if (name && *name) snprintf(path + length, size - length, "/%s", name);
  return is_inside(path);
}

static int is_chosen(const char *call) {
  if (!calls) return 1;
  size_t length = strlen(call);
  for (const char *at = calls; (at = strstr(at, call)); at += length) {
    if ((at == calls || at[-1] == ',') && (at[length] == 0 || at[length] == ',')) return 1;
  }
  return 0;
}

// Counts a call. Returns true if the call is one to meet.
static int meets(const char *call, int descriptor, const char *name) {
  int saved = errno;
  char path[8192], line[8300];
  int met = 0;
  if (finds(descriptor, name, path, sizeof path) && is_chosen(call)) {
    pthread_mutex_lock(&lock);
    counted++;
    met = nth > 0 && counted >= nth && (times == 0 || counted < nth + times);
    const char *inner = path + folder_length;
    int length = snprintf(line, sizeof line, "%ld %s .%s%s\n", counted, call, inner, met ? " MET" : "");
    if (log_descriptor >= 0 && syscall(SYS_write, log_descriptor, line, length) != length) _exit(98);
    pthread_mutex_unlock(&lock);
  }
  errno = saved;
  return met;
}

static int is_action(const char *name) { return strcmp(action, name) == 0; }

static void die(void) {
  syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
  for (;;) pause();
}

// Waits at random, so that other processes act between two calls.
static void linger(void) {
  static _Thread_local unsigned long chance;
  if (!chance) chance = syscall(SYS_gettid);
  chance = chance * 6364136223846793005u + 1442695040888963407u;
  if ((int)((chance >> 33) % 100) < delay_percent) usleep((chance >> 40) % (delay_microseconds + 1));
}

// The action in place of a call that is met; returns true if the call must still be made.
static int passes(void) {
  if (is_action("kill")) die();
  if (delay_percent > 0) linger();
  if (action[0] >= '0' && action[0] <= '9') {
    errno = atoi(action);
    return 0;
  }
  return 1;
}

// The action after a call that is met; returns the result for the program.
static long finishes(long answer) {
  if (is_action("kill-after") || is_action("half-kill")) die();
  if (strncmp(action, "after:", 6) == 0) {
    errno = atoi(action + 6);
    return -1;
  }
  return answer;
}

#define NEXT(function) ((__typeof__(&function))dlsym(RTLD_NEXT, #function))

// A function whose result is a number, or -1 if it fails.
#define REPLACE(type, function, call, descriptor, name, parameters, arguments) \
  type function parameters {                                                    \
    int met = meets(call, descriptor, name);                                     \
    if (met && !passes()) return -1;                                             \
    type answer = NEXT(function) arguments;                                      \
    return met ? finishes(answer) : answer;                                      \
  }

REPLACE(int, fsync, "fsync", fd, NULL, (int fd), (fd))
REPLACE(int, fdatasync, "fsync", fd, NULL, (int fd), (fd))
REPLACE(int, ftruncate, "ftruncate", fd, NULL, (int fd, off_t length), (fd, length))
REPLACE(int, flock, "flock", fd, NULL, (int fd, int operation), (fd, operation))
REPLACE(int, fchmod, "fchmod", fd, NULL, (int fd, mode_t mode), (fd, mode))
REPLACE(int, fchown, "fchown", fd, NULL, (int fd, uid_t owner, gid_t group), (fd, owner, group))
REPLACE(int, lstat, "lstat", AT_FDCWD, path, (const char *path, struct stat *status), (path, status))
REPLACE(int, unlink, "unlink", AT_FDCWD, path, (const char *path), (path))
REPLACE(int, unlinkat, "unlink", fd, path, (int fd, const char *path, int flags), (fd, path, flags))
REPLACE(int, mkdir, "mkdir", AT_FDCWD, path, (const char *path, mode_t mode), (path, mode))
REPLACE(int, rename, "rename", AT_FDCWD, to, (const char *from, const char *to), (from, to))
REPLACE(int, renameat, "rename", newfd, to, (int fd, const char *from, int newfd, const char *to),
        (fd, from, newfd, to))
REPLACE(int, linkat, "link", newfd, to, (int fd, const char *from, int newfd, const char *to, int flags),
        (fd, from, newfd, to, flags))
REPLACE(int, link, "link", AT_FDCWD, to, (const char *from, const char *to), (from, to))

// Kernels before 6.13 report the time of a change in clock ticks.
static void coarsen(struct stat *status) {
  pthread_once(&once, configure);
  if (tick > 0) status->st_mtim.tv_nsec -= status->st_mtim.tv_nsec % tick;
}

int fstat(int fd, struct stat *status) {
  int met = meets("fstat", fd, NULL);
  if (met && !passes()) return -1;
  int answer = NEXT(fstat)(fd, status);
  if (answer == 0) coarsen(status);
  return met ? finishes(answer) : answer;
}

int fstatat(int fd, const char *path, struct stat *status, int flags) {
  int met = meets("fstatat", fd, path);
  if (met && !passes()) return -1;
  int answer = NEXT(fstatat)(fd, path, status, flags);
  if (answer == 0) coarsen(status);
  return met ? finishes(answer) : answer;
}

// A failed close has closed the descriptor.
int close(int fd) {
  int met = meets("close", fd, NULL);
  int fails = met && action[0] >= '0' && action[0] <= '9';
  if (met && !fails) passes();
  int answer = NEXT(close)(fd);
  if (fails) passes();
  return fails ? -1 : met ? finishes(answer) : answer;
}

char *realpath(const char *path, char *resolved) {
  int met = meets("realpath", AT_FDCWD, path);
  if (met && !passes()) return NULL;
  char *answer = NEXT(realpath)(path, resolved);
  if (met) finishes(0);
  return answer;
}

// A descriptor that child programs would inherit, perhaps with a lock, counts under a name of its own.
static const char *opening(int flags) {
  if (!(flags & O_CLOEXEC)) return "inheritable-open";
  return flags & O_CREAT ? "create" : "open";
}

// Programs that were compiled for large files call `open` under another name.
#define REPLACE_OPEN(open, openat)                                    \
  int open(const char *path, int flags, ...) {                        \
    va_list list;                                                     \
    va_start(list, flags);                                            \
    mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;         \
    va_end(list);                                                     \
    int met = meets(opening(flags), AT_FDCWD, path); \
    if (met && !passes()) return -1;                                  \
    int answer = NEXT(open)(path, flags, mode);                       \
    return met ? finishes(answer) : answer;                           \
  }                                                                   \
  int openat(int fd, const char *path, int flags, ...) {              \
    va_list list;                                                     \
    va_start(list, flags);                                            \
    mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;         \
    va_end(list);                                                     \
    int met = meets(opening(flags), fd, path);   \
    if (met && !passes()) return -1;                                  \
    int answer = NEXT(openat)(fd, path, flags, mode);                 \
    return met ? finishes(answer) : answer;                           \
  }

REPLACE_OPEN(open, openat)
REPLACE_OPEN(open64, openat64)

#define REPLACE_TRANSFER(function, bytes_type)                                       \
  ssize_t function(int fd, bytes_type bytes, size_t count) {                         \
    int met = meets(#function, fd, NULL);                                            \
    if (met && !passes()) return -1;                                                 \
    if (met && is_action("zero")) return 0;                                          \
    if (met && (is_action("short") || is_action("half-kill"))) count = (count + 1) / 2; \
    ssize_t answer = NEXT(function)(fd, bytes, count);                               \
    return met ? finishes(answer) : answer;                                          \
  }

REPLACE_TRANSFER(write, const void *)
REPLACE_TRANSFER(read, void *)

// Several pieces in one call count as one write.
ssize_t writev(int fd, const struct iovec *pieces, int count) {
  int met = meets("write", fd, NULL);
  if (met && !passes()) return -1;
  if (met && is_action("zero")) return 0;
  if (!met || !(is_action("short") || is_action("half-kill"))) {
    ssize_t answer = NEXT(writev)(fd, pieces, count);
    return met ? finishes(answer) : answer;
  }
  size_t total = 0;
  for (int i = 0; i < count; i++) total += pieces[i].iov_len;
  size_t left = (total + 1) / 2;
  struct iovec half[count];
  int used = 0;
  for (; used < count && left > 0; used++) {
    half[used] = pieces[used];
    if (half[used].iov_len > left) half[used].iov_len = left;
    left -= half[used].iov_len;
  }
  return finishes(NEXT(writev)(fd, half, used));
}

// Programs call `statx` and `renameat2` by their numbers, because Swift does not see their names. `statx` counts as the
// corresponding status call.
long syscall(long number, ...) {
  va_list list;
  va_start(list, number);
  long a[6];
  for (int i = 0; i < 6; i++) a[i] = va_arg(list, long);
  va_end(list);
  int met = 0;
  if (number == SYS_statx) {
    const char *path = (const char *)a[1];
    int descriptor = (int)a[0];
    met = meets(descriptor == AT_FDCWD ? "lstat" : path[0] ? "fstatat" : "fstat", descriptor, path[0] ? path : NULL);
  }
  if (number == SYS_renameat2) met = meets("rename", (int)a[2], (const char *)a[3]);
  if (met && !passes()) return -1;
  long answer = NEXT(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  return met ? finishes(answer) : answer;
}

// At an offset of a file. In programs that were compiled for large files, the functions have other names.
#define REPLACE_TRANSFER_AT(function, name, bytes_type)                              \
  ssize_t function(int fd, bytes_type bytes, size_t count, off_t offset) {           \
    int met = meets(name, fd, NULL);                                                 \
    if (met && !passes()) return -1;                                                 \
    if (met && is_action("zero")) return 0;                                          \
    if (met && (is_action("short") || is_action("half-kill"))) count = (count + 1) / 2; \
    ssize_t answer = NEXT(function)(fd, bytes, count, offset);                       \
    return met ? finishes(answer) : answer;                                          \
  }

REPLACE_TRANSFER_AT(pwrite, "pwrite", const void *)
REPLACE_TRANSFER_AT(pwrite64, "pwrite", const void *)
REPLACE_TRANSFER_AT(pread, "pread", void *)
REPLACE_TRANSFER_AT(pread64, "pread", void *)

DIR *fdopendir(int fd) {
  int met = meets("readdir", fd, NULL);
  if (met && !passes()) return NULL;
  DIR *answer = NEXT(fdopendir)(fd);
  if (met && finishes(0) < 0) {
    int saved = errno;
    if (answer) closedir(answer);
    errno = saved;
    return NULL;
  }
  return answer;
}
