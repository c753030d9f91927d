// The C library's functions of single floats. glibc and Darwin's libm compute these without locks or allocation; the
// most they touch is errno, which is thread-local.
#pragma once
#include <math.h>
#include "no_locks.h"

ANTIPHON_NO_LOCKS static inline float antiphon_logf(float x) { return logf(x); }
ANTIPHON_NO_LOCKS static inline float antiphon_log2f(float x) { return log2f(x); }
ANTIPHON_NO_LOCKS static inline float antiphon_log10f(float x) { return log10f(x); }
ANTIPHON_NO_LOCKS static inline float antiphon_log1pf(float x) { return log1pf(x); }
ANTIPHON_NO_LOCKS static inline float antiphon_expf(float x) { return expf(x); }
ANTIPHON_NO_LOCKS static inline float antiphon_exp2f(float x) { return exp2f(x); }
ANTIPHON_NO_LOCKS static inline float antiphon_expm1f(float x) { return expm1f(x); }
ANTIPHON_NO_LOCKS static inline float antiphon_powf(float x, float y) { return powf(x, y); }
ANTIPHON_NO_LOCKS static inline float antiphon_sqrtf(float x) { return sqrtf(x); }
ANTIPHON_NO_LOCKS static inline float antiphon_hypotf(float x, float y) { return hypotf(x, y); }
ANTIPHON_NO_LOCKS static inline float antiphon_sinf(float x) { return sinf(x); }
ANTIPHON_NO_LOCKS static inline float antiphon_cosf(float x) { return cosf(x); }
ANTIPHON_NO_LOCKS static inline float antiphon_atan2f(float y, float x) { return atan2f(y, x); }
ANTIPHON_NO_LOCKS static inline float antiphon_tanhf(float x) { return tanhf(x); }
ANTIPHON_NO_LOCKS static inline float antiphon_floorf(float x) { return floorf(x); }
ANTIPHON_NO_LOCKS static inline float antiphon_ceilf(float x) { return ceilf(x); }
ANTIPHON_NO_LOCKS static inline float antiphon_rintf(float x) { return rintf(x); }
ANTIPHON_NO_LOCKS static inline float antiphon_fabsf(float x) { return fabsf(x); }
ANTIPHON_NO_LOCKS static inline double antiphon_log(double x) { return log(x); }
ANTIPHON_NO_LOCKS static inline double antiphon_log10(double x) { return log10(x); }
ANTIPHON_NO_LOCKS static inline double antiphon_exp(double x) { return exp(x); }
ANTIPHON_NO_LOCKS static inline double antiphon_pow(double x, double y) { return pow(x, y); }
ANTIPHON_NO_LOCKS static inline double antiphon_sqrt(double x) { return sqrt(x); }
