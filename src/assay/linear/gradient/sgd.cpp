// Stochastic gradient descent for a linear score: one pass over the rows in a given order.
//
//     s_i = w . x_i + b                                     the score
//     g_i = w_i dloss(y_i, s_i)/ds                          row weight times slope, kept within +-1e12
//     w  <- (1 - rate (1 - l1) alpha) w - rate mean g_i x_i      mean over the rows of a batch
//     b  <- b - rate decay mean g_i                              decay < 1 tames the constant beside rare columns
//     w_j <- towards 0, by what l1 alpha sum(rate) demands of it and it has not paid yet
//     mean of w over the steps from number `average` on
//
// The rate of step t: Constant eta; Optimal 1 / (alpha (t_0 + t - 1)), t_0 = alpha^(-3/4); InvScaling eta / t^power;
// PassiveAggressive1 and 2: the step that repairs the row's loss, at most eta, or damped by 1 / (2 eta); rows without
// entries cannot be repaired by the first, and a batch of them alone is passed over.
//
// Weights are kept as scale times w, and the mean as (mean + a w) / b, so that a step costs only the row's entries;
// at the end of the pass both are made plain. The objective adds up, row by row, the loss before the step and the
// penalty then, over sparse rows only of the columns of the last row that moved the weights: enough to see whether
// anything still gets better.
//
// Checked by the caller: finite X, a sound CSR matrix, order within 0..n-1, kinds as below, batch >= 1.
// Twin in NumPy: tests/linear/gradient/test_sgd.py, epoch_by_the_book.
#include <algorithm>
#include <cmath>
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"

using namespace assay;

namespace {

enum LossKind {
    Hinge,
    Perceptron,
    SquaredHinge,
    LogLoss,
    ModifiedHuber,
    SquaredError,
    Huber,
    Insensitive,
    SquaredInsensitive
};
enum RateKind { Constant, Optimal, InvScaling, PassiveAggressive1, PassiveAggressive2 };

struct Rule {
    int loss, rate;
    double epsilon, alpha, l1;                        // l1: share of the penalty that is absolute, -1 for no penalty
    double eta, power, decay;                         // decay: 0 for no constant
    int64_t average, batch;                           // average: 0 for none, else the step from which on
    bool watch;                                       // whether somebody wants to know the penalty in the objective
};

// What a pass carries from row to row, and from pass to pass: state[0..5].
struct State {
    double b, mean_b, t, owed, square, absolute;      // owed: l1 alpha sum(rate); square, absolute: norms of w
};

// What a pass reads and writes; null where there is none.
struct Task {
    int64_t n, d;
    const double *y, *weight;                         // (n,)
    const uint8_t *skip;                              // (n,)
    const int32_t *order;                             // (n,)
    double *w, *mean, *paid;                          // (d,)
    double *room;                                     // (batch,)
    int64_t *members;                                 // (batch,)
    double losses = 0, objective = 0;
    int64_t seen = 0;
};

struct Loss {
    double value, slope;                              // slope by the score
};

INLINE Loss loss_at(int kind, double y, double s, double epsilon) {
    const double m = y * s, r = y - s, far = std::fabs(r) - epsilon;
    switch (kind) {
        case Hinge: return m <= 1 ? Loss{1 - m, -y} : Loss{0, 0};
        case Perceptron: return m <= 0 ? Loss{-m, -y} : Loss{0, 0};  // a tie counts, or a zero start never moves
        case SquaredHinge: return m < 1 ? Loss{(1 - m) * (1 - m), -2 * y * (1 - m)} : Loss{0, 0};
        case LogLoss: {
            const double e = std::exp(-std::fabs(m)), share = 1 / (1 + e);
            return {std::max(-m, 0.0) + std::log1p(e), -y * (m > 0 ? e * share : share)};
        }
        case ModifiedHuber:
            if (m >= 1) return {0, 0};
            return m >= -1 ? Loss{(1 - m) * (1 - m), -2 * y * (1 - m)} : Loss{-4 * m, -4 * y};
        case SquaredError: return {0.5 * r * r, -r};
        case Huber:
            if (far <= 0) return {0.5 * r * r, -r};
            return {epsilon * (std::fabs(r) - 0.5 * epsilon), r > 0 ? -epsilon : epsilon};
        case Insensitive: return far > 0 ? Loss{far, r > 0 ? -1.0 : 1.0} : Loss{0, 0};
        default: return far > 0 ? Loss{far * far, r > 0 ? -2 * far : 2 * far} : Loss{0, 0};
    }
}

template <class T>
struct Dense {
    const T *x;
    int64_t d;

    struct Row {
        static constexpr bool sparse = false;
        const T *x;
        int64_t size;
        int64_t column(int64_t s) const { return s; }
        double value(int64_t s) const { return double(x[s]); }
    };
    Row row(int64_t i) const { return {x + i * d, d}; }
    void fetch(int64_t i) const {
        const char *p = reinterpret_cast<const char *>(x + i * d);
        const int64_t lines = std::min<int64_t>(d * int64_t(sizeof(T)) / 64, 15);
        for (int64_t l = 0; l <= lines; ++l) __builtin_prefetch(p + 64 * l);
    }
};

template <class T>
struct Csr {
    const int64_t *start;
    const int32_t *columns;
    const T *x;

    struct Row {
        static constexpr bool sparse = true;
        const T *x;
        const int32_t *columns;
        int64_t size;
        int64_t column(int64_t s) const { return columns[s]; }
        double value(int64_t s) const { return double(x[s]); }
    };
    Row row(int64_t i) const { return {x + start[i], columns + start[i], start[i + 1] - start[i]}; }
    void fetch(int64_t i) const {
        const int64_t size = std::min<int64_t>(start[i + 1] - start[i], 128);
        for (int64_t e = 0; e < size; e += 64 / int64_t(sizeof(T))) __builtin_prefetch(x + start[i] + e);
        for (int64_t e = 0; e < size; e += 16) __builtin_prefetch(columns + start[i] + e);
    }
};

// sum over s of f(s), in as many sums at once as lanes says: an addition takes four cycles, but two start in each
template <int lanes, class F>
INLINE double side_by_side(int64_t &s, int64_t end, F f) {
    double sum[lanes] = {0}, total = 0;
    if (s + lanes > end) return 0;
    for (; s + lanes <= end; s += lanes)
        for (int l = 0; l < lanes; ++l) sum[l] += f(s + l);
    for (int l = 0; l < lanes; ++l) total += sum[l];
    return total;
}

template <class Row, class F>
INLINE double sum_over(const Row &x, F f) {
    int64_t s = 0;
    double total = 0;
    if (!Row::sparse) total += side_by_side<32>(s, x.size, f);
    total += side_by_side<Row::sparse ? 4 : 8>(s, x.size, f);
    for (; s < x.size; ++s) total += f(s);
    return total;
}

template <class Rows>
INLINE void run(const Rows &X, const Rule &rule, Task &task, State &state) {
    using Row = decltype(X.row(0));
    const int64_t n = task.n, d = task.d;
    const double *y = task.y, *weight = task.weight;
    const uint8_t *skip = task.skip;
    const int32_t *order = task.order;
    double *__restrict w = task.w, *__restrict mean = task.mean, *paid = task.paid, *room = task.room;
    int64_t *members = task.members;
    constexpr int64_t ahead = 8;
    const bool penalised = rule.l1 >= 0, passive = rule.rate >= PassiveAggressive1;
    const bool look = rule.watch && penalised && !passive;            // the objective includes the penalty
    const double l1 = penalised ? rule.l1 : 0, l2 = penalised ? 1 - rule.l1 : 0;
    const double start = rule.rate == Optimal ? std::pow(rule.alpha, -0.75) : 0;  // 1 / (alpha sqrt(1 / sqrt(alpha)))
    double scale = 1, a = 0, b = 1, objective = 0, losses = 0;

    auto plain = [&] {  // the mean and w as they are
        if (mean) {
            for (int64_t j = 0; j < d; ++j) mean[j] = (mean[j] + a * w[j]) / b;
            a = 0, b = 1;
        }
        for (int64_t j = 0; j < d; ++j) w[j] *= scale;
        scale = 1;
    };

    int64_t i = 0;
    while (i < n) {
        int64_t size = 0;  // rows of this batch, in members
        for (; i < n && size < rule.batch; ++i) {
            if (i + ahead < n) X.fetch(order[i + ahead]);
            if (!(skip && skip[order[i]])) members[size++] = order[i];
        }
        if (!size) break;
        const double rate = rule.rate == Optimal      ? 1 / (rule.alpha * (start + (state.t - 1)))
                            : rule.rate == InvScaling ? rule.eta / std::pow(state.t, rule.power)
                                                      : rule.eta;
        bool repairable = rule.rate != PassiveAggressive1;
        for (int64_t r = 0; r < size; ++r) {
            const int64_t row = members[r];
            const auto x = X.row(row);
            const double s = scale * sum_over(x, [&](int64_t e) { return x.value(e) * w[x.column(e)]; }) + state.b;
            const Loss loss = loss_at(rule.loss, y[row], s, rule.epsilon);
            losses += loss.value;
            objective += loss.value;
            if (look) objective += rule.alpha * (0.5 * l2 * state.square + l1 * state.absolute);
            double step;  // of w along x
            if (passive) {
                const double xx = sum_over(x, [&](int64_t e) { return x.value(e) * x.value(e); });
                repairable |= xx > 0;
                if (rule.rate == PassiveAggressive1) step = xx > 0 ? std::min(rule.eta, loss.value / xx) : 0;
                else step = loss.value / (xx + 0.5 / rule.eta);
                if (loss.slope > 0) step = -step;
            } else {
                step = -rate * std::min(std::max(loss.slope, -1e12), 1e12);
            }
            room[r] = weight ? step * weight[row] : step;
        }
        task.seen += size;
        if (!repairable) continue;
        if (l2 > 0 && rule.alpha > 0) {  // weight decay, not beyond 0
            const double keep = std::max(0.0, 1 - l2 * rate * rule.alpha);
            scale *= keep;
            state.square *= keep * keep, state.absolute *= keep;
            if (scale < 1e-9) plain();
        }
        double change = 0;
        bool moved = false;
        for (int64_t r = 0; r < size; ++r) {
            if (room[r] == 0) continue;
            const auto x = X.row(members[r]);
            const double step = size > 1 ? room[r] / double(size) : room[r], c = step / scale, back = a * c;
            change += step, moved = true;
            if (mean)
                for (int64_t e = 0; e < x.size; ++e) mean[x.column(e)] -= back * x.value(e);
            if (Row::sparse && look) {  // while the weights are at hand
                double square = 0, absolute = 0;
                for (int64_t e = 0; e < x.size; ++e) {
                    const double wj = w[x.column(e)] += c * x.value(e);
                    square += wj * wj, absolute += std::fabs(wj);
                }
                state.square = scale * scale * square, state.absolute = scale * absolute;
            } else {
                for (int64_t e = 0; e < x.size; ++e) w[x.column(e)] += c * x.value(e);
            }
        }
        if (!Row::sparse && look && moved) {
            const auto x = X.row(members[0]);  // whose columns are all columns
            if (l2 > 0) state.square = scale * scale * sum_over(x, [&](int64_t e) { return w[e] * w[e]; });
            if (l1 > 0) state.absolute = scale * sum_over(x, [&](int64_t e) { return std::fabs(w[e]); });
        }
        const volatile double shift = change * rule.decay;  // not fused: a step and its opposite leave nothing
        state.b += shift;
        if (l1 > 0) {
            state.owed += l1 * rate * rule.alpha;
            for (int64_t r = 0; r < size; ++r) {
                const auto x = X.row(members[r]);
                for (int64_t s = 0; s < x.size; ++s) {
                    const int64_t j = x.column(s);
                    const double before = w[j];
                    if (before > 0) w[j] = std::max(0.0, before - (state.owed + paid[j]) / scale);
                    else if (before < 0) w[j] = std::min(0.0, before + (state.owed - paid[j]) / scale);
                    paid[j] += scale * (w[j] - before);
                    if (mean) mean[j] -= a * (w[j] - before);
                }
            }
        }
        if (rule.average > 0 && state.t >= double(rule.average)) {
            const double number = state.t - double(rule.average) + 1, share = 1 / number;
            if (number > 1) b /= 1 - share;
            a += share * b * scale;
            state.mean_b += (state.b - state.mean_b) * share;
            if (b > 1e9) plain();
        }
        state.t += 1;
    }
    plain();
    task.objective = objective, task.losses = losses;
}

HOT void go(const Dense<double> &X, const Rule &rule, Task &task, State &state) { run(X, rule, task, state); }
HOT void go(const Dense<float> &X, const Rule &rule, Task &task, State &state) { run(X, rule, task, state); }
HOT void go(const Csr<double> &X, const Rule &rule, Task &task, State &state) { run(X, rule, task, state); }
HOT void go(const Csr<float> &X, const Rule &rule, Task &task, State &state) { run(X, rule, task, state); }

template <class T>
const T *or_null(const Array1<const T> &a, int64_t n, const char *what) {
    if (a.shape(0) == 0) return nullptr;
    require(int64_t(a.shape(0)) == n, what);
    return a.data();
}

double *or_null(const InOut1<double> &a, int64_t n, const char *what) {
    if (a.shape(0) == 0) return nullptr;
    require(int64_t(a.shape(0)) == n, what);
    return a.data();
}

// The sums of the loss and of the objective, and the number of rows seen.
template <class Rows>
nb::tuple epoch(const Rows &X, int64_t n, int64_t d, const In1<double> &y, const In1<double> &weight,
                const In1<uint8_t> &skip, const In1<int32_t> &order, const In1<double> &rule,
                const InOut1<double> &state, const InOut1<double> &w, const InOut1<double> &mean,
                const InOut1<double> &paid) {
    require(int64_t(y.shape(0)) == n && int64_t(order.shape(0)) == n, "y and order need one entry a row");
    require(int64_t(w.shape(0)) == d, "w needs one entry a column");
    require(within(order, 0, n), "order names a row that is not there");
    require(rule.shape(0) == 11 && state.shape(0) == 6, "rule has 11 numbers, state 6");
    const double *g = rule.data();
    for (int64_t k = 0; k < 11; ++k) require(std::fabs(g[k]) < 1e300, "rule has numbers that are none");
    require(std::fabs(g[8]) < 0x1p53 && std::fabs(g[9]) < 0x1p53 && g[0] >= 0 && g[0] < 100 && g[1] >= 0 && g[1] < 100,
            "rule: no such choice");
    Rule how{int(g[0]), int(g[1]), g[2], g[3], g[4], g[5], g[6], g[7], int64_t(g[8]), int64_t(g[9]), g[10] != 0};
    require(how.batch >= 1, "a batch has a row at least");
    how.batch = std::min<int64_t>(how.batch, std::max<int64_t>(n, 1));
    Task task{n,
              d,
              y.data(),
              or_null(weight, n, "weight needs one entry a row"),
              or_null(skip, n, "skip needs one entry a row"),
              order.data(),
              w.data(),
              or_null(mean, d, "mean needs one entry a column"),
              or_null(paid, d, "paid needs one entry a column"),
              nullptr,
              nullptr};
    require(how.l1 <= 0 || d == 0 || task.paid, "an absolute penalty needs paid");
    require((how.average > 0) == (task.mean != nullptr) || d == 0, "averaging needs mean");
    double *s = state.data();
    State now{s[0], s[1], s[2], s[3], s[4], s[5]};
    {
        nb::gil_scoped_release free;
        std::vector<double> room(static_cast<size_t>(how.batch));
        std::vector<int64_t> members(static_cast<size_t>(how.batch));
        task.room = room.data(), task.members = members.data();
        go(X, how, task, now);
    }
    s[0] = now.b, s[1] = now.mean_b, s[2] = now.t, s[3] = now.owed, s[4] = now.square, s[5] = now.absolute;
    return nb::make_tuple(task.losses, task.objective, task.seen);
}

template <class T>
nb::tuple epoch_dense(In2<T> X, In1<double> y, In1<double> weight, In1<uint8_t> skip, In1<int32_t> order,
                      In1<double> rule, InOut1<double> state, InOut1<double> w, InOut1<double> mean,
                      InOut1<double> paid) {
    const int64_t n = int64_t(X.shape(0)), d = int64_t(X.shape(1));
    return epoch(Dense<T>{X.data(), d}, n, d, y, weight, skip, order, rule, state, w, mean, paid);
}

template <class T>
nb::tuple epoch_sparse(In1<int64_t> start, In1<int32_t> column, In1<T> value, In1<double> y, In1<double> weight,
                       In1<uint8_t> skip, In1<int32_t> order, In1<double> rule, InOut1<double> state, InOut1<double> w,
                       InOut1<double> mean, InOut1<double> paid) {
    const int64_t n = int64_t(start.shape(0)) - 1, d = int64_t(w.shape(0));
    require(are_rows(value, column, start, n, d), "CSR arrays do not belong together");
    const Csr<T> X{start.data(), column.data(), value.data()};
    return epoch(X, n, d, y, weight, skip, order, rule, state, w, mean, paid);
}

// Fisher and Yates, with Marsaglia's 32-bit xorshift: the next of the orders that a seed gives.
void shuffle(InOut1<int32_t> order, uint32_t seed) {
    const uint32_t n = uint32_t(order.shape(0));
    int32_t *at = order.data();
    nb::gil_scoped_release free;
    uint32_t draw = seed ? seed : 1;
    for (uint32_t i = 0; i + 1 < n; ++i) {
        draw ^= draw << 13;
        draw ^= draw >> 17;
        draw ^= draw << 5;
        std::swap(at[i], at[i + (draw & 0x7fffffffu) % (n - i)]);
    }
}

// The loss and its slope by the score, for tests.
nb::tuple loss(int kind, double y, double score, double epsilon) {
    const Loss found = loss_at(kind, y, score, epsilon);
    return nb::make_tuple(found.value, found.slope);
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    define(m, "epoch", &epoch_dense<double>, "X", "y", "weight", "skip", "order", "rule", "state", "w", "mean", "paid");
    define(m, "epoch", &epoch_dense<float>, "X", "y", "weight", "skip", "order", "rule", "state", "w", "mean", "paid");
    define(m, "epoch_sparse", &epoch_sparse<double>, "start", "column", "value", "y", "weight", "skip", "order", "rule",
           "state", "w", "mean", "paid");
    define(m, "epoch_sparse", &epoch_sparse<float>, "start", "column", "value", "y", "weight", "skip", "order", "rule",
           "state", "w", "mean", "paid");
    define(m, "shuffle", &shuffle, "order", "seed");
    define(m, "loss", &loss, "kind", "y", "score", "epsilon");
}
