// PART: a tree that is grown only until one of its leaves is sure to stay, and the way to its largest leaf.
//
// A node splits as in C4.5 (assay/multiway.hpp). Its branches are opened one after the other, the one of least entropy
// first, until one of them remains a subtree. If all turned out to be leaves, and the node as a leaf is expected to
// make no more errors than they do together,
//
//     U(n, e)  <=  sum_b U(n_b, e_b)        U of assay/error_bound.hpp, or errors on rows that were held out     (1)
//
// within 0.1 for U, it becomes a leaf itself. Branches below min_leaf are leaves, and never the answer.
//
// Checked by the caller: as in assay/multiway.hpp; ranks of held-out rows are those of the lists, -1 for missing.
// Twin in Python: tests/rules/from_trees/test_part_classifier.py, best_leaf_by_the_book.
#include <utility>

#include "assay/error_bound.hpp"
#include "assay/edge.hpp"
#include "assay/multiway.hpp"

using namespace assay;
using namespace assay::multiway;

namespace {

using Rows = vector<int32_t>;

struct Held {  // rows to prune with
    const int32_t *codes = nullptr, *ranks = nullptr, *y = nullptr;
    const double *w = nullptr;
    int64_t n = 0;
};

struct Subtree {
    bool leaf;
    double size, errors;  // the weight of its best leaf; the errors that are expected of it
};

struct Level {  // a node some of whose branches have been opened
    int32_t node = 0, first = 0, opened = 0, last = -1;
    vector<Task> tasks;  // by branch
    vector<Rows> held;
    vector<Subtree> found;
    vector<uint8_t> seen;
    Rows own;
};

enum Pruning { NONE, BOUND, HELD };

class PartialTree {
    Grower &g_;
    const Pruning pruning_;
    const Bound bound_;
    const Held held_;
    const int64_t K_;
    const int32_t *n_categories_;
    const double min_leaf_;
    vector<Split> splits_;
    vector<Level> levels_;

  public:
    vector<int32_t> best;  // (nodes,) the child on the way to the best leaf; -1: this is one

    PartialTree(Grower &g, Pruning pruning, Bound bound, Held held, int64_t d, int64_t K, const int32_t *n_categories,
                double min_leaf)
        : g_(g), pruning_(pruning), bound_(bound), held_(held), K_(K), n_categories_(n_categories), min_leaf_(min_leaf),
          splits_(d) {}

    void grow(Task root) {
        Rows all(held_.n);
        for (int64_t i = 0; i < held_.n; ++i) all[i] = int32_t(i);
        Subtree found;
        if (open(std::move(root), std::move(all), found)) return;
        while (!levels_.empty()) {
            if (!next_branch(found)) continue;
            levels_.pop_back();
            if (!levels_.empty()) record(levels_.back(), found);
        }
    }

  private:
    const double *counts(int32_t node) const { return g_.nodes.counts.data() + int64_t(node) * K_; }

    double weight(int32_t node) const {
        double n = 0;
        for (int64_t k = 0; k < K_; ++k) n += counts(node)[k];
        return n;
    }

    void record(Level &level, const Subtree &found) { level.found[level.last] = found, level.seen[level.last] = 1; }

    Subtree as_leaf(int32_t node, const Rows &held) const {
        const double *c = counts(node);
        const int64_t top = std::max_element(c, c + K_) - c;
        const double n = weight(node);
        if (pruning_ != HELD) return {true, n, bound_(n, n - c[top])};
        double errors = 0;
        for (const int32_t i : held) errors += held_.y[i] != top ? held_.w[i] : 0.0;
        return {true, n, errors};
    }

    // Look at a node: true if it is a leaf, else it becomes the last level.
    bool open(Task task, Rows held, Subtree &found) {
        found = as_leaf(task.node, held);
        if (int64_t(best.size()) <= task.node) best.resize(task.node + 1, -1);
        const double *c = counts(task.node), n = found.size;
        if (n - *std::max_element(c, c + K_) < SMALL || n + SMALL < 2 * min_leaf_) return true;
        if (task.to > task.from) g_.settle(task);
        const int64_t j = g_.choose(task, n, splits_);
        if (j < 0) return true;
        Level level;
        level.node = task.node, level.first = int32_t(g_.nodes.parent.size());
        const Split split = splits_[j];
        vector<Task> todo;
        g_.divide(task, j, split, todo);
        level.tasks.resize(split.branches), level.held.resize(split.branches), level.seen.resize(split.branches);
        level.found.resize(split.branches);
        for (Task &t : todo) level.tasks[t.node - level.first] = std::move(t);
        for (const int32_t i : held) {
            const int32_t b = side(i, j, split);
            if (b >= 0) level.held[b].push_back(i);
        }
        level.own = std::move(held);
        levels_.push_back(std::move(level));
        return false;
    }

    int32_t side(int32_t i, int64_t j, const Split &split) const {
        const int64_t at = int64_t(g_.place(j)) * held_.n + i;
        if (!n_categories_[j]) return held_.ranks[at] < 0 ? -1 : held_.ranks[at] > int32_t(split.low);
        const int32_t c = held_.codes[at];
        return c < 0 || split.category < 0 ? c : c != split.category;
    }

    // Open one more branch of the last level; true if there is none to open, with what the level turned out to be.
    bool next_branch(Subtree &found) {
        Level &level = levels_.back();
        const int32_t branches = int32_t(level.tasks.size());
        const bool stop = level.last >= 0 && level.seen[level.last] && !level.found[level.last].leaf;
        if (stop || level.opened == branches) return finish(level, !stop, found);
        const int32_t b = least_entropy(level);
        if (b < 0) {
            for (int32_t c = 0; c < branches; ++c)
                if (!level.seen[c]) level.found[c] = as_leaf(level.first + c, level.held[c]), level.seen[c] = 1;
            return finish(level, true, found);
        }
        ++level.opened, level.last = b;
        Task task = std::move(level.tasks[b]);
        Subtree child;
        if (open(std::move(task), level.held[b], child)) record(level, child);  // a leaf: no level was added
        return false;
    }

    int32_t least_entropy(const Level &level) const {
        int32_t least = -1;
        double lowest = std::numeric_limits<double>::infinity();
        for (int32_t b = 0; b < int32_t(level.tasks.size()); ++b) {
            if (level.seen[b]) continue;
            const double *c = counts(level.first + b), n = weight(level.first + b);
            if (n < std::max(min_leaf_ - SMALL, SMALL)) continue;
            double entropy = T(n);
            for (int64_t k = 0; k < K_; ++k) entropy -= T(c[k]);
            entropy /= n;
            if (entropy <= SMALL) return b;
            if (entropy < lowest - SMALL) lowest = entropy, least = b;
        }
        return least;
    }

    bool finish(const Level &level, bool looked_at_all, Subtree &found) {
        bool leaves = looked_at_all;
        double errors = 0;
        for (size_t b = 0; b < level.found.size() && leaves; ++b)
            leaves = level.found[b].leaf, errors += level.found[b].errors;
        const Subtree own = as_leaf(level.node, level.own);
        int32_t chosen = -1;
        double largest = 0;
        for (int32_t b = 0; b < int32_t(level.found.size()); ++b) {
            if (!level.seen[b] || weight(level.first + b) < min_leaf_ - SMALL) continue;
            if (level.found[b].size > largest + SMALL) largest = level.found[b].size, chosen = b;
        }
        found = own;
        const double slack = pruning_ == BOUND ? 0.1 + SMALL : SMALL;
        if (chosen < 0 || (leaves && pruning_ != NONE && own.errors <= errors + slack)) return true;  // (1)
        best.resize(g_.nodes.parent.size(), -1);
        best[level.node] = level.first + chosen;
        found = {false, largest, errors};
        return true;
    }
};

// Rows that are held out to prune with.
struct HeldRows {
    In2<int32_t> codes;  // (nominal columns, h)
    In2<int32_t> ranks;  // (numeric columns, h)
    In1<int32_t> y;      // (h,)
    In1<double> w;       // (h,)
};

nb::tuple best_leaf(const SortedRows &rows, const HeldRows &held_rows, int pruning, bool one_vs_rest, double min_leaf,
                    bool correction, double confidence, double z, int64_t most_nodes) {
    const auto &[codes, lists, distinct, n_categories, y, w, K, fractions] = rows;
    const auto &[held_codes, held_ranks, held_y, held_w] = held_rows;
    const Rules rules{GAIN_RATIO,  true,     correction, true, false,
                      one_vs_rest, min_leaf, 0.0,        1e-6, std::numeric_limits<int64_t>::max()};
    const int64_t n = int64_t(y.shape(0)), d = int64_t(n_categories.shape(0)), h = int64_t(held_y.shape(0));
    require(held_codes.shape(0) == codes.shape(0) && held_ranks.shape(0) == lists.shape(0) &&
                int64_t(held_codes.shape(1)) == h && int64_t(held_ranks.shape(1)) == h && int64_t(held_w.shape(0)) == h,
            "best_leaf: rows that are held out");
    require(K > 0 && within(held_y, 0, K) && most_nodes >= 0, "best_leaf: a class that is not there");
    for (int64_t j = 0, nominal = 0; j < d && nominal < length(codes); ++j)
        if (n_categories.data()[j] > 0)
            require(within(held_codes.data() + nominal++ * h, h, -1, n_categories.data()[j]),
                    "best_leaf: a category that is not there");
    Grower g = grower(rows, rules);
    g.nodes.most = size_t(most_nodes);
    vector<int32_t> feature, branch, low, high, category;
    vector<uint8_t> kind;
    vector<double> leaf;
    {
        nb::gil_scoped_release unlocked;
        auto frame = g.whole(lists.data(), y.data(), data_or_null(w));
        const Held held{held_codes.data(), held_ranks.data(), held_y.data(), held_w.data(), h};
        PartialTree tree(g, Pruning(pruning), Bound{confidence, z}, held, d, K, n_categories.data(), min_leaf);
        const int32_t root = g.add_node(-1, 0, *frame, 0, n);
        tree.grow(Task{std::move(frame), 0, n, root, 0});
        tree.best.resize(g.nodes.parent.size(), -1);
        int32_t node = root;
        for (int32_t child = tree.best[node]; child >= 0; node = child, child = tree.best[node]) {
            feature.push_back(g.nodes.feature[node]), kind.push_back(g.nodes.kind[node]);
            branch.push_back(g.nodes.branch[child]);
            low.push_back(g.nodes.low[node]), high.push_back(g.nodes.high[node]);
            category.push_back(g.nodes.category[node]);
        }
        leaf.assign(g.nodes.counts.begin() + int64_t(node) * K, g.nodes.counts.begin() + int64_t(node + 1) * K);
    }
    return nb::make_tuple(give(std::move(feature)), give(std::move(kind)), give(std::move(branch)),
                          give(std::move(low)), give(std::move(high)), give(std::move(category)),
                          give(std::move(leaf)));
}

// Of the rows behind sorted lists, those that are kept, numbered anew. kept is (n,), 0 or 1.
void keep(In2<uint64_t> lists, In2<int32_t> codes, In1<uint8_t> kept, InOut2<uint64_t> out_lists,
          InOut2<int32_t> out_codes) {
    const int64_t n = int64_t(kept.shape(0));
    int64_t m = 0;
    std::vector<uint32_t> place(n);
    for (int64_t i = 0; i < n; ++i) place[i] = uint32_t(m), m += kept.data()[i] != 0;
    require(int64_t(lists.shape(1)) == n && int64_t(codes.shape(1)) == n && int64_t(out_lists.shape(1)) == m &&
                int64_t(out_codes.shape(1)) == m && lists.shape(0) == out_lists.shape(0) &&
                codes.shape(0) == out_codes.shape(0),
            "keep: shapes");
    nb::gil_scoped_release unlocked;
    bool fits = true;
    for (size_t c = 0; c < lists.shape(0) && fits; ++c) {
        const uint64_t *in = lists.data() + int64_t(c) * n;
        uint64_t *out = out_lists.data() + int64_t(c) * m;
        int64_t at = 0;
        for (int64_t i = 0; i < n && fits; ++i) {
            const uint32_t e = entry_of(in[i]);
            fits = int64_t(e) < n;
            if (!fits || !kept.data()[e]) continue;
            fits = at < m;
            if (fits) out[at++] = (in[i] & ~ENTRY) | place[e];
        }
    }
    for (size_t c = 0; c < codes.shape(0); ++c) {
        const int32_t *in = codes.data() + int64_t(c) * n;
        int32_t *out = out_codes.data() + int64_t(c) * m;
        for (int64_t i = 0; i < n; ++i)
            if (kept.data()[i]) *out++ = in[i];
    }
    nb::gil_scoped_acquire locked;
    require(fits, "keep: the lists are not those of these rows");
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    record<HeldRows>(m, "HeldRows", field("codes", &HeldRows::codes), field("ranks", &HeldRows::ranks),
                     field("y", &HeldRows::y), field("w", &HeldRows::w));
    define(m, "best_leaf", &best_leaf, "rows", "held", "pruning", "one_vs_rest", "min_leaf", "correction", "confidence",
           "z", "most_nodes");
    define(m, "keep", &keep, "lists", "codes", "kept", "out_lists", "out_codes");
}
