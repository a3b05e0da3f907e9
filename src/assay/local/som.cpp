// Self-organising map: rows are shown one after the other, and the nearest unit and its neighbours on the map move.
//
//     m_l += rate e(l, i) (x - m_l),    e = exp(-gap(l, i) / 2 sigma^2)  or, as a bubble,  1 - reach / (size + 1)
//
// gap(l, i) is the squared distance of units l and i on the map, given as a table (U, U); rate and sigma fall from
// their first to their last values by a constant factor a visit. Neighbours that would move by less than a millionth of
// the rate stay. Twin in NumPy: tests/local/test_som.py, by_the_book.
#include <algorithm>
#include <cmath>
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"
#include "assay/exponential.hpp"

using namespace assay;

namespace {

constexpr double NEGLIGIBLE = 1e-6;  // of the rate
constexpr int64_t LANES = 8;
typedef double Lanes __attribute__((vector_size(LANES * sizeof(double))));
typedef double Unaligned __attribute__((vector_size(LANES * sizeof(double)), aligned(8), may_alias));

__attribute__((always_inline)) inline Lanes at(const double *x) { return *reinterpret_cast<const Unaligned *>(x); }

struct MapRule {
    double first_rate, last_rate, first_sigma, last_sigma;
    bool bubble;
    void check() const {
        require(first_rate > 0 && last_rate > 0 && first_sigma > 0 && last_sigma > 0,
                "MapRule: rates and sigmas must be above 0");
    }
};

__attribute__((always_inline)) inline double total(const Lanes &v) {
    return ((v[0] + v[4]) + (v[1] + v[5])) + ((v[2] + v[6]) + (v[3] + v[7]));
}

// m += step (x - m), if it is to move, and then |next - m|^2
template <bool MOVES>
__attribute__((always_inline)) inline double shown(const double *x, double step, const double *next, double *m,
                                                   int64_t d) {
    Lanes lanes = {};
    double sum = 0.0;
    int64_t j = 0;
    for (; j + LANES <= d; j += LANES) {
        Lanes v = at(m + j);
        if constexpr (MOVES) {
            v += step * (at(x + j) - v);
            *reinterpret_cast<Unaligned *>(m + j) = v;
        }
        const Lanes gap = at(next + j) - v;
        lanes += gap * gap;
    }
    if (j) sum = total(lanes);
    for (; j < d; ++j) {
        if constexpr (MOVES) m[j] += step * (x[j] - m[j]);
        sum += (next[j] - m[j]) * (next[j] - m[j]);
    }
    return sum;
}

// Moves all units towards x by their steps, and finds the one that is then nearest to the next row: each unit is
// fetched once.
HOT int64_t move(const double *x, const double *step, const double *next, double *M, int64_t units, int64_t d) {
    int64_t best = 0;
    double least = INFINITY;
    for (int64_t u = 0; u < units; ++u) {
        double *m = M + u * d;
        const double gap = step[u] > 0.0 ? shown<true>(x, step[u], next, m, d) : shown<false>(x, 0.0, next, m, d);
        if (gap < least) least = gap, best = u;
    }
    return best;
}

// rate e(l, i) of all units, at most 1; 0 where it is negligible.
HOT void steps_of(const double *apart, int64_t U, double rate, double sigma, bool bubble, double *step) {
    const double reach = bubble ? sigma : -2 * sigma * sigma * std::log(NEGLIGIBLE);
    const double share = -1 / (bubble ? std::floor(sigma) + 1 : 2 * sigma * sigma);
    if (bubble)
        for (int64_t u = 0; u < U; ++u) step[u] = 1 + apart[u] * share;
    else
        for (int64_t u = 0; u < U; ++u) step[u] = exponential(apart[u] * share);
    for (int64_t u = 0; u < U; ++u) {
        const double e = rate * step[u];
        step[u] = apart[u] <= reach ? (e < 1.0 ? e : 1.0) : 0.0;
    }
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
    const auto row = [&](int64_t t) { return X.data() + order.data()[t] * d; };
    std::vector<double> step(U, 0.0);
    int64_t winner = length(order) ? move(row(0), step.data(), row(0), M.data(), U, d) : 0;
    for (int64_t t = 0; t < length(order); ++t) {
        const double share = double(begin + t) / double(visits);
        const double rate = rule.first_rate * std::pow(rule.last_rate / rule.first_rate, share);
        const double sigma = rule.first_sigma * std::pow(rule.last_sigma / rule.first_sigma, share);
        const double w = weight.size() ? weight.data()[order.data()[t]] : 1.0;
        steps_of(gap.data() + winner * U, U, w * rate, sigma, rule.bubble, step.data());
        winner = move(row(t), step.data(), row(std::min(t + 1, length(order) - 1)), M.data(), U, d);
    }
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    record<MapRule>(m, "MapRule", field("first_rate", &MapRule::first_rate), field("last_rate", &MapRule::last_rate),
                    field("first_sigma", &MapRule::first_sigma), field("last_sigma", &MapRule::last_sigma),
                    field("bubble", &MapRule::bubble));
    define(m, "learn", &learn, "X", "weight", "order", "M", "gap", "rule", "begin", "visits");
}
