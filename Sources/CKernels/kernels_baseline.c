#include "kernel_sets.h"

#define LANES 4
#define NAME(x) x##_baseline
#include "split_radix_loops.h"
#include "vector_loops.h"

static const antiphon_kernel_set set = KERNEL_SET("baseline");

const antiphon_kernel_set *antiphon_baseline_kernels(void) { return &set; }
