// Coordinate descent in the dual of a linear machine, one row at a time, with shrinking.
//
//     min  1/2 |v|^2 + sum_i  1/2 r_i b_i^2 - t_i b_i + e |b_i|,    low_i <= b_i <= high_i,    v = sum_i b_i (x_i, s)
//
// A visit minimises over b_i alone; v is kept up to date, so that it costs two runs over the row. Rows that rest at a
// bound or at 0, and would move away from it by more than any row has moved in the last pass, leave the passes until
// the others are done (Hsieh, Chang, Lin, Keerthi and Sundararajan 2008; Ho and Lin 2012 for e > 0).
//
//     descend   some passes over sparse or dense rows; `order` (rows, those in play first) and `state` (how many are in
//               play, the largest violation of the last pass, the seed) are kept between calls
//
// Twins in NumPy: tests/svm/linear/test_dual_descent.py.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"

using namespace assay;

namespace {

struct Dual {
    In1<double> target, low, high, ridge, power;  // (n,) t, bounds, r, and |(x, s)|^2 + r
    double epsilon, constant;
    void check() const {
        const int64_t n = length(target);
        require(length(low) == n && length(high) == n && length(ridge) == n && length(power) == n,
                "bounds, ridge and power: one for each row");
    }
};

struct Sparse {
    const int64_t *start;
    const int32_t *column;
    const double *value;
    int64_t begin(int64_t i) const { return start[i]; }
    int64_t end(int64_t i) const { return start[i + 1]; }
    // Rows come in random order: what a later one will need is called for while this one is worked on.
    inline __attribute__((always_inline)) void call(int64_t first, int64_t last) const {
        for (int64_t k = first; k < last; k += 8) __builtin_prefetch(value + k);
        for (int64_t k = first; k < last; k += 16) __builtin_prefetch(column + k);
    }
    inline __attribute__((always_inline)) double dot(int64_t first, int64_t last, const double *v) const {
        double a = 0, b = 0, c = 0, e = 0;
        int64_t k = first;
        for (; k + 4 <= last; k += 4) {
            a += value[k] * v[column[k]], b += value[k + 1] * v[column[k + 1]];
            c += value[k + 2] * v[column[k + 2]], e += value[k + 3] * v[column[k + 3]];
        }
        for (; k < last; ++k) a += value[k] * v[column[k]];
        return (a + b) + (c + e);
    }
    inline __attribute__((always_inline)) void add(int64_t first, int64_t last, double step, double *v) const {
        for (int64_t k = first; k < last; ++k) v[column[k]] += step * value[k];
    }
};

struct Dense {
    const double *x;
    int64_t d;
    int64_t begin(int64_t i) const { return i * d; }
    int64_t end(int64_t i) const { return (i + 1) * d; }
    inline __attribute__((always_inline)) void call(int64_t, int64_t) const {}
    inline __attribute__((always_inline)) double dot(int64_t first, int64_t, const double *v) const {
        const double *row = x + first;
        double lane[8] = {0, 0, 0, 0, 0, 0, 0, 0};
        int64_t j = 0;
        for (; j + 8 <= d; j += 8)
            for (int k = 0; k < 8; ++k) lane[k] += row[j + k] * v[j + k];
        double sum = ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
        for (; j < d; ++j) sum += row[j] * v[j];
        return sum;
    }
    inline __attribute__((always_inline)) void add(int64_t first, int64_t, double step, double *v) const {
        const double *row = x + first;
        for (int64_t j = 0; j < d; ++j) v[j] += step * row[j];
    }
};

struct Problem {
    const double *target, *low, *high, *ridge, *power;
    double epsilon, constant;
    int64_t n, d;
};

constexpr double NEVER = std::numeric_limits<double>::infinity();
constexpr int64_t NEAR = 4, FAR = 10;  // visits before which the numbers of a row, and what is known of it, are called

// What is known of a row, in one line of the cache: rows are visited in random order.
struct alignas(64) Visit {
    double target, low, high, ridge, power, beta;
    int64_t first, last;  // its numbers
};

// One pass over the rows in play: the largest violation. Rows leave by being swapped behind the others.
template <class Rows>
inline __attribute__((always_inline)) double pass(const Problem &q, const Rows &rows, Visit *known, double *v,
                                                  int64_t *order, int64_t &active, double before, uint64_t &seed) {
    for (int64_t k = 0; k < active; ++k) {
        seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
        const int64_t other = k + int64_t(((seed >> 32) * uint64_t(active - k)) >> 32);
        std::swap(order[k], order[other]);
    }
    double worst = 0;
    for (int64_t k = 0; k < active;) {
        Visit &row = known[order[k]];
        if (k + FAR < active) {
            const Visit &soon = known[order[k + NEAR]];
            rows.call(soon.first, soon.last);
            __builtin_prefetch(known + order[k + FAR], 1);
        }
        const double b = row.beta;
        double g = rows.dot(row.first, row.last, v) - row.target + row.ridge * b;
        if (q.constant != 0) g += q.constant * v[q.d];
        const double up = g + (b >= 0 ? q.epsilon : -q.epsilon), down = g + (b > 0 ? q.epsilon : -q.epsilon);
        const bool rises = b < row.high && up<0, falls = b> row.low && down > 0;
        if (!rises && !falls) {
            if ((b >= row.high || up > before) && (b <= row.low || down < -before)) {
                std::swap(order[k], order[--active]);
                continue;
            }
        } else {
            worst = std::max(worst, rises ? -up : down);
            const double at = b - g / row.power, room = q.epsilon / row.power;
            double to = at > room ? at - room : at < -room ? at + room : 0.0;
            to = std::min(std::max(to, row.low), row.high);
            if (to != b) {
                row.beta = to;
                rows.add(row.first, row.last, to - b, v);
                if (q.constant != 0) v[q.d] += (to - b) * q.constant;
            }
        }
        ++k;
    }
    return worst;
}

// state: rows in play, the violation by which rows leave, the seed, the largest violation of the last pass
template <class Rows>
inline __attribute__((always_inline)) int64_t passes(const Problem &q, const Rows &rows, double tol, int64_t most,
                                                     double *v, double *beta, int64_t *order, double *state) {
    std::vector<Visit> known(static_cast<size_t>(q.n));
    for (int64_t i = 0; i < q.n; ++i)
        known[size_t(i)] = {q.target[i], q.low[i], q.high[i],     q.ridge[i],
                            q.power[i],  beta[i],  rows.begin(i), rows.end(i)};
    int64_t active = int64_t(state[0]), made = 0;
    uint64_t seed = uint64_t(state[2]) | 1;
    while (made < most) {
        const double worst = pass(q, rows, known.data(), v, order, active, state[1], seed);
        ++made;
        state[1] = worst > 0 ? worst : NEVER;
        state[3] = worst;
        if (worst <= tol) {
            if (active == q.n) break;
            active = q.n, state[1] = NEVER, state[3] = NEVER;  // all rows are looked at once more
        }
    }
    for (int64_t i = 0; i < q.n; ++i) beta[i] = known[size_t(i)].beta;
    state[0] = double(active), state[2] = double(seed >> 12);
    return made;
}

HOT int64_t sparse_loop(const Problem &q, const Sparse &rows, double tol, int64_t most, double *v, double *beta,
                        int64_t *order, double *state) {
    return passes(q, rows, tol, most, v, beta, order, state);
}
HOT int64_t dense_loop(const Problem &q, const Dense &rows, double tol, int64_t most, double *v, double *beta,
                       int64_t *order, double *state) {
    return passes(q, rows, tol, most, v, beta, order, state);
}

Problem checked(const Dual &dual, int64_t n, int64_t d, int64_t most, const InOut1<double> &v,
                const InOut1<double> &beta, const InOut1<int64_t> &order, const InOut1<double> &state) {
    require(length(dual.target) == n && length(beta) == n && length(order) == n, "one target, beta and place a row");
    require(length(v) == d + 1, "v: a weight for each column, and one for the constant");
    require(within(order, 0, n) && length(state) == 4, "order: row numbers; state: four numbers");
    require(n < (int64_t(1) << 32), "at most 2^32 rows");
    require(most >= 0 && state.data()[0] >= 0 && state.data()[0] <= double(n), "more rows in play than there are");
    require(state.data()[2] >= 0 && state.data()[2] < 9e15, "a seed from 0 up to 2^53");
    return {dual.target.data(),
            dual.low.data(),
            dual.high.data(),
            dual.ridge.data(),
            dual.power.data(),
            dual.epsilon,
            dual.constant,
            n,
            d};
}

int64_t descend_sparse(In1<int64_t> start, In1<int32_t> column, In1<double> value, const Dual &dual, double tol,
                       int64_t most, InOut1<double> v, InOut1<double> beta, InOut1<int64_t> order,
                       InOut1<double> state) {
    const int64_t n = length(dual.target), d = length(v) - 1;
    const Problem q = checked(dual, n, d, most, v, beta, order, state);
    require(are_rows(value, column, start, n, d), "CSR arrays that do not make up these rows");
    nb::gil_scoped_release free;
    return sparse_loop(q, {start.data(), column.data(), value.data()}, tol, most, v.data(), beta.data(), order.data(),
                       state.data());
}

int64_t descend_dense(In2<double> X, const Dual &dual, double tol, int64_t most, InOut1<double> v, InOut1<double> beta,
                      InOut1<int64_t> order, InOut1<double> state) {
    const int64_t n = int64_t(X.shape(0)), d = int64_t(X.shape(1));
    const Problem q = checked(dual, n, d, most, v, beta, order, state);
    nb::gil_scoped_release free;
    return dense_loop(q, {X.data(), d}, tol, most, v.data(), beta.data(), order.data(), state.data());
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    record<Dual>(m, "Dual", field("target", &Dual::target), field("low", &Dual::low), field("high", &Dual::high),
                 field("ridge", &Dual::ridge), field("power", &Dual::power), field("epsilon", &Dual::epsilon),
                 field("constant", &Dual::constant));
    define(m, "descend_sparse", &descend_sparse, "start", "column", "value", "dual", "tol", "most", "v", "beta",
           "order", "state");
    define(m, "descend_dense", &descend_dense, "X", "dual", "tol", "most", "v", "beta", "order", "state");
}
