// Neighbour counts of the estimators of mutual information.
//
//     on_a_line    (Ross)     r_i = distance of the k-th nearest row of the same class,  m_i = rows within r_i,
//                             k_i = rows of the class within r_i
//     in_a_plane   (Kraskov)  r_i = distance of the k-th nearest row by max(|dx|, |dy|),  m_i, l_i = rows within r_i
//                             by x alone, by y alone,  k_i = rows within r_i by both
//
// "Within" is nearer than r, and at distance 0 if r = 0; a row is within its own radius. So k_i is k, less where rows
// share the k-th distance, as those of rounded numbers do: all counts leave the same rows out, or noise would seem to
// tell something. A row of weight w is w rows: w - 1 of them are at distance 0 of it, and the k-th nearest row is where
// the weights have added up to k.
//
// Line: rows in ascending order, so that the nearest ones of a class are beside it. Plane: rows in ascending x are cut
// into strips, the rows of a strip are in ascending y; a query looks at the strips from its own outwards until they
// are farther away than its k-th nearest row, and in each from its own y outwards.
//
// Checked by the caller: no NaN, weights above 0, order ascending.
// Twins in NumPy: tests/select/filters/test_mutual_info.py, the functions ..._by_the_book.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"

using namespace assay;

namespace {

constexpr double ENOUGH = 1e-9;  // weights that miss k by less have reached it

// The weight of the rows whose value is within r of that at position p of ascending values; the search widens from p.
struct Within {
    const double *x;  // (n,) ascending
    const double *before;  // (n + 1,) sums of weights, or null for ones
    int64_t n;

    double operator()(int64_t p, double r) const {
        const double v = x[p];
        const auto near = [&](int64_t q) {
            const double gap = std::fabs(x[q] - v);
            return gap < r || gap == 0.0;
        };
        int64_t low = p, high = p + 1, step = 1;  // x[low...high) is near; the ends are found by doubling, then halving
        while (low - step >= 0 && near(low - step)) low -= step, step *= 2;
        for (; step; step /= 2)
            while (low - step >= 0 && near(low - step)) low -= step;
        step = 1;
        while (high + step <= n && near(high + step - 1)) high += step, step *= 2;
        for (; step; step /= 2)
            while (high + step <= n && near(high + step - 1)) high += step;
        return before ? before[high] - before[low] : double(high - low);
    }
};

// The sums of the weights up to each row, in an order (null: as they are); none without weights.
std::vector<double> running(const double *w, const int64_t *order, int64_t n) {
    std::vector<double> before;
    if (!w) return before;
    before.resize(n + 1, 0.0);
    for (int64_t p = 0; p < n; ++p) before[p + 1] = before[p] + w[order ? order[p] : p];
    return before;
}

void on_a_line(In1<double> x,  // in   (n,)
               In1<int64_t> order,  // in   (m,) rows by ascending x
               In1<int64_t> group,  // in   (n,) classes
               In1<double> w,  // in   (n,) or (0,) for ones
               In1<double> k,  // in   (K,) how many neighbours in each class, at most its weight less 1
               InOut1<double> count,  // out  (m,) m_i, in the order of `order`
               InOut1<double> alike) {  // out  (m,) k_i, in the order of `order`
    const int64_t n = length(x), m = length(order), K = length(k);
    require(length(group) == n && weighs(w, n) && length(count) == m && length(alike) == m,
            "on_a_line: a class and a place for each row");
    require(within(order, 0, n) && within(group, 0, K), "on_a_line: a row or a class that is not there");
    nb::gil_scoped_release unlocked;
    const double *weight = w.size() ? w.data() : nullptr;
    std::vector<double> sorted(m), values(m), weights(weight ? m : 0);
    std::vector<int64_t> start(K + 1, 0), place(m);
    for (int64_t p = 0; p < m; ++p) sorted[p] = x.data()[order.data()[p]];
    for (int64_t p = 0; p < m; ++p) ++start[group.data()[order.data()[p]] + 1];
    for (int64_t c = 0; c < K; ++c) start[c + 1] += start[c];
    std::vector<int64_t> next(start.begin(), start.end() - 1);
    for (int64_t p = 0; p < m; ++p) {  // the rows of each class side by side, in ascending order
        const int64_t t = next[group.data()[order.data()[p]]]++;
        place[t] = p;
        values[t] = sorted[p];
        if (weight) weights[t] = weight[order.data()[p]];
    }
    const std::vector<double> before = running(weight, order.data(), m);
    const std::vector<double> before_in_class = running(weight ? weights.data() : nullptr, nullptr, m);
    const Within near{sorted.data(), weight ? before.data() : nullptr, m};
    for (int64_t c = 0; c < K; ++c) {
        const Within near_in_class{values.data() + start[c], weight ? before_in_class.data() + start[c] : nullptr,
                                   start[c + 1] - start[c]};
        for (int64_t t = start[c]; t < start[c + 1]; ++t) {
            int64_t low = t - 1, high = t + 1;
            double radius = 0.0, total = weight ? weights[t] - 1.0 : 0.0;
            while (total < k.data()[c] - ENOUGH && (low >= start[c] || high < start[c + 1])) {
                const double left = low >= start[c] ? values[t] - values[low] : INFINITY;
                const double right = high < start[c + 1] ? values[high] - values[t] : INFINITY;
                const bool below = high == start[c + 1] || (low >= start[c] && left <= right);  // NaN and infinity too
                const int64_t taken = below ? low-- : high++;
                radius = below ? left : right;
                total += weight ? weights[taken] : 1.0;
            }
            count.data()[place[t]] = near(place[t], radius);
            alike.data()[place[t]] = near_in_class(t - start[c], radius);
        }
    }
}

// The nearest rows so far, by ascending distance, as few as weigh k together.
class Nearest {
    std::vector<std::pair<double, double>> rows_;  // distance, weight
    double total_ = 0.0, k_;

  public:
    explicit Nearest(double k) : k_(k) {}
    void clear() { rows_.clear(), total_ = 0.0; }
    double radius() const { return total_ < k_ - ENOUGH ? INFINITY : rows_.back().first; }
    double nearer() const {  // the weight of the rows nearer than the radius
        double sum = 0.0;
        for (const auto &[distance, weight] : rows_) sum += distance < radius() ? weight : 0.0;
        return sum;
    }
    void add(double distance, double weight) {
        auto at = rows_.end();
        while (at != rows_.begin() && (at - 1)->first > distance) --at;
        rows_.insert(at, {distance, weight});
        total_ += weight;
        while (total_ - rows_.back().second >= k_ - ENOUGH) total_ -= rows_.back().second, rows_.pop_back();
    }
};

void in_a_plane(In1<double> x,  // in   (n,)
                In1<double> y,  // in   (n,)
                In1<int64_t> by_x,  // in   (n,) all rows by ascending x
                In1<int64_t> by_y,  // in   (n,) all rows by ascending y
                In1<double> w,  // in   (n,) or (0,) for ones
                double k,
                InOut1<double> x_count,  // out  (n,)
                InOut1<double> y_count,  // out  (n,)
                InOut1<double> alike) {  // out  (n,) k_i, 0 where the radius is 0: rows equal to it were not all seen
    const int64_t n = length(x);
    require(length(y) == n && length(by_x) == n && length(by_y) == n && weighs(w, n) && length(x_count) == n &&
                length(y_count) == n && length(alike) == n && k > 0,
            "in_a_plane: a value and a place for each row");
    require(within(by_x, 0, n) && within(by_y, 0, n), "in_a_plane: a row that is not there");
    nb::gil_scoped_release unlocked;
    const double *X = x.data(), *Y = y.data(), *weight = w.size() ? w.data() : nullptr;
    const int64_t size = std::max<int64_t>(8, int64_t(std::sqrt(double(n)))), strips = (n + size - 1) / size;
    std::vector<int64_t> row(by_x.data(), by_x.data() + n), strip(n), x_place(n), y_place(n);
    std::vector<double> xs(n), ys(n), strip_x(n), strip_y(n);
    for (int64_t p = 0; p < n; ++p) {
        strip[row[p]] = p / size;
        x_place[row[p]] = p;
        y_place[by_y.data()[p]] = p;
        xs[p] = X[row[p]];
        ys[p] = Y[by_y.data()[p]];
    }
    std::vector<int64_t> fill(strips);  // rows by ascending y, dealt out to the strips
    for (int64_t s = 0; s < strips; ++s) fill[s] = s * size;
    for (int64_t p = 0; p < n; ++p) {
        const int64_t i = by_y.data()[p], s = strip[i];
        if (fill[s] == std::min(n, (s + 1) * size)) continue;  // only if an order names a row twice
        row[fill[s]++] = i;
    }
    for (int64_t p = 0; p < n; ++p) strip_x[p] = X[row[p]], strip_y[p] = Y[row[p]];
    const std::vector<double> x_before = running(weight, by_x.data(), n), y_before = running(weight, by_y.data(), n);
    const Within near_x{xs.data(), weight ? x_before.data() : nullptr, n};
    const Within near_y{ys.data(), weight ? y_before.data() : nullptr, n};
    Nearest nearest(k);
    const auto look = [&](int64_t i, int64_t s) {
        const int64_t first = s * size, last = std::min(n, first + size);
        const double v = Y[i];
        const auto consider = [&](int64_t q) {
            if (row[q] == i) return;
            const double apart = std::max(std::fabs(strip_x[q] - X[i]), std::fabs(strip_y[q] - v));
            if (apart < nearest.radius()) nearest.add(apart, weight ? weight[row[q]] : 1.0);
        };
        const int64_t middle = std::lower_bound(strip_y.begin() + first, strip_y.begin() + last, v) - strip_y.begin();
        for (int64_t q = middle; q < last && strip_y[q] - v < nearest.radius(); ++q) consider(q);
        for (int64_t q = middle - 1; q >= first && v - strip_y[q] < nearest.radius(); --q) consider(q);
    };
    for (int64_t p = 0; p < n; ++p) {
        const int64_t i = by_x.data()[p], s = strip[i];
        nearest.clear();
        if (weight && weight[i] > 1.0) nearest.add(0.0, weight[i] - 1.0);
        look(i, s);
        for (int64_t t = s - 1; t >= 0 && X[i] - xs[(t + 1) * size - 1] < nearest.radius(); --t) look(i, t);
        for (int64_t t = s + 1; t < strips && xs[t * size] - X[i] < nearest.radius(); ++t) look(i, t);
        const double radius = nearest.radius();
        x_count.data()[i] = near_x(x_place[i], radius);
        y_count.data()[i] = near_y(y_place[i], radius);
        alike.data()[i] = radius > 0 ? nearest.nearer() + (weight ? std::min(weight[i], 1.0) : 1.0) : 0.0;
    }
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    define(m, "on_a_line", &on_a_line, "x", "order", "group", "w", "k", "count", "alike");
    define(m, "in_a_plane", &in_a_plane, "x", "y", "by_x", "by_y", "w", "k", "x_count", "y_count", "alike");
}
