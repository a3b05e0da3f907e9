// The k nearest training rows of test rows, for all sets of columns that differ from a base by one.
//
//     t_i = s_i + |q_c - x_ic|^p   or   s_i - |q_c - x_ic|^p,      s_i = sum over the base of |q_j - x_ij|^p       (1)
//
// The sums s of the base are made once for each test row, and its nearest training rows by them put in order; they
// serve all candidates c. A row whose s exceeds the k-th smallest t so far, by more than the column that goes can take
// away, is never looked at. t is rounded in another order than the sum over the whole set, so all rows within rounding
// of the k-th are summed again as the neighbour search sums them (`apart` in distances/nearest.cpp: four running sums
// over ascending columns), and among equal sums the lower row comes first: the neighbours are those that a search would
// name.
//
// Twin in NumPy: tests/select/subsets/test_neighbors.py, nearest_by_the_book.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"

using namespace assay;

namespace {

constexpr int64_t LANES = 16, BLOCK = 8;  // rows compared at once, far and near
constexpr int64_t SAMPLE = 64, IN_ORDER = 32;  // rows that tell the radius; rows that are put in order at a time
constexpr double ENDLESS = std::numeric_limits<double>::infinity();

struct Near {
    double sum;
    int64_t row;
    bool operator<(const Near &other) const { return sum < other.sum || (sum == other.sum && row < other.row); }
};

struct Rows {
    View2<const double> XT;  // (d, n) training columns
    View2<const double> Q;  // (m, d) test rows
    bool squared;  // p = 2, else 1
    INLINE double term(double a, double b) const {
        const double gap = std::fabs(a - b);
        return squared ? gap * gap : gap;
    }
    // The sum over a set of ascending columns, in the order of the neighbour search and by the same instructions.
    __attribute__((noinline)) double apart(int64_t q, int64_t i, const std::vector<int64_t> &columns) const {
        double sums[4] = {0, 0, 0, 0};
        const int64_t d = int64_t(columns.size()), whole = d - d % 4;
        for (int64_t t = 0; t < d; ++t) {
            const int64_t j = columns[t];
            sums[t < whole ? t % 4 : 0] += term(Q.row(q)[j], XT.row(j)[i]);
        }
        return (sums[0] + sums[1]) + (sums[2] + sums[3]);
    }
};

// The k smallest upper bounds of sums, and the rows that may be among the k nearest, with lower bounds of their sums.
struct Best {
    std::vector<double> highs;  // ascending
    std::vector<double> lows;  // (n,) of which the first `count` are used
    std::vector<int64_t> rows;
    int64_t count = 0;
    Best(int64_t n, int64_t k) : highs(size_t(k), ENDLESS), lows(size_t(n)), rows(size_t(n)) {}
    double last() const { return highs.back(); }
    void clear() {
        std::fill(highs.begin(), highs.end(), ENDLESS);
        count = 0;
    }
    INLINE void offer(double low, double high, int64_t row) {
        if (!(low <= last())) return;
        lows[count] = low, rows[count++] = row;
        if (!(high < last())) return;
        int64_t at = int64_t(highs.size()) - 1;
        for (; at > 0 && highs[at - 1] > high; --at) highs[at] = highs[at - 1];
        highs[at] = high;
    }
    INLINE void trim() {
        int64_t kept = 0;
        for (int64_t a = 0; a < count; ++a) {
            rows[kept] = rows[a];
            kept += lows[a] <= last();
        }
        count = kept;
    }
};

struct Work {
    std::vector<double> s, others_s, first_s;
    std::vector<Near> near, ordered;  // of the base: a part of the rows, of which the first are in order
    std::vector<int64_t> others, first;  // the rest; the rows that are in order
    std::vector<std::vector<int64_t>> sets;
    Best best;
    Work(int64_t n, int64_t k) : s(n), others_s(n), others(n), best(n, k) {}
    // Some more of `ordered` in order.
    void order_more() {
        const int64_t from = int64_t(first.size()), size = int64_t(ordered.size());
        const int64_t to = std::min(size, from + std::max(IN_ORDER, from));
        if (to < size) std::nth_element(ordered.begin() + from, ordered.begin() + to, ordered.end());
        std::sort(ordered.begin() + from, ordered.begin() + to);
        for (int64_t a = from; a < to; ++a) first_s.push_back(ordered[a].sum), first.push_back(ordered[a].row);
    }
};

// s, the sums of the base.
template <bool squared>
INLINE void base_sums(const Rows &rows, int64_t q, const int64_t *base, int64_t b, double *s) {
    const int64_t n = rows.XT.cols();
    for (int64_t i = 0; i < n; ++i) s[i] = 0;
    for (int64_t t = 0; t < b; ++t) {
        const double x = rows.Q.row(q)[base[t]], *column = rows.XT.row(base[t]);
        for (int64_t i = 0; i < n; ++i) {
            const double gap = std::fabs(x - column[i]);
            s[i] += squared ? gap * gap : gap;
        }
    }
}

// Rows whose s is at most some radius, about n / 8 of them, to be put in order; the others as they come. Gives how many
// others.
INLINE int64_t part_rows(int64_t n, Work &work) {
    const double *s = work.s.data();
    double radius = ENDLESS;
    if (n >= 4 * SAMPLE) {
        double sample[SAMPLE];
        for (int64_t l = 0; l < SAMPLE; ++l) sample[l] = s[l * (n / SAMPLE)];
        std::nth_element(sample, sample + SAMPLE / 8, sample + SAMPLE);
        radius = sample[SAMPLE / 8];
    }
    int64_t count = 0, inside = 0;
    work.ordered.resize(size_t(n));
    for (int64_t i = 0; i < n; ++i) {  // written to both, so that nothing has to be foretold
        const bool near = s[i] <= radius;
        work.ordered[inside] = {s[i], i};
        work.others[count] = i, work.others_s[count] = s[i];
        inside += near, count += !near;
    }
    work.ordered.resize(size_t(inside));
    work.first.clear(), work.first_s.clear();
    return count;
}

// All rows that may be among the k nearest with one column c more or less.
template <bool squared, int sign>
INLINE void gather(double x, const double *column, double reach, double unit, int64_t others, Work &work) {
    Best &best = work.best;
    best.clear();
    const auto offer = [&](double s, int64_t i) __attribute__((always_inline)) {
        const double gap = std::fabs(x - column[i]), term = squared ? gap * gap : gap;
        const double t = sign > 0 ? s + term : s - term, error = unit * (s + term);
        best.offer(t - error, t + error, i);
    };
    const double least = 1 - 2 * unit;  // no row has a lower bound below s * least - reach
    for (int64_t a = 0; a < int64_t(work.ordered.size()); a += BLOCK) {
        if (a + BLOCK > int64_t(work.first.size())) work.order_more();
        const double *s = work.first_s.data() + a;
        const int64_t *i = work.first.data() + a, size = std::min(BLOCK, int64_t(work.ordered.size()) - a);
        if (s[0] * least - reach > best.last()) return;
        if (size == BLOCK && a > 0) {
            double low[BLOCK];
            for (int64_t l = 0; l < BLOCK; ++l) {
                const double gap = std::fabs(x - column[i[l]]), term = squared ? gap * gap : gap;
                low[l] = (sign > 0 ? s[l] + term : s[l] - term) - unit * (s[l] + term);
            }
            int any = 0;
            for (int64_t l = 0; l < BLOCK; ++l) any |= low[l] <= best.last();
            if (!any) continue;
        }
        for (int64_t l = 0; l < size; ++l) offer(s[l], i[l]);
    }
    for (int64_t a = 0; a < others; a += LANES) {
        const int64_t end = std::min(a + LANES, others);
        const double limit = (best.last() + reach) / least;
        if (end - a == LANES) {
            int any = 0;
            for (int64_t l = 0; l < LANES; ++l) any |= work.others_s[a + l] <= limit;
            if (!any) continue;
        }
        for (int64_t l = a; l < end; ++l)
            if (work.others_s[l] <= limit) offer(work.others_s[l], work.others[l]);
    }
}

template <bool squared, int sign>
INLINE void of_query(const Rows &rows, int64_t q, const int64_t *base, int64_t b, const int64_t *candidates, int64_t C,
                     int64_t k, const double *low, const double *high, bool exact, Work &work, int64_t *row,
                     double *sum) {
    const int64_t n = rows.XT.cols(), m = rows.Q.rows();
    base_sums<squared>(rows, q, base, b, work.s.data());
    const int64_t others = part_rows(n, work);
    const double unit = 4 * double(b + 4) * std::numeric_limits<double>::epsilon();
    for (int64_t c = 0; c < C; ++c) {
        const double x = rows.Q.row(q)[candidates[c]];
        const double farthest = std::max(std::fabs(x - low[c]), std::fabs(x - high[c]));
        const double reach = sign > 0 ? 0.0 : (1 + 2 * unit) * (squared ? farthest * farthest : farthest);
        gather<squared, sign>(x, rows.XT.row(candidates[c]), reach, unit, others, work);
        work.best.trim();
        int64_t *to = row + (c * m + q) * k;
        if (!exact && work.best.count == k) {
            for (int64_t a = 0; a < k; ++a) to[a] = work.best.rows[a];
            continue;
        }
        work.near.clear();
        for (int64_t a = 0; a < work.best.count; ++a)
            work.near.push_back({rows.apart(q, work.best.rows[a], work.sets[c]), work.best.rows[a]});
        const int64_t found = std::min<int64_t>(k, int64_t(work.near.size()));
        std::partial_sort(work.near.begin(), work.near.begin() + found, work.near.end());
        for (int64_t a = 0; a < found; ++a) {
            to[a] = work.near[a].row;
            if (exact) sum[(c * m + q) * k + a] = work.near[a].sum;
        }
    }
}

#define SEARCH(name, squared, sign)                                                                                  \
    HOT void name(const Rows &rows, const int64_t *base, int64_t b, const int64_t *candidates, int64_t C, int64_t k, \
                  const double *low, const double *high, bool exact, Work &work, int64_t *row, double *sum) {        \
        for (int64_t q = 0; q < rows.Q.rows(); ++q)                                                                  \
            of_query<squared, sign>(rows, q, base, b, candidates, C, k, low, high, exact, work, row, sum);           \
    }
SEARCH(add_squares, true, 1)
SEARCH(add_gaps, false, 1)
SEARCH(take_squares, true, -1)
SEARCH(take_gaps, false, -1)

// The sets of columns, each ascending: the base with each candidate, or without it.
std::vector<std::vector<int64_t>> sets_of(const In1<int64_t> &base, const In1<int64_t> &candidates, bool adding) {
    std::vector<std::vector<int64_t>> sets;
    for (int64_t c = 0; c < length(candidates); ++c) {
        std::vector<int64_t> set;
        for (int64_t t = 0; t < length(base); ++t)
            if (adding || base.data()[t] != candidates.data()[c]) set.push_back(base.data()[t]);
        if (adding) set.push_back(candidates.data()[c]);
        std::sort(set.begin(), set.end());
        sets.push_back(std::move(set));
    }
    return sets;
}

void nearest(In2<double> XT,  // in   (d, n)     training columns, finite
             In2<double> Q,  // in   (m, d)     test rows, finite
             In1<int64_t> base,  // in   (b,)
             In1<int64_t> candidates,  // in   (C,)
             bool adding,  //                 whether candidates come, or go
             bool squared,  //                 p = 2, else 1
             InOut2<int64_t> row,  // out  (C m, k)   neighbours, the nearest first; without sums in any order
             InOut2<double> sum) {  // out  (C m, k)   their sums, or (0, k) if they are not asked for
    const int64_t d = length(XT), n = int64_t(XT.shape(1)), m = length(Q), k = int64_t(row.shape(1));
    const int64_t C = length(candidates);
    require(int64_t(Q.shape(1)) == d && length(row) == sized(C, m, "nearest: too many sets") &&
                (length(sum) == length(row) || length(sum) == 0) && int64_t(sum.shape(1)) == k && k >= 1 && k <= n,
            "nearest: shapes do not fit");
    require(within(base, 0, d) && within(candidates, 0, d), "nearest: a column that is not there");
    const nb::gil_scoped_release unlocked;
    const Rows rows{view(XT), view(Q), squared};
    Work work(n, k);
    work.sets = sets_of(base, candidates, adding);
    std::vector<double> low(C), high(C);
    for (int64_t c = 0; c < C; ++c) {
        const double *column = rows.XT.row(candidates.data()[c]);
        const auto ends = std::minmax_element(column, column + n);
        low[c] = *ends.first, high[c] = *ends.second;
    }
    std::fill(row.data(), row.data() + row.size(), 0);
    std::fill(sum.data(), sum.data() + sum.size(), 0.0);
    const auto search = adding ? (squared ? add_squares : add_gaps) : (squared ? take_squares : take_gaps);
    search(rows, base.data(), length(base), candidates.data(), C, k, low.data(), high.data(), length(sum) > 0, work,
           row.data(), sum.data());
}

// The same for sets of one column alone, whose training rows are in order: the nearest lie around the test row's place.
void nearest_alone(In2<double> XT,  // in   (d, n)     training columns, finite
                   In2<int64_t> order,  // in   (d, n)     their rows, ascending by value
                   In2<double> Q,  // in   (m, d)     test rows
                   In1<int64_t> candidates,  // in   (C,)
                   bool squared,
                   InOut2<int64_t> row,  // out  (C m, k)
                   InOut2<double> sum) {  // out  (C m, k)
    const int64_t d = length(XT), n = int64_t(XT.shape(1)), m = length(Q), k = int64_t(row.shape(1));
    const int64_t C = length(candidates);
    require(length(order) == d && int64_t(order.shape(1)) == n && int64_t(Q.shape(1)) == d &&
                length(row) == sized(C, m, "nearest_alone: too many sets") && length(sum) == length(row) &&
                int64_t(sum.shape(1)) == k && k >= 1 && k <= n,
            "nearest_alone: shapes do not fit");
    require(within(order, 0, n) && within(candidates, 0, d), "nearest_alone: a row or column that is not there");
    const nb::gil_scoped_release unlocked;
    const Rows rows{view(XT), view(Q), squared};
    std::vector<double> sorted(n);
    std::vector<Near> near;
    for (int64_t c = 0; c < C; ++c) {
        const int64_t j = candidates.data()[c], *place = view(order).row(j);
        for (int64_t i = 0; i < n; ++i) sorted[i] = rows.XT.row(j)[place[i]];
        for (int64_t q = 0; q < m; ++q) {
            const double x = rows.Q.row(q)[j];
            int64_t right = std::lower_bound(sorted.begin(), sorted.end(), x) - sorted.begin(), left = right - 1;
            near.clear();
            while (left >= 0 || right < n) {  // until both ends are farther than the k-th
                const double a = left >= 0 ? rows.term(x, sorted[left]) : ENDLESS;
                const double b = right < n ? rows.term(x, sorted[right]) : ENDLESS;
                const bool below = right == n || (left >= 0 && a <= b);  // an end that is left, whatever the numbers
                const double nearer = below ? a : b;
                if (int64_t(near.size()) >= k && nearer > near.back().sum) break;
                near.push_back({nearer, place[below ? left-- : right++]});
            }
            std::partial_sort(near.begin(), near.begin() + k, near.end());
            for (int64_t a = 0; a < k; ++a) {
                row.data()[(c * m + q) * k + a] = near[a].row;
                sum.data()[(c * m + q) * k + a] = near[a].sum;
            }
        }
    }
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    define(m, "nearest", &nearest, "XT", "Q", "base", "candidates", "adding", "squared", "row", "sum");
    define(m, "nearest_alone", &nearest_alone, "XT", "order", "Q", "candidates", "squared", "row", "sum");
}
