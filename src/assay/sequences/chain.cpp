// Chains of hidden states: forward, backward, expected counts and best paths of many sequences.
//
// The passes are in assay/chains/forward_backward.hpp: rows of densities divided by their largest by the caller, padded
// to P columns. A sequence in which a state may be lost is done again with logarithms. Twin in NumPy:
// tests/sequences/test_chain.py.
#include "assay/chains/forward_backward.hpp"
#include "assay/edge.hpp"

using namespace assay;
using namespace assay::chains;

namespace {

constexpr int64_t RENEW = 16;  // rows after which the largest log probability is taken out of a path's

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

// Scores take the place of the log densities. Where each came from is looked up on the way back alone: the first state
// whose score and step add up to the largest, which is the same sum again.
template <int W>
INLINE void viterbi(const Chain &m, double *L, const double *turned, int64_t *path, double *logs) {
    const int64_t P = W ? W : m.P, K = m.K;
    Row<W> next(P);
    std::vector<double> ways(P);
    for (int64_t s = 0; s < m.S; ++s) {
        const int64_t t0 = m.begin[s], T = m.begin[s + 1] - t0;
        logs[s] = 0.0;
        if (T == 0) continue;
        double *f = L + t0 * P, total = 0.0;
        for (int64_t t = 0; t < T; ++t) {
            double *row = f + t * P;
            if (t == 0) next.read(m.start);
            else {
                const double *a = m.A + (t0 + t - 1) * m.stride, *last = row - P;
                next.shift(last[0], a);
                for (int64_t i = 1; i < K; ++i) next.rise(last[i], a + i * P);
            }
            next.add(1.0, row);
            next.write(row);
            if (t % RENEW != 0 && t + 1 < T) continue;
            double most = -INFINITE;
            for (int64_t k = 0; k < K; ++k) most = row[k] > most ? row[k] : most;
            if (!(most > -INFINITE)) {  // from here on all paths are impossible, and equally good
                total = -INFINITE;
                for (int64_t k = 0; k < P; ++k) row[k] = 0.0;
                continue;
            }
            for (int64_t k = 0; k < P; ++k) row[k] -= most;
            total += most;
        }
        int64_t at = 0;
        for (int64_t k = 1; k < K; ++k)
            if (f[(T - 1) * P + k] > f[(T - 1) * P + at]) at = k;
        path[t0 + T - 1] = at;
        for (int64_t t = T - 1; t > 0; --t) {
            const double *last = f + (t - 1) * P, *a = m.A + (t0 + t - 1) * m.stride;
            if (m.stride == 0) {
                next.read(turned + at * P);  // the steps that lead there
                next.add(1.0, last);
                next.write(ways.data());
            } else {
                for (int64_t i = 0; i < P; ++i) ways[i] = i < K ? last[i] + a[i * P + at] : -INFINITE;
                next.read(ways.data());
            }
            const double most = next.most();
            int64_t from = 0;
            while (from + 1 < K && !(ways[from] == most)) ++from;
            path[t0 + t - 1] = at = most > -INFINITE ? from : 0;
        }
        logs[s] = total;
    }
}

#define BEST(W)                                                                                            \
    STEPWISE void best_##W(const Chain &m, double *L, const double *turned, int64_t *path, double *logs) { \
        viterbi<W>(m, L, turned, path, logs);                                                              \
    }
BEST(0)
BEST(4)
BEST(8)
BEST(16)
BEST(20)
BEST(24)
BEST(32)
#undef BEST

void best_paths(InOut2<double> L,  // in/out  (n, P) log densities, -inf where impossible and beyond K; then the scores
                In1<int64_t> begin,  // in      (S + 1,)
                In1<double> start,  // in      (P,)   logarithms, as is A
                In2<double> A,  // in      (K, P) or (n K, P)
                int64_t n_states,
                InOut1<int64_t> path,  // out     (n,)
                InOut1<double> logs) {  // out     (S,) -inf: no path is possible
    const Chain m = chain(In2<double>(L), begin, start, A, n_states);
    require(length(path) == int64_t(L.shape(0)) && length(logs) == m.S, "best_paths: the answers must fit");
    nb::gil_scoped_release unlocked;
    std::vector<double> turned;
    if (!m.stride) {
        turned.assign(m.P * m.P, -INFINITE);
        for (int64_t i = 0; i < m.K; ++i)
            for (int64_t j = 0; j < m.K; ++j) turned[j * m.P + i] = m.A[i * m.P + j];
    }
    const auto best = m.P == 4    ? best_4
                      : m.P == 8  ? best_8
                      : m.P == 16 ? best_16
                      : m.P == 20 ? best_20
                      : m.P == 24 ? best_24
                      : m.P == 32 ? best_32
                                  : best_0;
    best(m, L.data(), turned.data(), path.data(), logs.data());
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    define(m, "expect", &expect, "F", "begin", "start", "A", "n_states", "w", "gamma", "xi", "first", "logs", "lost");
    define(m, "filter", &filter, "F", "begin", "start", "A", "n_states", "alpha", "logs", "lost");
    define(m, "scale", &scale, "L", "n_states", "F", "shift");
    define(m, "in_logs", &in_logs, "L", "start", "A", "n_states", "alpha", "beta");
    define(m, "best_paths", &best_paths, "L", "begin", "start", "A", "n_states", "path", "logs");
}
