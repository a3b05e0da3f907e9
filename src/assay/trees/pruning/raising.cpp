// Error-based pruning with subtree raising, and rows handed down a tree in fractions.
//
// The errors that a leaf of n rows, e of them wrong, is expected to make are the upper end of a confidence interval:
//
//     U(n, e) of assay/error_bound.hpp                                                                            (1)
//
// From the leaves up, a node becomes a leaf, or its heaviest child, if that is expected to make no more errors than the
// subtree, within 0.1. A raised child sees all rows of its new place, and is pruned again.
//
// Checked here: the tree's structure (it may come from a file). Checked by the caller: y in 0..K-1, w > 0.
// Twin in Python: tests/trees/pruning/test_error_based.py, prune_by_the_book.
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "assay/edge.hpp"
#include "assay/error_bound.hpp"
#include "assay/nodes.hpp"

using namespace assay;

namespace {

using std::uint32_t;
using std::vector;
constexpr double SMALL = 1e-6;  // weights and errors closer than this are the same

int32_t children(const Nodes &t, int64_t i) { return t.offset[i + 1] - t.offset[i]; }

// Whether this is a tree of d columns: every node but the root is a child, and exactly the leaves have none.
void check_tree(const Nodes &t, int64_t d) {
    require(t.d == d && length(t.children) == t.m - 1, "Tree: columns or children");
    bool fits = true;
    for (int64_t i = 0; i < t.m; ++i) fits &= (t.test.kind[i] == LEAF) == (children(t, i) == 0);
    require(fits, "Tree: a leaf with children");
}

struct Frame {
    vector<int32_t> row;
    vector<double> w;
};

struct Part {  // the rows of one node
    std::shared_ptr<Frame> frame;
    int64_t start = 0, end = 0;
    int64_t from = 0, to = 0;  // and, with a share of their weight, these, which the node has in common with others
    double share = 0;
    bool empty() const { return end == start && to == from; }
};

class Pruner {
    const Nodes &t_;
    const double *X_;
    const int32_t *y_;
    const int64_t K_;
    const Bound bound_;
    vector<int32_t> side_;
    vector<int64_t> begins_, cursor_;
    vector<int32_t> spare_row_;
    vector<double> spare_w_, bags_;

  public:
    vector<int32_t> content;  // (m,) whose test and children a node has
    vector<uint8_t> leaf;
    vector<double> counts;  // (m, K)
    vector<int64_t> rows;  // (m,)

    Pruner(const Nodes &t, const double *X, const int32_t *y, int64_t n, int64_t K, Bound bound)
        : t_(t), X_(X), y_(y), K_(K), bound_(bound), side_(n), spare_row_(n), spare_w_(n), content(t.m), leaf(t.m),
          counts(t.m * K), rows(t.m) {
        for (int64_t i = 0; i < t.m; ++i) content[i] = int32_t(i), leaf[i] = t.test.kind[i] == LEAF;
    }

    void run(Part all) {
        struct Step {
            int32_t node;
            Part part;
            bool back;  // the children are done
        };
        vector<double> expected(t_.m);
        vector<Step> todo{{0, all, false}};
        vector<Part> parts;
        while (!todo.empty()) {
            Step step = std::move(todo.back());
            todo.pop_back();
            const int32_t i = step.node;
            double *c = &counts[int64_t(i) * K_];
            if (!step.back) {
                count(step.part, c);
                rows[i] = step.part.end - step.part.start + step.part.to - step.part.from;
                if (leaf[i]) {
                    expected[i] = expect(c);
                    continue;
                }
                settle(step.part);
                divide(step.part, content[i], parts);
                const int32_t *kids = t_.child + t_.offset[content[i]];
                todo.push_back({i, step.part, true});
                for (size_t b = 0; b < parts.size(); ++b) todo.push_back({kids[b], parts[b], false});
                continue;
            }
            const int32_t *kids = t_.child + t_.offset[content[i]], r = children(t_, content[i]);
            double as_tree = 0, heaviest = -1;
            int32_t heir = kids[0];
            for (int32_t b = 0; b < r; ++b) {
                const double *kc = &counts[int64_t(kids[b]) * K_];
                double n = 0;
                for (int64_t k = 0; k < K_; ++k) n += kc[k];
                as_tree += expected[kids[b]];
                if (n > heaviest - SMALL) heaviest = n, heir = kids[b];
            }
            const double as_leaf = expect(c), enough = std::max(as_tree + 0.1, as_leaf - 0.1) + SMALL;
            const double as_heir = expect_of(heir, step.part, enough);
            if (as_leaf < as_tree + 0.1 + SMALL && as_leaf < as_heir + 0.1 + SMALL) {
                leaf[i] = 1, expected[i] = as_leaf;
            } else if (as_heir < as_tree + 0.1 + SMALL) {
                content[i] = content[heir], leaf[i] = leaf[heir];
                todo.push_back({i, step.part, false});
            } else {
                expected[i] = as_tree;
            }
        }
    }

  private:
    void count(const Part &p, double *c) const {
        std::fill(c, c + K_, 0.0);
        for (int64_t i = p.start; i < p.end; ++i) c[y_[p.frame->row[i]]] += p.frame->w[i];
        for (int64_t i = p.from; i < p.to; ++i) c[y_[p.frame->row[i]]] += p.share * p.frame->w[i];
    }

    double expect(const double *c) const {
        double n = 0, most = 0;
        for (int64_t k = 0; k < K_; ++k) n += c[k], most = std::max(most, c[k]);
        return bound_(n, n - most);
    }

    // What the subtree of a node is expected to err on these rows; given up above `enough`.
    double expect_of(int32_t node, const Part &rows, double enough) {
        vector<std::pair<int32_t, Part>> todo{{node, rows}};
        vector<Part> parts;
        vector<double> c(K_);
        double sum = 0;
        while (!todo.empty() && sum <= enough) {
            auto [i, part] = std::move(todo.back());
            todo.pop_back();
            if (leaf[i]) {
                count(part, c.data());
                sum += expect(c.data());
                continue;
            }
            settle(part);
            divide(part, content[i], parts);
            const int32_t *kids = t_.child + t_.offset[content[i]];
            for (size_t b = 0; b < parts.size(); ++b)
                if (!parts[b].empty()) todo.push_back({kids[b], parts[b]});
        }
        return sum;
    }

    // Give a part a frame of its own if it has rows in common with others.
    void settle(Part &p) const {
        if (p.from == p.to) return;
        auto own = std::make_shared<Frame>();
        const Frame &f = *p.frame;
        own->row.assign(f.row.begin() + p.start, f.row.begin() + p.end);
        own->w.assign(f.w.begin() + p.start, f.w.begin() + p.end);
        for (int64_t e = p.from; e < p.to; ++e) own->row.push_back(f.row[e]), own->w.push_back(p.share * f.w[e]);
        p = {own, 0, int64_t(own->row.size())};
    }

    // Divide the rows of a part by the test of node i: order them by branch, those that take every branch last.
    void divide(const Part &p, int64_t i, vector<Part> &out) {
        Frame &f = *p.frame;
        const int32_t r = children(t_, i);
        const int64_t n = p.end - p.start;
        begins_.assign(r + 2, 0), bags_.assign(r + 1, 0.0);
        for (int64_t e = 0; e < n; ++e) {
            const int32_t b = t_.branch(i, X_ + int64_t(f.row[p.start + e]) * t_.d);
            side_[e] = b < 0 ? r : b;
            ++begins_[side_[e] + 1], bags_[side_[e]] += f.w[p.start + e];
        }
        for (int32_t b = 0; b <= r; ++b) begins_[b + 1] += begins_[b];
        cursor_.assign(begins_.begin(), begins_.end());
        for (int64_t e = 0; e < n; ++e) {
            const int64_t to = cursor_[side_[e]]++;
            spare_row_[to] = f.row[p.start + e], spare_w_[to] = f.w[p.start + e];
        }
        std::copy(spare_row_.begin(), spare_row_.begin() + n, f.row.begin() + p.start);
        std::copy(spare_w_.begin(), spare_w_.begin() + n, f.w.begin() + p.start);
        out.assign(r, Part());
        for (int32_t b = 0; b < r; ++b) out[b] = {p.frame, p.start + begins_[b], p.start + begins_[b + 1]};
        if (begins_[r] == n) return;
        double known = 0;
        for (int32_t b = 0; b < r; ++b) known += bags_[b];
        if (known <= 0)  // nothing to go by here: the shares of the tree as it was
            for (int32_t b = 0; b < r; ++b) known += bags_[b] = t_.weight[t_.child[t_.offset[i] + b]];
        for (int32_t b = 0; b < r; ++b) {
            const double share = known > 0 ? bags_[b] / known : 1.0 / r;
            if (share > SMALL) out[b].from = p.start + begins_[r], out[b].to = p.end, out[b].share = share;
        }
    }
};

// Prune with raising. Returns, for the nodes of the new tree in preorder: whose test it has, parent, branch, whether it
// is a leaf, rows, counts (flat).
nb::tuple raise_subtrees(const Nodes &t, In2<double> X, In1<int32_t> y, In1<double> w, int64_t K, double confidence,
                         double z) {
    const int64_t n = int64_t(X.shape(0)), d = int64_t(X.shape(1));
    require(int64_t(y.shape(0)) == n && int64_t(w.shape(0)) == n, "X, y and w differ in length");
    check_tree(t, d);
    vector<int32_t> content, parent, branch;
    vector<uint8_t> leaf;
    vector<int64_t> rows;
    vector<double> counts;
    {
        nb::gil_scoped_release unlocked;
        for (int64_t i = 0; i < n; ++i) require(y.data()[i] >= 0 && y.data()[i] < K, "a class that is not there");
        Pruner pruner(t, X.data(), y.data(), n, K, Bound{confidence, z});
        auto all = std::make_shared<Frame>();
        all->row.resize(n), all->w.assign(w.data(), w.data() + n);
        for (int64_t i = 0; i < n; ++i) all->row[i] = int32_t(i);
        pruner.run({all, 0, n});
        struct Place {
            int32_t node, parent, branch;
        };
        vector<Place> todo{{0, -1, 0}};
        while (!todo.empty()) {
            const Place p = todo.back();
            todo.pop_back();
            const int32_t here = int32_t(content.size()), c = pruner.content[p.node];
            content.push_back(c), parent.push_back(p.parent), branch.push_back(p.branch);
            leaf.push_back(pruner.leaf[p.node]), rows.push_back(pruner.rows[p.node]);
            counts.insert(counts.end(), &pruner.counts[int64_t(p.node) * K], &pruner.counts[int64_t(p.node) * K] + K);
            if (pruner.leaf[p.node]) continue;
            for (int32_t b = children(t, c); b-- > 0;) todo.push_back({t.child[t.offset[c] + b], here, b});
        }
    }
    return nb::make_tuple(give(std::move(content)), give(std::move(parent)), give(std::move(branch)),
                          give(std::move(leaf)), give(std::move(rows)), give(std::move(counts)));
}

// Hand rows down, a row that is spread in fractions by the tree's own weights: out[leaf] += fraction * S[row].
void distribute(const Nodes &t, In2<double> X, In2<double> S, InOut2<double> out) {
    const int64_t n = int64_t(X.shape(0)), d = int64_t(X.shape(1)), q = int64_t(S.shape(1));
    require(int64_t(S.shape(0)) == n && int64_t(out.shape(0)) == t.m && int64_t(out.shape(1)) == q,
            "distribute: shapes");
    check_tree(t, d);
    nb::gil_scoped_release unlocked;
    vector<std::pair<int32_t, double>> todo;
    for (int64_t i = 0; i < n; ++i) {
        todo.assign(1, {0, 1.0});
        while (!todo.empty()) {
            const auto [node, part] = todo.back();
            todo.pop_back();
            if (t.test.kind[node] == LEAF) {
                for (int64_t k = 0; k < q; ++k) out.data()[node * q + k] += part * S.data()[i * q + k];
                continue;
            }
            const int32_t b = t.branch(node, X.data() + i * d), r = children(t, node);
            const int32_t *kids = t.child + t.offset[node];
            if (b >= 0) {
                todo.push_back({kids[b], part});
                continue;
            }
            double all = 0;
            for (int32_t c = 0; c < r; ++c) all += t.weight[kids[c]];
            for (int32_t c = 0; c < r; ++c) {
                const double share = all > 0 ? t.weight[kids[c]] / all : 1.0 / r;
                if (share > 0) todo.push_back({kids[c], part * share});
            }
        }
    }
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    define(m, "raise_subtrees", &raise_subtrees, "nodes", "X", "y", "w", "K", "confidence", "z");
    define(m, "distribute", &distribute, "nodes", "X", "S", "out");
}
