// Activations of units, with derivatives by their values.
#pragma once
#include <cmath>

#include "assay/array.hpp"
#include "assay/exponential.hpp"

namespace assay {

enum Activation { IDENTITY, LOGISTIC, TANH, RELU, LEAKY_RELU, ELU, SELU, SOFTPLUS, ACTIVATIONS };

constexpr double LEAK = 0.01;
constexpr double SELU_SCALE = 1.0507009873554804934, SELU_ALPHA = 1.6732632423543772848;

__attribute__((always_inline)) inline double logistic(double x) { return 1.0 / (1.0 + exponential(-x)); }

template <class T, int A> __attribute__((always_inline)) inline void activated(T *z, const T *b, int64_t m, int64_t n) {
    for (int64_t i = 0; i < m; ++i) {
        T *r = z + i * n;
        for (int64_t j = 0; j < n; ++j) {
            const T x = r[j] + b[j];
            if constexpr (A == IDENTITY) r[j] = x;
            else if constexpr (A == LOGISTIC) r[j] = T(logistic(x));
            else if constexpr (A == TANH) r[j] = T(1.0 - 2.0 / (exponential(2.0 * double(x)) + 1.0));
            else if constexpr (A == RELU) r[j] = x > 0 ? x : (x != x ? x : T(0));
            else if constexpr (A == LEAKY_RELU) r[j] = x > 0 ? x : T(LEAK) * x;
            else if constexpr (A == ELU) r[j] = x > 0 ? x : T(exponential(x) - 1.0);
            else if constexpr (A == SELU)
                r[j] = x > 0 ? T(SELU_SCALE) * x : T(SELU_SCALE * SELU_ALPHA * (exponential(x) - 1.0));
            else r[j] = x > 30 ? x : T(std::log1p(std::exp(double(x))));
        }
    }
}

// delta *= f'(a), and the sums of its columns.
template <class T, int A>
__attribute__((always_inline)) inline void sloped(T *delta, const T *a, T *sums, int64_t m, int64_t n) {
    for (int64_t i = 0; i < m; ++i) {
        T *r = delta + i * n;
        const T *z = a + i * n;
        for (int64_t j = 0; j < n; ++j) {
            T x = r[j];
            if constexpr (A == LOGISTIC) x *= z[j] * (1 - z[j]);
            else if constexpr (A == TANH) x *= 1 - z[j] * z[j];
            else if constexpr (A == RELU) x = z[j] == 0 ? T(0) : x;
            else if constexpr (A == LEAKY_RELU) x *= z[j] > 0 ? T(1) : T(LEAK);
            else if constexpr (A == ELU) x *= z[j] > 0 ? T(1) : z[j] + 1;
            else if constexpr (A == SELU) x *= z[j] > 0 ? T(SELU_SCALE) : z[j] + T(SELU_SCALE * SELU_ALPHA);
            else if constexpr (A == SOFTPLUS) x *= T(1.0 - exponential(-double(z[j])));
            r[j] = x;
            sums[j] += x;
        }
    }
}

template <class T> __attribute__((always_inline)) inline void activate_as(int64_t kind, T *z, const T *b, int64_t m,
                                                                          int64_t n) {
    switch (kind) {
        case LOGISTIC: return activated<T, LOGISTIC>(z, b, m, n);
        case TANH: return activated<T, TANH>(z, b, m, n);
        case RELU: return activated<T, RELU>(z, b, m, n);
        case LEAKY_RELU: return activated<T, LEAKY_RELU>(z, b, m, n);
        case ELU: return activated<T, ELU>(z, b, m, n);
        case SELU: return activated<T, SELU>(z, b, m, n);
        case SOFTPLUS: return activated<T, SOFTPLUS>(z, b, m, n);
        default: return activated<T, IDENTITY>(z, b, m, n);
    }
}
template <class T>
__attribute__((always_inline)) inline void slope_as(int64_t kind, T *d, const T *a, T *sums, int64_t m, int64_t n) {
    switch (kind) {
        case LOGISTIC: return sloped<T, LOGISTIC>(d, a, sums, m, n);
        case TANH: return sloped<T, TANH>(d, a, sums, m, n);
        case RELU: return sloped<T, RELU>(d, a, sums, m, n);
        case LEAKY_RELU: return sloped<T, LEAKY_RELU>(d, a, sums, m, n);
        case ELU: return sloped<T, ELU>(d, a, sums, m, n);
        case SELU: return sloped<T, SELU>(d, a, sums, m, n);
        case SOFTPLUS: return sloped<T, SOFTPLUS>(d, a, sums, m, n);
        default: return sloped<T, IDENTITY>(d, a, sums, m, n);
    }
}
[[maybe_unused]] HOT static void activate(int64_t kind, double *z, const double *b, int64_t m, int64_t n) {
    activate_as(kind, z, b, m, n);
}
[[maybe_unused]] HOT static void activate(int64_t kind, float *z, const float *b, int64_t m, int64_t n) {
    activate_as(kind, z, b, m, n);
}
[[maybe_unused]] HOT static void slope(int64_t kind, double *d, const double *a, double *s, int64_t m, int64_t n) {
    slope_as(kind, d, a, s, m, n);
}
[[maybe_unused]] HOT static void slope(int64_t kind, float *d, const float *a, float *s, int64_t m, int64_t n) {
    slope_as(kind, d, a, s, m, n);
}

}  // namespace assay
