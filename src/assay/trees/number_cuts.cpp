// The best threshold of each numeric column at a node whose targets are numbers.
//
//     after(t) = (N_0 e_0 + N_1 e_1) / (N_0 + N_1),      e = s^2 or s, the deviation about the mean of a side       (1)
//
// over the thresholds half way between neighbouring distinct values. With `most` > 0 only about that many of them, with
// equally much weight between them. Each side weighs `least` or more. Among equals, up to `slack`, the first is taken.
// A missing value (NaN) is on no side, and (1) is about the others.
//
// Checked here: shapes, and row and column numbers. Cost: O(m log m) for each column of m rows.
// Twin: assay.trees.split_search.SplitSearch.columns, compared in tests/trees/test_number_cuts.py.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"

using namespace assay;

namespace {

using std::vector;
using Block = nb::ndarray<const double, nb::ndim<2>, nb::device::cpu>;  // rows or columns together, as it comes

constexpr double TIE = 1e-12;  // as in split_search.py
constexpr double NAN_ = std::numeric_limits<double>::quiet_NaN();

struct Value {
    double x, y, w;
};

struct Sums {
    double weight = 0, first = 0, second = 0;

    void add(double w, double y) { weight += w, first += w * y, second += w * y * y; }
    Sums rest_of(const Sums &all) const { return {all.weight - weight, all.first - first, all.second - second}; }
    double error(bool root) const {
        const double mean = first / weight, square = std::max(second / weight - mean * mean, 0.0);
        return root ? std::sqrt(square) : square;
    }
};

struct Limits {
    int64_t most;
    double least;
    bool root;
};

struct Cut {
    double after, threshold;
};

double half_way(double below, double above) {
    const double middle = below / 2 + above / 2;
    return middle >= above || middle < below ? below : middle;
}

// The thresholds to try on values in ascending order, with (1) of each.
void try_cuts(const vector<Value> &values, const Limits &limits, const Sums &all, int64_t distinct, vector<Cut> &cuts) {
    const bool thin = limits.most > 0 && distinct - 1 > limits.most;
    const double least = limits.least * (1 - TIE), step = all.weight / double(limits.most + 1);
    int64_t wanted = 1, seen = 0;
    Sums left;
    cuts.clear();
    for (size_t i = 0; i + 1 < values.size(); ++i) {
        left.add(values[i].w, values[i].y);
        if (!(values[i + 1].x > values[i].x)) continue;
        ++seen;
        if (thin) {  // the first at which the weight below reaches the next of the equal parts, and else the last
            const bool reached = wanted <= limits.most && left.weight >= step * double(wanted) * (1 - TIE);
            if (!reached && !(seen == distinct - 1 && wanted <= limits.most)) continue;
            while (wanted <= limits.most && left.weight >= step * double(wanted) * (1 - TIE)) ++wanted;
        }
        const Sums right = left.rest_of(all);
        if (!(left.weight > 0) || !(right.weight > 0) || std::min(left.weight, right.weight) < least) continue;
        const double after = (left.weight * left.error(limits.root) + right.weight * right.error(limits.root)) /
                             (left.weight + right.weight);  // (1)
        cuts.push_back({after, half_way(values[i].x, values[i + 1].x)});
    }
}

// For each column: threshold (NaN: none), (1), the error before, and the share of the weight whose value is known.
void best_cuts(Block X,  // in  (n, d)
               In1<int64_t> rows,  // in  (m,)
               In1<double> w,  // in  (m,)  positive
               In1<double> y,  // in  (n,)
               In1<int64_t> columns,  // in  (c,)
               int64_t most, double least, double slack, bool root,
               InOut2<double> out) {  // out (c, 4)
    const int64_t n = int64_t(X.shape(0)), d = int64_t(X.shape(1)), m = int64_t(rows.shape(0));
    const int64_t c = int64_t(columns.shape(0)), down = X.stride(0), across = X.stride(1);
    require(int64_t(w.shape(0)) == m && int64_t(y.shape(0)) == n, "best_cuts: shapes");
    require(int64_t(out.shape(0)) == c && out.shape(1) == 4, "best_cuts: shape of the answer");
    bool fits = true;
    for (int64_t i = 0; i < m; ++i) fits &= rows.data()[i] >= 0 && rows.data()[i] < n;
    for (int64_t j = 0; j < c; ++j) fits &= columns.data()[j] >= 0 && columns.data()[j] < d;
    require(fits, "best_cuts: a number is out of range");
    nb::gil_scoped_release unlocked;
    vector<Value> values;
    vector<Cut> cuts;
    values.reserve(m);
    double total = 0;
    for (int64_t i = 0; i < m; ++i) total += w.data()[i];
    for (int64_t j = 0; j < c; ++j) {
        double *answer = out.data() + 4 * j;
        answer[0] = answer[1] = answer[2] = answer[3] = NAN_;
        const double *x = X.data() + columns.data()[j] * across;
        double middle = 0;
        values.clear();
        for (int64_t i = 0; i < m; ++i) {
            const int64_t row = rows.data()[i];
            if (std::isnan(x[row * down])) continue;
            values.push_back({x[row * down], y.data()[row], w.data()[i]});
            middle += y.data()[row];
        }
        if (values.empty()) continue;
        middle /= double(values.size());  // squares of numbers far from zero lose digits
        for (Value &v : values) v.y -= middle;
        std::stable_sort(values.begin(), values.end(), [](const Value &a, const Value &b) { return a.x < b.x; });
        Sums all;
        int64_t distinct = 1;
        for (size_t i = 0; i < values.size(); ++i) {
            all.add(values[i].w, values[i].y);
            distinct += i > 0 && values[i].x > values[i - 1].x;
        }
        if (distinct == 1) continue;
        try_cuts(values, {most, least, root}, all, distinct, cuts);
        if (cuts.empty()) continue;
        double best = cuts[0].after;
        for (const Cut &cut : cuts) best = std::min(best, cut.after);
        for (const Cut &cut : cuts)
            if (cut.after <= best + slack) {
                answer[0] = cut.threshold, answer[1] = cut.after;
                break;
            }
        answer[2] = all.error(root), answer[3] = int64_t(values.size()) == m ? 1.0 : all.weight / total;
    }
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    define(m, "best_cuts", &best_cuts, "X", "rows", "w", "y", "columns", "most", "least", "slack", "root", "out");
}
