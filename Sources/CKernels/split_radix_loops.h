// Fast Fourier transform of real samples by split radix (Duhamel & Hollmann 1984) in its conjugate-pair form
// (Kamar & Elcherif 1989), which needs one twiddle factor where the original needs two.
//
// A transform of N points is one of N/2 (even points) and two of N/4 (points 4j + 1 and 4j - 1), joined by `join`:
// with a = w^k Z[k], b = conj(w^k) Z'[k], w = exp(-2πi/N),
//     X[k] = U[k] + (a + b)    X[k + N/4]  = U[k + N/4] - i (a - b)
//     X[k + N/2] = U[k] - (a + b)    X[k + 3N/4] = U[k + N/4] + i (a - b)
// The recursion ends at 16 or 8 points. Eight such leaves are done at once, one a vector lane, with their inputs fetched
// through a table; the results are transposed so that each leaf lies in one piece where `join` expects it. Real and
// imaginary parts are kept apart, so no other step shuffles lanes.
//
// n real samples are N = n/2 complex points; `fft_forward` and `fft_inverse` convert between the spectrum of those and
// that of the samples (Sorensen et al. 1987).
//
// The file that includes this one sets NAME(x).
#include "split_radix_fft.h"

#pragma clang diagnostic ignored "-Wpsabi"  // every function that passes vectors is inlined here

typedef float eight __attribute__((vector_size(32)));
typedef eight eight_anywhere __attribute__((aligned(4), may_alias));
typedef uint64_t four_pairs __attribute__((vector_size(32)));

#define INLINE static inline __attribute__((always_inline))
#define LOAD8(p) (*(const eight_anywhere *)(p))
#define STORE8(p, v) (*(eight_anywhere *)(p) = (v))
#define REVERSED(v) __builtin_shufflevector(v, v, 7, 6, 5, 4, 3, 2, 1, 0)

// Four outputs of a join from U[k] (u), U[k + N/4] (v), and a, b.
#define JOIN(ur, ui, vr, vi, ar, ai, br, bi, store)                                   \
  do {                                                                                \
    eight sr = (ar) + (br), si = (ai) + (bi), dr = (ar) - (br), di = (ai) - (bi);     \
    eight ur_ = (ur), ui_ = (ui), vr_ = (vr), vi_ = (vi);                             \
    store(0, ur_ + sr, ui_ + si);                                                     \
    store(1, vr_ + di, vi_ - dr);                                                     \
    store(2, ur_ - sr, ui_ - si);                                                     \
    store(3, vr_ - di, vi_ + dr);                                                     \
  } while (0)

INLINE void NAME(four_points)(eight *r, eight *i) {
  eight ar = r[0] + r[2], ai = i[0] + i[2], br = r[0] - r[2], bi = i[0] - i[2];
  eight cr = r[1] + r[3], ci = i[1] + i[3], dr = r[1] - r[3], di = i[1] - i[3];
  r[0] = ar + cr, i[0] = ai + ci;
  r[1] = br + di, i[1] = bi - dr;
  r[2] = ar - cr, i[2] = ai - ci;
  r[3] = br - di, i[3] = bi + dr;
}

// The j-th of the eight inputs is x[j * step].
INLINE void NAME(eight_points)(const eight *xr, const eight *xi, int step, eight *r, eight *i) {
  const float h = 0.70710678118654752f;
  eight ur[4] = {xr[0], xr[2 * step], xr[4 * step], xr[6 * step]};
  eight ui[4] = {xi[0], xi[2 * step], xi[4 * step], xi[6 * step]};
  NAME(four_points)(ur, ui);
  eight zr = xr[step] + xr[5 * step], zi = xi[step] + xi[5 * step];
  eight yr = xr[7 * step] + xr[3 * step], yi = xi[7 * step] + xi[3 * step];
#define PUT(quarter, re, im) (r[2 * (quarter)] = (re), i[2 * (quarter)] = (im))
  JOIN(ur[0], ui[0], ur[2], ui[2], zr, zi, yr, yi, PUT);
#undef PUT
  zr = xr[step] - xr[5 * step], zi = xi[step] - xi[5 * step];
  yr = xr[7 * step] - xr[3 * step], yi = xi[7 * step] - xi[3 * step];
#define PUT(quarter, re, im) (r[2 * (quarter) + 1] = (re), i[2 * (quarter) + 1] = (im))
  JOIN(ur[1], ui[1], ur[3], ui[3], h * (zr + zi), h * (zi - zr), h * (yr - yi), h * (yi + yr), PUT);
#undef PUT
}

INLINE void NAME(sixteen_points)(const eight *xr, const eight *xi, eight *r, eight *i) {
  static const float cosines[4] = {1, 0.92387953251128674f, 0.70710678118654752f, 0.38268343236508977f};
  static const float sines[4] = {0, 0.38268343236508977f, 0.70710678118654752f, 0.92387953251128674f};
  eight ur[8], ui[8];
  NAME(eight_points)(xr, xi, 2, ur, ui);
  eight zr[4] = {xr[1], xr[5], xr[9], xr[13]}, zi[4] = {xi[1], xi[5], xi[9], xi[13]};
  eight yr[4] = {xr[15], xr[3], xr[7], xr[11]}, yi[4] = {xi[15], xi[3], xi[7], xi[11]};
  NAME(four_points)(zr, zi);
  NAME(four_points)(yr, yi);
#pragma clang loop unroll(full)
  for (int k = 0; k < 4; k++) {
    const float c = cosines[k], s = sines[k];
#define PUT(quarter, re, im) (r[4 * (quarter) + k] = (re), i[4 * (quarter) + k] = (im))
    JOIN(ur[k], ui[k], ur[k + 4], ui[k + 4], c * zr[k] + s * zi[k], c * zi[k] - s * zr[k], c * yr[k] - s * yi[k],
         c * yi[k] + s * yr[k], PUT);
#undef PUT
  }
}

// Fetches eight complex values. The order of the pairs lets the parts be separated inside each half of a vector.
INLINE void NAME(fetch)(const float *input, const int32_t *sources, eight *real, eight *imaginary) {
  uint64_t pair[8];
#pragma clang loop unroll(full)
  for (int lane = 0; lane < 8; lane++) __builtin_memcpy(&pair[lane], input + 2 * sources[lane], 8);
  eight v = (eight)(four_pairs){pair[0], pair[1], pair[4], pair[5]};
  eight w = (eight)(four_pairs){pair[2], pair[3], pair[6], pair[7]};
  *real = __builtin_shufflevector(v, w, 0, 2, 8, 10, 4, 6, 12, 14);
  *imaginary = __builtin_shufflevector(v, w, 1, 3, 9, 11, 5, 7, 13, 15);
}

// Stores eight vectors of one point each, lane by lane, as eight points of each leaf.
INLINE void NAME(store_leaves)(const eight *points, float *output, const int32_t *targets) {
  eight t[8], u[8];
#pragma clang loop unroll(full)
  for (int j = 0; j < 8; j += 2) {
    t[j] = __builtin_shufflevector(points[j], points[j + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    t[j + 1] = __builtin_shufflevector(points[j], points[j + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
#pragma clang loop unroll(full)
  for (int j = 0; j < 8; j += 4) {
    u[j] = __builtin_shufflevector(t[j], t[j + 2], 0, 1, 8, 9, 4, 5, 12, 13);
    u[j + 1] = __builtin_shufflevector(t[j], t[j + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    u[j + 2] = __builtin_shufflevector(t[j + 1], t[j + 3], 0, 1, 8, 9, 4, 5, 12, 13);
    u[j + 3] = __builtin_shufflevector(t[j + 1], t[j + 3], 2, 3, 10, 11, 6, 7, 14, 15);
  }
#pragma clang loop unroll(full)
  for (int j = 0; j < 4; j++) {
    STORE8(output + targets[j], __builtin_shufflevector(u[j], u[j + 4], 0, 1, 2, 3, 8, 9, 10, 11));
    STORE8(output + targets[j + 4], __builtin_shufflevector(u[j], u[j + 4], 4, 5, 6, 7, 12, 13, 14, 15));
  }
}

static void NAME(leaves)(const antiphon_fft_plan *plan, const float *input) {
  const int32_t *sources = plan->sources, *targets = plan->targets;
  eight xr[16], xi[16], r[16], i[16];
  for (int32_t batch = 0; batch < plan->batches16; batch++) {
    for (int point = 0; point < 16; point++, sources += 8) NAME(fetch)(input, sources, &xr[point], &xi[point]);
    NAME(sixteen_points)(xr, xi, r, i);
    NAME(store_leaves)(r, plan->real, targets);
    NAME(store_leaves)(r + 8, plan->real + 8, targets);
    NAME(store_leaves)(i, plan->imaginary, targets);
    NAME(store_leaves)(i + 8, plan->imaginary + 8, targets);
    targets += 8;
  }
  for (int32_t batch = 0; batch < plan->batches8; batch++) {
    for (int point = 0; point < 8; point++, sources += 8) NAME(fetch)(input, sources, &xr[point], &xi[point]);
    NAME(eight_points)(xr, xi, 1, r, i);
    NAME(store_leaves)(r, plan->real, targets);
    NAME(store_leaves)(i, plan->imaginary, targets);
    targets += 8;
  }
}

// Depth first, so that the parts of a large transform are joined while the first-level cache still has them.
static void NAME(join)(int32_t size, float *real, float *imaginary, const float *twiddles) {
  const int32_t half = size / 2, quarter = size / 4;
  if (half >= 32) NAME(join)(half, real, imaginary, twiddles + half);
  if (quarter >= 32) {
    NAME(join)(quarter, real + half, imaginary + half, twiddles + half + quarter);
    NAME(join)(quarter, real + half + quarter, imaginary + half + quarter, twiddles + half + quarter);
  }
  float *r1 = real + quarter, *r2 = real + half, *r3 = r2 + quarter;
  float *i1 = imaginary + quarter, *i2 = imaginary + half, *i3 = i2 + quarter;
  for (int32_t k = 0; k < quarter; k += 8) {
    eight c = LOAD8(twiddles + 2 * k), s = LOAD8(twiddles + 2 * k + 8);
    eight zr = LOAD8(r2 + k), zi = LOAD8(i2 + k), yr = LOAD8(r3 + k), yi = LOAD8(i3 + k);
    float *r[4] = {real + k, r1 + k, r2 + k, r3 + k}, *i[4] = {imaginary + k, i1 + k, i2 + k, i3 + k};
#define PUT(quarter, re, im) (STORE8(r[quarter], re), STORE8(i[quarter], im))
    JOIN(LOAD8(real + k), LOAD8(imaginary + k), LOAD8(r1 + k), LOAD8(i1 + k), c * zr + s * zi, c * zi - s * zr,
         c * yr - s * yi, c * yi + s * yr, PUT);
#undef PUT
  }
}

static void NAME(complex_transform)(const antiphon_fft_plan *plan, const float *input) {
  NAME(leaves)(plan, input);
  if (plan->length >= 64) NAME(join)(plan->length / 2, plan->real, plan->imaginary, plan->twiddles);
}

INLINE void NAME(store_pairs)(float *output, eight first, eight second) {
  STORE8(output, __builtin_shufflevector(first, second, 0, 8, 1, 9, 2, 10, 3, 11));
  STORE8(output + 8, __builtin_shufflevector(first, second, 4, 12, 5, 13, 6, 14, 7, 15));
}

INLINE void NAME(load_pairs)(const float *input, eight *first, eight *second) {
  eight v = LOAD8(input), w = LOAD8(input + 8);
  *first = __builtin_shufflevector(v, w, 0, 2, 4, 6, 8, 10, 12, 14);
  *second = __builtin_shufflevector(v, w, 1, 3, 5, 7, 9, 11, 13, 15);
}

// With Z the transform of the pairs: e = (Z[k] + conj Z[N-k]) / 2, o = (Z[k] - conj Z[N-k]) / 2, p + iq = w^k o,
// X[k] = e - i (p + iq) and X[N-k] = conj(e) - i (p - iq). The middle bin comes out twice, equal.
static void NAME(fft_forward)(const antiphon_fft_plan *plan, const float *samples, float *spectrum) {
  NAME(complex_transform)(plan, samples);
  const int32_t points = plan->length / 2, half = points / 2;
  const float *zr = plan->real, *zi = plan->imaginary;
  for (int32_t k = 1; k <= half; k += 8) {
    const int32_t mirror = points - k - 7;
    eight c = LOAD8(plan->split_twiddles + k - 1), s = LOAD8(plan->split_twiddles + half + k - 1);
    eight ar = LOAD8(zr + k), ai = LOAD8(zi + k);
    eight br = LOAD8(zr + mirror), bi = LOAD8(zi + mirror);
    br = REVERSED(br), bi = REVERSED(bi);
    eight er = 0.5f * (ar + br), ei = 0.5f * (ai - bi), or = 0.5f * (ar - br), oi = 0.5f * (ai + bi);
    eight p = c * or + s * oi, q = c * oi - s * or;
    NAME(store_pairs)(spectrum + 2 * k, er + q, ei - p);
    eight mr = er - q, mi = -ei - p;
    NAME(store_pairs)(spectrum + 2 * mirror, REVERSED(mr), REVERSED(mi));
  }
  spectrum[0] = zr[0] + zi[0];
  spectrum[1] = 0;
  spectrum[2 * points] = zr[0] - zi[0];
  spectrum[2 * points + 1] = 0;
}

// Backwards: o = i conj(w^k) (X[k] - conj X[N-k]) / 2, Z[k] = e + o, Z[N-k] = conj(e - o). An inverse transform is a
// forward one with real and imaginary parts swapped before and after.
static void NAME(fft_inverse)(const antiphon_fft_plan *plan, const float *spectrum, float *samples) {
  const int32_t points = plan->length / 2, half = points / 2;
  const float scale = 1.0f / (float)plan->length;
  float *packed = plan->packed;
  for (int32_t k = 1; k <= half; k += 8) {
    const int32_t mirror = points - k - 7;
    eight c = LOAD8(plan->split_twiddles + k - 1), s = LOAD8(plan->split_twiddles + half + k - 1);
    eight ar, ai, br, bi;
    NAME(load_pairs)(spectrum + 2 * k, &ar, &ai);
    NAME(load_pairs)(spectrum + 2 * mirror, &br, &bi);
    br = REVERSED(br), bi = REVERSED(bi);
    eight er = scale * (ar + br), ei = scale * (ai - bi), dr = scale * (ar - br), di = scale * (ai + bi);
    eight or = -(c * di + s * dr), oi = c * dr - s * di;
    NAME(store_pairs)(packed + 2 * k, ei + oi, er + or);
    eight mr = er - or, mi = oi - ei;
    NAME(store_pairs)(packed + 2 * mirror, REVERSED(mi), REVERSED(mr));
  }
  packed[0] = scale * (spectrum[0] - spectrum[2 * points]);
  packed[1] = scale * (spectrum[0] + spectrum[2 * points]);
  NAME(complex_transform)(plan, packed);
  for (int32_t k = 0; k < points; k += 8)
    NAME(store_pairs)(samples + 2 * k, LOAD8(plan->imaginary + k), LOAD8(plan->real + k));
}
