#include "kernel_sets.h"

#define LANES 4
#define NAME(x) x##_baseline
#include "split_radix_loops.h"
#include "vector_loops.h"
#include "echo_loops_vector.h"
#include "polyphase_loops.h"

static const antiphon_kernel_set set = KERNEL_SET("baseline");

const antiphon_kernel_set *antiphon_baseline_kernels(void) { return &set; }

void antiphon_baseline_fft_forward(const antiphon_fft_plan *plan, const float *samples, float *spectrum) {
  fft_forward_baseline(plan, samples, spectrum);
}

void antiphon_baseline_fft_inverse(const antiphon_fft_plan *plan, const float *spectrum, float *samples) {
  fft_inverse_baseline(plan, spectrum, samples);
}
