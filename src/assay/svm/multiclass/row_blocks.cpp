// Machines of several classes in one problem: descent over the K coefficients of one row at a time.
//
//     w_k = sum_i a_ik (x_i, s),     min  1/2 sum_k |w_k|^2 + sum_ik e_ik a_ik,     sum_k a_ik = 0,   low <= a_ik <=
//     high
//
// with e_ik = margin + offset_k - offset_y for k other than the row's class y, else 0. The bounds make the machine:
//
//     Crammer and Singer      a_ik <= 0 for k other than y,          a_iy <= C_i
//     Weston and Watkins      -C_i <= a_ik <= 0 for k other than y,  a_iy is what they add up to, with the other sign
//
// All K coefficients of a row are moved at once: to the point u = a - g / |x_i|^2 (g the slopes), projected on the box
// and the plane sum = 0, which is a root in one variable. A row whose best move is worse than any that was made in the
// last pass leaves until the others are done.
//
//     sweep_sparse, sweep_dense   W (d + 1, K), the constants last, is kept up to date
//     sweep_gram                  the scores F (n, K) of the training rows are, by rows of the matrix of their kernel
//
// Twins in NumPy: tests/svm/multiclass/test_row_blocks.py.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"

using namespace assay;

namespace {

constexpr double FAR = std::numeric_limits<double>::infinity();

struct Blocks {
    In1<int64_t> y;              // (n,) classes
    In1<double> price, power;    // (n,) C_i, and |(x_i, s)|^2
    In1<double> offset;          // (K,) what is added to the scores
    double margin, constant;
    bool each;                   // Weston and Watkins: each class pays its own slack
    void check() const {
        const int64_t n = length(y), K = length(offset);
        require(K > 1 && length(price) == n && length(power) == n, "price and power: one for each row");
        require(within(y, 0, K), "y names a class that is not there");
    }
};

struct Task {
    const int64_t *y;
    const double *price, *power, *offset;
    double margin, constant;
    bool each;
    int64_t n, K;
};

struct Sparse {
    const int64_t *start;
    const int32_t *column;
    const double *value;
    double *W;
    int64_t d, K;
    double constant;
    void scores(int64_t i, double *f) const {
        for (int64_t k = 0; k < K; ++k) f[k] = constant * W[d * K + k];
        for (int64_t s = start[i]; s < start[i + 1]; ++s)
            for (int64_t k = 0; k < K; ++k) f[k] += value[s] * W[int64_t(column[s]) * K + k];
    }
    void add(int64_t i, const double *step) const {
        for (int64_t s = start[i]; s < start[i + 1]; ++s)
            for (int64_t k = 0; k < K; ++k) W[int64_t(column[s]) * K + k] += value[s] * step[k];
        for (int64_t k = 0; k < K; ++k) W[d * K + k] += constant * step[k];
    }
};

struct Dense {
    const double *x;
    double *W;
    int64_t d, K;
    double constant;
    void scores(int64_t i, double *f) const {
        for (int64_t k = 0; k < K; ++k) f[k] = constant * W[d * K + k];
        for (int64_t j = 0; j < d; ++j)
            for (int64_t k = 0; k < K; ++k) f[k] += x[i * d + j] * W[j * K + k];
    }
    void add(int64_t i, const double *step) const {
        for (int64_t j = 0; j < d; ++j)
            for (int64_t k = 0; k < K; ++k) W[j * K + k] += x[i * d + j] * step[k];
        for (int64_t k = 0; k < K; ++k) W[d * K + k] += constant * step[k];
    }
};

struct Gram {
    const double *G;
    double *F;
    int64_t n, K;
    double square;  // of the constant
    void scores(int64_t i, double *f) const {
        for (int64_t k = 0; k < K; ++k) f[k] = F[i * K + k];
    }
    void add(int64_t i, const double *step) const {
        for (int64_t r = 0; r < n; ++r) {
            const double x = G[i * n + r] + square;
            for (int64_t k = 0; k < K; ++k) F[r * K + k] += x * step[k];
        }
    }
};

// The point of the box with sum 0 that is nearest to u: clip(u - t) for the t at which its sum is 0. Between two bends
// the sum is a straight line that falls; the bends on both sides of 0 are found by halving the sorted list.
void project(const double *u, const double *low, const double *high, int64_t K, std::vector<double> &bend, double *to) {
    bend.clear();
    for (int64_t k = 0; k < K; ++k) {
        if (low[k] > -FAR) bend.push_back(u[k] - low[k]);
        if (high[k] < FAR) bend.push_back(u[k] - high[k]);
    }
    std::sort(bend.begin(), bend.end());
    const auto sum = [&](double t) {
        double s = 0;
        for (int64_t k = 0; k < K; ++k) s += std::min(std::max(u[k] - t, low[k]), high[k]);
        return s;
    };
    size_t a = 0, b = bend.size();  // the first bend at which the sum is no longer above 0
    while (a < b) {
        const size_t middle = (a + b) / 2;
        if (sum(bend[middle]) > 0) a = middle + 1;
        else b = middle;
    }
    const double left = a > 0 ? bend[a - 1] : -FAR, right = a < bend.size() ? bend[a] : FAR;
    const double inside = left == -FAR ? right - 1 : right == FAR ? left + 1 : 0.5 * (left + right);
    double fixed = 0, free = 0;
    int64_t count = 0;
    for (int64_t k = 0; k < K; ++k) {
        const double at = u[k] - inside;
        if (at <= low[k]) fixed += low[k];
        else if (at >= high[k]) fixed += high[k];
        else free += u[k], ++count;
    }
    double t = count ? (fixed + free) / double(count) : inside;
    t = std::min(std::max(t, left), right);
    for (int64_t k = 0; k < K; ++k) to[k] = std::min(std::max(u[k] - t, low[k]), high[k]);
}

// state: rows in play, the violation by which rows leave, the seed, the largest violation of the last pass
template <class Rows>
inline __attribute__((always_inline)) int64_t sweeps(const Task &q, const Rows &rows, double tol, int64_t most,
                                                     double *A, int64_t *order, double *state) {
    const int64_t K = q.K;
    std::vector<double> slope(static_cast<size_t>(K)), u(static_cast<size_t>(K)), to(static_cast<size_t>(K));
    std::vector<double> low(static_cast<size_t>(K)), high(static_cast<size_t>(K)), bend;
    int64_t active = int64_t(state[0]), made = 0;
    uint64_t seed = uint64_t(state[2]) | 1;
    while (made < most) {
        for (int64_t k = 0; k < active; ++k) {
            seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
            std::swap(order[k], order[k + int64_t((seed >> 32) % uint64_t(active - k))]);
        }
        double worst = 0;
        for (int64_t at = 0; at < active;) {
            const int64_t i = order[at], y = q.y[i];
            double *a = A + i * K;
            double steepest = -FAR, second = -FAR, flattest = FAR, next = FAR;  // the best two on either side
            int64_t from = -1, into = -1;
            rows.scores(i, slope.data());
            for (int64_t k = 0; k < K; ++k) {
                const size_t s = size_t(k);
                slope[s] += q.offset[k] + (k == y ? 0.0 : q.margin);
                low[s] = q.each && k != y ? -q.price[i] : -FAR;
                high[s] = k != y ? 0.0 : q.each ? FAR : q.price[i];
                if (a[k] > low[s]) {
                    if (slope[s] > steepest) second = steepest, steepest = slope[s], from = k;
                    else second = std::max(second, slope[s]);
                }
                if (a[k] < high[s]) {
                    if (slope[s] < flattest) next = flattest, flattest = slope[s], into = k;
                    else next = std::min(next, slope[s]);
                }
            }
            // the best move from one class into another one
            const double violation = from != into ? steepest - flattest : std::max(second - flattest, steepest - next);
            if (violation <= 0) {
                if (violation < -state[1]) {
                    std::swap(order[at], order[--active]);
                    continue;
                }
            } else {
                worst = std::max(worst, violation);
                for (size_t s = 0; s < size_t(K); ++s) u[s] = a[s] - slope[s] / q.power[i];
                project(u.data(), low.data(), high.data(), K, bend, to.data());
                bool moved = false;
                for (size_t s = 0; s < size_t(K); ++s) {
                    slope[s] = to[s] - a[s];
                    moved |= slope[s] != 0;
                    a[s] = to[s];
                }
                if (moved) rows.add(i, slope.data());
            }
            ++at;
        }
        ++made;
        state[1] = worst > 0 ? worst : FAR;
        state[3] = worst;
        if (worst <= tol) {
            if (active == q.n) break;
            active = q.n, state[1] = FAR, state[3] = FAR;
        }
    }
    state[0] = double(active), state[2] = double(seed >> 12);
    return made;
}

HOT int64_t sparse_loop(const Task &q, const Sparse &rows, double tol, int64_t most, double *A, int64_t *order,
                        double *state) {
    return sweeps(q, rows, tol, most, A, order, state);
}
HOT int64_t dense_loop(const Task &q, const Dense &rows, double tol, int64_t most, double *A, int64_t *order,
                       double *state) {
    return sweeps(q, rows, tol, most, A, order, state);
}
HOT int64_t gram_loop(const Task &q, const Gram &rows, double tol, int64_t most, double *A, int64_t *order,
                      double *state) {
    return sweeps(q, rows, tol, most, A, order, state);
}

Task checked(const Blocks &blocks, int64_t n, int64_t most, const InOut2<double> &A, const InOut1<int64_t> &order,
             const InOut1<double> &state) {
    const int64_t K = length(blocks.offset);
    require(length(blocks.y) == n && length(order) == n, "one class and one place a row");
    require(int64_t(A.shape(0)) == n && int64_t(A.shape(1)) == K, "A: a row for each row, a column for each class");
    require(within(order, 0, n) && length(state) == 4, "order: row numbers; state: four numbers");
    require(most >= 0 && state.data()[0] >= 0 && state.data()[0] <= double(n), "more rows in play than there are");
    require(state.data()[2] >= 0 && state.data()[2] < 9e15, "a seed from 0 up to 2^53");
    return {blocks.y.data(),
            blocks.price.data(),
            blocks.power.data(),
            blocks.offset.data(),
            blocks.margin,
            blocks.constant,
            blocks.each,
            n,
            K};
}

int64_t sweep_sparse(In1<int64_t> start, In1<int32_t> column, In1<double> value, const Blocks &blocks, double tol,
                     int64_t most, InOut2<double> W, InOut2<double> A, InOut1<int64_t> order, InOut1<double> state) {
    const int64_t n = length(blocks.y), d = int64_t(W.shape(0)) - 1;
    const Task q = checked(blocks, n, most, A, order, state);
    require(d >= 0 && int64_t(W.shape(1)) == q.K,
            "W: a row for each column and the constants, a column for each class");
    require(are_rows(value, column, start, n, d), "CSR arrays that do not make up these rows");
    nb::gil_scoped_release free;
    const Sparse rows{start.data(), column.data(), value.data(), W.data(), d, q.K, q.constant};
    return sparse_loop(q, rows, tol, most, A.data(), order.data(), state.data());
}

int64_t sweep_dense(In2<double> X, const Blocks &blocks, double tol, int64_t most, InOut2<double> W, InOut2<double> A,
                    InOut1<int64_t> order, InOut1<double> state) {
    const int64_t n = int64_t(X.shape(0)), d = int64_t(X.shape(1));
    const Task q = checked(blocks, n, most, A, order, state);
    require(int64_t(W.shape(0)) == d + 1 && int64_t(W.shape(1)) == q.K,
            "W: a row for each column and the constants, a column for each class");
    nb::gil_scoped_release free;
    return dense_loop(q, {X.data(), W.data(), d, q.K, q.constant}, tol, most, A.data(), order.data(), state.data());
}

int64_t sweep_gram(In2<double> gram, const Blocks &blocks, double tol, int64_t most, InOut2<double> F, InOut2<double> A,
                   InOut1<int64_t> order, InOut1<double> state) {
    const int64_t n = int64_t(gram.shape(0));
    const Task q = checked(blocks, n, most, A, order, state);
    require(int64_t(gram.shape(1)) == n, "gram: as many columns as rows");
    require(int64_t(F.shape(0)) == n && int64_t(F.shape(1)) == q.K, "F: a row for each row, a column for each class");
    nb::gil_scoped_release free;
    const Gram rows{gram.data(), F.data(), n, q.K, q.constant * q.constant};
    return gram_loop(q, rows, tol, most, A.data(), order.data(), state.data());
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    record<Blocks>(m, "Blocks", field("y", &Blocks::y), field("price", &Blocks::price), field("power", &Blocks::power),
                   field("offset", &Blocks::offset), field("margin", &Blocks::margin),
                   field("constant", &Blocks::constant), field("each", &Blocks::each));
    define(m, "sweep_sparse", &sweep_sparse, "start", "column", "value", "blocks", "tol", "most", "W", "A", "order",
           "state");
    define(m, "sweep_dense", &sweep_dense, "X", "blocks", "tol", "most", "W", "A", "order", "state");
    define(m, "sweep_gram", &sweep_gram, "gram", "blocks", "tol", "most", "F", "A", "order", "state");
}
