// The beginning of the program that runs the checks.

#include <stdint.h>

__attribute__((import_module("wasi_snapshot_preview1"), import_name("proc_exit"))) _Noreturn void wasi_proc_exit(int32_t status);

int byte_layer_failures(void);

__attribute__((export_name("_start"))) void _start(void) { wasi_proc_exit(byte_layer_failures() == 0 ? 0 : 1); }
