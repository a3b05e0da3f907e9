// How many test rows each of many subsets of columns labels correctly, from the scores of the classes.
//
//     correct_c = sum_i w_i [argmax_k s_cik = y_i]
//
// A subset is sure if in every row the largest score leads by more than rounding, and is finite:
//
//     s_ci(1) - s_ci(2) > same (1 + max_k |s_cik|)
//
// Twin in NumPy: tests/select/subsets/test_fast_scores.py, tally_by_the_book.
#include <cmath>
#include <limits>

#include "assay/array.hpp"
#include "assay/edge.hpp"

using namespace assay;

namespace {

INLINE void two_classes(const double *s, int64_t m, const int64_t *y, const double *w, double same, double *correct,
                        uint8_t *sure) {
    double sum = 0;
    int unsure = 0;
    for (int64_t i = 0; i < m; ++i) {
        const double a = s[2 * i], b = s[2 * i + 1], lead = b - a;
        const double size = std::fabs(a) > std::fabs(b) ? std::fabs(a) : std::fabs(b);
        unsure |= !(std::fabs(lead) > same * (1 + size)) | !(size < std::numeric_limits<double>::infinity());
        sum += (int64_t(lead > 0) == y[i]) ? (w ? w[i] : 1.0) : 0.0;
    }
    *correct = sum;
    *sure = !unsure;
}

INLINE void many_classes(const double *s, int64_t m, int64_t K, const int64_t *y, const double *w, double same,
                         double *correct, uint8_t *sure) {
    double sum = 0;
    bool certain = true;
    for (int64_t i = 0; i < m; ++i, s += K) {
        double first = -std::numeric_limits<double>::infinity(), second = first, size = 0, total = 0;
        int64_t best = 0;
        for (int64_t k = 0; k < K; ++k) {
            const double v = s[k];
            total += v;
            size = std::fabs(v) > size ? std::fabs(v) : size;
            if (v > first) second = first, first = v, best = k;
            else second = v > second ? v : second;
        }
        certain &= std::isfinite(total) && (K == 1 || first - second > same * (1 + size));
        sum += best == y[i] ? (w ? w[i] : 1.0) : 0.0;
    }
    *correct = sum;
    *sure = certain;
}

HOT void all(const double *s, int64_t C, int64_t m, int64_t K, const int64_t *y, const double *w, double same,
             double *correct, uint8_t *sure) {
    for (int64_t c = 0; c < C; ++c) {
        if (K == 2) two_classes(s + c * m * K, m, y, w, same, correct + c, sure + c);
        else many_classes(s + c * m * K, m, K, y, w, same, correct + c, sure + c);
    }
}

void tally(In2<double> scores,       // in   (C m, K)
           In1<int64_t> y,           // in   (m,)     true classes
           In1<double> w,            // in   (m,) or (0,) for ones
           double same,
           InOut1<double> correct,   // out  (C,)
           InOut1<uint8_t> sure) {   // out  (C,)
    const int64_t m = length(y), C = length(correct), K = int64_t(scores.shape(1));
    require(m >= 1 && K >= 1 && length(scores) == sized(C, m, "tally: too many rows") && length(sure) == C &&
                weighs(w, m),
            "tally: shapes do not fit");
    const nb::gil_scoped_release unlocked;
    all(scores.data(), C, m, K, y.data(), w.size() ? w.data() : nullptr, same, correct.data(), sure.data());
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) { define(m, "tally", &tally, "scores", "y", "w", "same", "correct", "sure"); }
