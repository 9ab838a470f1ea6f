// What a process of tests finds in its environment. It must be there before Swift's first line runs, so C sets it while it is loaded.
// A value that is there already stays.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void setEnvironment(void) {
  // Each value that is encoded is read back. See ReadBack.swift.
  setenv("KEYEDARCHIVE_READS_BACK", "1", 0);

  // Swift Testing begins all tests at once if nothing limits them: 1,400 of them then share two processors, take half as much time
  // again, and no outcome is known before the end. Two for each processor keep it busy while others wait.
  char width[16];
  snprintf(width, sizeof width, "%ld", 2 * sysconf(_SC_NPROCESSORS_ONLN));
  setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", width, 0);
}
