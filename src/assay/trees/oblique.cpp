// Hyperplanes that leave two sides as pure as possible: line searches along any direction, one after another.
//
// A hyperplane gives each row a number v_i; the row is on the left if v_i <= 0. Along a direction a (a column, a
// constant, any mixture of columns) the hyperplanes v + t a differ in one number t, and row i changes sides at
//
//     t_i = -v_i / a_i           a_i > 0: left below t_i, right above;    a_i < 0: right below, left above
//
// so all of them are seen by sorting the t_i and moving one row after the other. Rows with a_i = 0 stay.
//
//     best_step    the t of least impurity along one direction
//     best_column  the same for z_j - t of each column: the best threshold
//     descend      coordinate after coordinate until none helps, then jumps in random directions
//
// Impurity is that of both sides together, I' = sum over sides of (W_side / W) I(side), for class codes (K > 0)
// by Gini index or entropy in bits, for numbers (K = 0) the variance.
// Checked by the caller: finite numbers, codes below K, weights above 0.
// Twins in NumPy: tests/trees/multivariate/test_rows.py.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include <nanobind/stl/tuple.h>

#include "assay/array.hpp"
#include "assay/edge.hpp"
#include "assay/sorting.hpp"

using namespace assay;

namespace {

constexpr double NOTHING = std::numeric_limits<double>::infinity();
constexpr double SAME = 1e-11;   // impurities this close, relative to the node's own, are equal
constexpr double CLOSE = 1e-10;  // crossings this close, relative to their size or that of v / a, are one

struct Rows {
    const double *y, *w;
    int64_t n, K, criterion, min_leaf;  // criterion 0 Gini, 1 entropy
    double min_weight;
};

bool is_large(const Rows &rows, const int64_t *count, const double *weight) {
    return std::min(count[0], count[1]) >= rows.min_leaf && std::min(weight[0], weight[1]) >= rows.min_weight;
}

// W, the number of rows, and the sum over classes of phi(class weight), for both sides; phi(v) = v^2 or v log2 v.
class Classes {
    const Rows &rows;
    std::vector<double> weight, table;
    double phi_sum[2], total[2];

    double phi(double v) const {
        if (rows.criterion == 0) return v * v;
        if (v >= 0 && v < double(table.size()) && v == std::floor(v)) return table[int64_t(v)];
        return v > 0 ? v * std::log2(v) : 0.0;
    }
    double loss(int side) const {  // W I(side)
        const double W = total[side];
        if (!(W > 0)) return 0.0;
        return std::max(rows.criterion == 0 ? W - phi_sum[side] / W : phi(W) - phi_sum[side], 0.0);
    }

  public:
    int64_t count[2];

    explicit Classes(const Rows &rows) : rows(rows), weight(2 * rows.K) {
        if (rows.criterion == 1) {
            table.resize(rows.n + 1);
            for (int64_t v = 1; v <= rows.n; ++v) table[v] = v * std::log2(double(v));
        }
        clear();
    }
    void clear() {
        std::fill(weight.begin(), weight.end(), 0.0);
        for (int side : {0, 1}) phi_sum[side] = total[side] = count[side] = 0;
    }
    void put(int side, int64_t i) { change(side, i, rows.w[i], 1); }
    void take(int side, int64_t i) { change(side, i, -rows.w[i], -1); }
    void change(int side, int64_t i, double w, int64_t one) {
        double &v = weight[side * rows.K + int64_t(rows.y[i])];
        phi_sum[side] -= phi(v);
        v = (count[side] += one) ? v + w : 0.0;
        phi_sum[side] = count[side] ? phi_sum[side] + phi(v) : 0.0;
        total[side] = count[side] ? total[side] + w : 0.0;
    }
    double loss() const { return loss(0) + loss(1); }
    bool large_enough() const { return is_large(rows, count, total); }
};

// The same for numbers: W, sum w y, sum w y^2. The caller centres y, so that little cancels.
class Numbers {
    const Rows &rows;
    double total[2], first[2], second[2];

    double loss(int side) const {
        return total[side] > 0 ? std::max(second[side] - first[side] * first[side] / total[side], 0.0) : 0.0;
    }

  public:
    int64_t count[2];

    explicit Numbers(const Rows &rows) : rows(rows) { clear(); }
    void clear() {
        for (int side : {0, 1}) total[side] = first[side] = second[side] = count[side] = 0;
    }
    void put(int side, int64_t i) { change(side, i, rows.w[i], 1); }
    void take(int side, int64_t i) { change(side, i, -rows.w[i], -1); }
    void change(int side, int64_t i, double w, int64_t one) {
        count[side] += one;
        total[side] += w;
        first[side] += w * rows.y[i];
        second[side] += w * rows.y[i] * rows.y[i];
    }
    double loss() const { return loss(0) + loss(1); }
    bool large_enough() const { return is_large(rows, count, total); }
};

struct Step {
    double t = 0.0, loss = NOTHING;
    bool found() const { return loss < NOTHING; }
};

struct Crossing {
    double at;
    int64_t row;
    bool operator<(const Crossing &other) const { return ascends(at, other.at, row, other.row); }
};

// Sorts by the leading 33 bits (sign, exponent, 21 bits of the fraction) in three counting passes, and then moves
// neighbours that differ only behind them; where many do, the ordinary sort takes over.
class Sorter {
    static constexpr int64_t FEW = 200, BITS = 11, PASSES = 3, BINS = 1 << BITS;
    std::vector<Crossing> other;
    std::vector<int64_t> counts;

    static uint64_t key(double x) {  // ordered as the numbers are
        uint64_t bits;
        std::memcpy(&bits, &x, sizeof bits);
        return (bits >> 63 ? ~bits : bits | (1ull << 63)) >> (64 - PASSES * BITS);
    }

  public:
    explicit Sorter(int64_t n) : other(n > FEW ? n : 0), counts(n > FEW ? PASSES * BINS : 0) {}

    void sort(std::vector<Crossing> &items) {
        const int64_t n = int64_t(items.size());
        if (n <= FEW) return std::sort(items.begin(), items.end());
        std::fill(counts.begin(), counts.end(), 0);
        for (const Crossing &one : items) {
            const uint64_t k = key(one.at);
            for (int64_t p = 0; p < PASSES; ++p) ++counts[p * BINS + int64_t(k >> (p * BITS) & (BINS - 1))];
        }
        Crossing *from = items.data(), *to = other.data();
        for (int64_t p = 0; p < PASSES; ++p, std::swap(from, to)) {
            int64_t *place = &counts[p * BINS], start = 0;
            for (int64_t b = 0; b < BINS; ++b) start += std::exchange(place[b], start);
            for (int64_t i = 0; i < n; ++i) to[place[key(from[i].at) >> (p * BITS) & (BINS - 1)]++] = from[i];
        }
        std::copy(from, from + n, items.data());  // an odd number of passes ends in the other room
        int64_t moves = 0;
        for (int64_t i = 1; i < n; ++i) {
            const Crossing one = items[i];
            int64_t k = i;
            for (; k > 0 && one < items[k - 1]; --k, ++moves) items[k] = items[k - 1];
            items[k] = one;
            if (moves > 8 * n) return std::sort(items.begin(), items.end());
        }
    }
};

enum class Tie { WIDEST, NEAREST };  // among steps of equal loss: the widest gap, or the shortest step

template <class Sides>
class Search {
    std::vector<Crossing> crossing;
    Sorter sorter;

  public:
    const Rows &rows;
    Sides sides;
    double whole;  // loss of all rows on one side

    explicit Search(const Rows &rows) : sorter(rows.n), rows(rows), sides(rows) {
        crossing.reserve(rows.n);
        for (int64_t i = 0; i < rows.n; ++i) sides.put(0, i);
        whole = sides.loss();
    }

    double tolerance() const { return SAME * whole; }

    double loss_of(const double *v) {
        sides.clear();
        for (int64_t i = 0; i < rows.n; ++i) sides.put(v[i] <= 0 ? 0 : 1, i);
        return sides.large_enough() ? sides.loss() : NOTHING;
    }

    Step best_step(const double *v, const double *a, Tie tie, double close = CLOSE) {
        double largest = 0.0, farthest = 0.0;
        for (int64_t i = 0; i < rows.n; ++i) {
            largest = std::max(largest, std::fabs(a[i]));
            farthest = std::max(farthest, std::fabs(v[i]));
        }
        crossing.clear();
        sides.clear();
        for (int64_t i = 0; i < rows.n; ++i) {
            const bool moves = std::fabs(a[i]) > 1e-12 * largest;
            if (moves) crossing.push_back({-v[i] / a[i], i});
            sides.put(moves ? (a[i] > 0 ? 0 : 1) : (v[i] <= 0 ? 0 : 1), i);
        }
        sorter.sort(crossing);
        return scan(a, tie, close, largest > 0 ? farthest / largest : 0.0);
    }

  private:
    Step scan(const double *a, Tie tie, double close, double scale) {
        Step best;
        double rank = NOTHING;  // of equals the one with the smallest rank
        const int64_t m = int64_t(crossing.size());
        for (int64_t k = 0; k + 1 < m; ++k) {
            const auto [low, i] = crossing[k];
            const double high = crossing[k + 1].at;
            const int from = a[i] > 0 ? 0 : 1;
            sides.take(from, i);
            sides.put(1 - from, i);
            if (!(high - low > close * std::max(std::fabs(low) + std::fabs(high), scale))) continue;
            if (!sides.large_enough()) continue;
            const double loss = sides.loss();
            double t = low / 2 + high / 2;
            if (!(t > low && t < high)) t = a[i] > 0 ? high : low;  // neighbouring floats: nothing lies between
            const double place = tie == Tie::WIDEST ? -(high - low) : std::fabs(t);
            const bool nearer = !best.found() || place < rank - 1e-9 * std::fabs(rank);
            if (loss < best.loss - tolerance() || (loss <= best.loss + tolerance() && nearer)) {
                if (loss < best.loss) best.loss = loss;
                best.t = t;
                rank = place;
            }
        }
        return best;
    }
};

// Reproducible draws (splitmix64), uniform in (-1, 1).
struct Draws {
    uint64_t state;
    uint64_t next() {
        uint64_t z = (state += 0x9E3779B97F4A7C15ull);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
        return z ^ (z >> 31);
    }
    double uniform() { return double(next() >> 11) * 0x1.0p-52 - 1.0; }
};

HOT void advance(double *v, const double *a, double t, int64_t n) {  // v += t a
    for (int64_t i = 0; i < n; ++i) v[i] += t * a[i];
}

struct Way {
    int64_t jumps, cycles;
    bool drift;
    uint64_t seed;
    double epsilon;
};

template <class Sides>
class Descent {
    Search<Sides> search;
    const View2<const double> Z;
    const View1<const double> shifts;
    double *weights;
    const Way way;
    const int64_t d, n;
    std::vector<double> v, a, ones, direction;
    double loss;
    int64_t idle = 0;  // equal moves since the last gain
    Draws draws;

  public:
    Descent(const Rows &rows, View2<const double> Z, View1<const double> shifts, double *weights, Way way)
        : search(rows), Z(Z), shifts(shifts), weights(weights), way(way), d(Z.rows()), n(Z.cols()), v(n), a(n),
          ones(n, 1.0), direction(d + 1), draws{way.seed} {
        mix(weights, v.data());
        loss = search.loss_of(v.data());
        if (loss == NOTHING) try_step(d, 0.0, Tie::WIDEST);
    }

    double run() {
        for (int64_t cycle = 0; cycle < way.cycles && loss < NOTHING && loss > search.tolerance(); ++cycle) {
            const double before = loss;
            for (int64_t j = 0; j <= d; ++j) coordinate(j);
            shrink();
            if (loss < before - std::max(way.epsilon * search.whole, search.tolerance())) continue;
            if (!jump()) break;
        }
        if (loss < NOTHING) {  // the threshold into the middle of its gap
            const Step last = search.best_step(v.data(), ones.data(), Tie::WIDEST);
            if (last.found() && last.loss <= loss + search.tolerance()) weights[d] += last.t;
        }
        return loss;
    }

  private:
    void mix(const double *by, double *out) const {  // out = by[:d] @ Z + by[d]
        std::fill(out, out + n, by[d]);
        for (int64_t j = 0; j < d; ++j)
            if (by[j] != 0.0) advance(out, Z.row(j), by[j], n);
    }

    // Along column j, or for j = d along the constant, about which a shift moves the axis of the turn.
    void coordinate(int64_t j) {
        const int64_t several = j == d ? 1 : shifts.size();
        Step best;
        double by = 0.0;
        for (int64_t s = 0; s < several; ++s) {
            const double shift = j == d ? 0.0 : shifts[s];
            const Step step = search.best_step(v.data(), along(j, shift), Tie::NEAREST);
            if (step.loss < best.loss - search.tolerance()) best = step, by = shift;
        }
        if (!best.found()) return;
        if (best.loss < loss - search.tolerance()) {
            idle = 0;
        } else if (!way.drift || best.loss > loss + search.tolerance() ||
                   0.5 * (draws.uniform() + 1.0) >= std::exp(-double(idle++))) {
            return;
        }
        take(j, by, best);
    }

    void try_step(int64_t j, double shift, Tie tie) {
        const Step step = search.best_step(v.data(), along(j, shift), tie);
        if (step.found()) take(j, shift, step);
    }

    const double *along(int64_t j, double shift) {
        if (j == d) return ones.data();
        if (shift == 0.0) return Z.row(j);
        for (int64_t i = 0; i < n; ++i) a[i] = Z.row(j)[i] + shift;
        return a.data();
    }

    void take(int64_t j, double shift, const Step &step) {
        advance(v.data(), along(j, shift), step.t, n);
        weights[j] += step.t;
        if (j < d) weights[d] += step.t * shift;
        loss = step.loss;
    }

    bool jump() {
        for (int64_t r = 0; r < way.jumps; ++r) {
            for (double &part : direction) part = draws.uniform();
            mix(direction.data(), a.data());
            const Step step = search.best_step(v.data(), a.data(), Tie::NEAREST);
            if (!step.found() || !(step.loss < loss - search.tolerance())) continue;
            advance(v.data(), a.data(), step.t, n);
            for (int64_t j = 0; j <= d; ++j) weights[j] += step.t * direction[j];
            loss = step.loss;
            idle = 0;
            return true;
        }
        return false;
    }

    void shrink() {  // to length 1, as many steps may have made the weights long
        double length = 0.0;
        for (int64_t j = 0; j < d; ++j) length += weights[j] * weights[j];
        length = std::sqrt(length);
        if (!(length > 0) || length == NOTHING) return;
        for (int64_t j = 0; j <= d; ++j) weights[j] /= length;
        for (double &one : v) one /= length;
    }
};

template <class Work>
auto with_sides(const Rows &rows, Work work) {
    return rows.K > 0 ? work(static_cast<Classes *>(nullptr)) : work(static_cast<Numbers *>(nullptr));
}

// What all searches are given: the rows, the criterion, and what each side must hold.
struct Case {
    In1<double> y, w;  // (n,)
    int64_t K, criterion, min_leaf;
    double min_weight;
};

Rows rows_of(const Case &given, int64_t n) {
    const auto &[y, w, K, criterion, min_leaf, min_weight] = given;
    require(int64_t(y.shape(0)) == n && int64_t(w.shape(0)) == n, "oblique: y and w must have a number for each row");
    require(K >= 0 && (criterion == 0 || criterion == 1) && min_leaf >= 1, "oblique: no such criterion");
    for (int64_t i = 0; i < n; ++i)
        require(K == 0 || (y.data()[i] >= 0 && y.data()[i] < double(K)), "oblique: y must hold codes below K");
    return {y.data(), w.data(), n, K, criterion, min_leaf, min_weight};
}

double total(const Rows &rows) {
    double W = 0.0;
    for (int64_t i = 0; i < rows.n; ++i) W += rows.w[i];
    return W;
}

// (t, impurity of both sides), impurity inf if no step leaves min_leaf rows and min_weight on each side.
std::tuple<double, double> best_step(In1<double> v,          // in  (n,)  left where <= 0
                                     In1<double> direction,  // in  (n,)
                                     const Case &given) {
    require(v.shape(0) == direction.shape(0), "best_step: v and direction must be equally long");
    const Rows rows = rows_of(given, int64_t(v.shape(0)));
    nb::gil_scoped_release unlocked;
    const Step step = with_sides(rows, [&](auto *kind) {
        Search<std::remove_pointer_t<decltype(kind)>> search(rows);
        return search.best_step(v.data(), direction.data(), Tie::NEAREST);
    });
    return {step.t, step.loss / total(rows)};
}

// (column, threshold, impurity) of the best z_j <= threshold; column -1 if there is none.
std::tuple<int64_t, double, double> best_column(In2<double> Z,  // in  (d, n)  one row for each column of the table
                                                const Case &given, double close) {
    const int64_t d = int64_t(Z.shape(0)), n = int64_t(Z.shape(1));
    const Rows rows = rows_of(given, n);
    nb::gil_scoped_release unlocked;
    const View2<const double> columns = view(Z);
    int64_t column = -1;
    Step best;
    with_sides(rows, [&](auto *kind) {
        Search<std::remove_pointer_t<decltype(kind)>> search(rows);
        const std::vector<double> down(n, -1.0);
        for (int64_t j = 0; j < d; ++j) {
            const Step step = search.best_step(columns.row(j), down.data(), Tie::WIDEST, close);
            if (step.found() && (column < 0 || step.loss < best.loss - search.tolerance())) best = step, column = j;
        }
        return 0;
    });
    return {column, best.t, best.loss / total(rows)};
}

// The impurity reached; weights (bias last) become those of the hyperplane, left where weights[:d] @ Z + bias <= 0.
double descend(In2<double> Z,            // in      (d, n)
               const Case &given,
               InOut1<double> weights,   // in/out  (d + 1,)
               In1<double> shifts,       // in      (s,)  constants tried beside each column
               int64_t jumps, int64_t cycles, bool drift, uint64_t seed, double epsilon) {
    const int64_t d = int64_t(Z.shape(0)), n = int64_t(Z.shape(1));
    require(int64_t(weights.shape(0)) == d + 1, "descend: a weight for each column, and one more");
    const Rows rows = rows_of(given, n);
    nb::gil_scoped_release unlocked;
    const Way way{jumps, cycles, drift, seed, epsilon};
    const double loss = with_sides(rows, [&](auto *kind) {
        return Descent<std::remove_pointer_t<decltype(kind)>>(rows, view(Z), view(shifts), weights.data(), way).run();
    });
    return loss / total(rows);
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    record<Case>(m, "Case", field("y", &Case::y), field("w", &Case::w), field("K", &Case::K),
                 field("criterion", &Case::criterion), field("min_leaf", &Case::min_leaf),
                 field("min_weight", &Case::min_weight));
    define(m, "best_step", &best_step, "v", "direction", "case");
    define(m, "best_column", &best_column, "Z", "case", "close");
    define(m, "descend", &descend, "Z", "case", "weights", "shifts", "jumps", "cycles", "drift", "seed", "epsilon");
}
