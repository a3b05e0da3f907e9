// Values of kernels of vectors, a register of pairs at a time: from sums over columns to the value of the kernel.
//
//     LINEAR        a'b                          SIGMOID     tanh(gamma a'b + coef0)
//     POLYNOMIAL    (gamma a'b + coef0)^degree   LAPLACIAN   exp(-sum_j |a_j - b_j|)
//     GAUSSIAN      exp(a'b - h(a) - h(b)), h half of the squared length
//     GAUSSIAN_APART  exp(-1/2 sum_j (a_j - b_j)^2): the same without cancellation, at twice the work
//     SQUARES       s = sum_j (a_j - b_j)^2
//     MATERN        e^-z, (1 + z) e^-z or (1 + z + z^2 / 3) e^-z for degree 1, 2 or 3, z = sqrt(gamma s)
//
// Rows come scaled (by the square root of 2 gamma, or by gamma). The second rows lie in panels: WIDTH of them side by
// side, column by column, the last panel filled up with zeros.
#pragma once
#include <cstring>

#include "assay/array.hpp"

namespace assay::kernel_values {

enum Kind { LINEAR, POLYNOMIAL, SIGMOID, GAUSSIAN, GAUSSIAN_APART, LAPLACIAN, SQUARES, MATERN };

constexpr int MOST_DEGREE = 64;

struct Form {
    int64_t kind, degree;
    double gamma, coef0;
    void check() const {
        require(kind >= LINEAR && kind <= MATERN && degree >= 1 && degree <= MOST_DEGREE, "Form: kind or degree");
    }
};

template <class T> struct Of;
template <> struct Of<float> {
    typedef float Lane __attribute__((vector_size(64)));
    typedef float Loose __attribute__((vector_size(64), aligned(4), may_alias));
    typedef uint32_t Bits __attribute__((vector_size(64)));
};
template <> struct Of<double> {
    typedef double Lane __attribute__((vector_size(64)));
    typedef double Loose __attribute__((vector_size(64), aligned(8), may_alias));
    typedef uint64_t Bits __attribute__((vector_size(64)));
};
template <class T> using Lane = typename Of<T>::Lane;
template <class T> constexpr int64_t WIDTH = 64 / sizeof(T);
template <class T> constexpr double FARTHEST = sizeof(T) == 4 ? 7569.0 : 501264.0;  // z^2 where e^-z is as good as 0

template <class T> static INLINE void load(Lane<T> &v, const T *p) {
    v = *reinterpret_cast<const typename Of<T>::Loose *>(p);
}
template <class T> static INLINE void store(T *p, const Lane<T> &v) {
    *reinterpret_cast<typename Of<T>::Loose *>(p) = v;
}

// v = exp(v): 2^k times a polynomial of the rest r, |r| <= ln 2 / 2; the value at the end beyond the range of T.
static INLINE void exponential(Lane<float> &v) {
    v = v < -87.0f ? -87.0f + Lane<float>{} : v;
    v = v > 88.0f ? 88.0f + Lane<float>{} : v;
    const Lane<float> shifted = v * 1.44269504f + 0x1.8p23f, k = shifted - 0x1.8p23f;
    const Lane<float> r = (v - k * 0.693359375f) + k * 2.12194440e-4f;
    Lane<float> s = r * 1.9875691500e-4f + 1.3981999507e-3f;  // least largest error, of degree 7 (Cephes)
    s = s * r + 8.3334519073e-3f;
    s = s * r + 4.1665795894e-2f;
    s = s * r + 1.6666665459e-1f;
    s = s * r + 5.0000001201e-1f;
    s = s * r * r + r + 1.0f;
    Of<float>::Bits power;
    std::memcpy(&power, &shifted, 64);
    power = (power + 127u) << 23;  // the whole number k stands in the low bits
    Lane<float> scale;
    std::memcpy(&scale, &power, 64);
    v = s * scale;
}
static INLINE void exponential(Lane<double> &v) {
    v = v < -708.0 ? -708.0 + Lane<double>{} : v;
    v = v > 709.0 ? 709.0 + Lane<double>{} : v;
    const Lane<double> shifted = v * 1.4426950408889634074 + 0x1.8p52, k = shifted - 0x1.8p52;
    const Lane<double> r = (v - k * 0x1.62e42fefa38p-1) - k * 0x1.ef35793c7673p-45;
    Lane<double> s = r * (1.0 / 6227020800.0) + 1.0 / 479001600.0;  // 1 + r + ... + r^13/13!
    s = s * r + 1.0 / 39916800.0;
    s = s * r + 1.0 / 3628800.0;
    s = s * r + 1.0 / 362880.0;
    s = s * r + 1.0 / 40320.0;
    s = s * r + 1.0 / 5040.0;
    s = s * r + 1.0 / 720.0;
    s = s * r + 1.0 / 120.0;
    s = s * r + 1.0 / 24.0;
    s = s * r + 1.0 / 6.0;
    s = s * r + 0.5;
    s = s * r + 1.0;
    s = s * r + 1.0;
    Of<double>::Bits power;
    std::memcpy(&power, &shifted, 64);
    power = (power + uint64_t(1023)) << 52;
    Lane<double> scale;
    std::memcpy(&scale, &power, 64);
    v = s * scale;
}

// v = sqrt(v), v >= 0: Newton's steps to 1 / sqrt(v) from a first guess by the bits, and one to the root itself.
template <class T> static INLINE void square_root(Lane<T> &v) {
    constexpr bool single = sizeof(T) == 4;
    const Lane<T> x = v > T(single ? 1e-36 : 1e-300) ? v : Lane<T>{} + T(single ? 1e-36 : 1e-300);
    typename Of<T>::Bits bits;
    std::memcpy(&bits, &x, 64);
    if constexpr (single) bits = 0x5f375a86u - (bits >> 1);
    else bits = uint64_t(0x5fe6eb50c7b537a9) - (bits >> 1);
    Lane<T> y;
    std::memcpy(&y, &bits, 64);
    const Lane<T> half = x * T(0.5);
    for (int step = 0; step < (single ? 3 : 4); ++step) y = y * (T(1.5) - half * y * y);
    const Lane<T> root = v * y;
    v = root + (v - root * root) * (y * T(0.5));
}

// From the sum over columns to the value of the kernel; ha and hb are half the squared lengths, for GAUSSIAN.
template <int KIND, class T>
static INLINE void finish(Lane<T> &v, const Form &form, T ha, const Lane<T> &hb) {
    if constexpr (KIND == GAUSSIAN) {
        v = v - (hb + ha);
        v = v > T(0) ? Lane<T>{} : v;
        exponential(v);
    } else if constexpr (KIND == GAUSSIAN_APART) {
        v = v * T(-0.5);
        exponential(v);
    } else if constexpr (KIND == LAPLACIAN) {
        v = -v;
        exponential(v);
    } else if constexpr (KIND == MATERN) {
        v = v * T(form.gamma);
        v = v > T(FARTHEST<T>) ? Lane<T>{} + T(FARTHEST<T>) : v;
        square_root<T>(v);
        const Lane<T> z = v;
        v = -v;
        exponential(v);
        if (form.degree == 2) v = v * (z + T(1));
        else if (form.degree == 3) v = v * (z * (z * T(1.0 / 3.0) + T(1)) + T(1));
    } else if constexpr (KIND == SIGMOID) {
        v = (v * T(form.gamma) + T(form.coef0)) * T(2);
        exponential(v);
        v = T(1) - T(2) / (v + T(1));
    } else if constexpr (KIND == POLYNOMIAL) {
        Lane<T> square = v * T(form.gamma) + T(form.coef0), power = Lane<T>{} + T(1);
        for (int64_t q = form.degree; q > 0; q >>= 1) {
            if (q & 1) power = power * square;
            square = square * square;
        }
        v = power;
    }
}

// sum += what a column of the row, a, adds with the same column of the rows b.
template <int KIND, class T> static INLINE void add_column(Lane<T> &sum, T a, const Lane<T> &b) {
    if constexpr (KIND == GAUSSIAN_APART || KIND == SQUARES || KIND == MATERN) {
        const Lane<T> apart = b - a;
        sum += apart * apart;
    } else if constexpr (KIND == LAPLACIAN) {
        const Lane<T> apart = b - a;
        sum += apart < T(0) ? -apart : apart;
    } else {
        sum += b * a;
    }
}

// sums[r] = sum over columns, of R rows with the rows of one panel.
template <int KIND, int64_t R, class T>
static INLINE void add_up(const T *a, const T *panel, int64_t d, Lane<T> (&sums)[R]) {
    for (int64_t r = 0; r < R; ++r) sums[r] = Lane<T>{};
    for (int64_t f = 0; f < d; ++f) {
        Lane<T> b;
        load(b, panel + f * WIDTH<T>);
        for (int64_t r = 0; r < R; ++r) add_column<KIND>(sums[r], a[r * d + f], b);
    }
}

// sums[p] = sum over columns, of one row with the rows of P panels that follow each other.
template <int KIND, int64_t P, class T>
static INLINE void add_up_row(const T *a, const T *panels, int64_t d, Lane<T> (&sums)[P]) {
    for (int64_t p = 0; p < P; ++p) sums[p] = Lane<T>{};
    for (int64_t f = 0; f < d; ++f)
        for (int64_t p = 0; p < P; ++p) {
            Lane<T> b;
            load(b, panels + (p * d + f) * WIDTH<T>);
            add_column<KIND>(sums[p], a[f], b);
        }
}

// to[j] = K(a, b_j) for the m rows of panels.
template <int KIND, int64_t P, class T>
static INLINE int64_t row_of_panels(const Form &form, const T *a, T half_a, const T *panels, const T *half_b, int64_t m,
                                    int64_t d, int64_t column, T *to) {
    for (; column + (P - 1) * WIDTH<T> < m; column += P * WIDTH<T>) {
        Lane<T> sums[P], hb;
        add_up_row<KIND, P>(a, panels + column * d, d, sums);
        for (int64_t p = 0; p < P; ++p) {
            const int64_t at = column + p * WIDTH<T>;
            load(hb, half_b + at);
            finish<KIND>(sums[p], form, half_a, hb);
            if (at + WIDTH<T> <= m) store(to + at, sums[p]);
            else
                for (int64_t t = 0; t < m - at; ++t) to[at + t] = sums[p][t];
        }
    }
    return column;
}
template <int KIND, class T>
static INLINE void row_values(const Form &form, const T *a, T half_a, const T *panels, const T *half_b, int64_t m,
                              int64_t d, T *to) {
    const int64_t column = row_of_panels<KIND, 4>(form, a, half_a, panels, half_b, m, d, 0, to);
    row_of_panels<KIND, 1>(form, a, half_a, panels, half_b, m, d, column, to);
}

#define BY_KIND(call)                                     \
    switch (form.kind) {                                  \
        case LINEAR: call(LINEAR); break;                 \
        case POLYNOMIAL: call(POLYNOMIAL); break;         \
        case SIGMOID: call(SIGMOID); break;               \
        case GAUSSIAN: call(GAUSSIAN); break;             \
        case GAUSSIAN_APART: call(GAUSSIAN_APART); break; \
        case SQUARES: call(SQUARES); break;               \
        case MATERN: call(MATERN); break;                 \
        default: call(LAPLACIAN);                         \
    }

}  // namespace assay::kernel_values
