// Online k-means: rows are shown one after the other, and the winning centre moves towards each.
//
//     winner     the nearest centre, or the one with the largest product m^T x
//     conscience the winner of the plain competition raises its share, p_i <- p_i + memory (b_i - p_i); then the unit
//                with the least |x - m|^2 - conscience (1/k - p_i) moves (DeSieno 1988)
//     move       motion_i <- rate b_i (x - m_i) + momentum motion_i, for every centre; rate 0 stands for 1 / wins
//
// Twin in NumPy: tests/cluster/test_online_k_means.py, by_the_book.
#include <cmath>

#include "assay/array.hpp"
#include "assay/edge.hpp"

using namespace assay;

namespace {

struct OnlineRule {
    bool product;  // the winner has the largest product with the row
    double rate, momentum, conscience, memory;
};

// Rows in the order given; centres, motions, wins and shares are updated.
void visit(In2<double> X,             // in      (n, d)
           In1<double> weight,        // in      (n,), or (0,) for ones
           In1<int64_t> order,        // in      (m,)   rows to visit
           InOut2<double> M,          // in/out  (k, d) centres
           InOut2<double> motion,     // in/out  (k, d), or (0, 0) without momentum
           InOut1<double> wins,       // in/out  (k,)
           InOut1<double> share,      // in/out  (k,)   of the plain competition
           const OnlineRule &rule) {
    const int64_t n = length(X), d = int64_t(X.shape(1)), k = length(M);
    require(weighs(weight, n) && within(order, 0, n), "online k-means: a weight for each row, and rows that exist");
    require(k > 0 && int64_t(M.shape(1)) == d && length(wins) == k && length(share) == k,
            "online k-means: centres of the rows' columns, with wins and a share each");
    const bool coasts = motion.size() > 0;
    require(!coasts || (length(motion) == k && int64_t(motion.shape(1)) == d),
            "online k-means: a motion of each centre");
    nb::gil_scoped_release unlocked;
    double *centers = M.data(), *p = share.data();
    for (int64_t t = 0; t < length(order); ++t) {
        const int64_t i = order.data()[t];
        const double *x = X.data() + i * d, w = weight.size() ? weight.data()[i] : 1.0;
        int64_t best = 0, chosen = 0;
        double least = INFINITY, least_scored = INFINITY;
        for (int pass = 0; pass < (rule.conscience > 0 ? 2 : 1); ++pass) {
            for (int64_t h = 0; h < k; ++h) {
                const double *m = centers + h * d;
                double gap = 0.0;
                if (rule.product)
                    for (int64_t j = 0; j < d; ++j) gap -= m[j] * x[j];
                else
                    for (int64_t j = 0; j < d; ++j) gap += (x[j] - m[j]) * (x[j] - m[j]);
                if (pass == 0 && gap < least) least = gap, best = h;
                if (pass == 1) {
                    const double scored = gap - rule.conscience * (1.0 / double(k) - p[h]);
                    if (scored < least_scored) least_scored = scored, chosen = h;
                }
            }
            if (pass == 0)
                for (int64_t h = 0; h < k; ++h) p[h] += rule.memory * (double(h == best) - p[h]);
        }
        const int64_t winner = rule.conscience > 0 ? chosen : best;
        wins.data()[winner] += w;
        const double rate = rule.rate > 0             ? std::fmin(1.0, w * rule.rate)
                            : wins.data()[winner] > 0 ? w / wins.data()[winner]
                                                      : 0.0;
        if (!coasts) {
            double *m = centers + winner * d;
            for (int64_t j = 0; j < d; ++j) m[j] += rate * (x[j] - m[j]);
            continue;
        }
        for (int64_t h = 0; h < k; ++h) {
            double *m = centers + h * d, *v = motion.data() + h * d;
            for (int64_t j = 0; j < d; ++j) {
                v[j] *= rule.momentum;
                if (h == winner) v[j] += rate * (x[j] - m[j]);
                m[j] += v[j];
            }
        }
    }
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    record<OnlineRule>(m, "OnlineRule", field("product", &OnlineRule::product), field("rate", &OnlineRule::rate),
                       field("momentum", &OnlineRule::momentum), field("conscience", &OnlineRule::conscience),
                       field("memory", &OnlineRule::memory));
    define(m, "visit", &visit, "X", "weight", "order", "M", "motion", "wins", "share", "rule");
}
