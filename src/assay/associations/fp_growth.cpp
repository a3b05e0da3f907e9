// FP-growth: baskets share their common beginnings in a tree; sets grow by the trees of what stands above an item.
//
// A basket is a path from the root, its most frequent item first, so that many share their upper part. The nodes of
// an item are linked; what stands above them, with their counts, is the tree of the baskets that hold the item.
// A call does at most about `budget` steps and then says where to go on. Twin: tests/associations/test_fp_growth.py.
#include "assay/array.hpp"
#include "assay/edge.hpp"
#include "assay/found_sets.hpp"

using namespace assay;

namespace {

struct Tree {
    std::vector<int32_t> item, parent, link, child, sibling;  // of each node; node 0 is the root
    std::vector<int64_t> count;
    std::vector<int32_t> head, top;  // of each item: its first node; its node below the root
    std::vector<int64_t> held;  // of each item: its count

    void clear(size_t items) {
        for (auto *v : {&item, &parent, &link, &child, &sibling}) v->clear();
        count.clear();
        head.assign(items, -1), top.assign(items, -1), held.assign(items, 0);
        node(-1, -1, 0);
    }
    int32_t node(int32_t what, int32_t above, int64_t w) {
        const int32_t at = int32_t(item.size());
        item.push_back(what), parent.push_back(above), count.push_back(w);
        link.push_back(what < 0 ? -1 : head[size_t(what)]), child.push_back(-1), sibling.push_back(-1);
        if (what >= 0) head[size_t(what)] = at;
        return at;
    }
    // The node of an item below another one, made if need be.
    int32_t below(int32_t above, int32_t what, int64_t w) {
        held[size_t(what)] += w;
        if (above == 0) {
            int32_t &at = top[size_t(what)];
            if (at < 0) return at = node(what, 0, w);
            count[size_t(at)] += w;
            return at;
        }
        int32_t before = -1;
        for (int32_t at = child[size_t(above)]; at >= 0; before = at, at = sibling[size_t(at)]) {
            if (item[size_t(at)] != what) continue;
            count[size_t(at)] += w;
            if (before >= 0) {  // to the front: what came last comes again
                sibling[size_t(before)] = sibling[size_t(at)];
                sibling[size_t(at)] = child[size_t(above)], child[size_t(above)] = at;
            }
            return at;
        }
        const int32_t made = node(what, above, w);
        sibling[size_t(made)] = child[size_t(above)], child[size_t(above)] = made;
        return made;
    }
};

struct Nodes {  // a tree as it is read
    const int32_t *item, *parent, *link, *head;
    const int64_t *count;
};

// The nodes of a tree of baskets, looked through once when they are put together.
struct BasketTree {
    In1<int32_t> item, parent, link;  // (N,) the root first
    In1<int32_t> head;                // (m,) the last node of each item
    In1<int64_t> count;               // (N,)
    void check() const;
    Nodes nodes() const { return {item.data(), parent.data(), link.data(), head.data(), count.data()}; }
};

// Baskets as a tree: (item, parent, link, head) and the nodes' counts. Ranks ascend in a basket, rare items first.
nb::tuple build(In1<int64_t> start, In1<int32_t> rank, In1<int64_t> weight, int64_t m) {
    require(are_rows(rank, rank, start, length(start) - 1, m) && weighs(weight, length(start) - 1),
            "build: baskets do not fit");
    require(m <= std::max<int64_t>(length(rank), 1 << 20), "build: more items than entries");
    Tree tree;
    {
        nb::gil_scoped_release unlocked;
        tree.clear(size_t(m));
        for (int64_t i = 0; i + 1 < int64_t(start.shape(0)); ++i) {
            const int64_t w = weight.shape(0) ? weight.data()[i] : 1;
            int32_t at = 0;
            for (int64_t e = start.data()[i + 1] - 1; e >= start.data()[i]; --e) at = tree.below(at, rank.data()[e], w);
        }
    }
    return nb::make_tuple(give(std::move(tree.item)), give(std::move(tree.parent)), give(std::move(tree.link)),
                          give(std::move(tree.head)), give(std::move(tree.count)));
}

struct Level {
    std::vector<int32_t> codes;  // of the items of this level's tree
    Tree tree;
};

class Growth {
    std::vector<Level> levels_;
    std::vector<int64_t> count_;  // by item of the level above; zero between calls
    std::vector<int32_t> place_, met_, path_, set_;
    const int64_t least_, max_size_;
    bool progressed_ = false;

    void found(int64_t count) {
        sets.add(set_, count);
        --trail.room, trail.budget -= 4 + 2 * int64_t(set_.size()), progressed_ = true;
    }

    // The tree above an item's nodes, frequent items only; whether there are any.
    bool project(const Nodes &from, const int32_t *codes, int32_t what, Level &to) {
        met_.clear();
        for (int32_t at = from.head[what]; at >= 0; at = from.link[at])
            for (int32_t up = from.count[at] > 0 ? from.parent[at] : 0; up > 0;
                 up = from.parent[up]) {  // met once only
                const int32_t j = from.item[up];
                if (count_[size_t(j)] == 0) met_.push_back(j);
                count_[size_t(j)] += from.count[at], --trail.budget;
            }
        std::sort(met_.begin(), met_.end());
        to.codes.clear();
        for (const int32_t j : met_)
            if (count_[size_t(j)] >= least_) place_[size_t(j)] = int32_t(to.codes.size()), to.codes.push_back(codes[j]);
        to.tree.clear(to.codes.size());
        if (!to.codes.empty())
            for (int32_t at = from.head[what]; at >= 0; at = from.link[at]) {
                path_.clear();
                for (int32_t up = from.parent[at]; up > 0; up = from.parent[up])
                    if (place_[size_t(from.item[up])] >= 0) path_.push_back(place_[size_t(from.item[up])]);
                int32_t node = 0;
                for (auto j = path_.rbegin(); j != path_.rend(); ++j) node = to.tree.below(node, *j, from.count[at]);
                trail.budget -= int64_t(path_.size()) + 1;
            }
        for (const int32_t j : met_) count_[size_t(j)] = 0, place_[size_t(j)] = -1;
        return !to.codes.empty();
    }

    void grow(size_t depth) {
        trail.here.push_back(0);
        const int32_t m = int32_t(levels_[depth].codes.size());
        for (int32_t a = trail.first(depth); a < m; ++a) {
            trail.here.back() = a;
            const bool known = trail.behind(depth, a);
            if (!known && trail.full(progressed_)) break;
            set_.push_back(levels_[depth].codes[size_t(a)]);
            if (!known) found(levels_[depth].tree.held[size_t(a)]);
            if (a + 1 < m && int64_t(set_.size()) < max_size_) {
                if (levels_.size() <= depth + 1) levels_.emplace_back();
                const Tree &tree = levels_[depth].tree;
                const Nodes nodes{tree.item.data(), tree.parent.data(), tree.link.data(), tree.head.data(),
                                  tree.count.data()};
                if (project(nodes, levels_[depth].codes.data(), a, levels_[depth + 1])) grow(depth + 1);
            }
            set_.pop_back();
            if (trail.stopped) break;
        }
        trail.here.pop_back();
    }

  public:
    FoundSets sets;
    Trail trail;

    Growth(int64_t m, int64_t least, int64_t max_size, Trail trail)
        : levels_(1), count_(size_t(m), 0), place_(size_t(m), -1), least_(least), max_size_(max_size),
          trail(std::move(trail)) {}

    void mine(const Nodes &whole, const int32_t *codes, int32_t i) {
        const bool known = trail.resuming;
        set_.assign(1, codes[i]);
        if (!known) {
            int64_t support = 0;
            for (int32_t at = whole.head[i]; at >= 0; at = whole.link[at]) support += whole.count[at];
            found(support);
        }
        if (max_size_ > 1 && project(whole, codes, i, levels_[0])) grow(0);
    }
};

// Ways up and along lead to earlier nodes, so they end; items fall on the way up to the root, which has none.
void BasketTree::check() const {
    const int64_t N = length(item), m = length(head);
    require(length(parent) == N && length(link) == N && length(count) == N && N > 0 && within(head, -1, N),
            "nodes do not fit");
    require(within(count, 0, (int64_t(1) << 62) / N), "counts of nodes");
    bool fits = true;
    for (int64_t i = 1; i < N; ++i) {
        const int32_t up = parent.data()[i], on = link.data()[i], what = item.data()[i];
        fits &= what >= 0 && what < m && up >= 0 && up < i && on >= -1 && on < i && on != 0;
        if (fits && up > 0) fits &= item.data()[up] > what;
    }
    for (int64_t j = 0; j < m; ++j) fits &= head.data()[j] != 0;
    require(fits, "nodes do not hold together");
}

// Sets of the branches first .. last - 1. Returns (branch to go on with, steps, items, sizes, counts).
nb::tuple mine(const BasketTree &tree, In1<int32_t> code, int64_t first, int64_t last, In1<int32_t> steps,
               int64_t least, int64_t max_size, int64_t budget, int64_t room) {
    const int64_t m = int64_t(code.shape(0));
    require(0 <= first && last <= m && length(tree.head) == m && within(steps, 0, INT32_MAX), "branches do not fit");
    const Nodes nodes = tree.nodes();
    Growth growth(m, least, max_size, Trail(steps.data(), int64_t(steps.shape(0)), budget, room));
    {
        nb::gil_scoped_release unlocked;
        for (; first < last; ++first) {
            growth.mine(nodes, code.data(), int32_t(first));
            if (growth.trail.stopped) break;
            growth.trail.resuming = false;
            if (first + 1 < last && (growth.trail.budget <= 0 || growth.trail.room <= 0)) {
                ++first;
                break;
            }
        }
        if (!growth.trail.stopped) growth.trail.steps.clear();
    }
    return nb::make_tuple(first, give(std::move(growth.trail.steps)), give(std::move(growth.sets.items)),
                          give(std::move(growth.sets.sizes)), give(std::move(growth.sets.counts)));
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    define(m, "build", &build, "start", "rank", "weight", "m");
    record<BasketTree>(m, "BasketTree", field("item", &BasketTree::item), field("parent", &BasketTree::parent),
                       field("link", &BasketTree::link), field("head", &BasketTree::head),
                       field("count", &BasketTree::count));
    define(m, "mine", &mine, "tree", "code", "first", "last", "steps", "least", "max_size", "budget", "room");
}
