// Rows of scores, one score a class: which rows have none, which class wins, what the posterior is.
//
//     hopeless : how many rows are -inf throughout
//     winner_i = argmax_k s_ik, the first among equals
//     softmax  : s_ik <- exp(s_ik - m_i) / sum_k exp(s_ik - m_i),   m_i = max_k s_ik
//
// Checked by the caller: C-ordered scores, K >= 1, and for softmax no hopeless row.
// Twin in NumPy: tests/core/test_scores.py, by_the_book.
#include <cmath>

#include "assay/array.hpp"

using namespace assay;

namespace {

static inline int64_t best(const double *s, int64_t K) {
    int64_t b = 0;
    for (int64_t k = 1; k < K; ++k) b = s[k] > s[b] ? k : b;
    return b;
}

int64_t hopeless(In2<double> scores) {  // in      (n, K)
    require(scores.shape(1) > 0, "hopeless: there are no classes");
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
        const double top = s[best(s, K)];
        double sum = 0.0;
        for (int64_t k = 0; k < K; ++k) sum += s[k] = std::exp(s[k] - top);
        for (int64_t k = 0; k < K; ++k) s[k] /= sum;
    }
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    m.def("hopeless", &hopeless);
    m.def("winner", &winner);
    m.def("softmax", &softmax);
}
