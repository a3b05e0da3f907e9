// The product of a sparse table's Gram matrix with a block of vectors, in one pass and without storing X V:
//
//     out += sum_i w_i x_i (x_i . V)
//
// the product X V itself, and the products of rows and columns of two factors at the entries of a sparse table. Rows of
// V, out, W and H are padded with zeros to a multiple of eight numbers. Four entries of a row are taken at a time, so
// that what they share is read a quarter as often.
//
// Twin in NumPy: tests/reduce/factorization/test_truncated_svd.py.
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"

using namespace assay;

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors are passed between functions that are always inlined

namespace {

constexpr int64_t LANES = 8;

typedef double Doubles __attribute__((vector_size(8 * LANES), aligned(8), may_alias));

INLINE Doubles load(const double *a) { return *reinterpret_cast<const Doubles *>(a); }
INLINE Doubles &at(double *a) { return *reinterpret_cast<Doubles *>(a); }

struct SparseRows {
    In1<int64_t> start;  // (n + 1,)
    In1<int32_t> column;  // (nnz,)
    In1<double> value;  // (nnz,)
    int64_t columns;  // d

    int64_t rows() const { return length(start) - 1; }
    void check() const {
        require(length(start) >= 1 && are_rows(value, column, start, rows(), columns), "SparseRows: rows of a table");
    }
};

HOT void add_gram(const int64_t *start, const int32_t *column, const double *value, const double *w, const double *V,
                  int64_t padded, int64_t first, int64_t last, double *t, double *out) {
    for (int64_t i = first; i < last; ++i) {
        int64_t p = start[i];
        const int64_t end = start[i + 1];
        for (int64_t j = 0; j < padded; ++j) t[j] = 0;
        for (; p + 4 <= end; p += 4) {  // t = x_i . V
            const double *v0 = V + column[p] * padded, *v1 = V + column[p + 1] * padded,
                         *v2 = V + column[p + 2] * padded, *v3 = V + column[p + 3] * padded;
            const double a0 = value[p], a1 = value[p + 1], a2 = value[p + 2], a3 = value[p + 3];
            for (int64_t j = 0; j < padded; j += LANES)
                at(t + j) += (a0 * load(v0 + j) + a1 * load(v1 + j)) + (a2 * load(v2 + j) + a3 * load(v3 + j));
        }
        for (; p < end; ++p) {
            const double *v = V + column[p] * padded, a = value[p];
            for (int64_t j = 0; j < padded; j += LANES) at(t + j) += a * load(v + j);
        }
        if (w)
            for (int64_t j = 0; j < padded; ++j) t[j] *= w[i];
        for (p = start[i]; p < end; ++p) {  // out += x_i t
            double *o = out + column[p] * padded;
            const double a = value[p];
            for (int64_t j = 0; j < padded; j += LANES) at(o + j) += a * load(t + j);
        }
    }
}

// out_i = x_i . V for WIDTH vectors of eight columns, whose sums stay in registers.
template <int64_t WIDTH>
INLINE void multiply_columns(const int64_t *start, const int32_t *column, const double *value, const double *V,
                             int64_t padded, int64_t first, int64_t last, double *out) {
    for (int64_t i = first; i < last; ++i) {
        Doubles a[WIDTH] = {}, b[WIDTH] = {};
        int64_t p = start[i];
        for (; p + 2 <= start[i + 1]; p += 2) {
            const double *u = V + column[p] * padded, *v = V + column[p + 1] * padded;
            for (int64_t j = 0; j < WIDTH; ++j)
                a[j] += value[p] * load(u + j * LANES), b[j] += value[p + 1] * load(v + j * LANES);
        }
        if (p < start[i + 1])
            for (int64_t j = 0; j < WIDTH; ++j) a[j] += value[p] * load(V + column[p] * padded + j * LANES);
        for (int64_t j = 0; j < WIDTH; ++j) at(out + i * padded + j * LANES) = a[j] + b[j];
    }
}

HOT void multiply(const int64_t *start, const int32_t *column, const double *value, const double *V, int64_t padded,
                  int64_t first, int64_t last, double *out) {
    int64_t j = 0;
    for (; j + 4 * LANES <= padded; j += 4 * LANES)
        multiply_columns<4>(start, column, value, V + j, padded, first, last, out + j);
    const int64_t left = (padded - j) / LANES;
    if (left == 3) multiply_columns<3>(start, column, value, V + j, padded, first, last, out + j);
    if (left == 2) multiply_columns<2>(start, column, value, V + j, padded, first, last, out + j);
    if (left == 1) multiply_columns<1>(start, column, value, V + j, padded, first, last, out + j);
}

HOT void at_entries(const int64_t *start, const int32_t *column, const double *W, const double *H, int64_t padded,
                    int64_t first, int64_t last, double *out) {
    for (int64_t i = first; i < last; ++i) {
        const double *a = W + i * padded;
        for (int64_t p = start[i]; p < start[i + 1]; ++p) {
            const double *b = H + column[p] * padded;
            Doubles sum = {};
            for (int64_t j = 0; j < padded; j += LANES) sum += load(a + j) * load(b + j);
            out[p] = ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
        }
    }
}

void gram_product(const SparseRows &X,
                  In1<double> w,  // in      (n,) or (0,) weights
                  In2<double> V,  // in      (d, padded)
                  InOut2<double> out,  // in/out  (d, padded)
                  int64_t first, int64_t last) {
    const int64_t padded = int64_t(V.shape(1));
    require(length(V) == X.columns && length(out) == X.columns && int64_t(out.shape(1)) == padded &&
                padded % LANES == 0,
            "gram_product: a row of a multiple of eight numbers for each column");
    require(weighs(w, X.rows()) && first >= 0 && first <= last && last <= X.rows(), "gram_product: rows that exist");
    std::vector<double> t(size_t(padded), 0.0);
    nb::gil_scoped_release unlocked;
    add_gram(X.start.data(), X.column.data(), X.value.data(), data_or_null(w), V.data(), padded, first, last, t.data(),
             out.data());
}

void sparse_product(const SparseRows &X,
                    In2<double> V,  // in      (d, padded)
                    InOut2<double> out,  // out     (n, padded)
                    int64_t first, int64_t last) {
    const int64_t padded = int64_t(V.shape(1));
    require(length(V) == X.columns && length(out) == X.rows() && int64_t(out.shape(1)) == padded && padded % LANES == 0,
            "sparse_product: a row of a multiple of eight numbers for each column and each row");
    require(first >= 0 && first <= last && last <= X.rows(), "sparse_product: rows that exist");
    nb::gil_scoped_release unlocked;
    multiply(X.start.data(), X.column.data(), X.value.data(), V.data(), padded, first, last, out.data());
}

// out_p = W_i . H_j for each entry p = (i, j) of the table.
void products_at(const SparseRows &X, In2<double> W, In2<double> H, InOut1<double> out) {
    const int64_t padded = int64_t(W.shape(1));
    require(length(W) == X.rows() && length(H) == X.columns && int64_t(H.shape(1)) == padded && padded % LANES == 0,
            "products_at: a row of a multiple of eight numbers for each row and each column");
    require(length(out) == length(X.value), "products_at: a place for each entry");
    nb::gil_scoped_release unlocked;
    at_entries(X.start.data(), X.column.data(), W.data(), H.data(), padded, 0, X.rows(), out.data());
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    record<SparseRows>(m, "SparseRows", field("start", &SparseRows::start), field("column", &SparseRows::column),
                       field("value", &SparseRows::value), field("columns", &SparseRows::columns));
    define(m, "gram_product", &gram_product, "X", "w", "V", "out", "first", "last");
    define(m, "sparse_product", &sparse_product, "X", "V", "out", "first", "last");
    define(m, "products_at", &products_at, "X", "W", "H", "out");
}
