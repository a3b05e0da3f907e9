// Chains of hidden states: forward, backward, expected counts and best paths of many sequences.
//
//     alpha_1 = pi . f_1,     alpha_t = (alpha_t-1 A) . f_t          each divided by its sum c_t:  log P = sum log c_t
//     beta_T  = 1,            beta_t  = A (f_t+1 . beta_t+1) / c_t+1
//     gamma_t = alpha_t . beta_t,      xi = A . sum_t alpha_t (f_t+1 . beta_t+1 / c_t+1)'
//
// Rows of densities f are divided by their largest by the caller and padded with zeros to P columns, so that the loops
// over states have a length that the compiler knows. A is one matrix, or one for each row: that which leads to the
// next. Where numbers become so small that a state may be lost (below TINY while the evidence turns, c < TURN), the
// sequence is done again with logarithms. Twin in NumPy: tests/sequences/test_chain.py.
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"
#include "assay/exponential.hpp"

using namespace assay;

namespace {

constexpr double TINY = 1e-250, TURN = 1e-9;
constexpr int64_t RENEW = 16;  // rows after which the largest log probability is taken out of a path's
constexpr double INFINITE = std::numeric_limits<double>::infinity();

// One sequence after the other: what all passes share.
struct Chain {
    const double *F;  // (n, P)
    const int64_t *begin;  // (S + 1,)
    int64_t S, K, P;
    const double *start, *A;  // (P,), (K, P) or (n K, P)
    int64_t stride;  // from the matrix of a row to that of the next: 0 or K P
};

struct Sums {
    const double *w;  // (S,) or null
    double *gamma;  // (n, P)
    double *xi;  // (K, P) before it is multiplied by A, or (n K, P)
    double *first;  // (P,)
    double *logs;  // (S,)
    uint8_t *lost;  // (S,) whether it must be done with logarithms
};

// W: the number of columns if the compiler knows it, else 0.
template <int W>
__attribute__((always_inline)) inline void forward_backward(const Chain &m, const Sums &out, bool backward,
                                                            std::vector<double> &scale, std::vector<double> &turned) {
    const int64_t P = W ? W : m.P, K = m.K;
    double next_[W ? W : 1], beta_[W ? W : 1], back_[W ? W : 1];  // small ones stay in registers
    std::vector<double> work(W ? 0 : 3 * P);
    double *next = W ? next_ : work.data(), *beta = W ? beta_ : work.data() + P,
           *back = W ? back_ : work.data() + 2 * P;
    for (int64_t s = 0; s < m.S; ++s) {
        const int64_t t0 = m.begin[s], T = m.begin[s + 1] - t0;
        out.lost[s] = 0;
        out.logs[s] = 0.0;
        if (T == 0) continue;
        const double *f = m.F + t0 * P;
        double *g = out.gamma + t0 * P;
        double least = 1.0, product = 1.0, most = 0.0;
        int64_t exponent = 0;
        bool tiny = false;
        for (int64_t t = 0; t < T; ++t) {
            const double *b = f + t * P;
            double *row = g + t * P, sum = 0.0;
            if (t == 0)
                for (int64_t k = 0; k < P; ++k) next[k] = m.start[k] * b[k];
            else {
                const double *previous = row - P, *a = m.A + (t0 + t - 1) * m.stride;
                for (int64_t k = 0; k < P; ++k) next[k] = 0.0;
                for (int64_t i = 0; i < K; ++i) {  // next = previous @ A
                    const double v = previous[i];
                    for (int64_t k = 0; k < P; ++k) next[k] += v * a[i * P + k];
                }
                for (int64_t k = 0; k < P; ++k) next[k] *= b[k];
            }
            for (int64_t k = 0; k < P; ++k) sum += next[k];
            if (!(sum > 0.0 && sum < INFINITE)) {
                least = 0.0;
                tiny = true;
                break;
            }
            const double r = 1.0 / sum;
            int64_t small = 0;
            for (int64_t k = 0; k < P; ++k) {
                row[k] = next[k] * r;
                small += row[k] < TINY && row[k] > 0.0;
            }
            tiny |= small != 0;
            least = sum < least ? sum : least;
            scale[t] = r;
            product *= sum;
            if (product < 1e-100 || product > 1e100) {
                int power;
                product = std::frexp(product, &power);
                exponent += power;
            }
        }
        if (tiny && least < TURN) {
            out.lost[s] = 1;
            continue;
        }
        out.logs[s] = std::log(product) + double(exponent) * 0.693147180559945309417;
        if (!backward) continue;
        const double w = out.w ? out.w[s] : 1.0;
        for (int64_t k = 0; k < P; ++k) beta[k] = 1.0;
        for (int64_t k = 0; k < P; ++k) g[(T - 1) * P + k] *= w;
        for (int64_t t = T - 2; t >= 0; --t) {
            const double *b = f + (t + 1) * P, r = scale[t + 1];
            double *row = g + t * P, *xi = out.xi + (m.stride ? (t0 + t) * K * P : 0);
            for (int64_t k = 0; k < P; ++k) beta[k] *= b[k] * r;
            for (int64_t k = 0; k < P; ++k) back[k] = 0.0;
            if (m.stride) {
                const double *a = m.A + (t0 + t) * m.stride;
                for (int64_t i = 0; i < K; ++i) {
                    double sum = 0.0;
                    const double v = w * row[i];
                    for (int64_t k = 0; k < P; ++k) {
                        const double both = a[i * P + k] * beta[k];
                        sum += both;
                        xi[i * P + k] = v * both;
                    }
                    back[i] = sum;
                }
            } else {
                const double *turn = turned.data();
                for (int64_t j = 0; j < K; ++j) {  // back = A @ beta
                    const double v = beta[j];
                    for (int64_t k = 0; k < P; ++k) back[k] += v * turn[j * P + k];
                }
                for (int64_t i = 0; i < K; ++i) {
                    const double v = w * row[i];
                    for (int64_t k = 0; k < P; ++k) xi[i * P + k] += v * beta[k];
                }
            }
            for (int64_t k = 0; k < P; ++k) {
                most = back[k] > most ? back[k] : most;
                beta[k] = back[k];
                row[k] *= w * back[k];
            }
        }
        if (!(most < 1e250)) out.lost[s] = 2;  // what a lost state would have answered for
        else
            for (int64_t k = 0; k < P; ++k) out.first[k] += g[k];
    }
}

#define PASS(W)                                                                                   \
    HOT void pass_##W(const Chain &m, const Sums &out, bool backward, std::vector<double> &scale, \
                      std::vector<double> &turned) {                                              \
        forward_backward<W>(m, out, backward, scale, turned);                                     \
    }
PASS(0)
PASS(4)
PASS(8)
PASS(12)
PASS(16)
PASS(20)
PASS(24)
PASS(32)
#undef PASS

void run(const Chain &m, const Sums &out, bool backward) {
    int64_t longest = 0;
    for (int64_t s = 0; s < m.S; ++s) longest = std::max(longest, m.begin[s + 1] - m.begin[s]);
    std::vector<double> scale(longest), turned;
    if (!m.stride && backward) {
        turned.assign(m.K * m.P, 0.0);
        for (int64_t i = 0; i < m.K; ++i)
            for (int64_t j = 0; j < m.K; ++j) turned[j * m.P + i] = m.A[i * m.P + j];
    }
    switch (m.P) {
        case 4: return pass_4(m, out, backward, scale, turned);
        case 8: return pass_8(m, out, backward, scale, turned);
        case 12: return pass_12(m, out, backward, scale, turned);
        case 16: return pass_16(m, out, backward, scale, turned);
        case 20: return pass_20(m, out, backward, scale, turned);
        case 24: return pass_24(m, out, backward, scale, turned);
        case 32: return pass_32(m, out, backward, scale, turned);
        default: return pass_0(m, out, backward, scale, turned);
    }
}

// The chain of arguments that were checked. K states in P columns.
Chain chain(const In2<double> &F, const In1<int64_t> &begin, const In1<double> &start, const In2<double> &A,
            int64_t K) {
    const int64_t n = F.shape(0), P = F.shape(1), S = length(begin) - 1;
    require(K > 0 && K <= P, "chain: at least one state, and a column for each");
    require(S >= 0 && shares_out(begin, S, n, true), "chain: begin must share out the rows");
    require(length(start) == P && int64_t(A.shape(1)) == P,
            "chain: start and A must have the columns of the densities");
    const int64_t height = length(A);
    const bool many = height != K;
    require(!many || height == sized(n, K, "chain: too many matrices"), "chain: one matrix, or one for each row");
    return {F.data(), begin.data(), S, K, P, start.data(), A.data(), many ? K * P : 0};
}

void expect(In2<double> F,  // in      (n, P) densities, each row divided by its largest
            In1<int64_t> begin,  // in      (S + 1,)
            In1<double> start,  // in      (P,)
            In2<double> A,  // in      (K, P), or (n K, P): the matrix that leads from each row to the next
            int64_t n_states,  // K
            In1<double> w,  // in      (S,) or (0,): ones
            InOut2<double> gamma,  // out     (n, P) times the weight
            InOut2<double> xi,  // in/out  (K, P) sum without the factor A; or out (n K, P), with it
            InOut1<double> first,  // in/out  (P,)
            InOut1<double> logs,  // out     (S,)
            InOut1<uint8_t> lost) {  // out     (S,) numbers too small; 1: nothing was added, 2: something to xi
    const Chain m = chain(F, begin, start, A, n_states);
    require(weighs(w, m.S) && gamma.shape(0) == F.shape(0) && gamma.shape(1) == F.shape(1) && length(first) == m.P &&
                length(logs) == m.S && length(lost) == m.S && length(xi) == length(A) && int64_t(xi.shape(1)) == m.P,
            "expect: the sums must fit the densities");
    nb::gil_scoped_release unlocked;
    run(m, {data_or_null(w), gamma.data(), xi.data(), first.data(), logs.data(), lost.data()}, true);
}

void filter(In2<double> F, In1<int64_t> begin, In1<double> start, In2<double> A, int64_t n_states,
            InOut2<double> alpha,  // out     (n, P) each row sums to 1
            InOut1<double> logs, InOut1<uint8_t> lost) {
    const Chain m = chain(F, begin, start, A, n_states);
    require(alpha.shape(0) == F.shape(0) && alpha.shape(1) == F.shape(1) && length(logs) == m.S && length(lost) == m.S,
            "filter: the answers must fit the densities");
    nb::gil_scoped_release unlocked;
    run(m, {nullptr, alpha.data(), nullptr, nullptr, logs.data(), lost.data()}, false);
}

// ------------------------------------------------------------------ densities from their logarithms

HOT void scale_rows(View2<const double> L, int64_t K, double *F, double *shift) {
    const int64_t n = L.rows(), P = L.cols();
    for (int64_t t = 0; t < n; ++t) {
        const double *l = L.row(t);
        double *f = F + t * P, most = l[0];
        for (int64_t k = 1; k < K; ++k) most = l[k] > most ? l[k] : most;
        const double least = -std::numeric_limits<double>::max();
        shift[t] = most >= least ? most : 0.0;
        for (int64_t k = 0; k < P; ++k) f[k] = exponential(l[k] - shift[t]);
        for (int64_t k = 0; k < P; ++k) f[k] = k < K && l[k] >= least ? f[k] : 0.0;  // of NaN too
    }
}

void scale(In2<double> L,  // in      (n, P) log densities; -inf is impossible
           int64_t n_states,
           InOut2<double> F,  // out     (n, P)
           InOut1<double> shift) {  // out     (n,) the logarithm of the divisor
    require(n_states > 0 && n_states <= int64_t(L.shape(1)) && F.shape(0) == L.shape(0) && F.shape(1) == L.shape(1) &&
                length(shift) == int64_t(L.shape(0)),
            "scale: densities and shifts must fit the logarithms");
    nb::gil_scoped_release unlocked;
    scale_rows(view(L), n_states, F.data(), shift.data());
}

// ------------------------------------------------------------------ with logarithms: slow, and never lost

double log_sum(const double *v, int64_t K) {
    double most = -INFINITE, sum = 0.0;
    for (int64_t k = 0; k < K; ++k) most = v[k] > most ? v[k] : most;
    if (!(most > -INFINITE)) return -INFINITE;
    for (int64_t k = 0; k < K; ++k) sum += std::exp(v[k] - most);
    return most + std::log(sum);
}

// One sequence: log alpha and log beta (T, K); the first row after which nothing is possible, or -1.
int64_t in_logs(In2<double> L,  // in      (T, P) log densities
                In1<double> start,  // in      (P,)   logarithms, as is A
                In2<double> A,  // in      (K, P) or (T K, P)
                int64_t n_states, InOut2<double> alpha,  // out     (T, P)
                InOut2<double> beta) {  // out     (T, P)
    const int64_t T = L.shape(0), P = L.shape(1), K = n_states;
    require(K > 0 && K <= P && T > 0 && length(start) == P && int64_t(A.shape(1)) == P, "in_logs: sizes must fit");
    require(length(A) == K || length(A) == sized(T, K, "in_logs: too many matrices"),
            "in_logs: one matrix, or one for each row");
    require(int64_t(alpha.shape(0)) == T && int64_t(alpha.shape(1)) == P && int64_t(beta.shape(0)) == T &&
                int64_t(beta.shape(1)) == P,
            "in_logs: the answers must fit");
    nb::gil_scoped_release unlocked;
    const int64_t stride = length(A) == K ? 0 : K * P;
    std::vector<double> terms(K);
    const double *l = L.data();
    double *a = alpha.data(), *b = beta.data();
    int64_t impossible = -1;
    for (int64_t t = 0; t < T; ++t) {
        bool possible = false;
        for (int64_t j = 0; j < K; ++j) {
            double before = start.data()[j];
            if (t > 0) {
                const double *M = A.data() + (t - 1) * stride;
                for (int64_t i = 0; i < K; ++i) terms[i] = a[(t - 1) * P + i] + M[i * P + j];
                before = log_sum(terms.data(), K);
            }
            const double v = before + l[t * P + j];
            a[t * P + j] = v > -INFINITE ? v : -INFINITE;
            possible |= v > -INFINITE;
        }
        if (!possible && impossible < 0) impossible = t;
    }
    for (int64_t t = T - 1; t >= 0; --t)
        for (int64_t i = 0; i < K; ++i) {
            if (t == T - 1) {
                b[t * P + i] = 0.0;
                continue;
            }
            const double *M = A.data() + t * stride;
            for (int64_t j = 0; j < K; ++j) terms[j] = M[i * P + j] + l[(t + 1) * P + j] + b[(t + 1) * P + j];
            b[t * P + i] = log_sum(terms.data(), K);
        }
    return impossible;
}

// ------------------------------------------------------------------ best paths

template <int W>
__attribute__((always_inline)) inline void viterbi(const Chain &m, int64_t *path, double *logs) {
    using Index = std::conditional_t<W != 0, uint8_t, int32_t>;
    const int64_t P = W ? W : m.P, K = m.K;
    int64_t longest = 0;
    for (int64_t s = 0; s < m.S; ++s) longest = std::max(longest, m.begin[s + 1] - m.begin[s]);
    std::vector<Index> from(longest * P);
    double best_[W ? W : 1], next_[W ? W : 1], origin_[W ? W : 1];
    std::vector<double> work(W ? 0 : 3 * P);
    double *best = W ? best_ : work.data(), *next = W ? next_ : work.data() + P,
           *origin = W ? origin_ : work.data() + 2 * P;
    for (int64_t s = 0; s < m.S; ++s) {
        const int64_t t0 = m.begin[s], T = m.begin[s + 1] - t0;
        logs[s] = 0.0;
        if (T == 0) continue;
        const double *f = m.F + t0 * P;
        double total = 0.0;
        for (int64_t t = 0; t < T; ++t) {
            if (t == 0)
                for (int64_t k = 0; k < P; ++k) best[k] = m.start[k] + f[k];
            else {
                const double *a = m.A + (t0 + t - 1) * m.stride;
                for (int64_t k = 0; k < P; ++k) next[k] = best[0] + a[k], origin[k] = 0.0;
                for (int64_t i = 1; i < K; ++i) {
                    const double v = best[i], at = double(i);
                    for (int64_t k = 0; k < P; ++k) {
                        const double way = v + a[i * P + k];
                        origin[k] = way > next[k] ? at : origin[k];
                        next[k] = way > next[k] ? way : next[k];
                    }
                }
                Index *back = from.data() + t * P;
                for (int64_t k = 0; k < P; ++k) {
                    best[k] = next[k] + f[t * P + k];
                    back[k] = Index(origin[k]);
                }
            }
            if (t % RENEW != 0 && t + 1 < T) continue;
            double most = -INFINITE;
            for (int64_t k = 0; k < K; ++k) most = best[k] > most ? best[k] : most;
            if (!(most > -INFINITE)) {  // from here on all paths are impossible, and equally good
                total = -INFINITE;
                for (int64_t k = 0; k < P; ++k) best[k] = 0.0;
                continue;
            }
            for (int64_t k = 0; k < P; ++k) best[k] -= most;
            total += most;
        }
        int64_t at = 0;
        for (int64_t k = 1; k < K; ++k)
            if (best[k] > best[at]) at = k;
        path[t0 + T - 1] = at;
        for (int64_t t = T - 1; t > 0; --t) path[t0 + t - 1] = at = from[t * P + at];
        logs[s] = total;
    }
}

#define BEST(W) \
    HOT void best_##W(const Chain &m, int64_t *path, double *logs) { viterbi<W>(m, path, logs); }
BEST(0)
BEST(4)
BEST(8)
BEST(12)
BEST(16)
BEST(20)
BEST(24)
BEST(32)
#undef BEST

void best_paths(In2<double> L,  // in      (n, P) log densities, -inf where impossible and beyond K
                In1<int64_t> begin,  // in      (S + 1,)
                In1<double> start,  // in      (P,)   logarithms, as is A
                In2<double> A,  // in      (K, P) or (n K, P)
                int64_t n_states,
                InOut1<int64_t> path,  // out     (n,)
                InOut1<double> logs) {  // out     (S,) -inf: no path is possible
    const Chain m = chain(L, begin, start, A, n_states);
    require(length(path) == int64_t(L.shape(0)) && length(logs) == m.S, "best_paths: the answers must fit");
    nb::gil_scoped_release unlocked;
    switch (m.P) {
        case 4: return best_4(m, path.data(), logs.data());
        case 8: return best_8(m, path.data(), logs.data());
        case 12: return best_12(m, path.data(), logs.data());
        case 16: return best_16(m, path.data(), logs.data());
        case 20: return best_20(m, path.data(), logs.data());
        case 24: return best_24(m, path.data(), logs.data());
        case 32: return best_32(m, path.data(), logs.data());
        default: return best_0(m, path.data(), logs.data());
    }
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    define(m, "expect", &expect, "F", "begin", "start", "A", "n_states", "w", "gamma", "xi", "first", "logs", "lost");
    define(m, "filter", &filter, "F", "begin", "start", "A", "n_states", "alpha", "logs", "lost");
    define(m, "scale", &scale, "L", "n_states", "F", "shift");
    define(m, "in_logs", &in_logs, "L", "start", "A", "n_states", "alpha", "beta");
    define(m, "best_paths", &best_paths, "L", "begin", "start", "A", "n_states", "path", "logs");
}
