// One isolation tree: rows are cut by a column and at a place drawn at random, until each is alone.
//
//     threshold = (1 - u) min + u max over the rows of the node, u uniform in [0, 1);   x <= threshold goes first
//
// Nodes come in preorder: the first child of node i is i + 1, the second is right[i]; leaves have feature -2.
// Checked by the caller: finite X, column numbers below d, room for 2 m - 1 nodes, m below 2^31.
// Twin in NumPy: tests/outliers/test_isolation_forest.py, tree_by_the_book.
#include <algorithm>
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"

using namespace assay;

namespace {

struct Draw {  // splitmix64
    uint64_t state;
    uint64_t next() {
        uint64_t z = (state += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    double share() { return double(next() >> 11) * 0x1p-53; }  // [0, 1)
};

struct Isolation {
    const double *X;
    int64_t d, max_depth;
    Draw draw;
    std::vector<int32_t> rows, columns;
    int32_t *feature, *right, *samples;
    double *threshold;
    int32_t count = 0;

    // Draw columns until one varies among rows a to b; -1 if none does. Their order stays shuffled, which is as random.
    int32_t varying(int64_t a, int64_t b, double &low, double &high) {
        for (size_t t = 0; t < columns.size(); ++t) {
            std::swap(columns[t], columns[t + size_t(draw.share() * double(columns.size() - t))]);
            const double *x = X + columns[t];
            low = high = x[rows[a] * d];
            for (int64_t i = a + 1; i < b; ++i) {
                const double v = x[rows[i] * d];
                low = std::min(low, v), high = std::max(high, v);
            }
            if (low < high) return columns[t];
        }
        return -1;
    }

    void grow(int64_t a, int64_t b, int64_t depth) {  // the recursion is as deep as max_depth at the most
        const int32_t at = count++;
        double low = 0, high = 0;
        const int32_t j = b - a > 1 && depth < max_depth ? varying(a, b, low, high) : -1;
        samples[at] = int32_t(b - a), feature[at] = -2, threshold[at] = -2, right[at] = -1;
        if (j < 0) return;
        const double u = draw.share();
        double cut = (1 - u) * low + u * high;
        if (!(cut >= low && cut < high)) cut = low;  // rounding must not leave a side empty
        const auto middle =
            std::partition(rows.begin() + a, rows.begin() + b, [&](int32_t row) { return X[row * d + j] <= cut; });
        const int64_t m = middle - rows.begin();
        feature[at] = j, threshold[at] = cut;
        grow(a, m, depth + 1);
        right[at] = count;
        grow(m, b, depth + 1);
    }
};

// Grow a tree of all rows of X with these columns; gives the number of nodes.
int64_t isolate(In2<double> X,             // in   (m, d)
                In1<int32_t> columns,      // in   (k,)
                int64_t max_depth, uint64_t seed,
                InOut1<int32_t> feature,   // out  (2 m - 1,)
                InOut1<double> threshold,  // out  (2 m - 1,)
                InOut1<int32_t> right,     // out  (2 m - 1,)
                InOut1<int32_t> samples) { // out  (2 m - 1,)
    const int64_t m = int64_t(X.shape(0)), d = int64_t(X.shape(1)), room = 2 * m - 1;
    require(m > 0 && max_depth >= 0 && max_depth <= 64, "isolate: rows and depth");
    for (size_t t = 0; t < columns.shape(0); ++t)
        require(columns.data()[t] >= 0 && columns.data()[t] < d, "isolate: columns");
    require(int64_t(feature.shape(0)) == room && int64_t(threshold.shape(0)) == room &&
                int64_t(right.shape(0)) == room && int64_t(samples.shape(0)) == room,
            "isolate: room for the nodes");
    nb::gil_scoped_release unlocked;
    Isolation tree{X.data(),        d, max_depth, {seed}, {}, {}, feature.data(), right.data(), samples.data(),
                   threshold.data()};
    tree.rows.resize(m);
    for (int64_t i = 0; i < m; ++i) tree.rows[i] = int32_t(i);
    tree.columns.assign(columns.data(), columns.data() + columns.shape(0));
    tree.grow(0, m, 0);
    return tree.count;
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    define(m, "isolate", &isolate, "X", "columns", "max_depth", "seed", "feature", "threshold", "right", "samples");
}
