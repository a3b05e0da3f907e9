// Column by column, NaN being a missing value: extremes, number of missing values, imputation.
//
//     low_j = min x_ij,   high_j = max x_ij,   count_j = #{i: x_ij is NaN},   out_ij = x_ij or value_j
//
// Checked by the caller: low starts at +inf and high at -inf, count at 0; lengths fit the columns. out may be X
// itself: every entry is read before it is written.
// Twin in NumPy: tests/prepare/test_columns.py.
#include "assay/array.hpp"
#include "assay/edge.hpp"

using namespace assay;

namespace {

template <class T>
static inline void find_extremes(View2<const T> X, T *low, T *high) {
    const int64_t n = X.rows(), d = X.cols();
    for (int64_t i = 0; i < n; ++i) {
        const T *x = X.row(i);
        for (int64_t j = 0; j < d; ++j) {
            low[j] = x[j] < low[j] ? x[j] : low[j];     // a comparison with NaN is false
            high[j] = x[j] > high[j] ? x[j] : high[j];
        }
    }
}

template <class T>
static inline void count_nan(View2<const T> X, int64_t *count) {
    const int64_t n = X.rows(), d = X.cols();
    for (int64_t i = 0; i < n; ++i) {
        const T *x = X.row(i);
        for (int64_t j = 0; j < d; ++j) count[j] += x[j] != x[j];
    }
}

template <class T>
static inline void fill_nan(View2<const T> X, const T *value, T *out) {
    const int64_t n = X.rows(), d = X.cols();
    for (int64_t i = 0; i < n; ++i) {
        const T *x = X.row(i);
        T *o = out + i * d;
        for (int64_t j = 0; j < d; ++j) o[j] = x[j] == x[j] ? x[j] : value[j];
    }
}

HOT void extremes_f64(View2<const double> X, double *low, double *high) { find_extremes(X, low, high); }
HOT void extremes_f32(View2<const float> X, float *low, float *high) { find_extremes(X, low, high); }
HOT void missing_f64(View2<const double> X, int64_t *count) { count_nan(X, count); }
HOT void missing_f32(View2<const float> X, int64_t *count) { count_nan(X, count); }
HOT void fill_f64(View2<const double> X, const double *value, double *out) { fill_nan(X, value, out); }
HOT void fill_f32(View2<const float> X, const float *value, float *out) { fill_nan(X, value, out); }

template <class T, auto run>
void extremes(In2<T> X,             // in      (n, d)
              InOut1<T> low,        // in/out  (d,)
              InOut1<T> high) {     // in/out  (d,)
    require(low.shape(0) == X.shape(1) && high.shape(0) == X.shape(1), "extremes: X has other columns than before");
    nb::gil_scoped_release unlocked;
    run(view(X), low.data(), high.data());
}

template <class T, auto run>
void count_missing(In2<T> X,                    // in      (n, d)
                   InOut1<int64_t> count) {     // in/out  (d,)
    require(count.shape(0) == X.shape(1), "count_missing: X has other columns than before");
    nb::gil_scoped_release unlocked;
    run(view(X), count.data());
}

template <class T, auto run>
void fill(In2<T> X,             // in   (n, d)
          In1<T> value,         // in   (d,)
          InOut2<T> out) {      // out  (n, d)
    require(value.shape(0) == X.shape(1) && out.shape(0) == X.shape(0) && out.shape(1) == X.shape(1),
            "fill: there must be one value for each column of X");
    nb::gil_scoped_release unlocked;
    run(view(X), value.data(), out.data());
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    define(m, "extremes", &extremes<double, extremes_f64>, "X", "low", "high");
    define(m, "extremes", &extremes<float, extremes_f32>, "X", "low", "high");
    define(m, "count_missing", &count_missing<double, missing_f64>, "X", "count");
    define(m, "count_missing", &count_missing<float, missing_f32>, "X", "count");
    define(m, "fill", &fill<double, fill_f64>, "X", "value", "out");
    define(m, "fill", &fill<float, fill_f32>, "X", "value", "out");
}
