// Products of small matrices by vectors of 512 bits, for processors whose BLAS does not use them: SciPy's OpenBLAS
// takes AMD's processors for such without (it knows them by their family, and each new family is unknown to it).
//
//     C (m, n) = A (m, k) B (k, n) + beta C,   row by row; A or B transposed where said; beta 0 or 1
//
// Strips of B, three vectors wide, are copied beside each other; a tile of 8 rows and one strip of C stays in registers
// while k goes by. Twin: NumPy's products, tests/neural/test_dense_net.py.
#pragma once
#include <algorithm>
#include <vector>

#include "assay/array.hpp"

#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__)
#define ASSAY_WIDE __attribute__((target("arch=x86-64-v4")))
#define ASSAY_WIDE_INLINE __attribute__((target("arch=x86-64-v4"), always_inline)) inline
#endif

namespace assay {

#ifdef ASSAY_WIDE

inline bool has_wide_products() {
    static const bool has = __builtin_cpu_is("amd") && __builtin_cpu_supports("avx512f") &&
                            __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    return has;
}

template <class T> struct Wide;
template <> struct Wide<double> {
    static constexpr int64_t LANES = 8;
    using Vector = __m512d;
    using Mask = __mmask8;
    ASSAY_WIDE_INLINE static Vector zero() { return _mm512_setzero_pd(); }
    ASSAY_WIDE_INLINE static Vector load(const double *p) { return _mm512_loadu_pd(p); }
    ASSAY_WIDE_INLINE static Vector load(const double *p, Mask m) { return _mm512_maskz_loadu_pd(m, p); }
    ASSAY_WIDE_INLINE static void store(double *p, Vector x, Mask m) { _mm512_mask_storeu_pd(p, m, x); }
    ASSAY_WIDE_INLINE static Vector all(double x) { return _mm512_set1_pd(x); }
    ASSAY_WIDE_INLINE static Vector plus(Vector a, Vector b) { return _mm512_add_pd(a, b); }
    ASSAY_WIDE_INLINE static Vector fused(Vector a, Vector b, Vector c) { return _mm512_fmadd_pd(a, b, c); }
};
template <> struct Wide<float> {
    static constexpr int64_t LANES = 16;
    using Vector = __m512;
    using Mask = __mmask16;
    ASSAY_WIDE_INLINE static Vector zero() { return _mm512_setzero_ps(); }
    ASSAY_WIDE_INLINE static Vector load(const float *p) { return _mm512_loadu_ps(p); }
    ASSAY_WIDE_INLINE static Vector load(const float *p, Mask m) { return _mm512_maskz_loadu_ps(m, p); }
    ASSAY_WIDE_INLINE static void store(float *p, Vector x, Mask m) { _mm512_mask_storeu_ps(p, m, x); }
    ASSAY_WIDE_INLINE static Vector all(float x) { return _mm512_set1_ps(x); }
    ASSAY_WIDE_INLINE static Vector plus(Vector a, Vector b) { return _mm512_add_ps(a, b); }
    ASSAY_WIDE_INLINE static Vector fused(Vector a, Vector b, Vector c) { return _mm512_fmadd_ps(a, b, c); }
};

template <class T> struct Product {  // of one call
    const T *A;
    int64_t of_row, of_step;  // between the rows of A, and between its columns
    T *C;
    int64_t ldc;
    bool adds;
};

// R rows of C by one strip of V vectors, the last of which has `mask`; `strip` has k times V vectors.
template <class T, int R, int V>
ASSAY_WIDE_INLINE void wide_tile(const Product<T> &p, int64_t row, int64_t column, int64_t k, const T *strip,
                                 typename Wide<T>::Mask mask) {
    using W = Wide<T>;
    const auto full = typename W::Mask(~0u);
    typename W::Vector sum[R][V];
    for (int r = 0; r < R; ++r)
        for (int v = 0; v < V; ++v) sum[r][v] = W::zero();
    const T *a = p.A + row * p.of_row;
    for (int64_t t = 0; t < k; ++t, a += p.of_step, strip += V * W::LANES) {
        typename W::Vector b[V];
        for (int v = 0; v < V; ++v) b[v] = W::load(strip + v * W::LANES);
        for (int r = 0; r < R; ++r) {
            const auto x = W::all(a[r * p.of_row]);
            for (int v = 0; v < V; ++v) sum[r][v] = W::fused(x, b[v], sum[r][v]);
        }
    }
    for (int r = 0; r < R; ++r)
        for (int v = 0; v < V; ++v) {
            const auto some = v + 1 < V ? full : mask;
            T *to = p.C + (row + r) * p.ldc + column + v * W::LANES;
            W::store(to, p.adds ? W::plus(W::load(to, some), sum[r][v]) : sum[r][v], some);
        }
}

template <class T, int V>
ASSAY_WIDE void wide_strip(const Product<T> &p, int64_t m, int64_t column, int64_t k, const T *strip,
                           typename Wide<T>::Mask mask) {
    int64_t row = 0;
    for (; row + 8 <= m; row += 8) wide_tile<T, 8, V>(p, row, column, k, strip, mask);
    if (row + 4 <= m) wide_tile<T, 4, V>(p, row, column, k, strip, mask), row += 4;
    if (row + 2 <= m) wide_tile<T, 2, V>(p, row, column, k, strip, mask), row += 2;
    if (row < m) wide_tile<T, 1, V>(p, row, column, k, strip, mask);
}

// k rows of `width` numbers of B beside each other, filled up with zeros to whole vectors.
template <class T>
ASSAY_WIDE void wide_copy(const T *B, int64_t ldb, bool transposed, int64_t k, int64_t width, int64_t padded,
                          T *strip) {
    if (!transposed) {
        for (int64_t t = 0; t < k; ++t)
            for (int64_t j = 0; j < padded; ++j) strip[t * padded + j] = j < width ? B[t * ldb + j] : T(0);
        return;
    }
    for (int64_t j = 0; j < padded; ++j)
        for (int64_t t = 0; t < k; ++t) strip[t * padded + j] = j < width ? B[j * ldb + t] : T(0);
}

template <class T>
ASSAY_WIDE void wide_product(bool ta, bool tb, int64_t m, int64_t n, int64_t k, const T *A, int64_t lda, const T *B,
                             int64_t ldb, bool adds, T *C, int64_t ldc) {
    constexpr int64_t LANES = Wide<T>::LANES, WIDTH = 3 * LANES, DEPTH = 1024;  // a strip stays in the second cache
    static thread_local std::vector<T> strip;
    if (int64_t(strip.size()) < WIDTH * std::min(k, DEPTH)) strip.resize(size_t(WIDTH * std::min(k, DEPTH)));
    for (int64_t from = 0; from < k || from == 0; from += DEPTH) {
        const int64_t depth = std::min(DEPTH, k - from);
        const Product<T> p{A + (ta ? from * lda : from), ta ? 1 : lda, ta ? lda : 1, C, ldc, adds || from > 0};
        for (int64_t column = 0; column < n; column += WIDTH) {
            const int64_t width = std::min(WIDTH, n - column), vectors = (width + LANES - 1) / LANES;
            const auto mask = typename Wide<T>::Mask((1u << (width - (vectors - 1) * LANES)) - 1);
            wide_copy(B + (tb ? column * ldb + from : from * ldb + column), ldb, tb, depth, width, vectors * LANES,
                      strip.data());
            if (vectors == 3) wide_strip<T, 3>(p, m, column, depth, strip.data(), mask);
            else if (vectors == 2) wide_strip<T, 2>(p, m, column, depth, strip.data(), mask);
            else wide_strip<T, 1>(p, m, column, depth, strip.data(), mask);
        }
    }
}

#else

inline bool has_wide_products() { return false; }
template <class T>
void wide_product(bool, bool, int64_t, int64_t, int64_t, const T *, int64_t, const T *, int64_t, bool, T *, int64_t) {}

#endif

}  // namespace assay
