// Self-organising map: rows are shown one after the other, and the nearest unit and its neighbours on the map move.
//
//     m_l += rate e(l, i) (x - m_l),    e = exp(-gap(l, i) / 2 sigma^2)  or, as a bubble,  1 - reach / (size + 1)
//
// gap(l, i) is the squared distance of units l and i on the map, given as a table (U, U); rate and sigma fall from
// their first to their last values by a constant factor a visit. Neighbours that would move by less than a millionth of
// the rate stay. Twin in NumPy: tests/local/test_som.py, by_the_book.
#include <algorithm>
#include <cmath>

#include "assay/array.hpp"
#include "assay/edge.hpp"

using namespace assay;

namespace {

constexpr double NEGLIGIBLE = 1e-6;  // of the rate
constexpr int64_t LANES = 8;  // sums side by side, which the compiler adds up in vectors

struct MapRule {
    double first_rate, last_rate, first_sigma, last_sigma;
    bool bubble;
    void check() const {
        require(first_rate > 0 && last_rate > 0 && first_sigma > 0 && last_sigma > 0,
                "MapRule: rates and sigmas must be above 0");
    }
};

HOT int64_t nearest(const double *x, const double *M, int64_t units, int64_t d) {
    int64_t best = 0;
    double least = INFINITY;
    for (int64_t u = 0; u < units; ++u) {
        const double *m = M + u * d;
        double lanes[LANES] = {}, sum = 0.0;
        int64_t j = 0;
        for (; j + LANES <= d; j += LANES)
            for (int64_t k = 0; k < LANES; ++k) {
                const double gap = x[j + k] - m[j + k];
                lanes[k] += gap * gap;
            }
        for (; j < d; ++j) sum += (x[j] - m[j]) * (x[j] - m[j]);
        for (int64_t k = 0; k < LANES; ++k) sum += lanes[k];
        if (sum < least) least = sum, best = u;
    }
    return best;
}

HOT void towards(const double *x, double step, double *m, int64_t d) {
    for (int64_t j = 0; j < d; ++j) m[j] += step * (x[j] - m[j]);
}

// The rows of `order` as visits begin, begin + 1, ... of `visits`; the units are moved.
void learn(In2<double> X,  // in      (n, d)
           In1<double> weight,  // in      (n,), or (0,) for ones
           In1<int64_t> order,  // in      (m,)     rows to visit
           InOut2<double> M,  // in/out  (U, d)   units
           In2<double> gap,  // in      (U, U)   squared distances on the map (as a bubble: steps)
           const MapRule &rule, int64_t begin, int64_t visits) {
    const int64_t n = length(X), d = int64_t(X.shape(1)), U = length(M);
    require(weighs(weight, n) && within(order, 0, n), "som: rows to visit, and a weight for each row");
    require(int64_t(M.shape(1)) == d && U > 0 && length(gap) == U && int64_t(gap.shape(1)) == U,
            "som: a unit for each place on the map");
    require(begin >= 0 && visits > 0, "som: counts must not be below 0");
    nb::gil_scoped_release unlocked;
    double *units = M.data();
    for (int64_t t = 0; t < length(order); ++t) {
        const double share = double(begin + t) / double(visits);
        const double rate = rule.first_rate * std::pow(rule.last_rate / rule.first_rate, share);
        const double sigma = rule.first_sigma * std::pow(rule.last_sigma / rule.first_sigma, share);
        const int64_t i = order.data()[t];
        const double *x = X.data() + i * d, w = weight.size() ? weight.data()[i] : 1.0;
        const double *apart = gap.data() + nearest(x, units, U, d) * U;
        const double reach = -2 * sigma * sigma * std::log(NEGLIGIBLE);
        for (int64_t u = 0; u < U; ++u) {
            double e;
            if (rule.bubble) e = apart[u] <= sigma ? 1 - apart[u] / (std::floor(sigma) + 1) : 0.0;
            else e = apart[u] <= reach ? std::exp(-apart[u] / (2 * sigma * sigma)) : 0.0;
            if (e <= 0) continue;
            const double step = std::min(1.0, w * rate * e);
            towards(x, step, units + u * d, d);
        }
    }
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    record<MapRule>(m, "MapRule", field("first_rate", &MapRule::first_rate), field("last_rate", &MapRule::last_rate),
                    field("first_sigma", &MapRule::first_sigma), field("last_sigma", &MapRule::last_sigma),
                    field("bubble", &MapRule::bubble));
    define(m, "learn", &learn, "X", "weight", "order", "M", "gap", "rule", "begin", "visits");
}
