// Two loops of learners of boxes: the best corner, and a box that grows.
//
// The best corner: of all pairs of thresholds, one on each of two columns, the pair whose quadrant is worth most.
//
//     value(a, b) = sum of s_i over the rows with u_i >= a and v_i >= b
//
// A row has ranks u and v among the distinct values of its columns, and s is its weight, negative for rows that should
// stay outside. Candidate 0 is no threshold; candidate a > 0 lies between the distinct values a - 1 and a. Among equal
// values the widest margin wins, then fewer thresholds, then the smallest pair of candidates.
//
// The scan goes over a from the largest to the smallest and keeps worth[b] = value(a, b) for all b: a row that enters
// adds s to worth[0 .. v]. One call visits some of the a; the state between calls is worth and best.
//
// Checked by the caller: rows sorted by u, start[a] is the first row of rank a, start[A] the number of rows, 0 <= v <
// B. Twin in NumPy: tests/rules/version_spaces/test_threshold_rule_classifier.py, corner_by_the_book.
//
// The growing box: rows of P join it in a given order, each if the tightest box around it and the rows before it holds
// no row of N. An ordered column is an interval, a nominal one a set of categories, and a missing value (NaN) is
// admitted in a column in which a row of the box has it.
//
// Checked by the caller: codes of nominal columns are whole numbers from 0 to below their number of categories or NaN,
// start[j] is where column j's categories begin in held, order holds row numbers of P.
// Twin in NumPy: tests/rules/version_spaces/test_box_union_classifier.py, grown_by_the_book.
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"

using namespace assay;

namespace {

// best: value, margin, number of thresholds, a, b
bool better(const double *best, double value, double margin, int64_t active, int64_t a, int64_t b, double slack) {
    if (value > best[0] + slack) return true;
    if (value < best[0] - slack) return false;
    if (margin != best[1]) return margin > best[1];
    if (double(active) != best[2]) return double(active) < best[2];
    if (double(a) != best[3]) return double(a) < best[3];
    return double(b) < best[4];
}

HOT double enter(const double s, const int64_t v, double *worth, const int64_t B) {
    for (int64_t b = 0; b <= v; ++b) worth[b] += s;  // worth[: v + 1] += s
    double top = worth[0];
    for (int64_t b = 1; b < B; ++b) top = worth[b] > top ? worth[b] : top;  // worth.max()
    return top;
}

HOT void scan(View1<const int64_t> v, View1<const double> s, View1<const int64_t> start, View1<const double> margin_a,
              View1<const double> margin_b, int64_t from, int64_t down_to, double slack, View1<double> worth,
              View1<double> best) {
    const int64_t B = worth.size();
    double *now = best.data();
    for (int64_t a = from; a >= down_to; --a) {
        double top = 0;
        for (int64_t i = start[a]; i < start[a + 1]; ++i) {
            if (i + 1 < start[a + 1]) {
                for (int64_t b = 0; b <= v[i]; ++b) worth[b] += s[i];
            } else {
                top = enter(s[i], v[i], worth.data(), B);
            }
        }
        if (top < now[0] - slack) continue;  // no b can be best
        for (int64_t b = 0; b < B; ++b) {
            const double margin = margin_a[a] < margin_b[b] ? margin_a[a] : margin_b[b];
            const int64_t active = (a > 0) + (b > 0);
            if (better(now, worth[b], margin, active, a, b, slack)) {
                now[0] = worth[b], now[1] = margin, now[2] = double(active), now[3] = double(a), now[4] = double(b);
            }
        }
    }
}

void best_corner(In1<int64_t> v, In1<double> s, In1<int64_t> start, In1<double> margin_a, In1<double> margin_b,
                 int64_t from, int64_t down_to, double slack, InOut1<double> worth, InOut1<double> best) {
    require(v.shape(0) == s.shape(0) && best.shape(0) == 5 && margin_b.shape(0) == worth.shape(0) &&
                start.shape(0) == margin_a.shape(0) + 1 && down_to >= 0 && from < int64_t(margin_a.shape(0)),
            "ranks, weights or margins of another length");
    require(shares_out(start, length(margin_a), length(v)) && within(v, 0, length(worth)), "ranks that are not there");
    nb::gil_scoped_release unlocked;
    scan(view(v), view(s), view(start), view(margin_a), view(margin_b), from, down_to, slack, view(worth), view(best));
}

struct Box {
    const uint8_t *nominal;
    const int64_t *start;
    double *low, *high;
    uint8_t *gaps, *held;

    bool admits(int64_t j, double x) const {
        if (x != x) return gaps[j];
        return nominal[j] ? held[start[j] + int64_t(x)] : low[j] <= x && x <= high[j];
    }
    bool holds(const double *x, int64_t d) const {
        for (int64_t j = 0; j < d; ++j)
            if (!admits(j, x[j])) return false;
        return true;
    }
    void take(int64_t j, double x) {
        if (x != x) {
            gaps[j] = 1;
        } else if (nominal[j]) {
            held[start[j] + int64_t(x)] = 1;
        } else {
            low[j] = x < low[j] ? x : low[j];
            high[j] = x > high[j] ? x : high[j];
        }
    }
};

void grow(View2<const double> P, View2<const double> N, View1<const int64_t> order, Box box) {
    const int64_t d = P.cols();
    struct Change {
        int64_t j;
        double low, high;
        uint8_t gap;
    };
    std::vector<Change> changed(d);
    int64_t last = -1;  // the negative that stopped the growth most recently often stops it again
    for (int64_t t = 0; t < order.size(); ++t) {
        const double *x = P.row(order[t]);
        int64_t count = 0;
        for (int64_t j = 0; j < d; ++j) {
            if (box.admits(j, x[j])) continue;
            changed[count++] = {j, box.low[j], box.high[j], box.gaps[j]};
            box.take(j, x[j]);
        }
        if (count == 0) continue;
        bool spoiled = last >= 0 && box.holds(N.row(last), d);
        for (int64_t i = 0; i < N.rows() && !spoiled; ++i) {
            if (box.holds(N.row(i), d)) last = i, spoiled = true;
        }
        if (!spoiled) continue;
        for (int64_t c = 0; c < count; ++c) {  // as before
            const Change &old = changed[c];
            box.low[old.j] = old.low, box.high[old.j] = old.high, box.gaps[old.j] = old.gap;
            if (box.nominal[old.j] && x[old.j] == x[old.j]) box.held[box.start[old.j] + int64_t(x[old.j])] = 0;
        }
    }
}

void grow_box(In2<double> P, In2<double> N, In1<int64_t> order, In1<uint8_t> nominal, In1<int64_t> start,
              InOut1<double> low, InOut1<double> high, InOut1<uint8_t> gaps, InOut1<uint8_t> held) {
    const auto d = P.shape(1);
    require(N.shape(1) == d && nominal.shape(0) == d && start.shape(0) == d && low.shape(0) == d &&
                high.shape(0) == d && gaps.shape(0) == d,
            "rows or ends of another length");
    require(within(order, 0, length(P)), "a row that is not there");
    for (size_t j = 0; j < d; ++j) {
        if (!nominal.data()[j]) continue;
        const int64_t first = start.data()[j], room = length(held) - first;
        bool fits = first >= 0 && room >= 0;
        for (int64_t i = 0; i < length(P) + length(N); ++i) {
            const double x = i < length(P) ? P.data()[i * int64_t(d) + int64_t(j)]
                                           : N.data()[(i - length(P)) * int64_t(d) + int64_t(j)];
            fits &= x != x || (x >= 0 && x < double(room));
        }
        require(fits, "a category that is not there");
    }
    nb::gil_scoped_release unlocked;
    grow(view(P), view(N), view(order),
         {nominal.data(), start.data(), low.data(), high.data(), gaps.data(), held.data()});
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    m.doc() = "The best pair of thresholds on two columns, and boxes that grow.";
    define(m, "grow_box", &grow_box, "P", "N", "order", "nominal", "start", "low", "high", "gaps", "held");
    define(m, "best_corner", &best_corner, "v", "s", "start", "margin_a", "margin_b", "first", "last", "slack", "worth",
           "best");
}
