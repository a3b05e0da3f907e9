// Cross-entropy of classes, and descent on its quadratic model with an absolute and a quadratic penalty.
//
//     p = 1 / (1 + exp(-e))  or  softmax(e),          loss = -sum_i u_i ln p_i(y_i)
//     model(v) = g'(v - w) + 1/2 |s|_D^2 + a |v|_1 + b/2 |v|^2,      s = X (v - w)
//
// where D is the matrix of second derivatives in the scores e: u p (1 - p) for two classes, u (diag(p) - p p') for
// more. The intercept is free: for two classes it follows every step, for more it takes its turn after each class.
//
// Checked by the caller: finite arrays, columns in play inside the table, CSC indices inside the rows.
// Twin in NumPy: tests/linear/logistic/test_elastic_net_logistic.py.
#include <algorithm>
#include <cmath>
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"
#include "assay/exponential.hpp"

using namespace assay;

namespace {

static HOT void probabilities(const double *e, int64_t n, double *p) {
    for (int64_t i = 0; i < n; ++i) {
        const double small = exponential(-std::fabs(e[i])), large = 1.0 / (1.0 + small);
        p[i] = e[i] > 0 ? large : small * large;
    }
}

double loss_two(In1<double> scores,         // in      (n,)  e
                In1<double> y,              // in      (n,)  0 or 1
                In1<double> weights,        // in      (n,)  u
                InOut1<double> residual,    // out     (n,)  u (p - y)
                InOut1<double> curvature) { // out     (n,)  u p (1 - p)
    const int64_t n = int64_t(scores.shape(0));
    require(int64_t(y.shape(0)) == n && int64_t(weights.shape(0)) == n && int64_t(residual.shape(0)) == n &&
                int64_t(curvature.shape(0)) == n,
            "loss_two: other rows");
    nb::gil_scoped_release unlocked;
    const double *e = scores.data(), *t = y.data(), *u = weights.data();
    double *r = residual.data(), *D = curvature.data(), loss = 0;
    probabilities(e, n, r);
    for (int64_t i = 0; i < n; ++i) {
        const double p = r[i], odds = std::fabs(e[i]);
        loss += u[i] * (std::max(e[i], 0.0) - t[i] * e[i] + (odds > 37 ? 0.0 : -std::log(p > 0.5 ? p : 1 - p)));
        D[i] = u[i] * p * (1 - p);
        r[i] = u[i] * (p - t[i]);
    }
    return loss;
}

static HOT void softmax(const double *e, int64_t K, int64_t n, double *p, double *top, double *sum) {
    std::copy(e, e + n, top);
    for (int64_t k = 1; k < K; ++k)
        for (int64_t i = 0; i < n; ++i) top[i] = e[k * n + i] > top[i] ? e[k * n + i] : top[i];
    std::fill(sum, sum + n, 0.0);
    for (int64_t k = 0; k < K; ++k)
        for (int64_t i = 0; i < n; ++i) {
            const double value = exponential(e[k * n + i] - top[i]);
            p[k * n + i] = value;
            sum[i] += value;
        }
    for (int64_t k = 0; k < K; ++k)
        for (int64_t i = 0; i < n; ++i) p[k * n + i] /= sum[i];
}

double loss_many(In2<double> scores,        // in      (K, n)
                 In1<int64_t> y,            // in      (n,)  0 .. K-1
                 In1<double> weights,       // in      (n,)
                 InOut2<double> p,          // out     (K, n)
                 InOut2<double> residual) { // out     (K, n)  u (p - y)
    const int64_t K = int64_t(scores.shape(0)), n = int64_t(scores.shape(1));
    require(int64_t(y.shape(0)) == n && int64_t(weights.shape(0)) == n && int64_t(p.shape(0)) == K &&
                int64_t(p.shape(1)) == n && int64_t(residual.shape(0)) == K && int64_t(residual.shape(1)) == n,
            "loss_many: other rows or classes");
    nb::gil_scoped_release unlocked;
    const double *e = scores.data(), *u = weights.data();
    double *r = residual.data(), loss = 0;
    std::vector<double> top(static_cast<size_t>(n)), sum(static_cast<size_t>(n));
    softmax(e, K, n, p.data(), top.data(), sum.data());
    for (int64_t k = 0; k < K; ++k)
        for (int64_t i = 0; i < n; ++i) r[k * n + i] = u[i] * p.data()[k * n + i];
    for (int64_t i = 0; i < n; ++i) {
        const int64_t k = y.data()[i];
        if (k < 0 || k >= K) continue;
        loss += u[i] * (std::log(sum[size_t(i)]) + top[size_t(i)] - e[k * n + i]);
        r[k * n + i] -= u[i];
    }
    return loss;
}

struct Dense {
    const double *Z;  // (d, n)
    int64_t n;
    void soon(int64_t) const {}
    template <class F> INLINE void each(int64_t j, F f) const {
        const double *x = Z + j * n;
        for (int64_t i = 0; i < n; ++i) f(i, x[i]);
    }
};

struct Sparse {
    const double *value;
    const int32_t *row;
    const int64_t *start;
    int64_t n;
    void soon(int64_t j) const {  // a short column lies anywhere in memory
        const int64_t from = start[j];
        __builtin_prefetch(value + from), __builtin_prefetch(value + from + 8), __builtin_prefetch(row + from);
    }
    template <class F> INLINE void each(int64_t j, F f) const {
        for (int64_t i = start[j]; i < start[j + 1]; ++i) f(int64_t(row[i]), value[i]);
    }
};

struct Task {
    double a, b;  // penalties
    bool intercept;
    double tol;  // gain of a step at which it stops
    int64_t max_sweeps;
};

inline double shrink(double z, double a) { return z > a ? z - a : z < -a ? z + a : 0.0; }

// Sweep over all coordinates, then over those with a weight until they rest, then over all again, until nothing
// gains more than tol. turn(k) does coordinate k and returns its gain. Each sweep has its own order, drawn from a fixed
// seed: where all columns lean to one side, a fixed order takes several times as many sweeps.
template <class Turn, class Rest, class Soon>
int64_t sweep(int64_t m, const double *v, double tol, int64_t max_sweeps, Turn turn, Rest rest, Soon soon) {
    int64_t sweeps = 0;
    uint64_t state = 88172645463325252ULL;
    std::vector<int64_t> order(static_cast<size_t>(m)), active;
    for (int64_t k = 0; k < m; ++k) order[size_t(k)] = k;
    const auto around = [&](std::vector<int64_t> &turns) {
        for (size_t left = turns.size(); left > 1; --left) {
            state ^= state << 13, state ^= state >> 7, state ^= state << 17;
            std::swap(turns[left - 1], turns[size_t((state >> 11) % left)]);
        }
        double gain = 0;
        for (size_t i = 0; i < turns.size(); ++i) {
            soon(turns[std::min(i + 6, turns.size() - 1)]);
            gain = std::max(gain, turn(turns[i]));
        }
        ++sweeps;
        return std::max(gain, rest());
    };
    while (sweeps < max_sweeps) {
        double gain = around(order);
        if (gain <= tol) break;
        active.clear();
        for (int64_t k = 0; k < m; ++k)
            if (v[k] != 0) active.push_back(k);
        while (gain > 0.3 * tol && sweeps < max_sweeps) gain = around(active);
    }
    return sweeps;
}

template <class Columns>
int64_t model_two(const Columns &X, int64_t columns, const Task &task, const double *D, const double *g, double g0,
                  double *v, double *s, double *move0) {
    const size_t m = size_t(columns);
    std::vector<double> h(m), mean(m), mass(m);
    double total = 0, offset = 0;
    for (int64_t i = 0; i < X.n; ++i) total += D[i], s[i] = 0;
    const bool intercept = task.intercept && total > 0;
    for (size_t k = 0; k < m; ++k) {
        double first = 0, second = 0;
        X.each(int64_t(k), [&](int64_t i, double x) { first += D[i] * x, second += D[i] * x * x; });
        mass[k] = intercept ? first : 0.0, mean[k] = intercept ? first / total : 0.0;
        h[k] = std::max(second - mass[k] * mean[k], second * 1e-12);
    }
    if (intercept) offset = -g0 / total;
    const auto turn = [&](int64_t k) {
        if (h[size_t(k)] + task.b <= 0) return 0.0;
        double slope = 0;
        X.each(k, [&](int64_t i, double x) { slope += x * (D[i] * s[i]); });
        slope += g[k] + offset * mass[size_t(k)];
        const double curve = h[size_t(k)], next = shrink(curve * v[k] - slope, task.a) / (curve + task.b);
        const double step = next - v[k];
        if (step == 0) return 0.0;
        X.each(k, [&](int64_t i, double x) { s[i] += step * x; });
        offset -= step * mean[size_t(k)];
        v[k] = next;
        return (curve + task.b) * step * step;
    };
    const int64_t sweeps =
        sweep(columns, v, task.tol, task.max_sweeps, turn, [] { return 0.0; }, [&](int64_t k) { X.soon(k); });
    *move0 = offset;
    return sweeps;
}

// v is (K, m), s is (K, n); the coordinates go class by class.
template <class Columns>
int64_t model_many(const Columns &X, int64_t m, const Task &task, int64_t K, const double *P, const double *u,
                   const double *g, const double *g0, double *v, double *s, double *move0) {
    const int64_t n = X.n;
    std::vector<double> h(size_t(K * m)), h0(size_t(K), 0.0), middle(size_t(n), 0.0);  // middle_i = sum_k p_ik s_ik
    std::fill(s, s + K * n, 0.0);
    std::fill(move0, move0 + K, 0.0);
    for (int64_t k = 0; k < K; ++k) {
        const double *p = P + k * n;
        for (int64_t i = 0; i < n; ++i) h0[size_t(k)] += u[i] * p[i] * (1 - p[i]);
        for (int64_t q = 0; q < m; ++q) {
            double second = 0;
            X.each(q, [&](int64_t i, double x) { second += u[i] * p[i] * (1 - p[i]) * x * x; });
            h[size_t(k * m + q)] = second;
        }
    }
    const auto free = [&](int64_t k) {
        if (!task.intercept || h0[size_t(k)] <= 0) return 0.0;
        const double *p = P + k * n;
        double *e = s + k * n, slope = g0[k];
        for (int64_t i = 0; i < n; ++i) slope += u[i] * p[i] * (e[i] - middle[size_t(i)]);
        const double step = -slope / h0[size_t(k)];
        for (int64_t i = 0; i < n; ++i) e[i] += step, middle[size_t(i)] += p[i] * step;
        move0[k] += step;
        return h0[size_t(k)] * step * step;
    };
    const auto turn = [&](int64_t c) {
        const int64_t k = c / m, j = c % m;
        const double curve = h[size_t(c)];
        if (curve + task.b <= 0) return 0.0;
        const double *p = P + k * n;
        double *e = s + k * n, slope = 0;
        X.each(j, [&](int64_t i, double x) { slope += x * (u[i] * p[i] * (e[i] - middle[size_t(i)])); });
        const double next = shrink(curve * v[c] - slope - g[c], task.a) / (curve + task.b), step = next - v[c];
        if (step == 0) return 0.0;
        X.each(j, [&](int64_t i, double x) { e[i] += step * x, middle[size_t(i)] += p[i] * (step * x); });
        v[c] = next;
        return (curve + task.b) * step * step;
    };
    const int64_t sweeps = sweep(K * m, v, task.tol, task.max_sweeps, turn, [&] {
        double gain = 0;
        for (int64_t k = 0; k < K; ++k) gain = std::max(gain, free(k));
        return gain;
    }, [&](int64_t c) { X.soon(c % m); });
    for (int64_t k = 0; k < K; ++k)
        for (int64_t i = 0; i < n; ++i) s[k * n + i] -= move0[k];
    return sweeps;
}

void check_sparse(const In1<double> &value, const In1<int32_t> &row, const In1<int64_t> &start, size_t n) {
    require(are_rows(value, row, start, length(start) - 1, int64_t(n)), "model: these are no columns of the rows");
}

void check_two(size_t n, size_t m, const In1<double> &D, const In1<double> &g, const InOut1<double> &v,
               const InOut1<double> &s, const InOut1<double> &move0) {
    require(D.shape(0) == n && s.shape(0) == n && g.shape(0) == m && v.shape(0) == m && move0.shape(0) == 1,
            "model_two: arrays have other shapes");
}

void check_many(size_t n, size_t m, const In2<double> &P, const In1<double> &u, const In2<double> &g,
                const In1<double> &g0, const InOut2<double> &v, const InOut2<double> &s, const InOut1<double> &move0) {
    const size_t K = P.shape(0);
    require(P.shape(1) == n && u.shape(0) == n && s.shape(0) == K && s.shape(1) == n && g.shape(0) == K &&
                g.shape(1) == m && v.shape(0) == K && v.shape(1) == m && g0.shape(0) == K && move0.shape(0) == K,
            "model_many: arrays have other shapes");
}

int64_t dense_two(In2<double> Z,            // in      (m, n)  the columns of X that are in play
                  In1<double> D,            // in      (n,)    second derivatives
                  In1<double> g, double g0, // in      (m,)    first derivatives, and that of the intercept
                  const Task &task,
                  InOut1<double> v,         // in/out  (m,)    weights
                  InOut1<double> s,         // out     (n,)    X (v - w)
                  InOut1<double> move0) {   // out     (1,)    step of the intercept
    check_two(Z.shape(1), Z.shape(0), D, g, v, s, move0);
    nb::gil_scoped_release unlocked;
    return model_two(Dense{Z.data(), int64_t(Z.shape(1))}, int64_t(Z.shape(0)), task, D.data(), g.data(), g0, v.data(),
                     s.data(), move0.data());
}

int64_t sparse_two(In1<double> value, In1<int32_t> row, In1<int64_t> start,  // in  CSC, the columns in play
                   In1<double> D, In1<double> g, double g0, const Task &task, InOut1<double> v, InOut1<double> s,
                   InOut1<double> move0) {
    check_sparse(value, row, start, D.shape(0));
    check_two(D.shape(0), start.shape(0) - 1, D, g, v, s, move0);
    nb::gil_scoped_release unlocked;
    return model_two(Sparse{value.data(), row.data(), start.data(), int64_t(D.shape(0))}, int64_t(start.shape(0)) - 1,
                     task, D.data(), g.data(), g0, v.data(), s.data(), move0.data());
}

int64_t dense_many(In2<double> Z,           // in      (m, n)
                   In2<double> P,           // in      (K, n)  probabilities
                   In1<double> u,           // in      (n,)    weights of the rows
                   In2<double> g, In1<double> g0,  // in (K, m), (K,)
                   const Task &task,
                   InOut2<double> v,        // in/out  (K, m)
                   InOut2<double> s,        // out     (K, n)
                   InOut1<double> move0) {  // out     (K,)
    check_many(Z.shape(1), Z.shape(0), P, u, g, g0, v, s, move0);
    nb::gil_scoped_release unlocked;
    return model_many(Dense{Z.data(), int64_t(Z.shape(1))}, int64_t(Z.shape(0)), task, int64_t(P.shape(0)), P.data(),
                      u.data(), g.data(), g0.data(), v.data(), s.data(), move0.data());
}

int64_t sparse_many(In1<double> value, In1<int32_t> row, In1<int64_t> start, In2<double> P, In1<double> u,
                    In2<double> g, In1<double> g0, const Task &task, InOut2<double> v, InOut2<double> s,
                    InOut1<double> move0) {
    check_sparse(value, row, start, P.shape(1));
    check_many(P.shape(1), start.shape(0) - 1, P, u, g, g0, v, s, move0);
    nb::gil_scoped_release unlocked;
    return model_many(Sparse{value.data(), row.data(), start.data(), int64_t(P.shape(1))}, int64_t(start.shape(0)) - 1,
                      task, int64_t(P.shape(0)), P.data(), u.data(), g.data(), g0.data(), v.data(), s.data(),
                      move0.data());
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    define(m, "loss_two", &loss_two, "scores", "y", "weights", "residual", "curvature");
    define(m, "loss_many", &loss_many, "scores", "y", "weights", "p", "residual");
    record<Task>(m, "Task", field("a", &Task::a), field("b", &Task::b), field("intercept", &Task::intercept),
                 field("tol", &Task::tol), field("max_sweeps", &Task::max_sweeps));
    define(m, "dense_two", &dense_two, "Z", "D", "g", "g0", "task", "v", "s", "move0");
    define(m, "sparse_two", &sparse_two, "value", "row", "start", "D", "g", "g0", "task", "v", "s", "move0");
    define(m, "dense_many", &dense_many, "Z", "P", "u", "g", "g0", "task", "v", "s", "move0");
    define(m, "sparse_many", &sparse_many, "value", "row", "start", "P", "u", "g", "g0", "task", "v", "s", "move0");
}
