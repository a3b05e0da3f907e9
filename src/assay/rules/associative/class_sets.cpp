// Sets of items and the classes of the rows that hold them, on bitsets.
//
// Rows are bits. They are sorted by class, and each class begins at a new word, so that the class counts of a set of
// items are the popcounts of its words, class by class: no bitmap of a class is ever needed. The words of class k are
// bounds[k] to bounds[k + 1]. With weights, a count is the sum of weight[bit] over the bits that are set.
//
// Checked by the caller: all item numbers are below the number of bitsets, all bounds are within their words.
// Twins in NumPy: tests/rules/associative/test_class_sets.py.
#include "assay/array.hpp"
#include "assay/edge.hpp"

#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <tuple>
#include <vector>

using namespace assay;
using Word = uint64_t;

namespace {

// counts[k] = sum of popcount(a[w] & b[w]) over the words of class k
HOT void count_both(const Word *a, const Word *b, const int64_t *bounds, int64_t K, double *counts) {
    for (int64_t k = 0; k < K; ++k) {
        int64_t c = 0;
        for (int64_t w = bounds[k]; w < bounds[k + 1]; ++w) c += __builtin_popcountll(a[w] & b[w]);
        counts[k] = double(c);
    }
}

void weigh_both(const Word *a, const Word *b, const int64_t *bounds, int64_t K, const double *weight, double *counts) {
    for (int64_t k = 0; k < K; ++k) {
        double c = 0;
        for (int64_t w = bounds[k]; w < bounds[k + 1]; ++w)
            for (Word bits = a[w] & b[w]; bits; bits &= bits - 1) c += weight[w * 64 + __builtin_ctzll(bits)];
        counts[k] = c;
    }
}

HOT void both(const Word *a, const Word *b, int64_t W, Word *out) {  // out = a & b
    for (int64_t w = 0; w < W; ++w) out[w] = a[w] & b[w];
}

bool none(const Word *a, int64_t from, int64_t to) {
    return std::all_of(a + from, a + to, [](Word w) { return w == 0; });
}

// Rows by class, and what they weigh.
struct ClassRows {
    In2<Word> bits;        // (m, W)   the rows of each item
    In1<int64_t> bounds;   // (K + 1,) where the words of each class begin
    In1<double> weight;    // (W * 64,), or empty: ones
};

// When a set is frequent, sure enough to be written down, and long enough.
struct Search {
    double min_count, min_confidence;
    bool by_antecedent, stop_at_sure;
    int64_t max_length;
};

// Rows, their classes and weights, as every function below sees them.
struct Rows {
    View2<const Word> bits;
    View1<const int64_t> bounds;
    const double *weight;
    int64_t W, K;

    explicit Rows(const ClassRows &r)
        : bits(view(r.bits)), bounds(view(r.bounds)), weight(data_or_null(r.weight)), W(bits.cols()),
          K(bounds.size() - 1) {
        require(K >= 1 && shares_out(r.bounds, K, W, true), "the classes do not share out the words");
        require(!weight || length(r.weight) == W * 64, "expected a weight for each bit");
    }
    void counts(const Word *a, const Word *b, double *out) const {
        if (weight) weigh_both(a, b, bounds.data(), K, weight, out);
        else count_both(a, b, bounds.data(), K, out);
    }
    // out = the rows that hold all these items but the one at place `without`; an empty set is held by all
    void holders(const int32_t *items, int64_t size, int64_t without, const Word *all, Word *out) const {
        const Word *so_far = all;
        for (int64_t i = 0; i < size; ++i)
            if (i != without) {
                both(so_far, bits.row(items[i]), W, out);
                so_far = out;
            }
        if (so_far == all) std::copy(all, all + W, out);
    }
    // whether some row outside of class k holds all these items but one, and item x
    bool elsewhere(const std::vector<int32_t> &items, size_t without, int32_t x, int64_t k) const {
        for (int64_t w = 0; w < W; ++w) {
            if (w == bounds[k]) {
                w = bounds[k + 1];
                if (w >= W) break;
            }
            Word held = bits.row(x)[w];
            for (size_t i = 0; i < items.size() && held; ++i)
                if (i != without) held &= bits.row(items[i])[w];
            if (held) return true;
        }
        return false;
    }
};

}  // namespace

// Items of each of R rules or sets, among m.
static void check_items(const In1<int64_t> &start, const In1<int32_t> &items, int64_t R, int64_t m) {
    require(shares_out(start, R, length(items)) && within(items, 0, m), "rules of items that are not there");
}

// Set the bit of each row in the bitsets of its items.
void set_bits(In2<int32_t> codes_,       // in   (n, d)  an item number, or -1 for none
              In1<int64_t> place_,       // in   (n,)    the bit of each row
              InOut2<Word> bits_) {      // out  (m, W)  zero before
    const auto codes = view(codes_);
    const auto place = view(place_);
    const auto bits = view(bits_);
    require(place.size() == codes.rows(), "expected a place for each row");
    nb::gil_scoped_release unlocked;
    for (int64_t i = 0; i < codes.rows(); ++i) {
        const int64_t p = place[i];
        require(p >= 0 && p < bits.cols() * 64, "a row has no bit");
        for (int64_t j = 0; j < codes.cols(); ++j) {
            const int32_t item = codes.row(i)[j];
            if (item < 0) continue;
            require(item < bits.rows(), "no such item");
            bits.row(item)[p >> 6] |= Word(1) << (p & 63);
        }
    }
}

// Class counts of given sets of items.
void set_counts(const ClassRows &rows_,
                In1<Word> all_,                  // in   (W,)    the rows
                In1<int64_t> start_,             // in   (R + 1,)
                In1<int32_t> items_,             // in   items of set r at start[r] to start[r + 1]
                InOut2<double> counts_) {        // out  (R, K)
    const Rows rows(rows_);
    const auto start = view(start_);
    const auto items = view(items_);
    const auto counts = view(counts_);
    const Word *all = all_.data();
    check_items(start_, items_, length(counts_), length(rows_.bits));
    require(length(all_) == rows.W && int64_t(counts_.shape(1)) == rows.K,
            "set_counts: rows or classes that are not there");
    nb::gil_scoped_release unlocked;
    std::vector<Word> held(rows.W);
    for (int64_t r = 0; r < counts.rows(); ++r) {
        rows.holders(items.data() + start[r], start[r + 1] - start[r], -1, all, held.data());
        rows.counts(held.data(), held.data(), counts.row(r));
    }
}

// All frequent sets that begin with one item, depth first; those that are sure enough of a class are written down.
//
// A set is extended by items behind it in `order`, of columns it does not hold yet, that were frequent with the set
// before. Frequent: the count of its most frequent class (or of all classes) is at least min_count.
//
// stop_at_sure: a set whose rows are all of one class is not extended, and no set that holds such a set is written
// down. A superset of a sure set is sure itself, so a set that is not sure holds none; a sure one holds one exactly if
// one of its subsets with one item less is sure. So only sure sets need a look at their subsets.
//
// The walk can be left and taken up again: `path` holds the items gone down; what hangs below its end is next.
// Returns (sets counted, sets written, items written, whether the walk is over).
std::tuple<int64_t, int64_t, int64_t, bool> mine_below(
    const ClassRows &rows_,
    In1<int32_t> column_,                  // in      (m,)    the column of each item
    In1<int32_t> order_,                   // in      items in the order of the walk
    int64_t first,                         // in      where in `order` the sets begin
    In1<int32_t> rank_,                    // in      (K,)    of classes with equal counts the lowest rank wins
    const Search &search,
    int64_t budget,                        // in      sets to count before the walk is left
    InOut1<int32_t> path_,                 // in/out  (max_length + 1,)  length, then items; length 0 begins
    InOut1<int32_t> out_items_,            // out     items of the sets written, each set in ascending order
    InOut1<int32_t> out_size_,             // out     (R,)    how many items
    InOut1<int32_t> out_class_,            // out     (R,)
    InOut2<double> out_count_) {           // out     (R, 2)  count of the class, and of all
    const double min_count = search.min_count, min_confidence = search.min_confidence;
    const bool by_antecedent = search.by_antecedent, stop_at_sure = search.stop_at_sure;
    const int64_t max_length = search.max_length;
    const Rows rows(rows_);
    const auto column = view(column_);
    const auto order = view(order_);
    const auto rank = view(rank_);
    const auto path = view(path_);
    const auto out_items = view(out_items_);
    const auto out_size = view(out_size_);
    const auto out_class = view(out_class_);
    const auto out_count = view(out_count_);
    require(path.size() == max_length + 1 && max_length >= 2, "expected room for the longest set");
    require(first >= 0 && first < order.size(), "no such beginning");
    require(within(order_, 0, length(rows_.bits)) && length(column_) == length(rows_.bits) && length(rank_) == rows.K,
            "mine_below: items or classes that are not there");
    require(path[0] >= 0 && path[0] <= max_length, "the walk was never there");
    require(out_class.size() == out_size.size() && out_count.rows() == out_size.size() && out_count.cols() == 2,
            "expected a place for each set");
    nb::gil_scoped_release unlocked;

    const int64_t K = rows.K, W = rows.W, m = order.size();
    int64_t counted = 0, written = 0, used = 0;
    std::vector<double> counts(K);
    std::vector<std::vector<int32_t>> further(max_length + 1);  // by depth: the items that may be added
    std::vector<size_t> next(max_length + 1);
    std::vector<std::vector<Word>> held(max_length, std::vector<Word>(W));
    std::vector<int32_t> set, sorted;

    // The items that may extend `set`; sets that end with one of them are counted, and written if `write`.
    const auto extend = [&](bool write) {
        const size_t depth = set.size();
        const Word *mine = held[depth - 1].data();
        auto &found = further[depth];
        found.clear();
        next[depth] = 0;
        const auto &candidates = further[depth - 1];
        for (size_t c = next[depth - 1]; c < candidates.size(); ++c) {
            const int32_t x = candidates[c];
            if (column[x] == column[set.back()]) continue;
            rows.counts(mine, rows.bits.row(x), counts.data());
            ++counted;
            double total = 0;
            int64_t best = 0, present = 0;
            for (int64_t k = 0; k < K; ++k) {
                total += counts[k];
                present += counts[k] > 0;
                if (counts[k] > counts[best] || (counts[k] == counts[best] && rank[k] < rank[best])) best = k;
            }
            const double support = by_antecedent ? total : counts[best];
            if (support < min_count || total <= 0) continue;
            const bool sure = stop_at_sure && present == 1;
            if (!sure) found.push_back(x);
            if (!write || counts[best] < min_confidence * total) continue;
            bool news = true;
            if (sure)
                for (size_t i = 0; i < depth && news; ++i) news = rows.elsewhere(set, i, x, best);
            if (!news) continue;
            sorted.assign(set.begin(), set.end());
            sorted.push_back(x);
            std::sort(sorted.begin(), sorted.end());
            std::copy(sorted.begin(), sorted.end(), out_items.data() + used);
            used += int64_t(sorted.size());
            out_size[written] = int32_t(sorted.size());
            out_class[written] = int32_t(best);
            out_count.row(written)[0] = counts[best];
            out_count.row(written)[1] = total;
            ++written;
        }
        if (int64_t(depth) + 1 >= max_length) found.clear();
    };
    const auto descend = [&](int32_t x) {
        const Word *mine = set.empty() ? rows.bits.row(x) : held[set.size() - 1].data();
        both(mine, rows.bits.row(x), W, held[set.size()].data());
        set.push_back(x);
    };
    const auto room = [&] {
        return written + m <= out_size.size() && used + m * max_length <= out_items.size() && counted < budget;
    };
    require(out_size.size() >= m && out_items.size() >= m * max_length && budget > 0, "expected room for one step");

    further[0].assign(order.data(), order.data() + m);
    next[0] = size_t(first) + 1;
    descend(order[first]);
    if (path[0] == 0) {
        extend(true);
    } else {  // back to where the walk was left
        extend(false);
        for (int32_t i = 2; i <= path[0]; ++i) {
            auto &items = further[set.size()];
            const auto at = std::find(items.begin(), items.end(), path[i]);
            require(at != items.end(), "the walk was never there");
            next[set.size()] = size_t(at - items.begin()) + 1;
            descend(path[i]);
            extend(false);
        }
        counted = 0;
    }
    while (!set.empty()) {
        const size_t depth = set.size();
        if (next[depth] == 0 && !room()) {  // whatever hangs below this set is still to come
            path[0] = int32_t(depth);
            std::copy(set.begin(), set.end(), path.data() + 1);
            return {counted, written, used, false};
        }
        if (next[depth] >= further[depth].size()) {
            set.pop_back();
            continue;
        }
        descend(further[depth][next[depth]++]);
        extend(true);
    }
    path[0] = 0;
    return {counted, written, used, true};
}

// Go through rules in order; each row leaves when `enough` kept rules have covered it.
//
// A rule is kept if it is right on at least one row that is still there. Its counts are those of the rows that it
// covers among them. Returns how many rules were looked at until no row was left.
int64_t cover_in_order(const ClassRows &rows_,
                       In1<int64_t> start_,          // in      (R + 1,)
                       In1<int32_t> items_,          // in      items of rule r at start[r] to start[r + 1]
                       In1<int32_t> class_,          // in      (R,)
                       int32_t enough,
                       InOut1<Word> left_,           // in/out  (W,)      the rows that are there
                       InOut1<int32_t> covered_,     // in/out  (W * 64,) how many kept rules have covered each row
                       InOut1<uint8_t> kept_,        // out     (R,)
                       InOut2<double> counts_) {     // out     (R, K)    zero where a rule is not kept
    const Rows rows(rows_);
    const auto start = view(start_);
    const auto items = view(items_);
    const auto classes = view(class_);
    const auto covered = view(covered_);
    const auto kept = view(kept_);
    const auto counts = view(counts_);
    Word *left = left_.data();
    check_items(start_, items_, length(class_), length(rows_.bits));
    require(within(class_, 0, rows.K) && length(left_) == rows.W && length(covered_) == rows.W * 64 &&
                length(kept_) == length(class_) && length(counts_) == length(class_) &&
                int64_t(counts_.shape(1)) == rows.K,
            "cover_in_order: a place for each rule and row");
    nb::gil_scoped_release unlocked;
    const int64_t W = rows.W, R = classes.size();
    std::vector<Word> held(W);
    int64_t r = 0;
    for (; r < R; ++r) {
        if (none(left, 0, W)) break;
        rows.holders(items.data() + start[r], start[r + 1] - start[r], -1, left, held.data());
        if (none(held.data(), rows.bounds[classes[r]], rows.bounds[classes[r] + 1])) continue;
        kept[r] = 1;
        rows.counts(held.data(), held.data(), counts.row(r));
        for (int64_t w = 0; w < W; ++w)
            for (Word bits = held[w]; bits; bits &= bits - 1) {
                const int64_t bit = __builtin_ctzll(bits);
                int32_t &times = covered[w * 64 + bit];
                times += times < enough;  // and no further, or it might overflow
                if (times >= enough) left[w] &= ~(Word(1) << bit);
            }
    }
    return r;
}

// Which of the rules, best first, have no part that is a rule before them.
//
// Kept rules stand in a tree of their items in ascending order; a rule has a kept part exactly if a walk from the root
// along its own items reaches the end of a rule. A rule that is dropped need not be entered: what it would drop, its
// own part drops as well.
void most_general(In1<int64_t> start_, In1<int32_t> items_,  // in   items of each rule in ascending order
                  InOut1<uint8_t> kept_) {                   // out  (R,)
    require(shares_out(start_, length(kept_), length(items_)), "most_general: rules do not share out their items");
    const auto start = view(start_);
    const auto items = view(items_);
    const auto kept = view(kept_);
    nb::gil_scoped_release unlocked;
    struct Node {
        int32_t item, child, sibling;  // -1: none
        bool end;
    };
    std::vector<Node> tree{{-1, -1, -1, false}};
    std::vector<std::pair<int32_t, int64_t>> todo;  // node, the first item that may follow
    for (int64_t r = 0; r < kept.size(); ++r) {
        const int32_t *own = items.data() + start[r];
        const int64_t size = start[r + 1] - start[r];
        bool part = false;
        todo.assign(1, {0, 0});
        while (!todo.empty() && !part) {
            const auto [node, from] = todo.back();
            todo.pop_back();
            if (tree[node].end) {
                part = true;
                break;
            }
            for (int32_t child = tree[node].child; child >= 0; child = tree[child].sibling) {
                const int32_t *at = std::lower_bound(own + from, own + size, tree[child].item);
                if (at != own + size && *at == tree[child].item) todo.emplace_back(child, at - own + 1);
            }
        }
        kept[r] = !part;
        if (part) continue;
        int32_t node = 0;
        for (int64_t i = 0; i < size; ++i) {
            int32_t child = tree[node].child;
            while (child >= 0 && tree[child].item != own[i]) child = tree[child].sibling;
            if (child < 0) {
                child = int32_t(tree.size());
                tree.push_back({own[i], -1, tree[node].child, false});
                tree[node].child = child;
            }
            node = child;
        }
        tree[node].end = true;
    }
}

// Counts of each item among some rows, for a class and against it.
void item_weights(In2<int32_t> codes_,       // in   (n, d)  an item number, or -1 for none
                  In1<int64_t> rows_,        // in   rows to look at
                  In1<uint8_t> own_,         // in   (n,)    1 for rows of the class
                  In1<double> weight_,       // in   (n,)
                  InOut2<double> sums_) {    // out  (m, 2)  for, against; zero before
    require(within(rows_, 0, length(codes_)) && length(own_) == length(codes_) && length(weight_) == length(codes_),
            "item_weights: rows that are not there");
    require(sums_.shape(1) == 2 && within(codes_, INT32_MIN, length(sums_)), "item_weights: items that are not there");
    const auto codes = view(codes_);
    const auto rows = view(rows_);
    const auto own = view(own_);
    const auto weight = view(weight_);
    const auto sums = view(sums_);
    nb::gil_scoped_release unlocked;
    const int64_t d = codes.cols();
    for (int64_t t = 0; t < rows.size(); ++t) {
        const int64_t i = rows[t], side = own[i] ? 0 : 1;
        const int32_t *items = codes.row(i);
        for (int64_t j = 0; j < d; ++j)
            if (items[j] >= 0) sums.row(items[j])[side] += weight[i];
    }
}

// Let rules that cover a row vote: what each adds goes to the score of its class, rule after rule.
//
// A row hears at most `top` rules, or, if per_class, so many of each class: the first ones.
void add_votes(In2<Word> bits_,              // in      (C, W)  the rows that meet each condition
               In1<int64_t> start_,          // in      (R + 1,)
               In1<int32_t> conditions_,     // in      conditions of rule r at start[r] to start[r + 1]
               In1<int32_t> class_,          // in      (R,)
               In1<double> adds_,            // in      (R,)
               int32_t top, bool per_class,
               InOut2<double> scores_,       // in/out  (n, K)
               InOut2<int32_t> heard_) {     // in/out  (n, K) if per_class, else (n, 1): how many rules were heard
    const auto bits = view(bits_);
    const auto start = view(start_);
    const auto conditions = view(conditions_);
    const auto classes = view(class_);
    const auto adds = view(adds_);
    const auto scores = view(scores_);
    const auto heard = view(heard_);
    const int64_t n = scores.rows(), W = (n + 63) / 64;
    require(bits.rows() == 0 || bits.cols() == W, "expected a bit for each row");
    check_items(start_, conditions_, length(class_), length(bits_));
    require(within(class_, 0, scores.cols()) && length(adds_) == length(class_) && heard.rows() == n &&
                heard.cols() >= (per_class ? scores.cols() : 1),
            "add_votes: rules and classes that are not there");
    for (int64_t c = 0; c < bits.rows() && (n & 63); ++c)
        require(!(bits.row(c)[W - 1] >> (n & 63)), "add_votes: a bit for a row that is not there");
    nb::gil_scoped_release unlocked;
    std::vector<Word> all(W, ~Word(0)), held(W);
    if (n & 63) all[W - 1] = (Word(1) << (n & 63)) - 1;
    for (int64_t r = 0; r < classes.size(); ++r) {
        const Word *rows = all.data();
        for (int64_t c = start[r]; c < start[r + 1]; ++c) {
            both(rows, bits.row(conditions[c]), W, held.data());
            rows = held.data();
        }
        const int32_t k = classes[r];
        for (int64_t w = 0; w < W; ++w)
            for (Word left = rows[w]; left; left &= left - 1) {
                const int64_t i = w * 64 + __builtin_ctzll(left);
                int32_t &count = heard.row(i)[per_class ? k : 0];
                if (count >= top) continue;
                ++count;
                scores.row(i)[k] += adds[r];
            }
    }
}

NB_MODULE(ASSAY_MODULE, m) {
    record<ClassRows>(m, "ClassRows", field("bits", &ClassRows::bits), field("bounds", &ClassRows::bounds),
                      field("weight", &ClassRows::weight));
    record<Search>(m, "Search", field("min_count", &Search::min_count),
                   field("min_confidence", &Search::min_confidence), field("by_antecedent", &Search::by_antecedent),
                   field("stop_at_sure", &Search::stop_at_sure), field("max_length", &Search::max_length));
    define(m, "add_votes", &add_votes, "bits", "start", "conditions", "classes", "adds", "top", "per_class", "scores",
           "heard");
    define(m, "set_bits", &set_bits, "codes", "place", "bits");
    define(m, "set_counts", &set_counts, "rows", "held", "start", "items", "counts");
    define(m, "mine_below", &mine_below, "rows", "column", "order", "first", "rank", "search", "budget", "path",
           "out_items", "out_size", "out_class", "out_count");
    define(m, "cover_in_order", &cover_in_order, "rows", "start", "items", "classes", "enough", "left", "covered",
           "kept", "counts");
    define(m, "most_general", &most_general, "start", "items", "kept");
    define(m, "item_weights", &item_weights, "codes", "rows", "of_class", "weight", "sums");
}
