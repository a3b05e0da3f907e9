// Packed forest: many binary trees end to end in packed nodes, and the sums of the leaves that rows reach.
//
//     inner node    x_f <= threshold: the next node, else node `right`
//                   (SET: category x_f in the set that starts at word `threshold`, read as an integer)
//     leaf          threshold is a NaN whose low half is the number of the leaf's row of values, right is itself:
//                   no comparison with NaN holds, so a row that has arrived stays
//
// Several rows (or, of a single row, several trees) walk together, so that one waits for memory while others
// move; a block of rows goes through all trees while it is in the cache. Answers are added in the order of the
// trees, whatever the block.
// Checked once, when a CheckedNodes is made of them: every index within its array, every child behind its parent.
// Twin in NumPy: tests/trees/test_forest_walker.py, walk_by_the_book.
#include <cmath>
#include <cstring>
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"

namespace {

using namespace assay;
using std::uint32_t;
using std::uint64_t;

struct Node {
    double threshold;
    int32_t feature;  // column, and the flags below
    int32_t right;
};
static_assert(sizeof(Node) == 16, "two nodes to four in a cache line");

enum { LEAF, THRESHOLD, SUBSET };               // kinds of packed nodes ...
constexpr uint8_t MISSING_FIRST = 0x80;         // ... and their flag: missing values go to the first child
constexpr int32_t SET = 1 << 30, FIRST = 1 << 29, COLUMN = FIRST - 1;
constexpr int LANES = 8;
constexpr int64_t SMALL = 128;  // KB of rows beside small trees
constexpr uint64_t QUIET_NAN = 0x7FF8000000000000ull;

inline double from_bits(uint64_t bits) {
    double v;
    std::memcpy(&v, &bits, 8);
    return v;
}

inline uint64_t to_bits(double v) {
    uint64_t bits;
    std::memcpy(&bits, &v, 8);
    return bits;
}

// Whether v goes to the first child of a node of any kind; sets are [number of words, words ...].
inline bool first_child(const Node &node, double v, const uint32_t *sets) {
    if (v != v) return node.feature & FIRST;
    if (!(node.feature & SET)) return v <= node.threshold;
    const uint32_t *set = sets + to_bits(node.threshold);
    if (!(v >= 0 && v < 32.0 * set[0])) return node.feature & FIRST;  // a category that the node does not know
    const uint32_t c = uint32_t(v);
    return set[1 + (c >> 5)] >> (c & 31) & 1u;
}

// LANES walks to their leaves: at = leaf of row x under the root in at.
template <class T, bool PLAIN>
inline void descend(const Node *nodes, const uint32_t *sets, const T *const *x, int32_t *at) {
    for (int32_t moved = 1; moved;) {
        moved = 0;
        for (int l = 0; l < LANES; ++l) {
            const Node &node = nodes[at[l]];
            const double v = x[l][node.feature & COLUMN];
            const bool first = PLAIN ? v <= node.threshold : first_child(node, v, sets);
            const int32_t next =
                node.right ^ ((node.right ^ (at[l] + 1)) & -int32_t(first));  // no branch to guess wrong
            moved |= next ^ at[l];
            at[l] = next;
        }
    }
}

struct Trees {
    const Node *nodes;
    const int64_t *roots;
    const uint32_t *sets;
    bool with_sets;
    int64_t n_nodes, n_trees;

    int64_t mean_nodes() const { return n_nodes / std::max<int64_t>(1, n_trees); }

    // Calls arrived(place, tree, leaf) for each of m rows and trees first to last, tree after tree for each row.
    template <class T, class Arrived>
    void walk(const T *const *rows, int64_t m, int64_t d, int64_t first, int64_t last, const Arrived &arrived) const {
        bool plain = !with_sets;
        for (int64_t i = 0; i < m && plain; ++i) {
            int has_missing = 0;
            for (int64_t j = 0; j < d; ++j) has_missing |= rows[i][j] != rows[i][j];
            plain = !has_missing;
        }
        plain ? steps<T, true>(rows, m, first, last, arrived) : steps<T, false>(rows, m, first, last, arrived);
    }

    template <class T, bool PLAIN, class Arrived>
    void steps(const T *const *rows, int64_t m, int64_t first, int64_t last, const Arrived &arrived) const {
        int32_t at[LANES];
        const T *x[LANES];
        if (m < LANES / 2) {  // few rows: the lanes are trees
            for (int64_t i = 0; i < m; ++i)
                for (int64_t t = first; t < last; t += LANES) {
                    const int64_t trees = std::min<int64_t>(LANES, last - t);
                    for (int l = 0; l < LANES; ++l) at[l] = int32_t(roots[l < trees ? t + l : t]), x[l] = rows[i];
                    descend<T, PLAIN>(nodes, sets, x, at);
                    for (int64_t l = 0; l < trees; ++l) arrived(i, t + l, at[l]);
                }
            return;
        }
        for (int64_t t = first; t < last; ++t)
            for (int64_t i = 0; i < m; i += LANES) {
                const int64_t some = std::min<int64_t>(LANES, m - i);
                for (int l = 0; l < LANES; ++l) at[l] = int32_t(roots[t]), x[l] = rows[l < some ? i + l : i];
                descend<T, PLAIN>(nodes, sets, x, at);
                for (int64_t l = 0; l < some; ++l) arrived(i + l, t, at[l]);
            }
    }
};

// Trees that can be walked without harm, with d columns and leaves that answer with one of n_rows rows of values.
struct CheckedNodes {
    In2<int64_t> nodes;
    In1<int64_t> roots;
    In1<uint32_t> sets;
    int64_t d, n_rows;

    CheckedNodes(In2<int64_t> nodes_, In1<int64_t> roots_, In1<uint32_t> sets_, int64_t d_, int64_t n_rows_)
        : nodes(nodes_), roots(roots_), sets(sets_), d(d_), n_rows(n_rows_) {
        const int64_t N = length(nodes), T = length(roots) - 1;
        require(nodes.shape(1) == 2 && N < INT32_MAX && shares_out(roots, T, N, true) && d <= COLUMN,
                "packed forest: nodes do not fit");
        const Node *node = reinterpret_cast<const Node *>(nodes.data());
        for (int64_t t = 0; t < T; ++t)
            for (int64_t i = roots.data()[t]; i < roots.data()[t + 1]; ++i)
                require(sound(node[i], i, roots.data()[t + 1]), "packed forest: a node that leads nowhere");
        for (int64_t t = 0; t < T; ++t)
            require(roots.data()[t] < roots.data()[t + 1], "packed forest: a tree without nodes");
    }

    bool sound(const Node &node, int64_t i, int64_t end) const {
        const uint64_t bits = to_bits(node.threshold);
        if (node.right == i)
            return node.feature == 0 && bits >> 32 == QUIET_NAN >> 32 && int64_t(uint32_t(bits)) < n_rows;
        if (node.feature < 0 || (node.feature & COLUMN) >= d || node.right <= i + 1 || node.right >= end) return false;
        if (!(node.feature & SET)) return node.threshold == node.threshold;
        return int64_t(bits) >= 0 && int64_t(bits) < length(sets) &&
               int64_t(bits) + 1 + int64_t(sets.data()[bits]) <= length(sets);
    }

    // The trees, for rows of these columns; a leaf, too, looks at the first one.
    Trees walked(int64_t first, int64_t last, size_t columns) const {
        require(0 <= first && first <= last && last < length(roots), "packed forest: trees that are not there");
        require(int64_t(columns) == d && (d > 0 || first == last), "packed forest: X has other columns");
        return {reinterpret_cast<const Node *>(nodes.data()),
                roots.data(),
                sets.data(),
                sets.size() > 0,
                length(nodes),
                length(roots) - 1};
    }
};

// Rows that go through a tree before the next: of small trees few, which stay in the fastest cache for all trees; of
// large trees many, so that a tree is fetched seldom.
inline int64_t block_of(int64_t d, int64_t bytes, int64_t mean_nodes) {
    const int64_t room = std::min<int64_t>(2 << 20, std::max<int64_t>(SMALL << 10, 4 * 16 * mean_nodes));
    return std::max<int64_t>(8 * LANES, room / std::max<int64_t>(1, d * bytes) / LANES * LANES);
}

template <class T>
void add(const CheckedNodes &packed, int64_t first, int64_t last,  // in  trees first to last
         In1<int32_t> column,        // in      (T,)     where in out the values of each tree begin
         In2<double> leaves,         // in      (L, V)
         In2<T> X,                   // in      (n, d)
         In2<uint8_t> skip,          // in      (last - first, n) or (0, 0): pairs that are left out
         InOut2<double> out) {       // in/out  (n, W)   out[i, column[t]:][:V] += leaves[leaf of i in t]
    const Trees trees = packed.walked(first, last, X.shape(1));
    const int64_t n = X.shape(0), d = X.shape(1), V = leaves.shape(1), W = out.shape(1);
    const bool all = skip.size() == 0;
    require(length(leaves) == packed.n_rows && length(out) == n && length(column) == trees.n_trees && V <= W &&
                within(column, 0, W - V + 1),
            "add: values for each leaf, and a place for them");
    require(all || (length(skip) == last - first && int64_t(skip.shape(1)) == n), "add: pairs that are left out");
    nb::gil_scoped_release unlocked;
    const int64_t block = std::min(n, block_of(d, sizeof(T), trees.mean_nodes()));
    std::vector<const T *> rows(block);
    std::vector<int64_t> number(block);
    const double *value = leaves.data();
    double *sums = out.data();
    const auto arrived = [&](int64_t i, int64_t t, int32_t node) {
        const double *v = value + V * int64_t(uint32_t(to_bits(trees.nodes[node].threshold)));
        double *o = sums + number[i] * W + column.data()[t];
        for (int64_t k = 0; k < V; ++k) o[k] += v[k];
    };
    for (int64_t a = 0; a < n; a += block) {
        const int64_t b = std::min(n, a + block);
        if (all) {
            for (int64_t i = a; i < b; ++i) number[i - a] = i, rows[i - a] = X.data() + i * d;
            trees.walk(rows.data(), b - a, d, first, last, arrived);
            continue;
        }
        for (int64_t t = first; t < last; ++t) {
            const uint8_t *out_of_it = skip.data() + (t - first) * n;
            int64_t m = 0;
            for (int64_t i = a; i < b; ++i) {
                number[m] = i, rows[m] = X.data() + i * d;
                m += !out_of_it[i];
            }
            trees.walk(rows.data(), m, d, t, t + 1, arrived);
        }
    }
}

template <class T>
void apply(const CheckedNodes &packed, int64_t first, int64_t last,
           In2<T> X,                   // in      (n, d)
           InOut2<int32_t> leaf) {     // out     (n, last - first)  number of the leaf among the nodes of its tree
    const Trees trees = packed.walked(first, last, X.shape(1));
    const int64_t n = X.shape(0), d = X.shape(1), W = leaf.shape(1);
    require(length(leaf) == n && W >= last - first, "apply: a place for each row and tree");
    nb::gil_scoped_release unlocked;
    const int64_t block = std::min(n, block_of(d, sizeof(T), trees.mean_nodes()));
    std::vector<const T *> rows(block);
    int32_t *out = leaf.data();
    for (int64_t a = 0; a < n; a += block) {
        const int64_t b = std::min(n, a + block);
        for (int64_t i = a; i < b; ++i) rows[i - a] = X.data() + i * d;
        trees.walk(rows.data(), b - a, d, first, last, [&](int64_t i, int64_t t, int32_t node) {
            out[(a + i) * W + t - first] = int32_t(node - trees.roots[t]);
        });
    }
}

// The walking form of packed trees; a ValueError if they are none.
void lay_out(In1<int64_t> roots,         // in   (T + 1,)  where each tree's nodes begin
             In1<uint8_t> kind,          // in   (N,)      LEAF, THRESHOLD or SUBSET, and MISSING_FIRST
             In1<int32_t> feature,       // in   (inner nodes,)
             In1<double> threshold,      // in   (THRESHOLD nodes,)
             In1<uint32_t> sets,         // in   of each SUBSET node: number of words, words
             In1<int32_t> leaf_row,      // in   (leaves,) its row of values
             int64_t d,
             int64_t n_rows,             //      rows of values
             InOut2<int64_t> nodes) {    // out  (N, 2)
    nb::gil_scoped_release unlocked;
    const int64_t T = int64_t(roots.size()) - 1, N = kind.size();
    require(T >= 0 && roots.data()[0] == 0 && roots.data()[T] == N, "roots do not fit the nodes");
    require(int64_t(nodes.shape(0)) == N && nodes.shape(1) == 2 && N < (int64_t(1) << 31), "too many nodes");
    require(d <= COLUMN, "too many columns");
    Node *out = reinterpret_cast<Node *>(nodes.data());
    int64_t inner = 0, leaf = 0, cut = 0, word = 0;
    std::vector<int32_t> waiting;  // inner nodes whose second child has not come yet
    for (int64_t t = 0; t < T; ++t) {
        const int64_t a = roots.data()[t], b = roots.data()[t + 1];
        require(a < b && b <= N, "a tree without nodes");
        waiting.clear();
        for (int64_t i = a; i < b; ++i) {
            const uint8_t what = kind.data()[i] & ~MISSING_FIRST;
            if (what == LEAF) {
                require(leaf < int64_t(leaf_row.size()), "too few leaves");
                const int32_t row = leaf_row.data()[leaf++];
                require(row >= 0 && row < n_rows, "a leaf without values");
                out[i] = {from_bits(QUIET_NAN | uint64_t(row)), 0, int32_t(i)};
                require(waiting.empty() == (i + 1 == b), "a tree that ends too early or too late");
                if (!waiting.empty()) {
                    out[waiting.back()].right = int32_t(i + 1);
                    waiting.pop_back();
                }
                continue;
            }
            require(inner < int64_t(feature.size()), "too few tests");
            const int32_t f = feature.data()[inner++];
            require(f >= 0 && f < d, "a test of a column that is not there");
            int32_t flags = kind.data()[i] & MISSING_FIRST ? FIRST : 0;
            double where = 0;
            if (what == THRESHOLD) {
                require(cut < int64_t(threshold.size()), "too few thresholds");
                where = threshold.data()[cut++];
                require(where == where, "a threshold that is no number");
            } else {
                require(what == SUBSET && word < int64_t(sets.size()), "a node of unknown kind, or too few sets");
                const int64_t words = sets.data()[word];
                require(word + 1 + words <= int64_t(sets.size()), "a set that goes too far");
                where = from_bits(uint64_t(word));
                word += 1 + words;
                flags |= SET;
            }
            out[i] = {where, f | flags, 0};
            waiting.push_back(int32_t(i));
        }
        require(waiting.empty(), "a tree that ends too early");
    }
    require(inner == int64_t(feature.size()) && leaf == int64_t(leaf_row.size()), "more tests or leaves than nodes");
    require(cut == int64_t(threshold.size()) && word == int64_t(sets.size()), "more thresholds or sets than nodes");
}

// Children add themselves to their parents, last nodes first: sums[parent[i]] += sums[i].
void gather_up(In1<int32_t> parent,      // in      (N,)  -1 at roots; parents stand before their children
               InOut2<double> sums) {    // in/out  (N, V)
    require(length(parent) == length(sums), "gather_up: a parent for each node");
    bool fits = true;
    for (int64_t i = 0; i < length(parent); ++i) fits &= parent.data()[i] < i;
    require(fits, "gather_up: a parent does not stand before its child");
    nb::gil_scoped_release unlocked;
    const int64_t N = sums.shape(0), V = sums.shape(1);
    double *s = sums.data();
    for (int64_t i = N - 1; i >= 0; --i) {
        const int64_t p = parent.data()[i];
        if (p < 0) continue;
        for (int64_t k = 0; k < V; ++k) s[p * V + k] += s[i * V + k];
    }
}

// Class shares as the weights of the classes that occur in the leaves: (whether the shares of all nodes follow from
// these, classes in each leaf, their numbers, their weights). Whole up to rounding, weights become whole.
nb::tuple class_weights(In1<uint8_t> kind_,      // in  (m,)    0 at leaves
                        In1<int32_t> offset,     // in  (m + 1,)
                        In1<int32_t> child,      // in  children, behind their parents
                        In2<double> value_,      // in  (m, K)
                        In1<double> weight) {    // in  (m,)
    const int64_t m = value_.shape(0), K = value_.shape(1);
    require(int64_t(kind_.shape(0)) == m && int64_t(offset.shape(0)) == m + 1 && int64_t(weight.shape(0)) == m &&
                int64_t(child.shape(0)) == m - 1,
            "class_weights: shapes");
    require(shares_out(offset, m, length(child)), "class_weights: children");
    for (int64_t i = 0; i < m; ++i) {
        if (kind_.data()[i] == LEAF) continue;
        const int64_t at = offset.data()[i];
        require(offset.data()[i + 1] - at >= 2 && within(child.data() + at, 2, i + 1, m),
                "class_weights: two children behind each test");
    }
    std::vector<int32_t> count, present;
    std::vector<double> present_weight;
    bool follows = true;
    {
        nb::gil_scoped_release unlocked;
        const double *value = value_.data();
        double most = 0, off = 0;
        for (int64_t i = 0; i < m; ++i) {
            if (kind_.data()[i] != LEAF) continue;
            const size_t before = present.size();
            for (int64_t k = 0; k < K; ++k) {
                if (value[i * K + k] == 0) continue;
                const double w = value[i * K + k] * weight.data()[i];
                present.push_back(int32_t(k)), present_weight.push_back(w);
                most = std::max(most, std::fabs(std::nearbyint(w))),
                off = std::max(off, std::fabs(w - std::nearbyint(w)));
                follows &= w > 0;
            }
            count.push_back(int32_t(present.size() - before));
            follows &= count.back() > 0;
        }
        if (off <= 1e-9 * most)
            for (double &w : present_weight) w = std::nearbyint(w);
        std::vector<double> sums(follows ? size_t(m * K) : 0);
        int64_t leaf = int64_t(count.size()), pair = int64_t(present.size());
        for (int64_t i = m - 1; follows && i >= 0; --i) {
            double *mine = sums.data() + i * K, total = 0;
            if (kind_.data()[i] == LEAF) {
                for (int64_t c = count[--leaf]; c > 0; --c) --pair, mine[present[pair]] = present_weight[pair];
            } else {
                const int64_t a = child.data()[offset.data()[i]], b = child.data()[offset.data()[i] + 1];
                for (int64_t k = 0; k < K; ++k) mine[k] = sums[a * K + k] + sums[b * K + k];
            }
            for (int64_t k = 0; k < K; ++k) total += mine[k];
            for (int64_t k = 0; k < K; ++k) follows &= std::fabs(mine[k] - value[i * K + k] * total) <= 1e-9 * total;
        }
    }
    return nb::make_tuple(follows, give(std::move(count)), give(std::move(present)), give(std::move(present_weight)));
}

// Rows of equal bits get one number, in the order of their first appearance; how many there are.
int64_t distinct(In2<double> rows,           // in   (L, V)
                 InOut1<int32_t> number,     // out  (L,)
                 InOut1<int32_t> example) {  // out  (L,)  a row of each number
    require(length(number) == length(rows) && length(example) == length(rows), "distinct: a place for each row");
    nb::gil_scoped_release unlocked;
    const int64_t L = rows.shape(0), V = rows.shape(1);
    int64_t size = 16;
    while (size < 2 * L) size *= 2;
    std::vector<int32_t> slot(size, -1);
    int64_t found = 0;
    for (int64_t i = 0; i < L; ++i) {
        const double *row = rows.data() + i * V;
        uint64_t hash = 0;
        for (int64_t k = 0; k < V; ++k) {
            hash = (hash ^ to_bits(row[k])) * 0x9E3779B97F4A7C15ull;
            hash ^= hash >> 29;
        }
        int64_t at = int64_t(hash & uint64_t(size - 1));
        while (slot[at] >= 0 && std::memcmp(rows.data() + int64_t(example.data()[slot[at]]) * V, row, 8 * V))
            at = (at + 1) & (size - 1);
        if (slot[at] < 0) {
            example.data()[found] = int32_t(i);
            slot[at] = int32_t(found++);
        }
        number.data()[i] = slot[at];
    }
    return found;
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    nb::class_<CheckedNodes>(m, "CheckedNodes")
        .def(nb::init<In2<int64_t>, In1<int64_t>, In1<uint32_t>, int64_t, int64_t>());
    define(m, "add", &add<double>, "packed", "first", "last", "column", "leaves", "X", "skip", "out");
    define(m, "add", &add<float>, "packed", "first", "last", "column", "leaves", "X", "skip", "out");
    define(m, "apply", &apply<double>, "packed", "first", "last", "X", "leaf");
    define(m, "apply", &apply<float>, "packed", "first", "last", "X", "leaf");
    define(m, "lay_out", &lay_out, "roots", "kind", "feature", "threshold", "sets", "leaf_row", "d", "n_rows", "nodes");
    define(m, "class_weights", &class_weights, "kind", "offset", "child", "value", "weight");
    define(m, "gather_up", &gather_up, "parent", "sums");
    define(m, "distinct", &distinct, "rows", "number", "example");
}
