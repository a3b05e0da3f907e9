// Sparse features of rows and the labels' weights: scores forward, gradients back.
//
//     S_t = sum over the features f of row t of x_tf W_f             G_f = sum over the rows t with f of x_tf R_t
//
// Labels are the last axis, padded to P. Features are 1 where no values are given. Twin in NumPy:
// tests/sequences/test_conditional_random_field.py.
#include "assay/array.hpp"
#include "assay/edge.hpp"

using namespace assay;

namespace {

struct Rows {
    const int64_t *begin;  // (n + 1,)
    const int32_t *feature;  // (m,)
    const double *value;  // (m,) or null: ones
    int64_t n;
};

// W: the number of columns if the compiler knows it, else 0.
template <int W>
INLINE void add_weights(const Rows &X, const double *weights, int64_t width, double *S) {
    const int64_t P = W ? W : width;
    for (int64_t t = 0; t < X.n; ++t) {
        double *s = S + t * P;
        for (int64_t k = 0; k < P; ++k) s[k] = 0.0;
        for (int64_t i = X.begin[t]; i < X.begin[t + 1]; ++i) {
            const double *w = weights + int64_t(X.feature[i]) * P, x = X.value ? X.value[i] : 1.0;
            for (int64_t k = 0; k < P; ++k) s[k] += x * w[k];
        }
    }
}

template <int W>
INLINE void add_rows(const Rows &X, const double *R, int64_t width, double *G) {
    const int64_t P = W ? W : width;
    for (int64_t t = 0; t < X.n; ++t) {
        const double *r = R + t * P;
        for (int64_t i = X.begin[t]; i < X.begin[t + 1]; ++i) {
            double *g = G + int64_t(X.feature[i]) * P;
            const double x = X.value ? X.value[i] : 1.0;
            for (int64_t k = 0; k < P; ++k) g[k] += x * r[k];
        }
    }
}

#define WIDTH(W)                                                                      \
    HOT void scores_##W(const Rows &X, const double *weights, int64_t P, double *S) { \
        add_weights<W>(X, weights, P, S);                                             \
    }                                                                                 \
    HOT void gradient_##W(const Rows &X, const double *R, int64_t P, double *G) { add_rows<W>(X, R, P, G); }
WIDTH(0)
WIDTH(4)
WIDTH(8)
WIDTH(16)
WIDTH(20)
WIDTH(24)
WIDTH(32)
#undef WIDTH

Rows rows(const In1<int64_t> &begin, const In1<int32_t> &feature, const In1<double> &value, int64_t n, int64_t F) {
    require(shares_out(begin, n, length(feature), true) && within(feature, 0, F) && weighs(value, length(feature)),
            "features: rows of features within the table");
    return {begin.data(), feature.data(), data_or_null(value), n};
}

void scores(In1<int64_t> begin,  // in      (n + 1,)
            In1<int32_t> feature,  // in      (m,)   from 0 to F - 1
            In1<double> value,  // in      (m,) or (0,): ones
            In2<double> weights,  // in      (F, P)
            InOut2<double> S) {  // out     (n, P)
    const Rows X = rows(begin, feature, value, length(S), length(weights));
    const int64_t P = weights.shape(1);
    require(int64_t(S.shape(1)) == P, "scores: a column for each label");
    nb::gil_scoped_release unlocked;
    switch (P) {
        case 4: return scores_4(X, weights.data(), P, S.data());
        case 8: return scores_8(X, weights.data(), P, S.data());
        case 16: return scores_16(X, weights.data(), P, S.data());
        case 20: return scores_20(X, weights.data(), P, S.data());
        case 24: return scores_24(X, weights.data(), P, S.data());
        case 32: return scores_32(X, weights.data(), P, S.data());
        default: return scores_0(X, weights.data(), P, S.data());
    }
}

void gradient(In1<int64_t> begin, In1<int32_t> feature, In1<double> value,
              In2<double> R,  // in      (n, P)
              InOut2<double> G) {  // in/out  (F, P)
    const Rows X = rows(begin, feature, value, length(R), length(G));
    const int64_t P = R.shape(1);
    require(int64_t(G.shape(1)) == P, "gradient: a column for each label");
    nb::gil_scoped_release unlocked;
    switch (P) {
        case 4: return gradient_4(X, R.data(), P, G.data());
        case 8: return gradient_8(X, R.data(), P, G.data());
        case 16: return gradient_16(X, R.data(), P, G.data());
        case 20: return gradient_20(X, R.data(), P, G.data());
        case 24: return gradient_24(X, R.data(), P, G.data());
        case 32: return gradient_32(X, R.data(), P, G.data());
        default: return gradient_0(X, R.data(), P, G.data());
    }
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    define(m, "scores", &scores, "begin", "feature", "value", "weights", "S");
    define(m, "gradient", &gradient, "begin", "feature", "value", "R", "G");
}
