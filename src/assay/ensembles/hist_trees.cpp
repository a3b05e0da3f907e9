// Scores of boosted trees: the sum of one leaf's value for each tree.
//
// Trees lie end to end in preorder: the left child of node i is i + 1, the right child is right_i (counted from the
// tree's first node). A row goes left at a numeric test if x <= number, at a nominal one if its category is in the
// node's set; missing values as missing_left says. At a leaf (column -1) number is its value.
//
// Many rows, small trees: instead of walking down, ROWS rows take every test of a tree at once. A row begins with one
// bit for each leaf; a test that sends it right takes away the bits of the leaves to the left. The lowest bit that
// remains is the row's leaf:
//
//     bits_r &= (x_r > threshold) ? ~leaves left of the test : all
//
// which are 2 vector instructions for 8 rows and a test, without a branch. Other trees are walked, 8 rows abreast.
// Twin in NumPy: tests/ensembles/test_hist_trees.py, scores_by_the_book.
#include <cmath>
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"

using namespace assay;
using std::uint32_t;
using std::uint64_t;

namespace {

constexpr int64_t ROWS = 32, MOST_LEAVES = 64, ABREAST = 8;

struct Trees {
    const int32_t *start, *column, *right, *set_start;
    const double *number;
    const uint8_t *missing_left;
    const uint32_t *sets;
    const int32_t *categories;  // (d,) how many; 0: numeric

    bool goes_left(int64_t i, double x) const {
        if (std::isnan(x)) return missing_left[i];
        const int32_t known = categories[column[i]];
        if (known == 0) return x <= number[i];
        const int64_t c = x >= 0.0 && x < double(known) ? int64_t(x) : -1;
        return c >= 0 ? sets[set_start[i] + (c >> 5)] >> (c & 31) & 1 : missing_left[i];
    }
};

struct Test {
    double threshold;
    uint64_t keep;
    int32_t column;
};

struct Flat {                       // a small tree of numeric tests, to be taken all at once
    int64_t first, middle, last;    // tests first ... middle send missing values left, middle ... last right
    int64_t values;                 // where its leaves' values begin: MOST_LEAVES + 1 of them
};

// Which trees can be taken flat, and their tests. Columns are numbered anew: only those that are tested count.
struct Plan {
    std::vector<Flat> flat;         // one for each tree; first = -1: to be walked
    std::vector<Test> tests;
    std::vector<double> values;
    std::vector<int32_t> columns;   // the columns that flat trees test

    Plan(const Trees &T, int64_t t0, int64_t t1, int64_t d) {
        std::vector<int32_t> number(d, -1), before;
        for (int64_t t = t0; t < t1; ++t) {
            const int64_t a = T.start[t], m = T.start[t + 1] - a;
            Flat tree{-1, -1, -1, -1};
            bool numeric = (m + 1) / 2 <= MOST_LEAVES;
            for (int64_t i = a; numeric && i < a + m; ++i) numeric = T.column[i] < 0 || T.categories[T.column[i]] == 0;
            if (numeric) {
                before.assign(m + 1, 0);  // leaves before each node
                for (int64_t i = 0; i < m; ++i) before[i + 1] = before[i] + (T.column[a + i] < 0);
                tree.first = int64_t(tests.size()), tree.values = int64_t(values.size());
                for (int side = 1; side >= 0; --side) {
                    for (int64_t i = 0; i < m; ++i) {
                        const int32_t j = T.column[a + i];
                        if (j < 0 || T.missing_left[a + i] != side) continue;
                        if (number[j] < 0) number[j] = int32_t(columns.size()), columns.push_back(j);
                        const int32_t from = before[i], to = before[T.right[a + i]];
                        const uint64_t left = (to - from >= 64 ? ~uint64_t(0) : (uint64_t(1) << (to - from)) - 1)
                                              << from;
                        tests.push_back({T.number[a + i], ~left, number[j]});
                    }
                    if (side) tree.middle = int64_t(tests.size());
                }
                tree.last = int64_t(tests.size());
                for (int64_t i = 0; i < m; ++i)
                    if (T.column[a + i] < 0) values.push_back(T.number[a + i]);
                values.resize(tree.values + MOST_LEAVES + 1, 0.0);
            }
            flat.push_back(tree);
        }
    }
};

// out[r] += value of the leaf of row r, for ROWS rows given column by column
HOT void take_flat(const Test *tests, int64_t first, int64_t middle, int64_t last, const double *values,
                   const double *tile, double *out) {
    uint64_t bits[ROWS];
    for (int64_t r = 0; r < ROWS; ++r) bits[r] = ~uint64_t(0);
    for (int64_t k = first; k < middle; ++k) {
        const double *x = tile + tests[k].column * ROWS, threshold = tests[k].threshold;
        const uint64_t keep = tests[k].keep;
        for (int64_t r = 0; r < ROWS; ++r) bits[r] &= x[r] > threshold ? keep : ~uint64_t(0);
    }
    for (int64_t k = middle; k < last; ++k) {
        const double *x = tile + tests[k].column * ROWS, threshold = tests[k].threshold;
        const uint64_t keep = tests[k].keep;
        for (int64_t r = 0; r < ROWS; ++r) bits[r] &= x[r] <= threshold ? ~uint64_t(0) : keep;
    }
    for (int64_t r = 0; r < ROWS; ++r) out[r] += values[bits[r] ? __builtin_ctzll(bits[r]) : MOST_LEAVES];
}

template <class T>
static inline void walk(const Trees &F, int64_t t, const T *X, int64_t d, int64_t m, double *out, int64_t step) {
    const int64_t a = F.start[t];
    int64_t at[ABREAST];
    for (int64_t r0 = 0; r0 < m; r0 += ABREAST) {
        const int64_t some = m - r0 < ABREAST ? m - r0 : ABREAST;
        for (int64_t r = 0; r < some; ++r) at[r] = a;
        for (bool moving = true; moving;) {
            moving = false;
            for (int64_t r = 0; r < some; ++r) {
                const int64_t i = at[r];
                if (F.column[i] < 0) continue;
                moving = true;
                at[r] = F.goes_left(i, double(X[(r0 + r) * d + F.column[i]])) ? i + 1 : a + F.right[i];
            }
        }
        for (int64_t r = 0; r < some; ++r) out[(r0 + r) * step] += F.number[at[r]];
    }
}

template <class T>
void add_rows(const Trees &F, int64_t t0, int64_t t1, int64_t K, const T *X, int64_t d, int64_t n, double *out) {
    if (n < ROWS) {
        for (int64_t t = t0; t < t1; ++t) walk(F, t, X, d, n, out + t % K, K);
        return;
    }
    const Plan plan(F, t0, t1, d);
    const int64_t used = int64_t(plan.columns.size());
    std::vector<double> tile(used * ROWS, 0.0), sums(K * ROWS);
    for (int64_t a = 0; a < n; a += ROWS) {
        const int64_t m = n - a < ROWS ? n - a : ROWS;
        for (int64_t r = 0; r < m; ++r)  // tile = X[a : a + m, columns].T
            for (int64_t j = 0; j < used; ++j) tile[j * ROWS + r] = double(X[(a + r) * d + plan.columns[j]]);
        for (int64_t r = 0; r < m; ++r)  // trees are added one by one to what is there: the same sum for any n
            for (int64_t k = 0; k < K; ++k) sums[k * ROWS + r] = out[(a + r) * K + k];
        for (int64_t t = t0; t < t1; ++t) {
            const Flat &tree = plan.flat[t - t0];
            if (tree.first >= 0)
                take_flat(plan.tests.data(), tree.first, tree.middle, tree.last, plan.values.data() + tree.values,
                          tile.data(), sums.data() + t % K * ROWS);
            else walk(F, t, X + a * d, d, m, sums.data() + t % K * ROWS, 1);
        }
        for (int64_t r = 0; r < m; ++r)
            for (int64_t k = 0; k < K; ++k) out[(a + r) * K + k] = sums[k * ROWS + r];
    }
}

// The trees of a model, looked through once when they are put together: they may come from a file. Every test leads on,
// to a node of its tree, and reads what is there.
struct ModelTrees {
    In1<int32_t> start;   // (T + 1,)
    In1<int32_t> column;  // (m,)
    In1<double> number;
    In1<int32_t> right;
    In1<uint8_t> missing_left;
    In1<int32_t> set_start;  // (m + 1,)
    In1<uint32_t> sets;
    In1<int32_t> categories;  // (d,)

    Trees trees() const {
        return {start.data(),  column.data(),       right.data(), set_start.data(),
                number.data(), missing_left.data(), sets.data(),  categories.data()};
    }
    void check() const {
        const int64_t T = length(start) - 1, m = length(column), d = length(categories);
        const auto need = [](bool fits) { require(fits, "the trees of the model do not hold together"); };
        need(shares_out(start, T, m, true) && shares_out(set_start, m, length(sets), true));
        need(length(number) == m && length(right) == m && length(missing_left) == m);
        need(within(categories, 0, INT32_MAX - 31));
        std::vector<int64_t> waiting;  // right children that are still to come
        for (int64_t t = 0; t < T; ++t) {
            const int64_t a = start.data()[t], size = start.data()[t + 1] - a;
            need(size > 0);
            waiting.clear();
            for (int64_t i = 0; i < size; ++i) {
                const int64_t j = column.data()[a + i], r = right.data()[a + i];
                need(j >= -1 && j < d && missing_left.data()[a + i] <= 1);
                if (j < 0) {  // what follows a leaf is the right child of the latest test that has none yet
                    need(waiting.empty() ? i + 1 == size : waiting.back() == i + 1);
                    if (!waiting.empty()) waiting.pop_back();
                    continue;
                }
                need(i + 1 < r && r < size);
                waiting.push_back(r);
                const int64_t words = set_start.data()[a + i + 1] - set_start.data()[a + i];
                need(words == (categories.data()[j] + 31) / 32);
            }
        }
    }
};

template <class T>
void add_scores(const ModelTrees &model, int64_t t0, int64_t t1,  // trees t0 to t1; tree t adds to score t mod K
                In2<T> X,                // in      (n, d)
                int64_t a, int64_t b,    // rows a to b
                InOut2<double> out) {    // in/out  (n, K)
    const int64_t d = int64_t(X.shape(1)), K = int64_t(out.shape(1));
    require(K > 0 && d == length(model.categories) && X.shape(0) == out.shape(0) && 0 <= t0 &&
                t1 < length(model.start) && 0 <= a && a <= b && b <= int64_t(X.shape(0)),
            "add_scores: X must have the columns of the model");
    nb::gil_scoped_release unlocked;
    add_rows(model.trees(), t0, t1, K, X.data() + a * d, d, b - a, out.data() + a * K);
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    record<ModelTrees>(m, "Trees", field("start", &ModelTrees::start), field("column", &ModelTrees::column),
                       field("number", &ModelTrees::number), field("right", &ModelTrees::right),
                       field("missing_left", &ModelTrees::missing_left), field("set_start", &ModelTrees::set_start),
                       field("sets", &ModelTrees::sets), field("categories", &ModelTrees::categories));
    define(m, "add_scores", &add_scores<double>, "trees", "t0", "t1", "X", "a", "b", "out");
    define(m, "add_scores", &add_scores<float>, "trees", "t0", "t1", "X", "a", "b", "out");
}
