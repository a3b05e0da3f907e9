// Trees of a boosted sum from rows that come in blocks: what a block adds in one pass, and the tree that follows.
//
// A pass routes the rows of some nodes to these nodes' children and sums the children's histograms. Best-first growth
// would need a pass for each split. A Frontier instead plays best-first through with what it knows, taking for granted
// that children it has not seen are leaves; all nodes that are split then, and whose children it has not seen, are
// expanded in one pass. Children that are unknown can only push other nodes back in the order, so a node that is not
// split in this play is never split; once nothing is unknown, the play is what best-first does. A tree takes about as
// many passes as it has levels. Whole numbers add up to the same in any order: so the tree is the one from memory.
//
// Twins: tests/ensembles/test_hist_passes.py, a pass in NumPy, and the trees of _hist_boosting.Session.
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <queue>

#include "assay/boosting/growth.hpp"
#include "assay/boosting/leaves.hpp"
#include "assay/boosting/units.hpp"

using namespace assay;
using namespace assay::boosting;

namespace {

using Maybe = std::optional<In1<double>>;
constexpr int64_t TILE_ROWS = 1 << 15;  // rows whose cells are worked out together: with their codes, a megabyte

// The codes of a block of n rows; see histogram.hpp.
struct BlockCodes {
    In2<uint8_t> panels;       // (panels * n, width)
    In2<uint16_t> wide;        // (d16, n)
    In1<int64_t> wide_start;   // (d16 + 1,)
    int64_t n, narrow;         // rows, and columns of 8 bits

    int64_t width() const { return int64_t(panels.shape(1)); }
    int64_t cells() const { return wide_start.data()[length(wide_start) - 1]; }
    void check() const {
        const int64_t d16 = length(wide);
        require(n >= 0 && n < INT32_MAX && narrow >= 0 && narrow < (1 << 24), "codes: rows and columns");
        require(width() >= 4 && width() <= 64 && width() % 4 == 0, "codes: width of the panels");
        require(length(panels) == sized((narrow + width() - 1) / width(), n, "codes: panels"), "codes: panels");
        require(int64_t(wide.shape(1)) == n || d16 == 0, "codes: wide columns");
        require(length(wide_start) == d16 + 1 && wide_start.data()[0] == (narrow + 7) / 8 * 8 * BINS, "codes: cells");
        for (int64_t j = 0; j < d16; ++j) {
            const int64_t most = wide_start.data()[j + 1] - wide_start.data()[j];
            require(most > 0 && most <= 65536 && within(wide.data() + j * n, n, 0, most), "codes: a code too large");
        }
    }
    Codes from(int64_t a) const {  // rows a and after
        return {
            panels.data() + a * width(), nullptr, wide.data() + a, wide_start.data(), n, width(), narrow, length(wide)};
    }
};

// Checks of all rows in every pass, compiled for several instruction sets: they cost no more than reading the rows.
HOT bool all_within(const double *a, int64_t n, double low, double high) {  // NaN is not
    int64_t outside = 0;
    for (int64_t i = 0; i < n; ++i) outside += !(a[i] >= low) | !(a[i] <= high);
    return outside == 0;
}
HOT bool none_above(const double *a, const double *b, int64_t n) {
    int64_t above = 0;
    for (int64_t i = 0; i < n; ++i) above += !(a[i] <= b[i]);
    return above == 0;
}

// Targets, scores and weights of a block.
struct BlockRows {
    int64_t kind;
    double parameter, heaviest;
    In1<double> raw, y;
    Maybe w, top, inverse;
    std::optional<In1<uint8_t>> held;  // rows that do not count

    int64_t n() const { return length(y); }
    Rows rows() const {
        return {raw.data(), y.data(), data_or_null(w), data_or_null(top), data_or_null(inverse), parameter};
    }
    const uint8_t *held_out() const { return held ? held->data() : nullptr; }
    int64_t learned() const {  // how many rows count
        return held ? std::count(held->data(), held->data() + n(), uint8_t(0)) : n();
    }
    void check() const {
        const auto for_each = [&](const Maybe &a) { return !a || length(*a) == n(); };
        require(SQUARED <= kind && kind <= ONE_OF_MANY && length(raw) == n() && for_each(w) && for_each(top) &&
                    for_each(inverse) && (!held || length(*held) == n()) && (kind != ONE_OF_MANY || (top && inverse)),
                "rows: a score and a target for each row");
        constexpr double MOST = std::numeric_limits<double>::max();
        const bool share = kind == BINOMIAL;
        bool fits = std::isfinite(heaviest) && heaviest >= 0.0 && all_within(raw.data(), n(), -MOST, MOST) &&
                    all_within(y.data(), n(), share ? 0.0 : -MOST, share ? 1.0 : MOST);
        if (w && !held) fits &= all_within(w->data(), n(), -heaviest, heaviest);
        if (w && held)
            for (int64_t i = 0; i < n(); ++i) fits &= std::fabs(w->data()[i]) <= heaviest || held->data()[i];
        if (top) fits &= none_above(raw.data(), top->data(), n());
        if (inverse) fits &= all_within(inverse->data(), n(), 0.0, 1.0 + 1e-9);
        require(kind != PINBALL || (0.0 <= parameter && parameter <= 1.0), "rows: a quantile from 0 to 1");
        require(fits && (w || heaviest == 1.0), "rows: finite scores and targets, and no weight above the heaviest");
    }
};

struct BlockUnits {
    bool wide;
    int64_t count_bits;
    double g, h;
    void check() const {
        require(0 < count_bits && count_bits < 32 && g > 0.0 && h > 0.0 && std::isfinite(1 / g) && std::isfinite(1 / h),
                "units: powers of two");
    }
    Units units() const { return {wide, int(count_bits), g, h}; }
};

// Which nodes are split in a pass, and how.
struct SplitPlan {
    In1<int32_t> action;       // (nodes,)  which split the rows of a node meet, or -1
    In1<int32_t> place;        // (E,)      the column of each split: of 8 bits, or ~column of 16
    In1<int32_t> child;        // (2 E,)    left and right
    In1<int32_t> slot;         // (2 E,)    where a child's histogram is summed, or -1
    In1<int64_t> set_start;    // (E + 1,)
    In1<uint32_t> sets;        //           codes that go left, as bits
    int64_t slots;
    void check() const {
        const int64_t E = length(place);
        require(length(child) == 2 * E && length(slot) == 2 * E && shares_out(set_start, E, length(sets)),
                "plan: sizes");
        require(within(action, -1, E) && within(child, 0, length(action)) && within(slot, -1, slots), "plan: numbers");
    }
};

// Cells of a tile of rows, and what is noted of them on the way.
struct Tile {
    std::vector<int64_t> room;
    std::vector<Step> steps;
    std::vector<int32_t> live, side, order;
    explicit Tile(int64_t n) : room(2 * n + 2), steps(n), live(n), side(n), order(n) {}
    int64_t *cells() {  // 16-byte aligned
        return reinterpret_cast<int64_t *>((reinterpret_cast<uintptr_t>(room.data()) + 15) & ~uintptr_t(15));
    }
    void fill(const BlockRows &rows, const Units &units, int64_t a, int64_t m) {
        Rows R = rows.rows();
        R.raw += a, R.y += a;
        if (R.w) R.w += a;
        if (R.top) R.top += a, R.inverse += a;
        make_cells(int(rows.kind), R, rows.held ? rows.held_out() + a : nullptr, 0, m, units, cells(), steps.data());
    }
};

void add_to(const Codes &codes, const Units &units, const int32_t *rows, int64_t m, const int64_t *cells, int64_t *h) {
    if (units.wide)
        sum_rows<Wide, 4>(codes, rows, 0, m, reinterpret_cast<const Wide *>(cells), reinterpret_cast<Wide *>(h));
    else sum_rows<Narrow, 8>(codes, rows, 0, m, reinterpret_cast<const Narrow *>(cells), reinterpret_cast<Narrow *>(h));
}

bool is_aligned(const int64_t *p) { return reinterpret_cast<uintptr_t>(p) % 16 == 0; }

// The histogram of all rows, added to h; and their total: gradients, curvatures and counts in units, what rounding left
// over of the first two in parts, the absolute values of the gradients.
void sum_root(const BlockCodes &codes, const BlockRows &rows, const BlockUnits &units,
              InOut1<int64_t> h,          // in/out  (words,)
              InOut1<int64_t> total) {    // in/out  (6,)
    const Units U = units.units();
    const int64_t n = codes.n, step = U.wide ? 2 : 1;
    require(rows.n() == n && length(h) == codes.cells() * step && length(total) == 6 && is_aligned(h.data()),
            "sum_root: codes and targets of the same rows");
    require(rows.learned() < int64_t(1) << U.count_bits, "sum_root: more rows than the units have room for");
    nb::gil_scoped_release unlocked;
    Tile tile(std::min(n, TILE_ROWS));
    Sums sums;
    Parts parts;
    int64_t size = 0;
    for (int64_t a = 0; a < n; a += TILE_ROWS) {
        const int64_t m = std::min(TILE_ROWS, n - a);
        tile.fill(rows, U, a, m);
        add_to(codes.from(a), U, nullptr, m, tile.cells(), h.data());
        for (int64_t i = 0; i < m; ++i) {
            const Sums one = U.sums(tile.cells() + step * i);
            sums += one, size += std::abs(one.g);
            if (U.wide) parts += tile.steps[i];
        }
    }
    int64_t *t = total.data();
    t[0] += sums.g, t[1] += sums.h, t[2] += sums.count, t[3] += parts.g, t[4] += parts.h, t[5] += size;
}

// Rows of the nodes that are split go to the children; histograms of those with a slot, and what rounding left over.
void expand(const BlockCodes &codes, const BlockRows &rows, const BlockUnits &units, const SplitPlan &plan,
            InOut1<int32_t> node,         // in/out  (n,)         the node of each row
            InOut2<int64_t> h,            // in/out  (slots, words)
            InOut2<int64_t> parts) {      // in/out  (2 E, 2)
    const Units U = units.units();
    const int64_t n = codes.n, step = U.wide ? 2 : 1, E = length(plan.place), M = length(plan.action);
    require(rows.n() == n && length(node) == n && within(node, 0, M) && length(h) == plan.slots &&
                int64_t(h.shape(1)) == codes.cells() * step && length(parts) == 2 * E && parts.shape(1) == 2 &&
                is_aligned(h.data()),
            "expand: codes, targets and nodes of the same rows");
    require(rows.learned() < int64_t(1) << U.count_bits, "expand: more rows than the units have room for");
    for (int64_t e = 0; e < E; ++e) {
        const int64_t p = plan.place.data()[e], words = plan.set_start.data()[e + 1] - plan.set_start.data()[e];
        require(p >= 0 ? p < codes.narrow && words >= BINS / 32
                       : ~p < length(codes.wide) &&
                             words * 32 >= codes.wide_start.data()[~p + 1] - codes.wide_start.data()[~p],
                "expand: a column that is not there");
    }
    nb::gil_scoped_release unlocked;
    struct Meeting {  // of a row with a split: where its codes are, how far apart, and what goes left
        const uint8_t *codes;
        int64_t stride;
        const uint32_t *set;
        bool wide;
    };
    std::vector<Meeting> meetings;
    for (int64_t e = 0; e < E; ++e) {
        const int64_t p = plan.place.data()[e], width = codes.width();
        const uint32_t *set = plan.sets.data() + plan.set_start.data()[e];
        if (p >= 0) meetings.push_back({codes.panels.data() + p / width * width * n + p % width, width, set, false});
        else meetings.push_back({reinterpret_cast<const uint8_t *>(codes.wide.data() + ~p * n), 2, set, true});
    }
    Tile tile(std::min(n, TILE_ROWS));
    std::vector<Parts> sums(2 * E);
    std::vector<int64_t> start(2 * E + 1), next(2 * E);
    const int32_t *action = plan.action.data();
    for (int64_t a = 0; a < n; a += TILE_ROWS) {
        const int64_t m = std::min(TILE_ROWS, n - a);
        int32_t *at = node.data() + a;
        // Sides of splits are as good as random, so there is no branch that could be foretold by them.
        int64_t live = 0;
        for (int64_t i = 0; i < m; ++i) tile.live[live] = int32_t(i), live += action[at[i]] >= 0;
        if (live == 0) continue;
        tile.fill(rows, U, a, m);
        std::fill(start.begin(), start.end(), 0);
        for (int64_t k = 0; k < live; ++k) {
            const int32_t i = tile.live[k], e = action[at[i]];
            const Meeting &split = meetings[e];
            const uint8_t *cell = split.codes + (a + i) * split.stride;
            uint32_t code = *cell;
            if (split.wide) code = *reinterpret_cast<const uint16_t *>(cell);
            const int32_t side = 2 * e + 1 - int32_t(split.set[code >> 5] >> (code & 31) & 1);
            at[i] = plan.child.data()[side];
            tile.side[k] = side;
            ++start[side + 1];
        }
        if (U.wide)
            for (int64_t k = 0; k < live; ++k) sums[tile.side[k]] += tile.steps[tile.live[k]];
        for (int64_t s = 0; s < 2 * E; ++s) next[s] = start[s], start[s + 1] += start[s];
        for (int64_t k = 0; k < live; ++k) tile.order[next[tile.side[k]]++] = tile.live[k];
        for (int64_t side = 0; side < 2 * E; ++side) {
            const int32_t s = plan.slot.data()[side];
            if (s >= 0)
                add_to(codes.from(a), U, tile.order.data() + start[side], start[side + 1] - start[side], tile.cells(),
                       h.data() + s * int64_t(h.shape(1)));
        }
    }
    for (int64_t e = 0; e < 2 * E; ++e) parts.data()[2 * e] += sums[e].g, parts.data()[2 * e + 1] += sums[e].h;
}

// The largest gradient (as an absolute value) and curvature of rows that count.
std::tuple<double, double> extents(const BlockRows &rows) {
    nb::gil_scoped_release unlocked;
    Extent most{0.0, 0.0};
    const Rows R = rows.rows();
    const auto widen = [&](int64_t a, int64_t b) {
        const Extent e = extent(int(rows.kind), R, a, b);
        most = {std::max(most.g, e.g), std::max(most.h, e.h)};
    };
    if (!rows.held) {
        widen(0, rows.n());
    } else {
        for (int64_t a = 0, b; a < rows.n(); a = b + 1) {  // runs of rows that count
            for (b = a; b < rows.n() && !rows.held_out()[b];) ++b;
            if (b > a) widen(a, b);
        }
    }
    return {most.g, most.h};
}

// By how much a step lowers the loss of the rows of each leaf, in units of its own: sums[leaf_i] += round(scale d_i).
void add_decreases(const BlockRows &rows, In1<int32_t> leaf, In1<double> step, In1<double> scale,
                   InOut1<int64_t> sums) {
    const int64_t leaves = length(step);
    require(length(leaf) == rows.n() && within(leaf, -1, leaves) && length(scale) == leaves && length(sums) == leaves &&
                rows.kind >= BINOMIAL,
            "add_decreases: a leaf for each row");
    nb::gil_scoped_release unlocked;
    const Rows R = rows.rows();
    for (int64_t i = 0; i < rows.n(); ++i) {
        const int32_t l = leaf.data()[i];
        if (l < 0 || (rows.held && rows.held_out()[i])) continue;
        const double fixed = decrease_of_row(int(rows.kind), R, i, step.data()[l]) * scale.data()[l];
        if (std::fabs(fixed) < 0x1p51) sums.data()[l] += nearest(fixed);
    }
}

// In what units the gradients of n rows are summed, given the largest gradient and curvature of rows that count: wide,
// bits of the count, units; no units if gains would not be finite.
std::optional<std::tuple<bool, int, double, double>> choose_units(int kind, bool narrow, double g, double h,
                                                                  double heaviest, int64_t n) {
    require(SQUARED <= kind && kind <= ONE_OF_MANY && n > 0 && n < INT32_MAX, "choose_units: a loss, and rows");
    const Extent most = has_known_extent(kind) ? known_extent(kind, heaviest) : Extent{g, h};
    if (!has_known_extent(kind) && !is_moderate(most, heaviest, n)) return std::nullopt;
    const Units units = units_for(n, !narrow, most);
    return std::make_tuple(units.wide, units.count_bits, units.g, units.h);
}

class Frontier : Search {
    Binned binned_;
    In1<uint8_t> missing_;
    In1<int8_t> monotonic_;
    int64_t most_slots_;
    std::vector<Scratch> scratch_;
    std::vector<Split> splits_;                    // (d,) of the node at hand

    std::vector<Node> nodes_;                      // all that were looked at, whether or not they will stay
    std::vector<std::vector<int64_t>> histograms_; // of each node, while it may be needed
    std::vector<Parts> parts_;                     // of each node
    std::vector<int32_t> parents_;                 // whose children the pass at hand is about
    std::vector<Node> tree_;                       // what best-first keeps, and their numbers among all nodes
    std::vector<int32_t> kept_;
    std::vector<Leaf> leaves_;                     // of the finished tree
    std::vector<double> scale_;
    int kind_ = SQUARED;
    bool begun_ = false;

    static Columns columns_of(const Binned &binned, const In1<uint8_t> &missing, const In1<int8_t> &monotonic) {
        return {binned.bins.data(),       binned.place.data(),
                missing.data(),           binned.nominal.data(),
                monotonic.data(),         length(binned.bins),
                binned.wide_start.data(), binned.wide_start.data()[length(binned.wide_start) - 1]};
    }
    static int64_t narrow_of(const Binned &binned) {
        int64_t narrow = 0;
        for (int64_t j = 0; j < length(binned.place); ++j) narrow += binned.place.data()[j] >= 0;
        return narrow;
    }
    static const Growth &checked(const Binned &binned, const In1<uint8_t> &missing, const In1<int8_t> &monotonic,
                                 const std::vector<std::vector<int32_t>> &groups, const Growth &growth) {
        check_growing(binned, missing, monotonic, groups, growth, narrow_of(binned));
        return growth;
    }
    static Limits limits_of(const Growth &growth) {
        return {growth.leaves, growth.depth, growth.least, growth.l2, growth.share};
    }
    int64_t words() const { return columns_.cells * (units_.wide ? 2 : 1); }

  public:
    Frontier(const Binned &binned, In1<uint8_t> missing, In1<int8_t> monotonic,
             std::vector<std::vector<int32_t>> groups, const Growth &growth)
        : Search(columns_of(binned, missing, monotonic), limits_of(checked(binned, missing, monotonic, groups, growth)),
                 groups),
          binned_(binned), missing_(missing), monotonic_(monotonic), splits_(length(binned.bins)) {
        scratch_.emplace_back(most_bins());
        most_slots_ = std::max<int64_t>(16, growth.memory / (columns_.cells * 16));
    }

    // A new tree, from the histogram and the total of all rows (see sum_root).
    void begin(int kind, const BlockUnits &units, uint64_t seed, In1<int64_t> total, In1<int64_t> h) {
        units_ = units.units(), seed_ = seed, kind_ = kind;
        require(length(total) == 6 && length(h) == words() && SQUARED <= kind && kind <= ONE_OF_MANY,
                "begin: a histogram and a total");
        nb::gil_scoped_release unlocked;
        const int64_t *t = total.data();
        nodes_.assign(1, root({t[0], t[1], t[2]}));
        parts_.assign(1, Parts{t[3], t[4]});
        histograms_.assign(1, {});
        parents_.clear();
        begun_ = true;
        if (limits_.leaves != 1 && may_split(nodes_[0])) {
            histograms_[0].assign(h.data(), h.data() + words());
            look(0);
        }
    }

    // What the next pass has to do, as the fields of a SplitPlan; no split at all if the tree is known.
    auto plan() {
        require(begun_, "plan: no tree was begun");
        std::vector<int32_t> action, place, child, slot;
        std::vector<int64_t> set_start{0};
        std::vector<uint32_t> sets;
        int64_t slots = 0;
        {
            nb::gil_scoped_release unlocked;
            parents_ = play();
            for (size_t e = 0; e < parents_.size(); ++e) {
                const int32_t k = parents_[e], l = int32_t(nodes_.size());
                nodes_.resize(nodes_.size() + 2);
                nodes_[k].left = l, nodes_[k].right = l + 1;
                make_children(nodes_[k], nodes_[l], nodes_[l + 1]);
                const bool left_large = nodes_[l].sums.count >= nodes_[l + 1].sums.count;
                const int32_t large = left_large ? l : l + 1;
                const bool onward = may_split(nodes_[large]), derived = !histograms_[k].empty();
                int32_t at[2] = {-1, -1};
                if (onward) at[left_large] = int32_t(slots++);
                if (onward && !derived) at[!left_large] = int32_t(slots++);
                place.push_back(columns_.place[nodes_[k].split.column]);
                child.push_back(l), child.push_back(l + 1), slot.push_back(at[0]), slot.push_back(at[1]);
                add_set(nodes_[k], sets);
                set_start.push_back(int64_t(sets.size()));
            }
            histograms_.resize(nodes_.size()), parts_.resize(nodes_.size());
            action.assign(nodes_.size(), -1);
            for (size_t e = 0; e < parents_.size(); ++e) action[parents_[e]] = int32_t(e);
            slots_ = slot;
        }
        return std::make_tuple(give(std::move(action)), give(std::move(place)), give(std::move(child)),
                               give(std::move(slot)), give(std::move(set_start)), give(std::move(sets)), slots);
    }

    // What the pass has found (see expand): the children become known.
    void learn(In2<int64_t> h, In2<int64_t> parts) {
        int64_t slots = 0;
        for (int32_t s : slots_) slots += s >= 0;
        require(length(h) == slots && int64_t(h.shape(1)) == words() && slots_.size() == 2 * parents_.size() &&
                    length(parts) == int64_t(slots_.size()) && parts.shape(1) == 2,
                "learn: a histogram for each slot");
        nb::gil_scoped_release unlocked;
        for (size_t e = 0; e < parents_.size(); ++e) {
            const int32_t k = parents_[e];
            std::vector<int64_t> whole = std::move(histograms_[k]);
            histograms_[k].clear();
            for (int side = 0; side < 2; ++side) {
                const int64_t *part = parts.data() + 2 * (2 * e + side);
                const int32_t c = side ? nodes_[k].right : nodes_[k].left, s = slots_[2 * e + side];
                parts_[c] = {part[0], part[1]};
                if (s >= 0) histograms_[c].assign(h.data() + s * words(), h.data() + (s + 1) * words());
            }
            const bool left = slots_[2 * e] >= 0, right = slots_[2 * e + 1] >= 0;
            if (left != right) {  // the other is parent minus sibling
                const int32_t small = left ? nodes_[k].left : nodes_[k].right,
                              large = left ? nodes_[k].right : nodes_[k].left;
                for (int64_t c = 0; c < words(); ++c) whole[c] -= histograms_[small][c];
                histograms_[large] = std::move(whole);
            }
            if (!left && !right) continue;
            for (int32_t c : {nodes_[k].left, nodes_[k].right})
                if (may_split(nodes_[c])) look(c);
                else std::vector<int64_t>().swap(histograms_[c]);
        }
        parents_.clear(), slots_.clear();
        forget();
    }

    // The finished tree, as Session.grow gives it; then for all nodes ever looked at the leaf of the tree that their
    // rows are in, and of the leaves whose step must be judged by their rows: which, their steps and scales (see
    // add_decreases).
    auto finish(double rate, bool exact, double heaviest) {
        require(begun_, "finish: no tree was begun");
        Layout tree;
        std::vector<int32_t> leaf_node, leaf_of(nodes_.size(), -1), doubtful;
        std::vector<double> step, scale;
        {
            nb::gil_scoped_release unlocked;
            require(play().empty(), "finish: there is more to learn");
            tree = lay_out(tree_, binned_, missing_.data(), units_, rate);
            for (Leaf &leaf : tree.leaves) {
                leaf_node.push_back(leaf.node);
                leaf_of[kept_[leaf.from]] = leaf.node;
                double &number = tree.number[leaf.node];
                if (exact && units_.wide && tree_.size() > 1)
                    number = settled(leaf, tree_[leaf.from].sums, parts_[kept_[leaf.from]], units_, limits_.l2, rate);
                if (!exact || kind_ == ABSOLUTE || kind_ == PINBALL) continue;
                if (surely_falls(kind_, leaf, number) || !std::isfinite(number)) continue;
                if (kind_ < BINOMIAL) {
                    number = cautious_step(kind_, number / rate);
                } else {
                    doubtful.push_back(int32_t(leaf_node.size()) - 1), step.push_back(number);
                    scale.push_back(decrease_scale(number, heaviest, units_.count_bits));
                }
            }
            for (size_t k = 0; k < nodes_.size(); ++k)  // children stand behind their parents
                if (nodes_[k].left >= 0 && leaf_of[k] >= 0)
                    leaf_of[nodes_[k].left] = leaf_of[nodes_[k].right] = leaf_of[k];
            leaves_ = tree.leaves, scale_ = scale;
        }
        return std::make_tuple(
            std::make_tuple(give(std::move(tree.column)), give(std::move(tree.number)), give(std::move(tree.right)),
                            give(std::move(tree.missing_left)), give(std::move(tree.rows)), give(std::move(tree.gain)),
                            give(std::move(tree.set_start)), give(std::move(tree.sets)), give(std::move(leaf_node)),
                            give(std::vector<int64_t>(leaves_.size(), 0)), tree.depth),
            give(std::move(leaf_of)), give(std::move(doubtful)), give(std::move(step)), give(std::move(scale)));
    }

    // Steps of doubtful leaves that do not lower the loss of their rows enough become cautious ones.
    void judge(InOut1<double> number, double rate, In1<int32_t> doubtful, In1<int64_t> decrease) {
        require(within(doubtful, 0, int64_t(leaves_.size())) && length(decrease) == length(doubtful) &&
                    length(doubtful) == int64_t(scale_.size()),
                "judge: the leaves in doubt");
        for (int64_t i = 0; i < length(doubtful); ++i) {
            const Leaf &leaf = leaves_[doubtful.data()[i]];
            require(leaf.node < length(number), "judge: a number for each node");
            double &step = number.data()[leaf.node];
            if (!falls_enough(leaf, step, decrease.data()[i], scale_[i])) step = cautious_step(kind_, step / rate);
        }
    }

  private:
    std::vector<int32_t> slots_;  // of the children in the pass at hand

    void look(int32_t k) {
        const std::vector<uint8_t> allowed = columns_for(nodes_[k]);
        const int64_t *h = histograms_[k].data();
        for (int64_t j = 0; j < columns_.d; ++j)
            splits_[j] = allowed[j] ? best_of(bins_of(h, j), j, nodes_[k], scratch_[0]) : Split();
        settle(nodes_[k], splits_.data(), h, scratch_[0]);
        if (nodes_[k].split.column < 0) std::vector<int64_t>().swap(histograms_[k]);
    }

    // Best-first growth with what is known (tree_ and kept_); gives the nodes that it splits and whose children nobody
    // has seen, those of largest gain if there are too many for one pass.
    std::vector<int32_t> play() {
        tree_.clear(), kept_.clear();
        std::vector<int32_t> unknown;
        std::priority_queue<std::pair<double, int32_t>> open;
        const auto push = [&](int32_t k) {
            const int32_t at = int32_t(tree_.size());
            tree_.push_back(nodes_[k]), kept_.push_back(k);
            tree_.back().left = tree_.back().right = -1;
            if (nodes_[k].split.column >= 0) open.emplace(rounded(nodes_[k].split.gain), -at);
            return at;
        };
        push(0);
        int64_t leaves = 1;
        for (; !open.empty() && (limits_.leaves == 0 || leaves < limits_.leaves); ++leaves) {
            const int32_t at = -open.top().second, k = kept_[at];
            open.pop();
            if (nodes_[k].left < 0) {
                unknown.push_back(k);
                tree_.emplace_back(), tree_.emplace_back();  // so that the numbers of later nodes are right
                kept_.push_back(-1), kept_.push_back(-1);
                continue;
            }
            const int32_t l = push(nodes_[k].left), r = push(nodes_[k].right);
            tree_[at].left = l, tree_[at].right = r;
        }
        for (; !open.empty(); open.pop()) tree_[-open.top().second].split = Split();
        const int64_t most = std::max<int64_t>(1, most_slots_ / 4);
        if (int64_t(unknown.size()) > most) unknown.resize(most);
        return unknown;
    }

    // When memory is scarce, nodes with the least gain give their histograms up; both their children are summed then.
    void forget() {
        std::vector<std::pair<double, int32_t>> held;
        for (size_t k = 0; k < nodes_.size(); ++k)
            if (!histograms_[k].empty()) held.emplace_back(nodes_[k].split.gain, int32_t(k));
        if (int64_t(held.size()) <= most_slots_) return;
        std::sort(held.begin(), held.end());
        for (size_t i = 0; i + most_slots_ < held.size(); ++i) std::vector<int64_t>().swap(histograms_[held[i].second]);
    }

    // The codes that go left, as bits; rows that are held out may lack a value where no other row does.
    void add_set(const Node &node, std::vector<uint32_t> &sets) const {
        const int64_t j = node.split.column, bins = columns_.bins[j], p = columns_.place[j];
        const int64_t codes = p >= 0 ? BINS : columns_.wide_start[~p + 1] - columns_.wide_start[~p];
        const size_t base = sets.size();
        sets.resize(base + (codes + 31) / 32, 0);
        const bool larger_left = nodes_[node.left].sums.count > nodes_[node.right].sums.count;
        const bool missing_left = missing_.data()[j] ? node.split.missing_left : larger_left;
        for (int64_t b = 0; b < bins + 1; ++b) {
            const bool left = b == bins            ? missing_left
                              : node.split.nominal ? node.left_bins[b / 32] >> (b % 32) & 1
                                                   : b <= node.split.bin;
            if (left) sets[base + b / 32] |= uint32_t(1) << (b % 32);
        }
    }
};

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    record<BlockCodes>(m, "BlockCodes", field("panels", &BlockCodes::panels), field("wide", &BlockCodes::wide),
                       field("wide_start", &BlockCodes::wide_start), field("n", &BlockCodes::n),
                       field("narrow", &BlockCodes::narrow));
    record<BlockRows>(m, "BlockRows", field("kind", &BlockRows::kind), field("parameter", &BlockRows::parameter),
                      field("heaviest", &BlockRows::heaviest), field("raw", &BlockRows::raw), field("y", &BlockRows::y),
                      field("w", &BlockRows::w), field("top", &BlockRows::top), field("inverse", &BlockRows::inverse),
                      field("held", &BlockRows::held));
    record<BlockUnits>(m, "BlockUnits", field("wide", &BlockUnits::wide), field("count_bits", &BlockUnits::count_bits),
                       field("g", &BlockUnits::g), field("h", &BlockUnits::h));
    record<SplitPlan>(m, "SplitPlan", field("action", &SplitPlan::action), field("place", &SplitPlan::place),
                      field("child", &SplitPlan::child), field("slot", &SplitPlan::slot),
                      field("set_start", &SplitPlan::set_start), field("sets", &SplitPlan::sets),
                      field("slots", &SplitPlan::slots));
    define(m, "sum_root", &sum_root, "codes", "rows", "units", "h", "total");
    define(m, "expand", &expand, "codes", "rows", "units", "plan", "node", "h", "parts");
    define(m, "extents", &extents, "rows");
    define(m, "add_decreases", &add_decreases, "rows", "leaf", "step", "scale", "sums");
    define(m, "choose_units", &choose_units, "kind", "narrow", "g", "h", "heaviest", "n");
    nb::class_<Frontier>(m, "Frontier")
        .def(nb::init<const Binned &, In1<uint8_t>, In1<int8_t>, std::vector<std::vector<int32_t>>, const Growth &>(),
             nb::arg("binned"), nb::arg("missing"), nb::arg("monotonic"), nb::arg("groups"), nb::arg("growth"))
        .def("begin", &Frontier::begin, nb::arg("kind"), nb::arg("units"), nb::arg("seed"), nb::arg("total"),
             nb::arg("h"))
        .def("plan", &Frontier::plan)
        .def("learn", &Frontier::learn, nb::arg("h"), nb::arg("parts"))
        .def("finish", &Frontier::finish, nb::arg("rate"), nb::arg("exact"), nb::arg("heaviest"))
        .def("judge", &Frontier::judge, nb::arg("number").noconvert(), nb::arg("rate"), nb::arg("doubtful"),
             nb::arg("decrease"));
}
