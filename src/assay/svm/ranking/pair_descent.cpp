// Ranking in the space of a kernel: descent over the multipliers of preferences, one pair at a time.
//
//     g = sum_t a_t (K(., u_t) - K(., v_t)),     min  1/2 |g|^2 + r/2 sum_t a_t^2 - sum_t a_t,     0 <= a_t <= high_t
//
// The scores g of all training rows are kept, so that looking at a pair costs two reads, and moving it one run over two
// rows of the kernel matrix. Pairs that rest at a bound leave the passes until the others are done.
//
// Twin in NumPy: tests/svm/ranking/test_kernel_rank_svm.py.
#include <algorithm>
#include <cmath>
#include <utility>

#include "assay/array.hpp"
#include "assay/edge.hpp"

using namespace assay;

namespace {

constexpr double FAR = std::numeric_limits<double>::infinity();

// Up to `visits` visits; the passes that ended. state: pairs in play, the violation by which pairs leave, the seed, the
// largest violation of the last pass, and of one that was cut short the next place in `order` and the largest so far
HOT int64_t passes(const double *K, const int32_t *pairs, const double *high, double ridge, int64_t n, int64_t m,
                   double tol, int64_t most, int64_t visits, double *a, double *g, int64_t *order, double *state) {
    int64_t active = int64_t(state[0]), at = int64_t(state[4]), made = 0;
    uint64_t seed = uint64_t(state[2]) | 1;
    double worst = state[5];
    while (made < most) {
        for (int64_t k = 0; k < active && at == 0; ++k) {
            seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
            std::swap(order[k], order[k + int64_t((seed >> 32) % uint64_t(active - k))]);
        }
        for (; at < active && visits > 0; --visits) {
            const int64_t t = order[at], u = pairs[2 * t], v = pairs[2 * t + 1];
            const double slope = g[u] - g[v] - 1 + ridge * a[t];
            const bool rises = slope < 0 && a[t] < high[t], falls = slope > 0 && a[t] > 0;
            if (!rises && !falls) {
                if (std::fabs(slope) > state[1]) {
                    std::swap(order[at], order[--active]);
                    continue;
                }
            } else {
                worst = std::max(worst, std::fabs(slope));
                const double power = K[u * n + u] + K[v * n + v] - 2 * K[u * n + v] + ridge;
                const double to = std::min(std::max(a[t] - slope / std::max(power, 1e-12), 0.0), high[t]);
                const double step = to - a[t];
                if (step != 0) {
                    a[t] = to;
                    const double *up = K + u * n, *down = K + v * n;
                    for (int64_t i = 0; i < n; ++i) g[i] += step * (up[i] - down[i]);
                }
            }
            ++at;
        }
        if (at < active) break;  // to be gone on with
        ++made;
        state[1] = worst > 0 ? worst : FAR;
        state[3] = worst;
        at = 0, worst = 0;
        if (state[3] <= tol) {
            if (active == m) break;
            active = m, state[1] = FAR, state[3] = FAR;
        }
    }
    state[0] = double(active), state[2] = double(seed >> 12), state[4] = double(at), state[5] = worst;
    return made;
}

int64_t descend(In2<double> gram, In2<int32_t> pairs, In1<double> high, double ridge, double tol, int64_t most,
                int64_t visits, InOut1<double> a, InOut1<double> g, InOut1<int64_t> order, InOut1<double> state) {
    const int64_t n = int64_t(gram.shape(0)), m = int64_t(pairs.shape(0));
    require(int64_t(gram.shape(1)) == n, "gram: as many columns as rows");
    require(int64_t(pairs.shape(1)) == 2 && within(pairs, 0, n), "pairs: two row numbers each");
    require(length(high) == m && length(a) == m && length(order) == m, "one bound, multiplier and place a pair");
    require(length(g) == n && within(order, 0, m) && length(state) == 6, "g: a score a row; state: six numbers");
    require(most >= 0 && state.data()[0] >= 0 && state.data()[0] <= double(m), "more pairs in play than there are");
    require(visits >= 0 && state.data()[4] >= 0 && state.data()[4] <= state.data()[0], "a place behind all pairs");
    require(state.data()[2] >= 0 && state.data()[2] < 9e15, "a seed from 0 up to 2^53");
    nb::gil_scoped_release free;
    return passes(gram.data(), pairs.data(), high.data(), ridge, n, m, tol, most, visits, a.data(), g.data(),
                  order.data(), state.data());
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    define(m, "descend", &descend, "gram", "pairs", "high", "ridge", "tol", "most", "visits", "a", "g", "order",
           "state");
}
