// Independent hidden chains that emit together: forward, backward and expected transitions, chain by chain.
//
//     alpha_t = (alpha_t-1 (A^1 x ... x A^M)) . f_t
//
// A row of numbers over all joint states is a table with an axis for each chain; a step multiplies it along one axis
// after the other, K (k_1 + ... + k_M) products instead of K^2. The expected transitions of a chain need the table
// after the steps of all others:
//
//     xi^m(i, j) = A^m(i, j) sum_t sum over the other chains of u_t(i, .) b_t+1(j, .),    b = f . beta / c
//
// Twin in NumPy: tests/sequences/test_interacting_chains.py, the passes over joint states.
#include <algorithm>
#include <cmath>
#include <vector>

#include "assay/edge.hpp"

using namespace assay;

namespace {

constexpr double TINY = 1e-250, TURN = 1e-9, MOST = 1e250;

struct Axis {
    int64_t before, k, after;  // states of the chains before, of this one, and after
    const double *A, *turned;  // (k, k) and its transpose
};

// out(a, j, c) = sum_i in(a, i, c) A(i, j)
HOT void step(const double *in, double *out, int64_t before, int64_t k, int64_t after, const double *A) {
    if (after == 1) {
        for (int64_t a = 0; a < before; ++a)
            for (int64_t j = 0; j < k; ++j) {
                double sum = 0.0;
                for (int64_t i = 0; i < k; ++i) sum += in[a * k + i] * A[i * k + j];
                out[a * k + j] = sum;
            }
        return;
    }
    std::fill(out, out + before * k * after, 0.0);
    for (int64_t a = 0; a < before; ++a)
        for (int64_t i = 0; i < k; ++i) {
            const double *x = in + (a * k + i) * after;
            for (int64_t j = 0; j < k; ++j) {
                const double by = A[i * k + j];
                double *y = out + (a * k + j) * after;
                for (int64_t c = 0; c < after; ++c) y[c] += by * x[c];
            }
        }
}
// counts(i, j) += w sum over a, c of u(a, i, c) b(a, j, c)
HOT void add_pairs(const double *u, const double *b, int64_t before, int64_t k, int64_t after, double w,
                   double *counts) {
    for (int64_t a = 0; a < before; ++a)
        for (int64_t i = 0; i < k; ++i)
            for (int64_t j = 0; j < k; ++j) {
                const double *x = u + (a * k + i) * after, *y = b + (a * k + j) * after;
                double sum = 0.0;
                for (int64_t c = 0; c < after; ++c) sum += x[c] * y[c];
                counts[i * k + j] += w * sum;
            }
}

class Passes {
    const std::vector<Axis> &axes;
    const int64_t K, P;
    std::vector<double> one, other, b;

  public:
    std::vector<double> scale;
    Passes(const std::vector<Axis> &axes, int64_t K, int64_t P, int64_t longest)
        : axes(axes), K(K), P(P), one(K), other(K), b(K), scale(longest) {}

    // The table after the steps of all chains but one (-1: of all).
    const double *moved(const double *from, int64_t without, bool back) {
        const double *now = from;
        for (int64_t m = 0; m < int64_t(axes.size()); ++m) {
            if (m == without) continue;
            double *to = now == one.data() ? other.data() : one.data();
            step(now, to, axes[m].before, axes[m].k, axes[m].after, back ? axes[m].turned : axes[m].A);
            now = to;
        }
        return now;
    }
    // One sequence; alpha (T, P). False if numbers got so small that a state may be lost.
    bool forward(const double *F, const double *start, int64_t T, double *alpha, double *log) {
        double least = 1.0, smallest = 1.0;
        *log = 0.0;
        for (int64_t t = 0; t < T; ++t) {
            const double *now = t ? moved(alpha + (t - 1) * P, -1, false) : start, *f = F + t * P;
            double *a = alpha + t * P, sum = 0.0;
            for (int64_t k = 0; k < K; ++k) sum += a[k] = now[k] * f[k];
            if (!(sum > 0.0 && sum < INFINITY)) return false;
            const double by = 1.0 / sum;
            for (int64_t k = 0; k < K; ++k) {
                a[k] *= by;
                if (a[k] > 0.0 && a[k] < smallest) smallest = a[k];
            }
            least = std::min(least, sum);
            scale[t] = by;
            *log += std::log(sum);
        }
        return !(smallest < TINY && least < TURN);
    }
    bool backward(const double *F, int64_t T, double w, double *gamma, std::vector<double> &counts) {
        std::fill(b.begin(), b.end(), 1.0);
        double most = 0.0;
        for (int64_t k = 0; k < K; ++k) gamma[(T - 1) * P + k] *= w;
        for (int64_t t = T - 2; t >= 0; --t) {
            const double *f = F + (t + 1) * P;
            double *a = gamma + t * P, *to = counts.data();
            for (int64_t k = 0; k < K; ++k) b[k] *= f[k] * scale[t + 1];
            for (int64_t m = 0; m < int64_t(axes.size()); to += axes[m].k * axes[m].k, ++m)
                add_pairs(moved(a, m, false), b.data(), axes[m].before, axes[m].k, axes[m].after, w, to);
            const double *beta = moved(b.data(), -1, true);
            for (int64_t k = 0; k < K; ++k) {
                b[k] = beta[k];
                most = std::max(most, beta[k]);
                a[k] *= w * beta[k];
            }
        }
        return most < MOST;
    }
};

// Returns whether all went well; if not, nothing that was written counts.
bool expect_independent(In2<double> F,  // in      (n, P) densities, each row divided by a number; K of P columns count
                        In1<int64_t> begin,  // in      (S + 1,)
                        In1<double> start,  // in      (P,)
                        In1<int64_t> sizes,  // in      (M,) states of each chain
                        In1<double> A,  // in      transitions of all chains, one matrix after the other
                        In1<double> w,  // in      (S,) or (0,): ones
                        bool backward,  // else alpha alone
                        InOut2<double> gamma,  // out     (n, P)
                        InOut1<double> counts,  // in/out  as A
                        InOut1<double> first,  // in/out  (P,)
                        InOut1<double> logs) {  // out     (S,)
    const int64_t n = F.shape(0), P = F.shape(1), S = length(begin) - 1, M = length(sizes);
    require(S >= 0 && shares_out(begin, S, n, true) && M > 0, "expect_independent: begin must share out the rows");
    require(within(sizes, 1, P + 1), "expect_independent: states of each chain");
    int64_t K = 1, entries = 0;
    for (int64_t m = 0; m < M; ++m) {
        K = sized(K, sizes.data()[m], "expect_independent: too many states");
        entries += sizes.data()[m] * sizes.data()[m];
        require(K <= P, "expect_independent: a column for each joint state");
    }
    require(length(A) == entries && length(counts) == entries && length(start) == P && length(first) == P &&
                weighs(w, S) && length(logs) == S && gamma.shape(0) == F.shape(0) && gamma.shape(1) == F.shape(1),
            "expect_independent: the sums must fit the densities");
    nb::gil_scoped_release unlocked;
    std::vector<double> turned(entries), pairs(entries, 0.0);
    std::vector<Axis> axes;
    int64_t before = 1, at = 0, longest = 0;
    for (int64_t m = 0; m < M; ++m) {
        const int64_t k = sizes.data()[m];
        for (int64_t i = 0; i < k; ++i)
            for (int64_t j = 0; j < k; ++j) turned[at + j * k + i] = A.data()[at + i * k + j];
        axes.push_back({before, k, K / (before * k), A.data() + at, turned.data() + at});
        before *= k, at += k * k;
    }
    for (int64_t s = 0; s < S; ++s) longest = std::max(longest, begin.data()[s + 1] - begin.data()[s]);
    Passes passes(axes, K, P, longest);
    for (int64_t s = 0; s < S; ++s) {
        const int64_t t0 = begin.data()[s], T = begin.data()[s + 1] - t0;
        logs.data()[s] = 0.0;
        if (T == 0) continue;
        double *g = gamma.data() + t0 * P;
        if (!passes.forward(F.data() + t0 * P, start.data(), T, g, logs.data() + s)) return false;
        if (!backward) continue;
        if (!passes.backward(F.data() + t0 * P, T, w.size() ? w.data()[s] : 1.0, g, pairs)) return false;
        for (int64_t k = 0; k < K; ++k) first.data()[k] += g[k];
    }
    for (int64_t i = 0; i < entries; ++i) counts.data()[i] += pairs[i] * A.data()[i];
    return true;
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    define(m, "expect_independent", &expect_independent, "F", "begin", "start", "sizes", "A", "w", "backward", "gamma",
           "counts", "first", "logs");
}
