#define _GNU_SOURCE
#include "Clock.h"

#include <pthread.h>
#include <sched.h>

int bench_pin_to_core(int core) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(core, &cores);
  return pthread_setaffinity_np(pthread_self(), sizeof cores, &cores) == 0;
}
