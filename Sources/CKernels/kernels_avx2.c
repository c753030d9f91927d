#include "kernel_sets.h"

#if defined(__x86_64__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#define LANES 8
#define NAME(x) x##_avx2
#include "split_radix_loops.h"
#include "vector_loops.h"
#include "echo_loops_vector.h"
#include "polyphase_loops.h"
#pragma clang attribute pop

static const antiphon_kernel_set set = KERNEL_SET("AVX2 and FMA");

const antiphon_kernel_set *antiphon_avx2_kernels(void) {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? &set : NULL;
}
#else
const antiphon_kernel_set *antiphon_avx2_kernels(void) { return NULL; }
#endif
