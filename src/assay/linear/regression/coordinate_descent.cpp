// Coordinate descent for least squares with an absolute and a quadratic penalty, along a path of penalties.
//
//     E(w) = 1/2 |y - X w|^2 + a |w|_1 + b/2 |w|^2,            a and b from one penalty to the next
//     w_j <- S(c_j + |x_j|^2 w_j, a) / (|x_j|^2 + b),          c = X' r,  r = y - X w,  S(z, a) = sign(z) (|z| - a)+
//
// It stops when the duality gap, an upper bound of E(w) - min E, is small enough. Either r is kept up to date and
// c_j computed when its turn comes (columns), or c itself is kept up to date with the rows of X'X (gram).
//
// Columns: only those are visited that the strong rule, |c_j| >= 2 a_new - a_old, or their weight keep in the game.
// Then all others are looked at, unless the distance that r has travelled since c_j was computed is too short:
// |c_j(r) - c_j(r')| <= |x_j| |r - r'|. Whoever breaks |c_j| <= a joins, and it goes on.
//
// Checked by the caller: finite arrays, a and b not negative, CSC indices inside the rows, weights to begin with.
// Twin in NumPy: tests/linear/regression/test_coordinate_descent.py, descent_by_the_book.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"

using namespace assay;

namespace {

static HOT double dot(const double *x, const double *y, int64_t n) {
    double part[16] = {0};
    int64_t i = 0;
    for (; i + 16 <= n; i += 16)
        for (int k = 0; k < 16; ++k) part[k] += x[i + k] * y[i + k];
    double sum = 0;
    for (; i < n; ++i) sum += x[i] * y[i];
    for (int k = 0; k < 16; ++k) sum += part[k];
    return sum;
}

static HOT void add(double a, const double *x, double *y, int64_t n) {  // y += a x
    for (int64_t i = 0; i < n; ++i) y[i] += a * x[i];
}

static HOT double sparse_dot(const double *value, const int32_t *row, int64_t m, const double *r) {
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    int64_t i = 0;
    for (; i + 4 <= m; i += 4) {
        s0 += value[i] * r[row[i]], s1 += value[i + 1] * r[row[i + 1]];
        s2 += value[i + 2] * r[row[i + 2]], s3 += value[i + 3] * r[row[i + 3]];
    }
    for (; i < m; ++i) s0 += value[i] * r[row[i]];
    return (s0 + s1) + (s2 + s3);
}

struct Dice {  // xorshift
    uint64_t state;
    int64_t below(int64_t n) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        return int64_t((state >> 11) % uint64_t(n));
    }
};

// The penalty, and the one formula for a new weight.
struct Penalty {
    double a, b;
    bool positive;
    bool faint;  // so weak that no dual point is any good
    double weight(double z, double square) const {  // z = c_j + |x_j|^2 w_j
        if (z > a) return (z - a) / (square + b);
        return z < -a && !positive ? (z + a) / (square + b) : 0.0;
    }
    double excess(double c, double w) const {  // what must not exceed a
        return positive ? c - b * w : std::fabs(c - b * w);
    }
};

// FAINT is relative to what the largest c_j could be, and to the longest column.
constexpr double FAINT = 1e-10;
Penalty penalty(double a, double b, bool positive, double strongest, double longest) {
    return {a, b, positive, a <= FAINT * strongest && b <= FAINT * longest};
}

// Sums of which the duality gap is made.
struct Gap {
    double top = 0;      // largest |c_j - b w_j|
    double over = 0;     // sum of (|c_j| - a)+^2; of a faint penalty twice what the steps would gain
    double one = 0;      // |w|_1
    double two = 0;      // |w|^2
    void see(const Penalty &p, double c, double w, double square) {
        top = std::max(top, p.excess(c, w));
        const double more = std::max((p.positive ? c : std::fabs(c)) - p.a, 0.0);
        if (!p.faint) over += more * more;
        else {
            const double slope = c - p.b * w, pull = w > 0   ? p.a
                                                     : w < 0 ? -p.a
                                                             : std::copysign(std::min(p.a, std::fabs(slope)), slope);
            if (w != 0 || slope > 0 || !p.positive) over += (slope - pull) * (slope - pull) / (square + p.b);
        }
        one += std::fabs(w), two += w * w;
    }
    // rr = |r|^2, yr = y'r. Dual points are s r (with the ridge as more rows of X), and r itself with the conjugate
    // of both penalties; without a penalty to speak of what the next steps would gain stands in.
    double value(const Penalty &p, double rr, double yr, double *objective = nullptr) const {
        const double primal = 0.5 * rr + p.a * one + 0.5 * p.b * two, all = rr + p.b * two;
        if (objective) *objective = primal;
        if (p.faint) return over;
        double s = all > 0 ? std::max(yr / all, 0.0) : 0.0;
        if (top * s > p.a) s = p.a / top;
        double dual = s * yr - 0.5 * s * s * all;
        if (p.b > 0) dual = std::max(dual, yr - 0.5 * rr - 0.5 * over / p.b);
        return std::max(primal - dual, 0.0);
    }
};

struct DenseColumns {
    const double *Z;  // (d, n), a column of X each
    const double *squares;
    int64_t n_, d_;
    std::vector<double> r;
    DenseColumns(View2<const double> Z, const double *squares, View1<const double> y)
        : Z(Z.data()), squares(squares), n_(Z.cols()), d_(Z.rows()), r(y.data(), y.data() + y.size()) {}
    int64_t n() const { return n_; }
    int64_t d() const { return d_; }
    double correlation(int64_t j) const { return dot(Z + j * n_, r.data(), n_); }
    double square(int64_t j) const { return squares[j]; }
    void move(int64_t j, double step) { add(-step, Z + j * n_, r.data(), n_); }
    void soon(int64_t) const {}
    const double *residual() { return r.data(); }
};

// Sparse columns, each minus its mean, without storing that: r_i = s_i + offset root_i, where root are the square
// roots of the weights (their sum of squares is total) and columns and y are multiplied by them. Since r is
// orthogonal to root, x_j'r needs no look at the rows where x_j is 0.
struct SparseColumns {
    const double *value, *mean, *root;
    const int32_t *row;
    const int64_t *start;
    int64_t n_, d_;
    double total, offset = 0;
    std::vector<double> s, whole;
    int64_t n() const { return n_; }
    int64_t d() const { return d_; }
    // Only a column without zeros can lie far from 0 for its spread; its mean is taken off entry by entry.
    bool full(int64_t j) const { return start[j + 1] - start[j] == n_; }
    double centred(int64_t i, int64_t j) const { return value[i] - mean[j] * root[row[i]]; }
    double correlation(int64_t j) const {
        const int64_t from = start[j];
        if (!full(j))
            return sparse_dot(value + from, row + from, start[j + 1] - from, s.data()) + offset * total * mean[j];
        double sum = 0;
        for (int64_t i = from; i < start[j + 1]; ++i)
            sum += centred(i, j) * (s[size_t(row[i])] + offset * root[row[i]]);
        return sum;
    }
    double square(int64_t j) const {  // nothing cancels: too small a square would make steps that lead away for ever
        double sum = 0, rest = total;  // weight of the rows that are 0
        for (int64_t i = start[j]; i < start[j + 1]; ++i) {
            const double weight = root[row[i]], off = centred(i, j);
            sum += off * off, rest -= weight * weight;
        }
        return sum + std::max(rest, 0.0) * mean[j] * mean[j];
    }
    void move(int64_t j, double step) {
        if (full(j)) {
            for (int64_t i = start[j]; i < start[j + 1]; ++i) s[size_t(row[i])] -= step * centred(i, j);
            return;
        }
        for (int64_t i = start[j]; i < start[j + 1]; ++i) s[size_t(row[i])] -= step * value[i];
        offset += step * mean[j];
    }
    void soon(int64_t j) const {  // its short column lies anywhere in memory
        const int64_t from = start[j];
        __builtin_prefetch(value + from), __builtin_prefetch(value + from + 8), __builtin_prefetch(row + from);
    }
    const double *residual() {
        for (int64_t i = 0; i < n_; ++i) whole[size_t(i)] = s[size_t(i)] + offset * root[i];
        return whole.data();
    }
};

struct Penalties {        // along which a walk goes, and how far
    In1<double> a, b;       // (m,) largest first
    bool positive;
    uint64_t seed;
    double tol, calm;
    bool eager;
    int64_t max_iter;
};

struct Path {  // what a walk along the penalties is given, and what it leaves behind
    View1<const double> a, b;
    bool positive;
    uint64_t seed;  // 0: one column after the other
    double tol;     // gap at which a penalty is done,
    double calm;    // if the last sweep changed no weight by more than this share of the largest
    bool eager;     // whether it may be done before the first sweep
    int64_t max_iter;
    View1<double> w;
    View2<double> weights;
    View2<double> gaps;  // gap, E(w)
    View1<int64_t> sweeps;
};

template <class Columns>
class Walk {
    Columns &X;
    const Path &path;
    const int64_t n, d;
    const double *y;
    double *w;
    std::vector<double> squares, norms, c, at, last;  // c_j, and how far r had travelled when c_j was computed
    std::vector<int64_t> in_play, active;  // active: those with a weight
    std::vector<uint8_t> plays;
    double travelled = 0, rr = 0, yr = 0, objective = 0;
    Dice dice;

    static size_t z(int64_t i) { return static_cast<size_t>(i); }

    double correlation(int64_t j) {
        if (at[z(j)] != travelled) c[z(j)] = X.correlation(j), at[z(j)] = travelled;
        return c[z(j)];
    }

    void join(int64_t j) { plays[z(j)] = 1, in_play.push_back(j); }

    void rally() {
        active.clear();
        for (const int64_t j : in_play)
            if (w[j] != 0) active.push_back(j);
    }

    // Weights are linear in the penalty as long as the same ones are not 0: go on as from the last but one to the last.
    void foresee(int64_t t) {
        const double span = path.a[t - 2] - path.a[t - 1], ratio = span > 0 ? (path.a[t - 1] - path.a[t]) / span : 0.0;
        const double *one = path.weights.row(t - 2), *two = path.weights.row(t - 1);
        for (int64_t j = 0; j < d; ++j) {
            if (one[j] == 0 || two[j] == 0) continue;
            const double step = ratio * (two[j] - one[j]);
            if (step != 0 && (w[j] + step) * w[j] > 0) X.move(j, step), w[j] += step;
        }
    }

    void draw(const Penalty &p, double before) {  // the strong rule
        const double keep = std::min(2 * p.a - before, p.a);
        in_play.clear();
        std::fill(plays.begin(), plays.end(), 0);
        for (int64_t j = 0; j < d; ++j)
            if (squares[z(j)] > 0 && (w[j] != 0 || p.excess(c[z(j)], w[j]) >= keep)) join(j);
    }

    // The duality gap over all columns, after which r and all c_j in play belong together.
    double look(const Penalty &p) {
        const double *r = X.residual();
        double far = 0;
        for (int64_t i = 0; i < n; ++i) far += (r[i] - last[z(i)]) * (r[i] - last[z(i)]);
        if (far > 0) travelled += std::sqrt(far), std::copy(r, r + n, last.begin());
        rr = dot(r, r, n), yr = dot(y, r, n);
        Gap gap;
        for (int64_t j = 0; j < d; ++j) {
            if (squares[z(j)] <= 0) continue;
            const bool idle = !plays[z(j)];
            if (idle && std::fabs(c[z(j)]) + norms[z(j)] * (travelled - at[z(j)]) <= p.a) continue;
            const double now = correlation(j);
            gap.see(p, now, w[j], squares[z(j)]);
            if (idle && p.excess(now, w[j]) > p.a) join(j);
        }
        return gap.value(p, rr, yr, &objective);
    }

    // One sweep; whether it may be the last. The c_j it saw are from different moments, so that is a guess.
    bool sweep(const Penalty &p, bool narrow, bool &moved) {
        Gap seen;
        moved = false;
        double longest = 0, largest = 0;
        const auto &turns = narrow ? active : in_play;
        const int64_t m = int64_t(turns.size());
        for (int64_t k = 0; k < m; ++k) {
            const int64_t j = turns[z(path.seed ? dice.below(m) : k)];
            X.soon(turns[z(std::min(k + 6, m - 1))]);
            double now = X.correlation(j);
            const double next = p.weight(now + squares[z(j)] * w[j], squares[z(j)]), step = next - w[j];
            if (step != 0) X.move(j, step), w[j] = next, now -= squares[z(j)] * step, moved = true;
            longest = std::max(longest, std::fabs(step)), largest = std::max(largest, std::fabs(next));
            c[z(j)] = now, at[z(j)] = -1;
            seen.see(p, now, next, squares[z(j)]);
        }
        if (longest > path.calm * largest) return false;
        const double *r = X.residual();
        return !moved || seen.value(p, dot(r, r, n), dot(y, r, n)) <= path.tol;
    }

  public:
    Walk(Columns &X, const double *y, const Path &path)
        : X(X), path(path), n(X.n()), d(X.d()), y(y), w(path.w.data()), squares(z(d)), norms(z(d)), c(z(d)),
          at(z(d), 0.0), last(z(n)), plays(z(d)), dice{path.seed} {
        for (int64_t j = 0; j < d; ++j) {
            squares[z(j)] = X.square(j), norms[z(j)] = std::sqrt(squares[z(j)]);
            if (squares[z(j)] <= 0) w[j] = 0;
            if (w[j] != 0) X.move(j, w[j]);
        }
        for (int64_t j = 0; j < d; ++j) c[z(j)] = X.correlation(j);
        std::copy(X.residual(), X.residual() + n, last.begin());
    }

    void go() {
        double before = 0, strongest = 0, longest = 0;
        for (int64_t j = 0; j < d; ++j) {
            before = std::max(before, std::fabs(c[z(j)]));
            longest = std::max(longest, squares[z(j)]);
        }
        strongest = std::sqrt(longest * dot(y, y, n));
        for (int64_t t = 0; t < path.a.size(); ++t) {
            const Penalty p = penalty(path.a[t], path.b[t], path.positive, strongest, longest);
            if (t > 1) foresee(t);
            draw(p, before);
            before = p.a;
            int64_t sweeps = 0;
            bool narrow = false, moved = true;  // narrow: only columns with a weight take their turn
            double gap = look(p);
            while ((gap > path.tol || (sweeps == 0 && !path.eager)) && sweeps < path.max_iter) {
                const bool rests = sweep(p, narrow, moved);
                if (++sweeps < path.max_iter && (narrow || !rests)) {
                    narrow = !rests;
                    if (narrow) rally();
                    gap = std::numeric_limits<double>::infinity();  // not known before the next look
                    continue;
                }
                const size_t players = in_play.size();
                gap = look(p);
                if (!moved && in_play.size() == players && !path.seed) break;
            }
            path.gaps.row(t)[0] = gap, path.gaps.row(t)[1] = objective, path.sweeps[t] = sweeps;
            std::copy(w, w + d, path.weights.row(t));
        }
    }
};

void ready(const Penalties &along, const InOut1<double> &w, const InOut2<double> &weights, const InOut2<double> &gaps,
           const InOut1<int64_t> &sweeps, size_t d) {
    const size_t m = along.a.shape(0);
    require(along.b.shape(0) == m && gaps.shape(0) == m && gaps.shape(1) == 2 && sweeps.shape(0) == m,
            "path: one b, gap, value and sweep for each a");
    require(w.shape(0) == d && weights.shape(0) == m && weights.shape(1) == d, "path: weights have another shape");
}

Path path_of(const Penalties &along, const InOut1<double> &w, const InOut2<double> &weights, const InOut2<double> &gaps,
             const InOut1<int64_t> &sweeps) {
    return {view(along.a), view(along.b),  along.positive, along.seed,    along.tol,  along.calm,
            along.eager,   along.max_iter, view(w),        view(weights), view(gaps), view(sweeps)};
}

void dense_path(In2<double> Z,              // in      (d, n)  the columns of X
                In1<double> squares,        // in      (d,)    |x_j|^2
                In1<double> y,              // in      (n,)
                const Penalties &along,
                InOut1<double> w,           // in/out  (d,)    where to begin; the last weights
                InOut2<double> weights,     // out     (m, d)
                InOut2<double> gaps,        // out     (m, 2)  gap, E(w)
                InOut1<int64_t> sweeps) {   // out     (m,)
    require(y.shape(0) == Z.shape(1) && squares.shape(0) == Z.shape(0), "dense_path: other rows or columns");
    ready(along, w, weights, gaps, sweeps, Z.shape(0));
    nb::gil_scoped_release unlocked;
    DenseColumns X(view(Z), squares.data(), view(y));
    const Path path = path_of(along, w, weights, gaps, sweeps);
    Walk<DenseColumns>(X, y.data(), path).go();
}

void sparse_path(In1<double> value, In1<int32_t> row, In1<int64_t> start,  // in  CSC, rows multiplied by root
                 In1<double> mean,           // in      (d,)   of the columns, 0 without an intercept
                 In1<double> root,           // in      (n,)   roots of the weights
                 In1<double> y,              // in      (n,)   minus its mean, multiplied by root
                 const Penalties &along, InOut1<double> w, InOut2<double> weights, InOut2<double> gaps,
                 InOut1<int64_t> sweeps) {
    const size_t d = mean.shape(0), n = y.shape(0);
    require(start.shape(0) == d + 1 && root.shape(0) == n, "sparse_path: other columns or rows");
    require(are_rows(value, row, start, int64_t(d), int64_t(n)), "sparse_path: these are no columns of the rows");
    ready(along, w, weights, gaps, sweeps, d);
    nb::gil_scoped_release unlocked;
    SparseColumns X{value.data(),
                    mean.data(),
                    root.data(),
                    row.data(),
                    start.data(),
                    int64_t(n),
                    int64_t(d),
                    dot(root.data(), root.data(), int64_t(n)),
                    0.0,
                    std::vector<double>(y.data(), y.data() + n),
                    std::vector<double>(n)};
    const Path path = path_of(along, w, weights, gaps, sweeps);
    Walk<SparseColumns>(X, y.data(), path).go();
}

// One sweep over 1/2 w'Gw - q'w + a |w|_1 + b/2 |w|^2 with c = q - Gw kept up to date.
struct Stir {
    double gain = 0, step = 0, weight = 0;  // largest gain of a step, largest step, largest weight
};
Stir sweep_gram(View2<const double> G, const Penalty &p, Dice *dice, double *w, double *c) {
    const int64_t d = G.rows();
    Stir stir;
    for (int64_t k = 0; k < d; ++k) {
        const int64_t j = dice ? dice->below(d) : k;
        const double square = G.row(j)[j];
        if (square <= 0) {
            w[j] = 0;
            continue;
        }
        const double next = p.weight(c[j] + square * w[j], square), step = next - w[j];
        stir.weight = std::max(stir.weight, std::fabs(next));
        if (step == 0) continue;
        add(-step, G.row(j), c, d);
        w[j] = next;
        stir.gain = std::max(stir.gain, (square + p.b) * step * step), stir.step = std::max(stir.step, std::fabs(step));
    }
    return stir;
}

void refresh(View2<const double> G, const double *q, const double *w, double *c) {  // c = q - G w
    std::copy(q, q + G.rows(), c);
    for (int64_t j = 0; j < G.rows(); ++j)
        if (w[j] != 0) add(-w[j], G.row(j), c, G.rows());
}

void gram_path(In2<double> gram,            // in      (d, d)  X'X
               In1<double> xy,              // in      (d,)    X'y
               double yy,                   // y'y
               const Penalties &along, InOut1<double> w, InOut2<double> weights, InOut2<double> gaps,
               InOut1<int64_t> sweeps) {
    const size_t d = gram.shape(0);
    require(gram.shape(1) == d && xy.shape(0) == d, "gram_path: X'X and X'y have other columns");
    ready(along, w, weights, gaps, sweeps, d);
    const auto &[a, b, positive, seed, tol, share, eager, max_iter] = along;
    nb::gil_scoped_release unlocked;
    const auto G = view(gram);
    const double *q = xy.data();
    double *v = w.data();
    std::vector<double> c(d), square(d);
    Dice dice{seed};
    double longest = 0;
    for (int64_t j = 0; j < int64_t(d); ++j) {
        square[size_t(j)] = G.row(j)[j], longest = std::max(longest, G.row(j)[j]);
        if (square[size_t(j)] <= 0) v[j] = 0;
    }
    for (int64_t t = 0; t < int64_t(a.shape(0)); ++t) {
        const Penalty p = penalty(a.data()[t], b.data()[t], positive, std::sqrt(longest * yy), longest);
        refresh(G, q, v, c.data());
        double objective = 0;
        const auto look = [&] {
            Gap all;
            for (int64_t j = 0; j < int64_t(d); ++j)
                if (square[size_t(j)] > 0) all.see(p, c[size_t(j)], v[j], square[size_t(j)]);
            const double wq = dot(v, q, int64_t(d)), wc = dot(v, c.data(), int64_t(d));
            return all.value(p, std::max(yy - wq - wc, 0.0), yy - wq, &objective);  // |r|^2 = y'y - w'X'y - w'c
        };
        int64_t sweep = 0;
        double gap = look();
        bool calm = eager;
        while ((gap > tol || !calm) && sweep < max_iter) {
            ++sweep;
            const Stir stir = sweep_gram(G, p, seed ? &dice : nullptr, v, c.data());
            calm = stir.step <= share * stir.weight;
            gap = look();
            if (stir.step == 0 && !seed) break;
        }
        gaps.data()[2 * t] = gap, gaps.data()[2 * t + 1] = objective, sweeps.data()[t] = sweep;
        std::copy(v, v + d, weights.data() + size_t(t) * d);
    }
}

// Minimise 1/2 w'Gw - q'w + a |w|_1 + b/2 |w|^2 from w on, until no step of a sweep gains more than tol.
int64_t quadratic(In2<double> gram, In1<double> q, double a, double b, double tol, int64_t max_iter, InOut1<double> w) {
    const size_t d = gram.shape(0);
    require(gram.shape(1) == d && q.shape(0) == d && w.shape(0) == d, "quadratic: other columns");
    nb::gil_scoped_release unlocked;
    const auto G = view(gram);
    std::vector<double> c(d);
    refresh(G, q.data(), w.data(), c.data());
    int64_t sweep = 0;
    while (sweep < max_iter)
        if (++sweep, sweep_gram(G, {a, b, false, false}, nullptr, w.data(), c.data()).gain <= tol) break;
    return sweep;
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    record<Penalties>(m, "Penalties", field("a", &Penalties::a), field("b", &Penalties::b),
                      field("positive", &Penalties::positive), field("seed", &Penalties::seed),
                      field("tol", &Penalties::tol), field("calm", &Penalties::calm), field("eager", &Penalties::eager),
                      field("max_iter", &Penalties::max_iter));
    define(m, "dense_path", &dense_path, "Z", "squares", "y", "along", "w", "weights", "gaps", "sweeps");
    define(m, "sparse_path", &sparse_path, "value", "row", "start", "mean", "root", "y", "along", "w", "weights",
           "gaps", "sweeps");
    define(m, "gram_path", &gram_path, "gram", "xy", "yy", "along", "w", "weights", "gaps", "sweeps");
    define(m, "quadratic", &quadratic, "gram", "q", "a", "b", "tol", "max_iter", "w");
}
