// Rows of scores, one score a class: which rows have none, which class wins, what the posterior is.
//
//     impossible_rows : how many rows are -inf throughout
//     winner_i = argmax_k s_ik, the first among equals
//     softmax  : s_ik <- exp(s_ik - m_i) / sum_k exp(s_ik - m_i),   m_i = max_k s_ik
//     logistic : the softmax of (0, odds_i)
//
// Checked by the caller: C-ordered scores, K >= 1, and for softmax no row of -inf throughout.
// Twin in NumPy: tests/core/test_scores.py, by_the_book.
#include <cmath>

#include "assay/array.hpp"
#include "assay/edge.hpp"

using namespace assay;

namespace {

static inline int64_t best(const double *s, int64_t K) {
    int64_t b = 0;
    for (int64_t k = 1; k < K; ++k) b = s[k] > s[b] ? k : b;
    return b;
}

int64_t impossible_rows(In2<double> scores) {  // in      (n, K)
    require(scores.shape(1) > 0, "impossible_rows: there are no classes");
    nb::gil_scoped_release unlocked;
    const auto S = view(scores);
    int64_t none = 0;
    for (int64_t i = 0; i < S.rows(); ++i) none += S.row(i)[best(S.row(i), S.cols())] == -INFINITY;
    return none;
}

void winner(In2<double> scores,         // in      (n, K)
            InOut1<int64_t> out) {      // out     (n,)
    require(scores.shape(1) > 0 && out.shape(0) == scores.shape(0), "winner: there are no classes, or other rows");
    nb::gil_scoped_release unlocked;
    const auto S = view(scores);
    for (int64_t i = 0; i < S.rows(); ++i) out.data()[i] = best(S.row(i), S.cols());
}

void softmax(InOut2<double> scores) {   // in/out  (n, K)
    require(scores.shape(1) > 0, "softmax: there are no classes");
    nb::gil_scoped_release unlocked;
    const auto S = view(scores);
    const int64_t K = S.cols();
    for (int64_t i = 0; i < S.rows(); ++i) {
        double *s = S.row(i);
        const int64_t b = best(s, K);
        const double top = s[b];
        double sum = 1.0;  // of the best class itself
        for (int64_t k = 0; k < K; ++k)
            if (k != b) sum += s[k] = std::exp(s[k] - top);
        s[b] = 1.0;
        for (int64_t k = 0; k < K; ++k) s[k] /= sum;
    }
}

void logistic(In1<double> odds,         // in      (n,)
              InOut2<double> out) {     // out     (n, 2)
    require(out.shape(0) == odds.shape(0) && out.shape(1) == 2, "logistic: the posterior must have two columns");
    nb::gil_scoped_release unlocked;
    const auto P = view(out);
    for (int64_t i = 0; i < P.rows(); ++i) {
        const double o = odds.data()[i], small = std::exp(-std::fabs(o)), large = 1.0 / (1.0 + small);
        P.row(i)[o > 0.0] = large;
        P.row(i)[!(o > 0.0)] = small * large;
    }
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    define(m, "impossible_rows", &impossible_rows, "scores");
    define(m, "winner", &winner, "scores", "out");
    define(m, "softmax", &softmax, "scores");
    define(m, "logistic", &logistic, "odds", "out");
}
