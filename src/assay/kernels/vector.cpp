// Values of kernels of vectors for many pairs of rows, a register of pairs at a time (assay/kernel_values.hpp).
// Twins in NumPy: tests/kernels/test_vector.py.
#include <algorithm>

#include "assay/edge.hpp"
#include "assay/kernel_values.hpp"

using namespace assay;
using namespace assay::kernel_values;

namespace {

constexpr int64_t TOGETHER = 6;         // rows that share the loads of a panel
constexpr int64_t NEARBY = 1 << 18;     // bytes of panels that stay in the second-level cache
constexpr int64_t BUFFERED_PANELS = 32; // of values that are held before they are summed up
constexpr int64_t TILE = 64, TURNED = 4; // rows and columns of a matrix, and of a part of it, that are turned over

template <class T> struct Rows {
    const T *a, *half_a;        // (n, d) and (n,)
    const T *panels, *half_b;   // (panels, d, WIDTH) and (panels, WIDTH)
    int64_t n, d, m;            // m rows lie in the panels
    int64_t count() const { return (m + WIDTH<T> - 1) / WIDTH<T>; }
};

template <int KIND, int64_t R, class T>
INLINE void values_of(const Form &form, const Rows<T> &rows, int64_t i, int64_t first, int64_t last,
                      const int64_t *places, T *out, int64_t stride) {
    for (int64_t p = first; p < last; ++p) {
        Lane<T> sums[R], hb;
        add_up<KIND, R>(rows.a + i * rows.d, rows.panels + p * rows.d * WIDTH<T>, rows.d, sums);
        load(hb, rows.half_b + p * WIDTH<T>);
        const int64_t column = p * WIDTH<T>, left = rows.m - column;
        for (int64_t r = 0; r < R; ++r) {
            finish<KIND>(sums[r], form, rows.half_a[i + r], hb);
            T *to = out + places[i + r] * stride + column;
            if (left >= WIDTH<T>) store(to, sums[r]);
            else
                for (int64_t t = 0; t < left; ++t) to[t] = sums[r][t];
        }
    }
}

template <int KIND, class T>
INLINE void all_values(const Form &form, const Rows<T> &rows, const int64_t *places, T *out, int64_t stride,
                       int64_t diagonal) {
    const int64_t panels = rows.count(), size = rows.d * 64 + 1;
    const int64_t step = std::max<int64_t>(1, NEARBY / size);
    for (int64_t first = 0; first < panels; first += step) {
        const int64_t last = std::min(first + step, panels);
        const auto begin = [&](int64_t i) { return std::max(first, (diagonal + i) / WIDTH<T>); };
        int64_t i = 0;
        for (; i + TOGETHER <= rows.n; i += TOGETHER)
            values_of<KIND, TOGETHER>(form, rows, i, begin(i), last, places, out, stride);
        for (; i < rows.n; ++i) values_of<KIND, 1>(form, rows, i, begin(i), last, places, out, stride);
    }
}

// totals[r, c] += sum_j coef[c, j] K(a_r, b_j)
template <int KIND, int64_t R, class T>
INLINE void sums_of(const Form &form, const Rows<T> &rows, int64_t i, const T *coef, int64_t k, double *out) {
    const int64_t panels = rows.count(), m = panels * WIDTH<T>;
    T values[R * BUFFERED_PANELS * WIDTH<T>];
    for (int64_t first = 0; first < panels; first += BUFFERED_PANELS) {
        const int64_t last = std::min(first + BUFFERED_PANELS, panels);
        for (int64_t p = first; p < last; ++p) {
            Lane<T> sums[R], hb;
            add_up<KIND, R>(rows.a + i * rows.d, rows.panels + p * rows.d * WIDTH<T>, rows.d, sums);
            load(hb, rows.half_b + p * WIDTH<T>);
            for (int64_t r = 0; r < R; ++r) {
                finish<KIND>(sums[r], form, rows.half_a[i + r], hb);
                store(values + ((p - first) * R + r) * WIDTH<T>, sums[r]);
            }
        }
        for (int64_t c = 0; c < k; ++c) {
            Lane<T> totals[R];
            for (int64_t r = 0; r < R; ++r) totals[r] = Lane<T>{};
            for (int64_t p = first; p < last; ++p) {
                Lane<T> weight, v;
                load(weight, coef + c * m + p * WIDTH<T>);
                for (int64_t r = 0; r < R; ++r) {
                    load(v, values + ((p - first) * R + r) * WIDTH<T>);
                    totals[r] += v * weight;
                }
            }
            for (int64_t r = 0; r < R; ++r)
                for (int64_t t = 0; t < WIDTH<T>; ++t) out[(i + r) * k + c] += double(totals[r][t]);
        }
    }
}

template <int KIND, class T>
INLINE void all_sums(const Form &form, const Rows<T> &rows, const T *coef, int64_t k, double *out) {
    int64_t i = 0;
    for (; i + TOGETHER <= rows.n; i += TOGETHER) sums_of<KIND, TOGETHER>(form, rows, i, coef, k, out);
    for (; i < rows.n; ++i) sums_of<KIND, 1>(form, rows, i, coef, k, out);
}

template <int KIND, class T>
INLINE void finish_all(const Form &form, const T *half_a, const T *half_b, int64_t n, int64_t m, T *K) {
    for (int64_t i = 0; i < n; ++i) {
        T *row = K + i * m;
        int64_t j = 0;
        Lane<T> v, hb;
        for (; j + WIDTH<T> <= m; j += WIDTH<T>) {
            load(v, row + j);
            load(hb, half_b + j);
            finish<KIND>(v, form, half_a[i], hb);
            store(row + j, v);
        }
        if (j == m) continue;
        v = hb = Lane<T>{};
        for (int64_t t = j; t < m; ++t) v[t - j] = row[t], hb[t - j] = half_b[t];
        finish<KIND>(v, form, half_a[i], hb);
        for (int64_t t = j; t < m; ++t) row[t] = v[t - j];
    }
}

#define VALUES(KIND) all_values<KIND>(form, rows, places, out, stride, diagonal)
HOT void values_in(const Form &form, const Rows<float> &rows, const int64_t *places, float *out, int64_t stride,
                   int64_t diagonal){BY_KIND(VALUES)} HOT
    void values_in(const Form &form, const Rows<double> &rows, const int64_t *places, double *out, int64_t stride,
                   int64_t diagonal){BY_KIND(VALUES)}
#define SUMS(KIND) all_sums<KIND>(form, rows, coef, k, out)
HOT void sums_in(const Form &form, const Rows<float> &rows, const float *coef, int64_t k,
                 double *out){BY_KIND(SUMS)} HOT
    void sums_in(const Form &form, const Rows<double> &rows, const double *coef, int64_t k, double *out){BY_KIND(SUMS)}
#define FINISH(KIND) finish_all<KIND>(form, half_a, half_b, n, m, K)
HOT void finish_in(const Form &form, const float *half_a, const float *half_b, int64_t n, int64_t m,
                   float *K){BY_KIND(FINISH)} HOT
    void finish_in(const Form &form, const double *half_a, const double *half_b, int64_t n, int64_t m, double *K) {
    BY_KIND(FINISH)
}

template <class T>
Rows<T> checked(In2<T> A, In1<T> half_a, nb::ndarray<const T, nb::ndim<3>, nb::c_contig, nb::device::cpu> panels,
                In1<T> half_b, int64_t m) {
    const int64_t n = int64_t(A.shape(0)), d = int64_t(A.shape(1)), count = int64_t(panels.shape(0));
    require(length(half_a) == n && int64_t(panels.shape(1)) == d && int64_t(panels.shape(2)) == WIDTH<T>,
            "vector: columns of the rows and of the panels");
    require(m >= 0 && m <= count * WIDTH<T> && m > (count - 1) * WIDTH<T> && length(half_b) == count * WIDTH<T>,
            "vector: rows in the panels");
    return {A.data(), half_a.data(), panels.data(), half_b.data(), n, d, m};
}

template <class T>
void values(const Form &form,
            In2<T> A,           // in   (n, d)
            In1<T> half_a,      // in   (n,)
            nb::ndarray<const T, nb::ndim<3>, nb::c_contig, nb::device::cpu> panels,  // in   (p, d, WIDTH)
            In1<T> half_b,      // in   (p WIDTH,)
            int64_t m,          // rows in the panels
            In1<int64_t> places,  // in   (n,) row of `out` for each row of A
            int64_t diagonal,  // column before which values of the first row are not wanted, of the next one later ...
            InOut2<T> out) {  // out  (>= n, >= m)
    const Rows<T> rows = checked<T>(A, half_a, panels, half_b, m);
    require(length(places) == rows.n && within(places, 0, int64_t(out.shape(0))) && m <= int64_t(out.shape(1)),
            "values: places in the result");
    require(diagonal >= -rows.n && diagonal <= m, "values: the diagonal");
    nb::gil_scoped_release unlocked;
    values_in(form, rows, places.data(), out.data(), int64_t(out.shape(1)), diagonal);
}

// What is above the diagonal also stands below: tiles, of which a few rows and columns are turned over in registers.
template <class T> INLINE void mirror_of(T *K, int64_t n) {
    for (int64_t top = 0; top < n; top += TILE)
        for (int64_t left = 0; left <= top; left += TILE) {
            if (left == top || top + TILE > n) {
                for (int64_t i = top; i < std::min(top + TILE, n); ++i)
                    for (int64_t j = left; j < std::min(left + TILE, i); ++j) K[i * n + j] = K[j * n + i];
                continue;
            }
            for (int64_t a = top; a < top + TILE; a += TURNED)
                for (int64_t b = left; b < left + TILE; b += TURNED) {
                    T part[TURNED][TURNED];
                    for (int64_t j = 0; j < TURNED; ++j)
                        for (int64_t i = 0; i < TURNED; ++i) part[i][j] = K[(b + j) * n + a + i];
                    for (int64_t i = 0; i < TURNED; ++i)
                        for (int64_t j = 0; j < TURNED; ++j) K[(a + i) * n + b + j] = part[i][j];
                }
        }
}
HOT void mirror_in(float *K, int64_t n) { mirror_of(K, n); }
HOT void mirror_in(double *K, int64_t n) { mirror_of(K, n); }
template <class T> void mirror(InOut2<T> K) {  // in/out  (n, n)
    const int64_t n = int64_t(K.shape(0));
    require(int64_t(K.shape(1)) == n, "mirror: a square");
    nb::gil_scoped_release unlocked;
    mirror_in(K.data(), n);
}

template <class T>
void combine(const Form &form,
             In2<T> A,  // in   (n, d)
             In1<T> half_a,  // in   (n,)
             nb::ndarray<const T, nb::ndim<3>, nb::c_contig, nb::device::cpu> panels,  // in   (p, d, WIDTH)
             In1<T> half_b,  // in   (p WIDTH,)
             int64_t m,  // rows in the panels
             In2<T> coef,  // in   (k, p WIDTH) zero behind the m-th
             InOut2<double> out) {  // out  (n, k) sum_j coef[c, j] K(a_i, b_j)
    const Rows<T> rows = checked<T>(A, half_a, panels, half_b, m);
    const int64_t k = int64_t(coef.shape(0));
    require(int64_t(coef.shape(1)) == length(half_b) && int64_t(out.shape(0)) == rows.n && int64_t(out.shape(1)) == k,
            "combine: sizes of the coefficients and of the result");
    nb::gil_scoped_release unlocked;
    std::fill(out.data(), out.data() + rows.n * k, 0.0);
    sums_in(form, rows, coef.data(), k, out.data());
}

// From inner products (or sums of differences, with their sign) to values of the kernel, in place.
template <class T>
void finish_products(const Form &form,
                     In1<T> half_a,  // in      (n,)
                     In1<T> half_b,  // in      (m,)
                     InOut2<T> K) {  // in/out  (n, m)
    const int64_t n = int64_t(K.shape(0)), m = int64_t(K.shape(1));
    require(length(half_a) == n && length(half_b) == m, "finish_products: sizes");
    nb::gil_scoped_release unlocked;
    finish_in(form, half_a.data(), half_b.data(), n, m, K.data());
}

// ------------------------------------------------------------------ sparse rows

struct Sparse {
    In1<double> data;  // (entries,)
    In1<int64_t> indices;  // (entries,)
    In1<int64_t> indptr;  // (n + 1,)
    int64_t d;
    void check() const {
        require(d >= 0 && length(indptr) >= 1 && are_rows(data, indices, indptr, length(indptr) - 1, d),
                "Sparse: rows of a sparse table");
    }
    int64_t rows() const { return length(indptr) - 1; }
};

// WIDTH rows of A are spread out side by side, (d, WIDTH); each row of B then passes over them once.
template <bool CITY, class T>
INLINE void spread_products(const Sparse &a, const Sparse &b, const T *long_a, const T *long_b, T *spread, T *out) {
    const double *av = a.data.data(), *bv = b.data.data();
    const int64_t *ai = a.indices.data(), *ap = a.indptr.data(), *bi = b.indices.data(), *bp = b.indptr.data();
    const int64_t n = a.rows(), m = b.rows();
    for (int64_t i = 0; i < n; i += WIDTH<T>) {
        const int64_t some = std::min(WIDTH<T>, n - i);
        Lane<T> lengths{};
        for (int64_t r = 0; r < some; ++r) {
            for (int64_t e = ap[i + r]; e < ap[i + r + 1]; ++e) spread[ai[e] * WIDTH<T> + r] += T(av[e]);
            if constexpr (CITY) lengths[r] = long_a[i + r];
        }
        for (int64_t j = 0; j < m; ++j) {
            Lane<T> sum{};
            if constexpr (CITY) sum = lengths + long_b[j];
            for (int64_t e = bp[j]; e < bp[j + 1]; ++e) {
                Lane<T> v;
                load(v, spread + bi[e] * WIDTH<T>);
                const T x = T(bv[e]);
                if constexpr (CITY) {  // |v - x| instead of |v| + |x|
                    const Lane<T> apart = v - x;
                    sum += (apart < T(0) ? -apart : apart) - (v < T(0) ? -v : v) - (x < T(0) ? -x : x);
                } else {
                    sum += v * x;
                }
            }
            for (int64_t r = 0; r < some; ++r) out[(i + r) * m + j] = sum[r];
        }
        for (int64_t e = ap[i]; e < ap[i + some]; ++e)
            std::fill(spread + ai[e] * WIDTH<T>, spread + (ai[e] + 1) * WIDTH<T>, T(0));
    }
}

HOT void spread_in(bool city, const Sparse &a, const Sparse &b, const float *la, const float *lb, float *spread,
                   float *out) {
    if (city) spread_products<true>(a, b, la, lb, spread, out);
    else spread_products<false>(a, b, la, lb, spread, out);
}
HOT void spread_in(bool city, const Sparse &a, const Sparse &b, const double *la, const double *lb, double *spread,
                   double *out) {
    if (city) spread_products<true>(a, b, la, lb, spread, out);
    else spread_products<false>(a, b, la, lb, spread, out);
}

// Inner products of sparse rows; for the kernel LAPLACIAN, sums of differences from the sums of absolute values.
template <class T>
void sparse_products(const Sparse &a, const Sparse &b,
                     bool city,  // differences instead of products
                     In1<T> long_a,  // in   (n,) sums of absolute values
                     In1<T> long_b,  // in   (m,)
                     InOut2<T> out) {  // out  (n, m)
    require(a.d == b.d && a.rows() == length(long_a) && b.rows() == length(long_b), "sparse_products: sizes");
    require(int64_t(out.shape(0)) == a.rows() && int64_t(out.shape(1)) == b.rows(), "sparse_products: the result");
    std::vector<T> spread(size_t(sized(a.d, WIDTH<T>, "sparse_products: columns")));
    nb::gil_scoped_release unlocked;
    spread_in(city, a, b, long_a.data(), long_b.data(), spread.data(), out.data());
}

template <class T>
void define_for(nb::module_ &m) {
    define(m, "values", &values<T>, "form", "A", "half_a", "panels", "half_b", "m", "places", "diagonal", "out");
    define(m, "combine", &combine<T>, "form", "A", "half_a", "panels", "half_b", "m", "coef", "out");
    define(m, "finish_products", &finish_products<T>, "form", "half_a", "half_b", "K");
    define(m, "mirror", &mirror<T>, "K");
    define(m, "sparse_products", &sparse_products<T>, "a", "b", "city", "long_a", "long_b", "out");
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    record<Form>(m, "Form", field("kind", &Form::kind), field("degree", &Form::degree), field("gamma", &Form::gamma),
                 field("coef0", &Form::coef0));
    record<Sparse>(m, "Sparse", field("data", &Sparse::data), field("indices", &Sparse::indices),
                   field("indptr", &Sparse::indptr), field("d", &Sparse::d));
    define_for<float>(m);
    define_for<double>(m);
}
