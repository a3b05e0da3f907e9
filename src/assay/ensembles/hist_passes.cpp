// Trees of a boosted sum from rows that come in blocks: what a block adds in one pass, and the tree that follows.
//
// A block is sorted by node, chunk by chunk: at place p of a chunk stands the row order[p], counted within the chunk,
// and node[p] is the node that this row has reached. Rows of a node stand side by side, in their order. So a pass reads
// the rows of nodes that are split and no others, works out the gradients of the smaller child's rows alone, and what
// it reads of a chunk stays in the cache.
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

#include <memory>
#include <queue>

#include "assay/boosting/growth.hpp"
#include "assay/boosting/leaves.hpp"
#include "assay/boosting/units.hpp"

using namespace assay;
using namespace assay::boosting;

namespace {

using Maybe = std::optional<In1<double>>;
constexpr int64_t CHUNK = 1 << 15;  // rows that are sorted together; their numbers have 16 bits
constexpr int32_t NOTHING = -2;  // of a child: neither its histogram nor what rounding left over is summed

// The codes of a block of n rows; see histogram.hpp.
struct BlockCodes {
    In2<uint8_t> panels;  // (panels * n, width)
    In2<uint16_t> wide;  // (d16, n)
    In1<int64_t> wide_start;  // (d16 + 1,)
    int64_t n, narrow;  // rows, and columns of 8 bits

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

// Checks of rows that are read, compiled for several instruction sets.
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
        require(kind != PINBALL || (0.0 <= parameter && parameter <= 1.0), "rows: a quantile from 0 to 1");
        require(std::isfinite(heaviest) && heaviest >= 0.0 && (w || heaviest == 1.0), "rows: the heaviest weight");
    }
    void check_values(const Rows &R, const uint8_t *held, int64_t m) const {  // of m rows, when they are read
        constexpr double MOST = std::numeric_limits<double>::max();
        const bool share = kind == BINOMIAL;
        bool fits = all_within(R.raw, m, -MOST, MOST) && all_within(R.y, m, share ? 0.0 : -MOST, share ? 1.0 : MOST);
        if (R.w && !held) fits &= all_within(R.w, m, -heaviest, heaviest);
        if (R.w && held)
            for (int64_t i = 0; i < m; ++i) fits &= std::fabs(R.w[i]) <= heaviest || held[i];
        if (R.top) fits &= none_above(R.raw, R.top, m);
        if (R.inverse) fits &= all_within(R.inverse, m, 0.0, 1.0 + 1e-9);
        require(fits, "rows: finite scores and targets, and no weight above the heaviest");
    }
    void check_values() const { check_values(rows(), held_out(), n()); }
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
    In1<int32_t> action;  // (nodes,)  which split the rows of a node meet, or -1
    In1<int32_t> place;  // (E,)      the column of each split: of 8 bits, or ~column of 16
    In1<int32_t> child;  // (2 E,)    left and right
    In1<int32_t> slot;  // (2 E,)    where a child's histogram is summed; -1: only what rounding left over; or -2
    In1<int64_t> set_start;  // (E + 1,)
    In1<uint32_t> sets;  //           codes that go left, as bits
    int64_t slots;
    void check() const {
        const int64_t E = length(place);
        require(length(child) == 2 * E && length(slot) == 2 * E && shares_out(set_start, E, length(sets)),
                "plan: sizes");
        require(within(action, -1, E) && within(child, 0, length(action)) && within(slot, NOTHING, slots),
                "plan: numbers");
    }
};

// Some rows of a block, read together, and their cells.
struct Tile {
    alignas(64) int64_t cells[2 * TILE];
    Step steps[TILE];
    double raw[TILE], y[TILE], w[TILE], top[TILE], inverse[TILE];
    int32_t rows[TILE];
    uint8_t held[TILE];

    // Rows a ... a + m, or those of them that `order` numbers.
    void fill(const BlockRows &block, const Units &units, int64_t a, const uint16_t *order, int64_t m) {
        Rows R = block.rows();
        const uint8_t *out = block.held ? block.held_out() + a : nullptr;
        for (const double **values : {&R.raw, &R.y, &R.w, &R.top, &R.inverse})
            if (*values) *values += a;
        if (order) {
            for (int64_t i = 0; i < m; ++i) rows[i] = order[i];
            const auto take = [&](const double *&from, double *to) {  // to = from[rows]
                if (!from) return;
                for (int64_t i = 0; i < m; ++i) to[i] = from[rows[i]];
                from = to;
            };
            take(R.raw, raw), take(R.y, y), take(R.w, w), take(R.top, top), take(R.inverse, inverse);
            if (out) {
                for (int64_t i = 0; i < m; ++i) held[i] = out[rows[i]];
                out = held;
            }
        }
        block.check_values(R, out, m);
        make_cells(int(block.kind), R, out, 0, m, units, cells, steps);
    }
    // h += the histogram of these rows; codes are those of row a and after.
    void add_to(const Codes &codes, const Units &units, bool ordered, int64_t m, int64_t *h) const {
        const int32_t *some = ordered ? rows : nullptr;
        if (units.wide)
            sum_rows<Wide, 4, true>(codes, some, 0, m, reinterpret_cast<const Wide *>(cells),
                                    reinterpret_cast<Wide *>(h));
        else
            sum_rows<Narrow, 8, true>(codes, some, 0, m, reinterpret_cast<const Narrow *>(cells),
                                      reinterpret_cast<Narrow *>(h));
    }
};

bool is_aligned(const int64_t *p) { return reinterpret_cast<uintptr_t>(p) % 16 == 0; }

// Where the rows of the node at place p of a chunk of m end.
int64_t end_of_node(const int32_t *node, int64_t p, int64_t m) {
    int64_t last = p, step = 1;
    for (; last + step < m && node[last + step] == node[p]; step *= 2) last += step;
    for (int64_t beyond = std::min(last + step, m);;) {
        if (beyond - last <= 1) return beyond;
        const int64_t middle = last + (beyond - last) / 2;
        (node[middle] == node[p] ? last : beyond) = middle;
    }
}

HOT bool all_below(const uint16_t *a, int64_t n, int64_t limit) {
    uint16_t most = 0;
    for (int64_t i = 0; i < n; ++i) most = a[i] > most ? a[i] : most;
    return n == 0 || most < limit;
}

// f(a, p, q) for the rows of each node in each chunk: places p to q of the chunk that begins with row a.
template <class F>
void each_run(const uint16_t *order, const int32_t *node, int64_t n, int64_t nodes, F &&f) {
    for (int64_t a = 0; a < n; a += CHUNK) {
        const int64_t m = std::min(CHUNK, n - a);
        for (int64_t p = 0, q; p < m; p = q) {
            const int32_t k = node[a + p];
            q = end_of_node(node + a, p, m);
            require(0 <= k && k < nodes, "rows: a node that is not there");
            require(all_below(order + a + p, q - p, m), "rows: a row that is not in its chunk");
            f(a, p, q);
        }
    }
}

// All rows at the root.
void gather_at_root(InOut1<uint16_t> order, InOut1<int32_t> node) {
    require(length(order) == length(node), "gather_at_root: a node for each row");
    nb::gil_scoped_release unlocked;
    for (int64_t i = 0; i < length(node); ++i) order.data()[i] = uint16_t(i % CHUNK), node.data()[i] = 0;
}

// raw[i] += value[the node of row i]
void add_values(In1<uint16_t> order, In1<int32_t> node, In1<double> value, InOut1<double> raw) {
    require(length(order) == length(node) && length(raw) == length(node), "add_values: a score for each row");
    nb::gil_scoped_release unlocked;
    each_run(order.data(), node.data(), length(node), length(value), [&](int64_t a, int64_t p, int64_t q) {
        const double v = value.data()[node.data()[a + p]];
        const uint16_t *row = order.data() + a;
        for (; p < q; ++p) raw.data()[a + row[p]] += v;
    });
}

// out[i] = the node of row i
void node_of_rows(In1<uint16_t> order, In1<int32_t> node, InOut1<int32_t> out) {
    require(length(order) == length(node) && length(out) == length(node), "node_of_rows: a place for each row");
    nb::gil_scoped_release unlocked;
    each_run(order.data(), node.data(), length(node), INT32_MAX, [&](int64_t a, int64_t p, int64_t q) {
        const int32_t k = node.data()[a + p];
        const uint16_t *row = order.data() + a;
        for (; p < q; ++p) out.data()[a + row[p]] = k;
    });
}

// The histogram of all rows, added to h; and their total: gradients, curvatures and counts in units, what rounding left
// over of the first two in parts, the absolute values of the gradients.
void sum_root(const BlockCodes &codes, const BlockRows &rows, const BlockUnits &units,
              InOut1<int64_t> h,  // in/out  (words,)
              InOut1<int64_t> total) {  // in/out  (6,)
    const Units U = units.units();
    const int64_t n = codes.n, step = U.wide ? 2 : 1;
    require(rows.n() == n && length(h) == codes.cells() * step && length(total) == 6 && is_aligned(h.data()),
            "sum_root: codes and targets of the same rows");
    require(rows.learned() < int64_t(1) << U.count_bits, "sum_root: more rows than the units have room for");
    nb::gil_scoped_release unlocked;
    const auto tile = std::make_unique<Tile>();
    Sums sums;
    Parts parts;
    int64_t size = 0;
    for (int64_t a = 0; a < n; a += TILE) {
        const int64_t m = std::min(TILE, n - a);
        tile->fill(rows, U, a, nullptr, m);
        tile->add_to(codes.from(a), U, false, m, h.data());
        for (int64_t i = 0; i < m; ++i) {
            const Sums one = U.sums(tile->cells + step * i);
            sums += one, size += std::abs(one.g);
            if (U.wide) parts += tile->steps[i];
        }
    }
    int64_t *t = total.data();
    t[0] += sums.g, t[1] += sums.h, t[2] += sums.count, t[3] += parts.g, t[4] += parts.h, t[5] += size;
}

// Rows of the nodes that are split go to the children; histograms of those with a slot, and what rounding left over.
void expand(const BlockCodes &codes, const BlockRows &rows, const BlockUnits &units, const SplitPlan &plan,
            InOut1<uint16_t> order,  // in/out  (n,)
            InOut1<int32_t> node,  // in/out  (n,)
            InOut2<int64_t> h,  // in/out  (slots, words)
            InOut2<int64_t> parts) {  // in/out  (2 E, 2)
    const Units U = units.units();
    const int64_t n = codes.n, step = U.wide ? 2 : 1, E = length(plan.place), M = length(plan.action);
    require(rows.n() == n && length(node) == n && length(order) == n && length(h) == plan.slots &&
                int64_t(h.shape(1)) == codes.cells() * step && length(parts) == 2 * E && parts.shape(1) == 2 &&
                is_aligned(h.data()),
            "expand: codes, targets and nodes of the same rows");
    require(rows.learned() < int64_t(1) << U.count_bits, "expand: more rows than the units have room for");
    struct Meeting {  // of a row with a split: where its codes are, how far apart, and what goes left
        const uint8_t *codes;
        int64_t stride;
        const uint32_t *set;
        bool wide;
        uint8_t left[BINS];
    };
    std::vector<Meeting> meetings(E);
    for (int64_t e = 0; e < E; ++e) {
        const int64_t p = plan.place.data()[e], words = plan.set_start.data()[e + 1] - plan.set_start.data()[e];
        require(p >= 0 ? p < codes.narrow && words >= BINS / 32
                       : ~p < length(codes.wide) &&
                             words * 32 >= codes.wide_start.data()[~p + 1] - codes.wide_start.data()[~p],
                "expand: a column that is not there");
        const int64_t width = codes.width();
        Meeting &split = meetings[e];
        split.set = plan.sets.data() + plan.set_start.data()[e], split.wide = p < 0;
        if (p < 0) {
            split.codes = reinterpret_cast<const uint8_t *>(codes.wide.data() + ~p * n), split.stride = 2;
        } else {
            split.codes = codes.panels.data() + p / width * width * n + p % width, split.stride = width;
            for (int64_t b = 0; b < BINS; ++b) split.left[b] = split.set[b >> 5] >> (b & 31) & 1;
        }
    }
    nb::gil_scoped_release unlocked;
    const auto tile = std::make_unique<Tile>();
    const std::unique_ptr<uint16_t[]> right(new uint16_t[CHUNK]);
    std::vector<Parts> sums(2 * E);
    each_run(order.data(), node.data(), n, M, [&](int64_t a, int64_t p, int64_t q) {
        const int32_t e = plan.action.data()[node.data()[a + p]];
        if (e < 0) return;
        const Meeting &split = meetings[e];
        uint16_t *row = order.data() + a;
        // Sides of splits are as good as random, so there is no branch that could be foretold by them.
        int64_t middle = p, others = 0;
        const auto route = [&](auto goes_left) {
            for (int64_t i = p; i < q; ++i) {
                const uint16_t r = row[i];
                const int64_t left = goes_left(r);
                row[middle] = r, right[others] = r;  // both written, one kept
                middle += left, others += 1 - left;
            }
        };
        if (split.wide) {
            const uint16_t *code = reinterpret_cast<const uint16_t *>(split.codes) + a;
            route([=](uint16_t r) { return int64_t(split.set[code[r] >> 5] >> (code[r] & 31) & 1); });
        } else {
            const uint8_t *code = split.codes + a * split.stride, *left = split.left;
            const int64_t stride = split.stride;
            route([=](uint16_t r) { return int64_t(left[code[r * stride]]); });
        }
        std::memcpy(row + middle, right.get(), others * sizeof(uint16_t));
        const int32_t *child = plan.child.data() + 2 * e, *slot = plan.slot.data() + 2 * e;
        std::fill(node.data() + a + p, node.data() + a + middle, child[0]);
        std::fill(node.data() + a + middle, node.data() + a + q, child[1]);
        for (int side = 0; side < 2; ++side) {
            if (slot[side] == NOTHING) continue;
            const int64_t stop = side ? q : middle;
            for (int64_t first = side ? middle : p; first < stop; first += TILE) {
                const int64_t m = std::min(TILE, stop - first);
                tile->fill(rows, U, a, row + first, m);
                if (U.wide)
                    for (int64_t i = 0; i < m; ++i) sums[2 * e + side] += tile->steps[i];
                if (slot[side] >= 0)
                    tile->add_to(codes.from(a), U, true, m, h.data() + slot[side] * int64_t(h.shape(1)));
            }
        }
    });
    for (int64_t e = 0; e < 2 * E; ++e) parts.data()[2 * e] += sums[e].g, parts.data()[2 * e + 1] += sums[e].h;
}

// The largest gradient (as an absolute value) and curvature of rows that count.
std::tuple<double, double> extents(const BlockRows &rows) {
    rows.check_values();
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
    rows.check_values();
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
    std::vector<Split> splits_;  // (d,) of the node at hand

    std::vector<Node> nodes_;  // all that were looked at, whether or not they will stay
    std::vector<std::vector<int64_t>> histograms_;  // of each node, while it may be needed
    std::vector<Parts> parts_;  // of each node
    std::vector<int32_t> parents_;  // whose children the pass at hand is about
    std::vector<Node> tree_;  // what best-first keeps, and their numbers among all nodes
    std::vector<int32_t> kept_;
    std::vector<Leaf> leaves_;  // of the finished tree
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
                int32_t at[2] = {NOTHING, NOTHING};
                if (onward) at[left_large] = int32_t(slots++);
                else if (units_.wide) at[left_large] = -1;  // the rest of the parent's is the larger child's
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
                const int64_t *other = parts.data() + 2 * (2 * e + 1 - side);
                if (s != NOTHING) parts_[c] = {part[0], part[1]};
                else parts_[c] = {parts_[k].g - other[0], parts_[k].h - other[1]};
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
    define(m, "expand", &expand, "codes", "rows", "units", "plan", "order", "node", "h", "parts");
    define(m, "gather_at_root", &gather_at_root, "order", "node");
    define(m, "add_values", &add_values, "order", "node", "value", "raw");
    define(m, "node_of_rows", &node_of_rows, "order", "node", "out");
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
