// Fourier transforms of sixteen signals at a time, one in each lane of a vector.
//
//     X_k = sum_t x_t exp(-2 pi i t k / n),    n = 2^a 3^b 5^c
//
// Stockham's order: every pass reads one array and writes the other, and the result needs no sorting. With the real and
// the imaginary parts exchanged, before and after, the same passes give the inverse (times n). Twin: numpy.fft.
#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

#include "assay/compiler.hpp"

namespace assay {

constexpr int64_t SIGNALS = 16;
typedef float Signals __attribute__((vector_size(4 * SIGNALS), aligned(4), may_alias));

// The smallest length from n up that has no other factors than 2, 3 and 5, and is a multiple of `unit` (2, 4, ...).
inline int64_t quick_length(int64_t n, int64_t unit) {
    for (int64_t size = (n + unit - 1) / unit * unit;; size += unit) {
        int64_t left = size;
        for (int64_t factor : {2, 3, 5})
            while (left % factor == 0) left /= factor;
        if (left == 1) return size;
    }
}

class Fourier {
    int64_t n_;
    std::vector<float> cos_, sin_;  // exp(-2 pi i t / n)

  public:
    explicit Fourier(int64_t n) : n_(n), cos_(size_t(n)), sin_(size_t(n)) {
        for (int64_t t = 0; t < n; ++t) {
            const double angle = 2.0 * 3.14159265358979323846 * double(t) / double(n);
            cos_[size_t(t)] = float(std::cos(angle)), sin_[size_t(t)] = float(-std::sin(angle));
        }
    }
    int64_t size() const { return n_; }
    float cosine(int64_t t) const { return cos_[size_t(t)]; }
    float sine(int64_t t) const { return sin_[size_t(t)]; }  // of exp(-2 pi i t / n)

    // Transforms (re, im), using (re2, im2); gives whether the result stands in the second pair.
    INLINE bool transform(Signals *re, Signals *im, Signals *re2, Signals *im2) const {
        bool second = false;
        for (int64_t n = n_, stride = 1; n > 1; second = !second) {
            const int64_t radix = n % 4 == 0 ? 4 : n % 2 == 0 ? 2 : n % 3 == 0 ? 3 : 5, m = n / radix;
            const Signals *a = second ? re2 : re, *b = second ? im2 : im;
            Signals *c = second ? re : re2, *d = second ? im : im2;
            if (radix == 4) pass<4>(a, b, c, d, m, stride);
            else if (radix == 2) pass<2>(a, b, c, d, m, stride);
            else if (radix == 3) pass<3>(a, b, c, d, m, stride);
            else pass<5>(a, b, c, d, m, stride);
            n = m, stride *= radix;
        }
        return second;
    }

  private:
    template <int RADIX>
    INLINE void pass(const Signals *a, const Signals *b, Signals *c, Signals *d, int64_t m, int64_t stride) const {
        for (int64_t p = 0; p < m; ++p)
            for (int64_t q = 0; q < stride; ++q) {
                const int64_t from = q + stride * p, step = stride * m, to = q + stride * RADIX * p;
                if constexpr (RADIX == 4) four(a, b, c, d, from, step, to, stride, p);
                else if constexpr (RADIX == 2) two(a, b, c, d, from, step, to, stride, p);
                else if constexpr (RADIX == 3) three(a, b, c, d, from, step, to, stride, p);
                else five(a, b, c, d, from, step, to, stride, p);
            }
    }
    // y[to] = (x, z) w^(p j), w = exp(-2 pi i / length of this pass)
    INLINE void put(Signals *c, Signals *d, int64_t to, int64_t stride, int64_t p, int64_t j, const Signals &x,
                    const Signals &z) const {
        const float co = cos_[size_t(p * j * stride)], si = sin_[size_t(p * j * stride)];
        c[to + stride * j] = x * co - z * si;
        d[to + stride * j] = x * si + z * co;
    }
    INLINE void two(const Signals *a, const Signals *b, Signals *c, Signals *d, int64_t from, int64_t step, int64_t to,
                    int64_t stride, int64_t p) const {
        const Signals r0 = a[from], r1 = a[from + step], i0 = b[from], i1 = b[from + step];
        c[to] = r0 + r1, d[to] = i0 + i1;
        put(c, d, to, stride, p, 1, r0 - r1, i0 - i1);
    }
    INLINE void four(const Signals *a, const Signals *b, Signals *c, Signals *d, int64_t from, int64_t step, int64_t to,
                     int64_t stride, int64_t p) const {
        const Signals r0 = a[from] + a[from + 2 * step], r2 = a[from] - a[from + 2 * step];
        const Signals r1 = a[from + step] + a[from + 3 * step], r3 = a[from + step] - a[from + 3 * step];
        const Signals i0 = b[from] + b[from + 2 * step], i2 = b[from] - b[from + 2 * step];
        const Signals i1 = b[from + step] + b[from + 3 * step], i3 = b[from + step] - b[from + 3 * step];
        c[to] = r0 + r1, d[to] = i0 + i1;
        put(c, d, to, stride, p, 1, r2 + i3, i2 - r3);
        put(c, d, to, stride, p, 2, r0 - r1, i0 - i1);
        put(c, d, to, stride, p, 3, r2 - i3, i2 + r3);
    }
    INLINE void three(const Signals *a, const Signals *b, Signals *c, Signals *d, int64_t from, int64_t step,
                      int64_t to, int64_t stride, int64_t p) const {
        constexpr float S = 0.86602540378443864676f;  // sin(2 pi / 3)
        const Signals r0 = a[from], r1 = a[from + step], r2 = a[from + 2 * step];
        const Signals i0 = b[from], i1 = b[from + step], i2 = b[from + 2 * step];
        const Signals rs = r1 + r2, is = i1 + i2, rd = (r1 - r2) * S, id = (i1 - i2) * S;
        const Signals rm = r0 - rs * 0.5f, im = i0 - is * 0.5f;
        c[to] = r0 + rs, d[to] = i0 + is;
        put(c, d, to, stride, p, 1, rm + id, im - rd);
        put(c, d, to, stride, p, 2, rm - id, im + rd);
    }
    INLINE void five(const Signals *a, const Signals *b, Signals *c, Signals *d, int64_t from, int64_t step, int64_t to,
                     int64_t stride, int64_t p) const {
        constexpr float C1 = 0.30901699437494742410f, C2 = -0.80901699437494742410f;  // cos(2 pi / 5), cos(4 pi / 5)
        constexpr float S1 = 0.95105651629515357212f, S2 = 0.58778525229247312917f;
        const Signals r0 = a[from], i0 = b[from];
        const Signals rs1 = a[from + step] + a[from + 4 * step], rd1 = a[from + step] - a[from + 4 * step];
        const Signals rs2 = a[from + 2 * step] + a[from + 3 * step], rd2 = a[from + 2 * step] - a[from + 3 * step];
        const Signals is1 = b[from + step] + b[from + 4 * step], id1 = b[from + step] - b[from + 4 * step];
        const Signals is2 = b[from + 2 * step] + b[from + 3 * step], id2 = b[from + 2 * step] - b[from + 3 * step];
        const Signals ra = r0 + rs1 * C1 + rs2 * C2, ia = i0 + is1 * C1 + is2 * C2;
        const Signals rb = r0 + rs1 * C2 + rs2 * C1, ib = i0 + is1 * C2 + is2 * C1;
        const Signals rc = id1 * S1 + id2 * S2, ic = rd1 * S1 + rd2 * S2;
        const Signals re = id1 * S2 - id2 * S1, ie = rd1 * S2 - rd2 * S1;
        c[to] = r0 + rs1 + rs2, d[to] = i0 + is1 + is2;
        put(c, d, to, stride, p, 1, ra + rc, ia - ic);
        put(c, d, to, stride, p, 2, rb + re, ib - ie);
        put(c, d, to, stride, p, 3, rb - re, ib + ie);
        put(c, d, to, stride, p, 4, ra - rc, ia + ic);
    }
};

}  // namespace assay
