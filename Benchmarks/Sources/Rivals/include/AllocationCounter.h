#pragma once
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Allocations, reallocations and frees of the calling thread since it started, counted in front of glibc's allocator.
uint64_t bench_heap_operations(void);

#ifdef __cplusplus
}
#endif
