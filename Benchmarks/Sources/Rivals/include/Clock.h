#pragma once
#include <stdint.h>
#include <time.h>

/// Nanoseconds of the monotonic clock. Both sides of a contest read it through this line, so it costs both the same.
static inline int64_t bench_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

#ifdef __cplusplus
extern "C" {
#endif

/// Keeps the calling thread on one core; 0 when the system refuses.
int bench_pin_to_core(int core);

#ifdef __cplusplus
}
#endif
