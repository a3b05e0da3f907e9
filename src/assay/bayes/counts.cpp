// Counts and sums per class of one block of rows, and log tables looked up row by row.
//
//     count      cells[start_j + x_ij, y_i] += w_i           for every x_ij that is a code of column j
//     look_up    out[i, k] += sum_j table[start_j + x_ij, k]  over the same entries
//     sums       out[y_i, j] += w_i x_ij,  or  += w_i [x_ij > threshold]
//
// A code counts by its whole part. An entry that is NaN, or no code of its column, is passed over.
//
// Checked by the caller: w >= 0.
// Twins in NumPy: tests/bayes/test_counts.py, the functions ..._by_the_book.
#include <cmath>
#include <limits>

#include "assay/array.hpp"
#include "assay/edge.hpp"

using namespace assay;

namespace {

// The lowest and highest entry of each column, and how many of its entries are not whole.
template <class T>
static inline void measure(View2<const T> X, double *low, double *high, int64_t *broken) {
    const int64_t n = X.rows(), d = X.cols();
    for (int64_t i = 0; i < n; ++i) {
        const T *x = X.row(i);
        for (int64_t j = 0; j < d; ++j) {
            const double v = double(x[j]);
            low[j] = v < low[j] ? v : low[j];
            high[j] = v > high[j] ? v : high[j];
            broken[j] += (v == v) & (std::floor(v) != v);
        }
    }
}

template <class T>
static inline void add_counts(View2<const T> X, const int64_t *y, const double *w, const int64_t *start,
                              View2<double> cells) {
    const int64_t n = X.rows(), d = X.cols(), K = cells.cols();
    double *base = cells.data();
    for (int64_t i = 0; i < n; ++i) {
        const T *x = X.row(i);
        const int64_t k = y[i];
        const double wi = w ? w[i] : 1.0;
        for (int64_t j = 0; j < d; ++j) {
            const double v = double(x[j]), width = double(start[j + 1] - start[j]);
            if (v >= 0 && v < width) base[(start[j] + int64_t(v)) * K + k] += wi;
        }
    }
}

// One row of logs per category, so that a look-up adds K neighbours. Fixed > 0 fixes K while compiling.
template <class T, int Fixed>
static inline void add_logs_of(View2<const T> X, const int64_t *start, View2<const double> table, double *out) {
    const int64_t n = X.rows(), d = X.cols(), K = Fixed ? Fixed : table.cols();
    for (int64_t i = 0; i < n; ++i) {
        const T *x = X.row(i);
        double *o = out + i * K;
        for (int64_t j = 0; j < d; ++j) {
            const double v = double(x[j]), width = double(start[j + 1] - start[j]);
            if (!(v >= 0 && v < width)) continue;
            const double *t = table.row(start[j] + int64_t(v));
            for (int64_t k = 0; k < K; ++k) o[k] += t[k];  // out[i] += table[start_j + x_ij]
        }
    }
}

template <class T>
static inline void add_logs(View2<const T> X, const int64_t *start, View2<const double> table, double *out) {
    if (table.cols() == 2) add_logs_of<T, 2>(X, start, table, out);
    else if (table.cols() == 3) add_logs_of<T, 3>(X, start, table, out);
    else add_logs_of<T, 0>(X, start, table, out);
}

// Sums of the entries, or with over the number of entries above the threshold; the lowest entry.
template <class T>
static inline double add_sums(View2<const T> X, const int64_t *y, const double *w, bool over, double threshold,
                              double *out) {
    const int64_t n = X.rows(), d = X.cols();
    double lowest = std::numeric_limits<double>::infinity();
    for (int64_t i = 0; i < n; ++i) {
        const T *x = X.row(i);
        double *o = out + y[i] * d;
        const double wi = w ? w[i] : 1.0;
        if (over) {
            for (int64_t j = 0; j < d; ++j) o[j] += double(x[j]) > threshold ? wi : 0.0;
        } else {
            for (int64_t j = 0; j < d; ++j) {
                const double v = double(x[j]);
                lowest = v < lowest ? v : lowest;
                o[j] += wi * v;
            }
        }
    }
    return lowest;
}

template <class T, class I>
static inline double add_sparse(const T *data, const I *indices, const I *indptr, int64_t n, int64_t d,
                                const int64_t *y, const double *w, bool over, double threshold, double *out) {
    double lowest = std::numeric_limits<double>::infinity();
    for (int64_t i = 0; i < n; ++i) {
        double *o = out + y[i] * d;
        const double wi = w ? w[i] : 1.0;
        for (int64_t p = indptr[i]; p < int64_t(indptr[i + 1]); ++p) {
            const double v = double(data[p]);
            lowest = v < lowest ? v : lowest;
            o[indices[p]] += over ? (v > threshold ? wi : 0.0) : wi * v;
        }
    }
    return lowest;
}

HOT void measure_f64(View2<const double> X, double *low, double *high, int64_t *broken) {
    measure<double>(X, low, high, broken);
}
HOT void measure_f32(View2<const float> X, double *low, double *high, int64_t *broken) {
    measure<float>(X, low, high, broken);
}
HOT double sums_f64(View2<const double> X, const int64_t *y, const double *w, bool over, double threshold,
                    double *out) {
    return add_sums<double>(X, y, w, over, threshold, out);
}
HOT double sums_f32(View2<const float> X, const int64_t *y, const double *w, bool over, double threshold, double *out) {
    return add_sums<float>(X, y, w, over, threshold, out);
}

static inline void hot_measure(View2<const double> X, double *l, double *h, int64_t *b) { measure_f64(X, l, h, b); }
static inline void hot_measure(View2<const float> X, double *l, double *h, int64_t *b) { measure_f32(X, l, h, b); }
static inline double hot_sums(View2<const double> X, const int64_t *y, const double *w, bool over, double t,
                              double *out) {
    return sums_f64(X, y, w, over, t, out);
}
static inline double hot_sums(View2<const float> X, const int64_t *y, const double *w, bool over, double t,
                              double *out) {
    return sums_f32(X, y, w, over, t, out);
}

// Columns take up cells one after another, within those that there are.
bool in_order(const In1<int64_t> &start, size_t d, size_t cells) {
    if (start.shape(0) != d + 1 || start.data()[0] < 0 || start.data()[d] > int64_t(cells)) return false;
    for (size_t j = 0; j < d; ++j)
        if (start.data()[j] > start.data()[j + 1]) return false;
    return true;
}

void check_rows(const In1<int64_t> &y, const In1<double> &w, int64_t n, int64_t K) {
    require(length(y) == n && weighs(w, n), "a class, and a weight or none, for each row");
    require(within(y, 0, K), "a class that the table has no place for");
}

template <class T>
void extent(In2<T> X,                   // in      (n, d)
            InOut1<double> low,         // in/out  (d,)     starts at +inf
            InOut1<double> high,        // in/out  (d,)     starts at -inf
            InOut1<int64_t> broken) {   // in/out  (d,)     starts at 0
    const int64_t d = int64_t(X.shape(1));
    require(length(low) == d && length(high) == d && length(broken) == d, "extent: a place for each column of X");
    nb::gil_scoped_release unlocked;
    hot_measure(view(X), low.data(), high.data(), broken.data());
}

template <class T>
void count(In2<T> X,                    // in      (n, d)      codes, NaN where missing
           In1<int64_t> y,              // in      (n,)        class codes
           In1<double> w,               // in      (n,) or (0,) for ones
           In1<int64_t> start,          // in      (d + 1,)    the first cell of each column, and their number
           InOut2<double> cells) {      // in/out  (cells, K)
    require(in_order(start, X.shape(1), cells.shape(0)), "count: the columns of X do not fit the table");
    check_rows(y, w, length(X), int64_t(cells.shape(1)));
    nb::gil_scoped_release unlocked;
    add_counts<T>(view(X), y.data(), w.size() ? w.data() : nullptr, start.data(), view(cells));
}

template <class T>
void look_up(In2<T> X,                  // in      (n, d)      codes, NaN where missing
             In1<int64_t> start,        // in      (d + 1,)
             In2<double> table,         // in      (cells, K)  logs
             InOut2<double> out) {      // in/out  (n, K)
    require(in_order(start, X.shape(1), table.shape(0)) && out.shape(0) == X.shape(0) && out.shape(1) == table.shape(1),
            "look_up: the columns of X or the classes do not fit the table");
    nb::gil_scoped_release unlocked;
    add_logs<T>(view(X), start.data(), view(table), out.data());
}

template <class T>
double sums(In2<T> X,                   // in      (n, d)
            In1<int64_t> y,             // in      (n,)        class codes
            In1<double> w,              // in      (n,) or (0,) for ones
            bool over,                  // whether to count the entries above the threshold instead
            double threshold,
            InOut2<double> out) {       // in/out  (K, d)
    require(out.shape(1) == X.shape(1), "sums: a place for each column of X");
    check_rows(y, w, length(X), length(out));
    nb::gil_scoped_release unlocked;
    return hot_sums(view(X), y.data(), w.size() ? w.data() : nullptr, over, threshold, out.data());
}

template <class T, class I>
double sparse_sums(In1<T> data,         // in      (nnz,)
                   In1<I> indices,      // in      (nnz,)      columns
                   In1<I> indptr,       // in      (n + 1,)
                   In1<int64_t> y,      // in      (n,)
                   In1<double> w,       // in      (n,) or (0,)
                   bool over, double threshold,
                   InOut2<double> out) {  // in/out  (K, d)
    require(are_rows(data, indices, indptr, length(y), int64_t(out.shape(1))),
            "sparse_sums: these are no rows of the table");
    check_rows(y, w, length(y), length(out));
    nb::gil_scoped_release unlocked;
    return add_sparse<T, I>(data.data(), indices.data(), indptr.data(), int64_t(y.size()), int64_t(out.shape(1)),
                            y.data(), w.size() ? w.data() : nullptr, over, threshold, out.data());
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    define(m, "extent", &extent<double>, "X", "low", "high", "broken");
    define(m, "extent", &extent<float>, "X", "low", "high", "broken");
    define(m, "count", &count<double>, "X", "y", "w", "start", "cells");
    define(m, "count", &count<float>, "X", "y", "w", "start", "cells");
    define(m, "look_up", &look_up<double>, "X", "start", "table", "out");
    define(m, "look_up", &look_up<float>, "X", "start", "table", "out");
    define(m, "sums", &sums<double>, "X", "y", "w", "over", "threshold", "out");
    define(m, "sums", &sums<float>, "X", "y", "w", "over", "threshold", "out");
    define(m, "sparse_sums", &sparse_sums<double, int32_t>, "data", "indices", "indptr", "y", "w", "over", "threshold",
           "out");
    define(m, "sparse_sums", &sparse_sums<double, int64_t>, "data", "indices", "indptr", "y", "w", "over", "threshold",
           "out");
    define(m, "sparse_sums", &sparse_sums<float, int32_t>, "data", "indices", "indptr", "y", "w", "over", "threshold",
           "out");
    define(m, "sparse_sums", &sparse_sums<float, int64_t>, "data", "indices", "indptr", "y", "w", "over", "threshold",
           "out");
}
