#pragma once
#include <fftw3.h>

#define ANTIPHON_NO_LOCKS __attribute__((swift_attr("@_noLocks")))

#pragma clang assume_nonnull begin

// Executing a plan takes no lock. Its scratch is part of the plan or on the stack up to 64 kB (kernel/ifftw.h,
// MAX_STACK_ALLOC); the tests count 0 allocations for each length from 32 to 16,384.
ANTIPHON_NO_LOCKS void fftwf_execute_dft_r2c(const fftwf_plan plan, float *samples, fftwf_complex *spectrum);
ANTIPHON_NO_LOCKS void fftwf_execute_dft_c2r(const fftwf_plan plan, fftwf_complex *spectrum, float *samples);

#pragma clang assume_nonnull end
