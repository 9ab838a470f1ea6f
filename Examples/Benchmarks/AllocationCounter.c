// Counts the bytes that a program has allocated with malloc, and their peak since the last query.
//
//     cc -shared -fPIC -O2 -o /tmp/counter.so Examples/Benchmarks/AllocationCounter.c
//     LD_PRELOAD=/tmp/counter.so Examples/Benchmarks/.build/release/Benchmarks memory
//
// If COUNT_ALLOCATIONS is set in the environment, the program prints the number of allocations when it exits.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

static _Atomic long held, peak, allocations;

static void count(long bytes) {
  long now = atomic_fetch_add(&held, bytes) + bytes, most = atomic_load(&peak);
  while (now > most && !atomic_compare_exchange_weak(&peak, &most, now)) {
  }
}

static void *counted(void *block) {
  if (block) count((long)malloc_usable_size(block));
  atomic_fetch_add(&allocations, 1);
  return block;
}

__attribute__((destructor)) static void report(void) {
  if (getenv("COUNT_ALLOCATIONS")) fprintf(stderr, "allocations: %ld\n", atomic_load(&allocations));
}

void *malloc(size_t size) { return counted(__libc_malloc(size)); }
void *calloc(size_t number, size_t size) { return counted(__libc_calloc(number, size)); }
void *memalign(size_t alignment, size_t size) { return counted(__libc_memalign(alignment, size)); }
void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **block, size_t alignment, size_t size) {
  *block = memalign(alignment, size);
  return *block ? 0 : 12;
}

void *realloc(void *block, size_t size) {
  long before = block ? (long)malloc_usable_size(block) : 0;
  void *moved = __libc_realloc(block, size);
  if (!moved) return moved;
  // While a block moves, both copies are held.
  if (block && moved != block) count((long)malloc_usable_size(moved)), count(-before);
  else count((long)malloc_usable_size(moved) - before);
  return moved;
}

void free(void *block) {
  if (block) count(-(long)malloc_usable_size(block));
  __libc_free(block);
}

/// The most bytes that were held since the last call, beyond those that were held then.
long allocation_peak(void) {
  static long start;
  long most = atomic_load(&peak) - start;
  start = atomic_load(&held);
  atomic_store(&peak, start);
  return most;
}
