// Forward and backward passes over chains of hidden states, and densities from their logarithms.
//
//     alpha_1 = pi . f_1,     alpha_t = (alpha_t-1 A) . f_t          each divided by its sum c_t:  log P = sum log c_t
//     beta_T  = 1,            beta_t  = A (f_t+1 . beta_t+1) / c_t+1
//     gamma_t = alpha_t . beta_t,      xi = A . sum_t alpha_t (f_t+1 . beta_t+1 / c_t+1)'
//
// Rows of densities f are padded with zeros to P columns, so that the loops over states have a length that the compiler
// knows. A is one matrix, or one for each row: that which leads to the next. Where numbers become so small that a state
// may be lost (below TINY while the evidence turns, c < TURN), the sequence is marked.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "assay/array.hpp"
#include "assay/exponential.hpp"

namespace assay::chains {

// STEPWISE, not HOT: a row that was written eight at a time is slow to be read one by one, which each pass does.
constexpr double TINY = 1e-250, TURN = 1e-9;
constexpr int64_t PAIRS = 32;  // rows whose expected transitions are added together
constexpr int64_t CHUNK = 32;  // rows of densities that are made together
constexpr double LEAST = -std::numeric_limits<double>::max();
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

// A row of numbers, one for each state, that stays in registers while it is worked on: compilers make scalars of short
// loops over arrays. W: how many, a multiple of 4; 0 if the compiler does not know.
typedef double Four __attribute__((vector_size(32)));

INLINE Four four(const double *from) {
    Four v;
    std::memcpy(&v, from, sizeof v);
    return v;
}

template <int W>
struct Row {
    static constexpr int V = W / 4;
    Four v[V];
    explicit INLINE Row(int64_t) : v{} {}
    INLINE void fill(double x) {
        for (int u = 0; u < V; ++u) v[u] = Four{x, x, x, x};
    }
    INLINE void read(const double *from) {
        for (int u = 0; u < V; ++u) v[u] = four(from + 4 * u);
    }
    INLINE void write(double *to) const {
        for (int u = 0; u < V; ++u) std::memcpy(to + 4 * u, &v[u], sizeof(Four));
    }
    INLINE void write_times(double x, double *to) const {
        for (int u = 0; u < V; ++u) {
            const Four product = x * v[u];
            std::memcpy(to + 4 * u, &product, sizeof(Four));
        }
    }
    INLINE void add(double x, const double *a) {  // this += x a
        for (int u = 0; u < V; ++u) v[u] += x * four(a + 4 * u);
    }
    INLINE void add_row(double x, const Row &a) {
        for (int u = 0; u < V; ++u) v[u] += x * a.v[u];
    }
    INLINE void multiply(const double *a, double x) {  // this *= x a
        for (int u = 0; u < V; ++u) v[u] *= x * four(a + 4 * u);
    }
    INLINE void shift(double x, const double *a) {  // this = x + a
        for (int u = 0; u < V; ++u) v[u] = x + four(a + 4 * u);
    }
    INLINE void rise(double x, const double *a) {  // this = max(this, x + a)
        for (int u = 0; u < V; ++u) {
            const Four way = x + four(a + 4 * u);
            v[u] = way > v[u] ? way : v[u];
        }
    }
    INLINE double sum() const {
        Four total = v[0];
        for (int u = 1; u < V; ++u) total += v[u];
        return (total[0] + total[1]) + (total[2] + total[3]);
    }
    INLINE double most() const {
        Four top = v[0];
        for (int u = 1; u < V; ++u) top = v[u] > top ? v[u] : top;
        const double a = top[0] > top[1] ? top[0] : top[1], b = top[2] > top[3] ? top[2] : top[3];
        return a > b ? a : b;
    }
    INLINE double least_above_zero() const {
        const Four none = {INFINITE, INFINITE, INFINITE, INFINITE};
        Four low = none;
        for (int u = 0; u < V; ++u) {
            const Four x = v[u] > 0.0 ? v[u] : none;
            low = x < low ? x : low;
        }
        const double a = low[0] < low[1] ? low[0] : low[1], b = low[2] < low[3] ? low[2] : low[3];
        return a < b ? a : b;
    }
};

template <>
struct Row<0> {
    std::vector<double> v;
    explicit Row(int64_t P) : v(P) {}
    INLINE int64_t size() const { return int64_t(v.size()); }
    INLINE void fill(double x) { std::fill(v.begin(), v.end(), x); }
    INLINE void read(const double *from) { std::copy_n(from, size(), v.data()); }
    INLINE void write(double *to) const { std::copy_n(v.data(), size(), to); }
    INLINE void write_times(double x, double *to) const {
        for (int64_t k = 0; k < size(); ++k) to[k] = x * v[k];
    }
    INLINE void add(double x, const double *a) {
        double *to = v.data();
        for (int64_t k = 0, P = size(); k < P; ++k) to[k] += x * a[k];
    }
    INLINE void add_row(double x, const Row &a) { add(x, a.v.data()); }
    INLINE void multiply(const double *a, double x) {
        for (int64_t k = 0; k < size(); ++k) v[k] *= x * a[k];
    }
    INLINE void shift(double x, const double *a) {
        for (int64_t k = 0; k < size(); ++k) v[k] = x + a[k];
    }
    INLINE void rise(double x, const double *a) {
        double *to = v.data();
        for (int64_t k = 0, P = size(); k < P; ++k) {
            const double way = x + a[k];
            to[k] = way > to[k] ? way : to[k];
        }
    }
    INLINE double sum() const {
        double total = 0.0;
        for (double x : v) total += x;
        return total;
    }
    INLINE double most() const {
        double top = -INFINITE;
        for (double x : v) top = x > top ? x : top;
        return top;
    }
    INLINE double least_above_zero() const {
        double low = INFINITE;
        for (double x : v) low = x > 0.0 && x < low ? x : low;
        return low;
    }
};

template <int W>
INLINE void forward_backward(const Chain &m, const Sums &out, bool backward, std::vector<double> &scale,
                             std::vector<double> &turned) {
    const int64_t P = W ? W : m.P, K = m.K;
    Row<W> next(P), other(P);
    alignas(64) double carried_[W ? W : 1];  // read number by number: slow where it crosses a line of the cache
    std::vector<double> carried(W ? 0 : P), pairs(2 * PAIRS * P);
    double *last = W ? carried_ : carried.data();
    int64_t kept = 0;
    for (int64_t s = 0; s < m.S; ++s) {
        const int64_t t0 = m.begin[s], T = m.begin[s + 1] - t0;
        out.lost[s] = 0;
        out.logs[s] = 0.0;
        if (T == 0) continue;
        const double *f = m.F + t0 * P;
        double *g = out.gamma + t0 * P;
        double least = 1.0, product = 1.0, most = 0.0, smallest = 1.0;
        int64_t exponent = 0;
        double r = 1.0;  // 1 / c of the row before: its division waits for nobody, as alpha is carried on undivided
        for (int64_t t = 0; t < T; ++t) {
            if (t == 0) next.read(m.start);
            else {
                const double *a = m.A + (t0 + t - 1) * m.stride;
                next.fill(0.0);
                for (int64_t i = 0; i < K; ++i) next.add(last[i], a + i * P);  // next = last @ A
            }
            next.multiply(f + t * P, r);
            next.write(last);
            const double sum = next.sum();
            if (!(sum > 0.0 && sum < INFINITE)) {
                least = smallest = 0.0;
                break;
            }
            r = 1.0 / sum;
            next.write_times(r, g + t * P);
            const double low = next.least_above_zero() * r;
            smallest = low < smallest ? low : smallest;
            least = sum < least ? sum : least;
            scale[t] = r;
            product *= sum;
            if (product < 1e-100 || product > 1e100) {
                int power;
                product = std::frexp(product, &power);
                exponent += power;
            }
        }
        if (smallest < TINY && least < TURN) {
            out.lost[s] = 1;
            continue;
        }
        out.logs[s] = std::log(product) + double(exponent) * 0.693147180559945309417;
        if (!backward) continue;
        const double w = out.w ? out.w[s] : 1.0;
        next.fill(1.0);  // beta
        for (int64_t k = 0; k < P; ++k) g[(T - 1) * P + k] *= w;
        for (int64_t t = T - 2; t >= 0; --t) {
            double *row = g + t * P, *xi = out.xi + (m.stride ? (t0 + t) * K * P : 0);
            next.multiply(f + (t + 1) * P, scale[t + 1]);
            if (m.stride) {
                const double *a = m.A + (t0 + t) * m.stride;
                next.write(last);
                double *back = pairs.data();
                std::fill_n(back, P, 0.0);
                for (int64_t i = 0; i < K; ++i) {
                    other.read(a + i * P);
                    other.multiply(last, 1.0);
                    back[i] = other.sum();
                    other.write_times(w * row[i], xi + i * P);
                }
                next.read(back);
            } else {
                next.write(last);
                double *pair = pairs.data() + kept * 2 * P;
                if (W == 4 || W == 8)
                    for (int64_t i = 0; i < K; ++i) {  // xi += w alpha beta'
                        other.read(xi + i * P);
                        other.add_row(w * row[i], next);
                        other.write(xi + i * P);
                    }
                else {  // the same, many rows at once
                    next.write(pair + P);
                    other.read(row);
                    other.write_times(w, pair);
                    ++kept;
                }
                next.fill(0.0);
                for (int64_t j = 0; j < K; ++j) next.add(last[j], turned.data() + j * P);  // A @ beta
                if (kept == PAIRS || (kept && t == 0)) {
                    for (int64_t i = 0; i < K; ++i) {
                        other.read(xi + i * P);
                        for (int64_t u = 0; u < kept; ++u)
                            other.add(pairs[u * 2 * P + i], pairs.data() + u * 2 * P + P);
                        other.write(xi + i * P);
                    }
                    kept = 0;
                }
            }
            const double top = next.most();
            most = top > most ? top : most;
            other.read(row);
            next.write(last);
            other.multiply(last, w);
            other.write(row);
        }
        if (!(most < 1e250)) out.lost[s] = 2;  // what a lost state would have answered for
        else
            for (int64_t k = 0; k < P; ++k) out.first[k] += g[k];
    }
}

#define PASS(W)                                                                                               \
    [[maybe_unused]] STEPWISE static void pass_##W(const Chain &m, const Sums &out, bool backward,            \
                                                   std::vector<double> &scale, std::vector<double> &turned) { \
        forward_backward<W>(m, out, backward, scale, turned);                                                 \
    }
PASS(0)
PASS(4)
PASS(8)
PASS(16)
PASS(20)
PASS(24)
PASS(32)
#undef PASS

// All sequences: alpha alone, or everything.
inline void run(const Chain &m, const Sums &out, bool backward) {
    int64_t longest = 0;
    for (int64_t s = 0; s < m.S; ++s) longest = std::max(longest, m.begin[s + 1] - m.begin[s]);
    std::vector<double> scale(longest), turned;
    if (!m.stride && backward) {
        turned.assign(m.K * m.P, 0.0);
        for (int64_t i = 0; i < m.K; ++i)
            for (int64_t j = 0; j < m.K; ++j) turned[j * m.P + i] = m.A[i * m.P + j];
    }
    const auto pass = m.P == 4    ? pass_4
                      : m.P == 8  ? pass_8
                      : m.P == 16 ? pass_16
                      : m.P == 20 ? pass_20
                      : m.P == 24 ? pass_24
                      : m.P == 32 ? pass_32
                                  : pass_0;
    pass(m, out, backward, scale, turned);
}

// Each row divided by its largest, perhaps in place, whose logarithm is the shift.
[[maybe_unused]] HOT static void scale_rows(View2<const double> L, int64_t K, double *F, double *shift) {
    const int64_t n = L.rows(), P = L.cols();
    for (int64_t t = 0; t < n; ++t) {
        const double *l = L.row(t);
        double *f = F + t * P, most = l[0];
        for (int64_t k = 1; k < K; ++k) most = l[k] > most ? l[k] : most;
        shift[t] = most >= LEAST ? most : 0.0;
        for (int64_t k = 0; k < P; ++k) f[k] = k < K ? l[k] - shift[t] : -INFINITE;
        if ((t + 1) % CHUNK != 0 && t + 1 < n) continue;
        double *first = F + (t / CHUNK) * CHUNK * P;  // a chunk of rows at once: long loops without a break
        const int64_t many = (t % CHUNK + 1) * P;
        for (int64_t i = 0; i < many; ++i) {
            const double v = exponential(first[i]);
            first[i] = first[i] >= LEAST ? v : 0.0;  // of NaN too
        }
    }
}

}  // namespace assay::chains
