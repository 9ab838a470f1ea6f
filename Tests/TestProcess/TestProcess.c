// Sets the environment of a process of tests. It must be set before Swift code runs, so C sets it while it is loaded. Keeps existing
// values.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void setEnvironment(void) {
  // Reads back each value that is encoded. See ReadBack.swift.
  setenv("KEYEDARCHIVE_READS_BACK", "1", 0);

  // Without a limit, Swift Testing begins all tests immediately: 1,400 of them then share two processors, take half as much time
  // again, and no result is known before the end. Two tests for each processor keep it busy while others wait.
  char width[16];
  snprintf(width, sizeof width, "%ld", 2 * sysconf(_SC_NPROCESSORS_ONLN));
  setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", width, 0);
}
