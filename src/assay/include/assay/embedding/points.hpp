// Points that repel each other by Student's t: the sums that the gradient of t-SNE needs, over a list of points.
//
//     u = 1 / (1 + |y - z|^2 / dof),   w = u^((dof + 1) / 2),   Z_y = sum_z m_z w,   F_y = sum_z m_z w u (y - z)
//
// A list holds the coordinates of its points one axis after the other, and the number m of points that each stands for.
// Its length is a multiple of sixteen; the last places have m = 0.
#pragma once
#include <cstdint>
#include <cstring>
#include <vector>

#include "assay/fft.hpp"

namespace assay {

constexpr int64_t MOST_AXES = 64;

inline int64_t whole_lanes(int64_t n) { return (n + SIGNALS - 1) / SIGNALS * SIGNALS; }

// 1 / sqrt(x) of positive normal numbers, by Newton's steps from a first guess in the exponent's bits.
typedef int32_t Whole __attribute__((vector_size(4 * SIGNALS), aligned(4), may_alias));
INLINE void inverse_root(const Signals &x, Signals &y) {
    const Whole guess = 0x5f3759df - (reinterpret_cast<const Whole &>(x) >> 1);
    y = reinterpret_cast<const Signals &>(guess);
    for (int step = 0; step < 3; ++step) y = y * (1.5f - 0.5f * x * y * y);
}

// w = u^((dof + 1) / 2), dof >= 1
INLINE void student(const Signals &u, int dof, Signals &w) {
    if (dof == 1) {
        w = u;
        return;
    }
    w = u;
    for (int power = 2; power <= (dof + 1) / 2; ++power) w = w * u;
    if (dof % 2 == 0) {
        Signals inverse;
        inverse_root(u, inverse);
        w = w * u * inverse;
    }
}

// The sums of the points first ... last - 1 (axes y[a * stride + i]) over a list (axes z[a * size + k]); axes = D if D
// > 0.
template <int D>
INLINE void sum_over_list(const float *y, int64_t stride, int64_t first, int64_t last, const float *z,
                          const float *mass, int64_t size, int axes, int dof, double *Z, float *force) {
    const int d = D > 0 ? D : axes;
    const float inverse = 1.0f / float(dof);
    for (int64_t i = first; i < last; ++i) {
        Signals total = {}, sums[D > 0 ? D : MOST_AXES], apart[D > 0 ? D : MOST_AXES];
        for (int a = 0; a < d; ++a) sums[a] = Signals{};
        for (int64_t k = 0; k < size; k += SIGNALS) {
            Signals square = {};
            for (int a = 0; a < d; ++a) {
                apart[a] = y[a * stride + i] - *reinterpret_cast<const Signals *>(z + a * size + k);
                square += apart[a] * apart[a];
            }
            const Signals u = 1.0f / (1.0f + square * inverse);
            Signals w;
            student(u, dof, w);
            w *= *reinterpret_cast<const Signals *>(mass + k);
            total += w;
            w *= u;
            for (int a = 0; a < d; ++a) sums[a] += w * apart[a];
        }
        double sum = 0;
        for (int64_t l = 0; l < SIGNALS; ++l) sum += double(total[l]);
        Z[i] = sum;
        for (int a = 0; a < d; ++a) {
            float s = 0;
            for (int64_t l = 0; l < SIGNALS; ++l) s += sums[a][l];
            force[a * stride + i] = s;
        }
    }
}

}  // namespace assay
