// Eight numbers at a time, and what small dense systems need of them: sums of products, factors, solutions.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>

#include "assay/array.hpp"

namespace assay::machines {

typedef double Lane __attribute__((vector_size(64)));
typedef double LooseLane __attribute__((vector_size(64), aligned(8), may_alias));
constexpr int64_t WIDTH = 8;
constexpr int64_t PIVOTS = 4;  // rows of a factor that are taken away from those below them together

INLINE void load(Lane &v, const double *p) { v = *reinterpret_cast<const LooseLane *>(p); }
INLINE void store(double *p, const Lane &v) { *reinterpret_cast<LooseLane *>(p) = v; }
INLINE double total(const Lane &v) { return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7])); }

INLINE double inner(const double *a, const double *b, int64_t n) {
    Lane sum{}, x, y;
    int64_t k = 0;
    for (; k + WIDTH <= n; k += WIDTH) {
        load(x, a + k), load(y, b + k);
        sum = sum + x * y;
    }
    double all = total(sum);
    for (; k < n; ++k) all += a[k] * b[k];
    return all;
}

// The upper factor of a symmetric matrix in its place, four rows at a time; whether all of its pivots are above 0 and
// above this share of the largest.
INLINE bool factored(double *A, int64_t f, double share_of_most) {
    double least = std::numeric_limits<double>::infinity(), most = 0;
    for (int64_t first = 0; first < f; first += PIVOTS) {
        const int64_t end = std::min(first + PIVOTS, f);
        for (int64_t k = first; k < end; ++k) {
            double *row = A + k * f;
            for (int64_t i = first; i < k; ++i) {
                const double *above = A + i * f, factor = above[k];
                for (int64_t j = k; j < f; ++j) row[j] -= factor * above[j];
            }
            if (!(row[k] > 0)) return false;
            const double pivot = std::sqrt(row[k]), share = 1 / pivot;
            least = std::min(least, pivot), most = std::max(most, pivot);
            if (!(least > share_of_most * most)) return false;
            row[k] = pivot;
            for (int64_t j = k + 1; j < f; ++j) row[j] *= share;
        }
        const double *r0 = A + first * f, *r1 = r0 + f, *r2 = r1 + f, *r3 = r2 + f;
        for (int64_t i = end; i < f; ++i) {  // where rows are left, all of the pivots are there
            double *to = A + i * f;
            const double c0 = r0[i], c1 = r1[i], c2 = r2[i], c3 = r3[i];
            for (int64_t j = i; j < f; ++j) to[j] = (((to[j] - c0 * r0[j]) - c1 * r1[j]) - c2 * r2[j]) - c3 * r3[j];
        }
    }
    return true;
}

// x becomes the solution for the right side x, by such a factor.
INLINE void solved(const double *U, int64_t f, double *x) {
    for (int64_t k = 0; k < f; ++k) {
        const double *row = U + k * f;
        const double value = x[k] /= row[k];
        for (int64_t j = k + 1; j < f; ++j) x[j] -= value * row[j];
    }
    for (int64_t k = f; k-- > 0;) {
        const double *row = U + k * f;
        x[k] = (x[k] - inner(row + k + 1, x + k + 1, f - k - 1)) / row[k];
    }
}

}  // namespace assay::machines
