// The processor's tick counter: a register that runs at a constant rate, so that an audio thread can measure itself
// without a system call.
#pragma once
#include <stdint.h>
#include <time.h>
#if defined(__x86_64__) || defined(__i386__)
#include <x86intrin.h>
#endif

__attribute__((swift_attr("@_noLocks"))) static inline uint64_t antiphon_ticks(void) {
#if defined(__x86_64__) || defined(__i386__)
  return __rdtsc();
#elif defined(__aarch64__)
  uint64_t ticks;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#else
#error "no tick counter is known for this processor"
#endif
}

// Ticks in a second. Where the processor does not tell, 20 ms are measured against the monotonic clock: not for the audio
// thread.
static inline double antiphon_ticks_per_second(void) {
#if defined(__aarch64__)
  uint64_t frequency;
  __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(frequency));
  return (double)frequency;
#else
  struct timespec began, now;
  clock_gettime(CLOCK_MONOTONIC, &began);
  const uint64_t first = antiphon_ticks();
  double seconds;
  do {
    clock_gettime(CLOCK_MONOTONIC, &now);
    seconds = (double)(now.tv_sec - began.tv_sec) + 1e-9 * (double)(now.tv_nsec - began.tv_nsec);
  } while (seconds < 0.02);
  return (double)(antiphon_ticks() - first) / seconds;
#endif
}
