// Chains of segments: a state is entered, stays for a drawn number of rows, and is then left for another.
//
//     enter_t(k) = sum_i alpha_t-1(i, 1) a_ik             (enter_1 = pi)
//     alpha_t(k, r) = f_t(k) [alpha_t-1(k, r + 1) + enter_t(k) d_k(r)]             r rows are left, this one included
//     leave_t(k) = sum_j a_kj stay_t+1(j),     stay_t(k) = sum_r d_k(r) f_t(k) beta_t(k, r)
//     beta_t(k, 1) = leave_t(k),     beta_t(k, r) = f_t+1(k) beta_t+1(k, r - 1)             (beta_T = 1: cut off)
//
// The cost is O(K D + K^2) a row. Each row of alpha is divided by its sum c_t, beta by the same: log P = sum log c_t.
// Twin in NumPy: tests/sequences/test_hidden_semi_markov_model.py.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"

using namespace assay;

namespace {

constexpr double TINY = 1e-250, TURN = 1e-9;  // as in chain.cpp: where a state may be lost while the evidence turns
constexpr double INFINITE = std::numeric_limits<double>::infinity();

struct Segments {
    In1<double> start;  // (K,)
    In2<double> A;  // (K, K)
    In2<double> durations;  // (K, D): column r - 1 is the probability of r rows
    int64_t K() const { return length(start); }
    int64_t D() const { return int64_t(durations.shape(1)); }
    void check() const {
        require(K() > 0 && D() > 0 && length(A) == K() && int64_t(A.shape(1)) == K() && length(durations) == K(),
                "Segments: start, A and durations must have the same states");
        sized(K(), D(), "Segments: too many durations");
    }
};

// next[k] = sum_i left[i] A[i, k]
void enter(const double *left, const double *A, int64_t K, double *next) {
    std::fill_n(next, K, 0.0);
    for (int64_t i = 0; i < K; ++i)
        for (int64_t k = 0; k < K; ++k) next[k] += left[i] * A[i * K + k];
}

// One sequence forward: alpha (T, K D), entered (T, K), scale (T,). -1, or the row at which nothing is
// possible or numbers became too small: the caller then takes logarithms.
HOT int64_t forward(const double *F, int64_t T, const double *start, const double *A, const double *d, int64_t K,
                    int64_t D, double *alpha, double *entered, double *scale) {
    std::vector<double> left(K);
    double smallest = 1.0, least = 1.0;
    for (int64_t t = 0; t < T; ++t) {
        const double *f = F + t * K, *before = alpha + std::max<int64_t>(t - 1, 0) * K * D;
        double *a = alpha + t * K * D, *e = entered + t * K, sum = 0.0;
        if (t == 0) std::copy_n(start, K, e);
        else {
            for (int64_t k = 0; k < K; ++k) left[k] = before[k * D];
            enter(left.data(), A, K, e);
        }
        for (int64_t k = 0; k < K; ++k) {
            double *row = a + k * D;
            const double *old = before + k * D, *p = d + k * D, in = e[k];
            if (t == 0)
                for (int64_t r = 0; r < D; ++r) row[r] = in * p[r] * f[k];
            else {
                for (int64_t r = 0; r + 1 < D; ++r) row[r] = (old[r + 1] + in * p[r]) * f[k];
                row[D - 1] = in * p[D - 1] * f[k];
            }
            for (int64_t r = 0; r < D; ++r) sum += row[r];
        }
        if (!(sum > 0.0 && sum < INFINITE)) return t;
        const double c = 1.0 / sum;
        double low = 1.0;
        for (int64_t i = 0; i < K * D; ++i) {
            a[i] *= c;
            const double some = a[i] > 0.0 ? a[i] : 1.0;
            low = some < low ? some : low;
        }
        smallest = low < smallest ? low : smallest;
        least = sum < least ? sum : least;
        if (smallest < TINY && least < TURN) return t;
        scale[t] = c;
    }
    return -1;
}

// The same backward; adds to the sums and writes gamma (T, K).
HOT void backward(const double *F, int64_t T, const double *A, const double *d, int64_t K, int64_t D,
                  const double *alpha, const double *entered, const double *scale, double w, double *gamma,
                  double *first, double *moves, double *lasted) {
    std::vector<double> beta(K * D, 1.0), stay(K), leave(K);
    for (int64_t t = T - 1; t >= 0; --t) {
        const double *f = F + t * K, *a = alpha + t * K * D, c = scale[t];
        for (int64_t k = 0; k < K; ++k) {  // beta is that of row t
            double sum = 0.0, in = 0.0;
            const double *b = beta.data() + k * D, *p = d + k * D;
            for (int64_t r = 0; r < D; ++r) sum += a[k * D + r] * b[r];
            gamma[t * K + k] = w * sum;
            const double unit = f[k] * c;
            double *counts = lasted + k * D;
            const double entering = w * entered[t * K + k] * unit;
            for (int64_t r = 0; r < D; ++r) {
                const double both = p[r] * b[r];
                in += both;
                counts[r] += entering * both;
            }
            stay[k] = in * unit;
        }
        if (t == 0) {
            for (int64_t k = 0; k < K; ++k) first[k] += w * entered[k] * stay[k];
            break;
        }
        const double *before = alpha + (t - 1) * K * D;
        for (int64_t i = 0; i < K; ++i) {
            double sum = 0.0;
            const double v = w * before[i * D];
            for (int64_t k = 0; k < K; ++k) {
                const double way = A[i * K + k] * stay[k];
                sum += way;
                moves[i * K + k] += v * way;
            }
            leave[i] = sum;
        }
        for (int64_t k = 0; k < K; ++k) {
            double *b = beta.data() + k * D;
            const double unit = f[k] * c;
            for (int64_t r = D - 1; r > 0; --r) b[r] = unit * b[r - 1];
            b[0] = leave[k];
        }
    }
}

int64_t longest(const In1<int64_t> &begin) {
    int64_t most = 0;
    for (int64_t s = 0; s + 1 < length(begin); ++s) most = std::max(most, begin.data()[s + 1] - begin.data()[s]);
    return most;
}

void expect(const Segments &m,
            In2<double> F,  // in      (n, K) densities, each row divided by its largest
            In1<int64_t> begin,  // in      (S + 1,)
            In1<double> w,  // in      (S,) or (0,): ones
            InOut2<double> gamma,  // out     (n, K) times the weight
            InOut1<double> first,  // in/out  (K,)
            InOut2<double> moves,  // in/out  (K, K)
            InOut2<double> lasted,  // in/out  (K, D) of segments, those that the end cuts off among them
            InOut1<double> logs,  // out     (S,)
            InOut1<int64_t> impossible) {  // out     (S,) the row within the sequence, or -1
    const int64_t n = length(F), K = m.K(), D = m.D(), S = length(begin) - 1;
    require(S >= 0 && shares_out(begin, S, n, true), "expect: begin must share out the rows");
    require(int64_t(F.shape(1)) == K && length(gamma) == n && int64_t(gamma.shape(1)) == K && weighs(w, S) &&
                length(first) == K && length(moves) == K && int64_t(moves.shape(1)) == K && length(lasted) == K &&
                int64_t(lasted.shape(1)) == D && length(logs) == S && length(impossible) == S,
            "expect: the sums must fit the densities");
    nb::gil_scoped_release unlocked;
    const int64_t T = longest(begin);
    std::vector<double> alpha(sized(T, K * D, "expect: too many rows")), entered(T * K), scale(T);
    for (int64_t s = 0; s < S; ++s) {
        const int64_t t0 = begin.data()[s], rows = begin.data()[s + 1] - t0;
        const double *f = F.data() + t0 * K;
        const int64_t at = forward(f, rows, m.start.data(), m.A.data(), m.durations.data(), K, D, alpha.data(),
                                   entered.data(), scale.data());
        impossible.data()[s] = at;
        double *g = gamma.data() + t0 * K, total = 0.0;
        if (at >= 0) {
            std::fill_n(g, rows * K, 0.0);
            logs.data()[s] = -INFINITE;
            continue;
        }
        for (int64_t t = 0; t < rows; ++t) total -= std::log(scale[t]);
        logs.data()[s] = total;
        if (rows > 0)
            backward(f, rows, m.A.data(), m.durations.data(), K, D, alpha.data(), entered.data(), scale.data(),
                     w.size() ? w.data()[s] : 1.0, g, first.data(), moves.data(), lasted.data());
    }
}

void filter(const Segments &m, In2<double> F, In1<int64_t> begin,
            InOut2<double> alpha,  // out     (n, K D) each row sums to 1
            InOut1<double> logs, InOut1<int64_t> impossible) {
    const int64_t n = length(F), K = m.K(), D = m.D(), S = length(begin) - 1;
    require(S >= 0 && shares_out(begin, S, n, true), "filter: begin must share out the rows");
    require(int64_t(F.shape(1)) == K && length(alpha) == n && int64_t(alpha.shape(1)) == K * D && length(logs) == S &&
                length(impossible) == S,
            "filter: the answers must fit the densities");
    nb::gil_scoped_release unlocked;
    const int64_t T = longest(begin);
    std::vector<double> entered(T * K), scale(T);
    for (int64_t s = 0; s < S; ++s) {
        const int64_t t0 = begin.data()[s], rows = begin.data()[s + 1] - t0;
        double *a = alpha.data() + t0 * K * D, total = 0.0;
        const int64_t at = forward(F.data() + t0 * K, rows, m.start.data(), m.A.data(), m.durations.data(), K, D, a,
                                   entered.data(), scale.data());
        impossible.data()[s] = at;
        for (int64_t t = 0; t < (at < 0 ? rows : at); ++t) total -= std::log(scale[t]);
        logs.data()[s] = at < 0 ? total : -INFINITE;
        if (at >= 0) std::fill_n(a + at * K * D, (rows - at) * K * D, 0.0);
    }
}

// Viterbi over (state, rows left): all arguments are logarithms; ties go to the lowest state and the shortest rest.
HOT double best_path(const double *L, int64_t T, const double *start, const double *A, const double *d, int64_t K,
                     int64_t D, int32_t *origin, uint8_t *fresh, double *work, int64_t *path, int64_t *left) {
    double *best = work, *next = work + K * D, *in = work + 2 * K * D;
    for (int64_t t = 0; t < T; ++t) {
        for (int64_t k = 0; k < K; ++k) {
            double most = t == 0 ? start[k] : -INFINITE;
            int32_t from = 0;
            if (t > 0)
                for (int64_t i = 0; i < K; ++i) {
                    const double way = best[i * D] + A[i * K + k];
                    if (way > most) most = way, from = int32_t(i);
                }
            in[k] = most;
            origin[t * K + k] = from;
        }
        double top = -INFINITE;
        for (int64_t k = 0; k < K; ++k) {
            const double l = L[t * K + k];
            for (int64_t r = 0; r < D; ++r) {
                const double stays = t > 0 && r + 1 < D ? best[k * D + r + 1] : -INFINITE,
                             enters = in[k] + d[k * D + r];
                const bool anew = t == 0 || enters > stays;
                next[k * D + r] = (anew ? enters : stays) + l;
                fresh[(t * K + k) * D + r] = anew;
                top = std::max(top, next[k * D + r]);
            }
        }
        std::swap(best, next);
        if (!(top > -INFINITE)) return -INFINITE;
    }
    int64_t at = 0;
    for (int64_t i = 1; i < K * D; ++i)
        if (best[i] > best[at]) at = i;
    const double log_probability = best[at];
    int64_t k = at / D, r = at % D;
    for (int64_t t = T - 1; t >= 0; --t) {
        path[t] = k, left[t] = r + 1;
        if (fresh[(t * K + k) * D + r]) k = origin[t * K + k], r = 0;
        else ++r;
    }
    return log_probability;
}

void best_paths(const Segments &m,  // logarithms, as is L
                In2<double> L,  // in      (n, K)
                In1<int64_t> begin,
                InOut1<int64_t> path,  // out     (n,)
                InOut1<int64_t> left,  // out     (n,) rows of the segment that are left, this one included
                InOut1<double> logs) {  // out     (S,) -inf: no path is possible, its states are 0
    const int64_t n = length(L), K = m.K(), D = m.D(), S = length(begin) - 1;
    require(S >= 0 && shares_out(begin, S, n, true), "best_paths: begin must share out the rows");
    require(int64_t(L.shape(1)) == K && length(path) == n && length(left) == n && length(logs) == S,
            "best_paths: the answers must fit the densities");
    nb::gil_scoped_release unlocked;
    const int64_t T = longest(begin);
    std::vector<int32_t> origin(T * K);
    std::vector<uint8_t> fresh(sized(T, K * D, "best_paths: too many rows"));
    std::vector<double> work(2 * K * D + K);
    for (int64_t s = 0; s < S; ++s) {
        const int64_t t0 = begin.data()[s], rows = begin.data()[s + 1] - t0;
        int64_t *p = path.data() + t0, *q = left.data() + t0;
        std::fill_n(p, rows, 0);
        std::fill_n(q, rows, 1);
        logs.data()[s] = rows ? best_path(L.data() + t0 * K, rows, m.start.data(), m.A.data(), m.durations.data(), K, D,
                                          origin.data(), fresh.data(), work.data(), p, q)
                              : 0.0;
    }
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    record<Segments>(m, "Segments", field("start", &Segments::start), field("A", &Segments::A),
                     field("durations", &Segments::durations));
    define(m, "expect", &expect, "segments", "F", "begin", "w", "gamma", "first", "moves", "lasted", "logs",
           "impossible");
    define(m, "filter", &filter, "segments", "F", "begin", "alpha", "logs", "impossible");
    define(m, "best_paths", &best_paths, "segments", "L", "begin", "path", "left", "logs");
}
