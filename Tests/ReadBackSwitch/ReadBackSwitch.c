// Every process with this in it, each test of the package for one, reads back what it encodes. See ReadBack.swift.
#include <stdlib.h>

__attribute__((constructor)) static void turnReadBackOn(void) {
  setenv("KEYEDARCHIVE_READS_BACK", "1", 0);
}
