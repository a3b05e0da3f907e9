// Grows one tree of a boosted sum: the node with the largest gain is split first.
//
// A split moves the node's rows (stably, so that they stay in their order), sums the histogram of the smaller child,
// takes the larger child's as parent minus sibling, and looks for the best split of each. Rows are cut into blocks and
// columns into lots that the crew shares; the tree is the same for any number of helpers.
#pragma once
#include <cmath>
#include <limits>
#include <memory>
#include <new>
#include <queue>

#include "assay/boosting/split.hpp"
#include "assay/crew.hpp"

namespace assay::boosting {

constexpr int64_t BLOCK = 8192;             // rows that are moved or summed as one task
constexpr int64_t WORTH_SHARING = 1 << 15;  // additions below which one thread is quicker than two
constexpr double INF = std::numeric_limits<double>::infinity();

struct Node {
    Sums sums;
    double value = 0.0, lower = -INF, upper = INF;  // upper and lower: bounds of the children's values
    int64_t start = 0, stop = 0;                    // its rows: rows[start:stop]
    int32_t depth = 0, left = -1, right = -1, slot = -1;
    Split split;
    std::vector<uint32_t> left_bins;                // nominal splits: bit b set if bin b goes left
    std::vector<int32_t> groups;                    // interaction groups that are still open
};

struct Columns {                                    // one entry a column
    const int32_t *bins, *place;  // bins without the missing one; column of 8 bits, or ~column of 16
    const uint8_t *missing, *nominal;  // whether some value is missing; whether it is nominal
    const int8_t *monotonic;
    int64_t d;
};

struct Limits {
    int64_t leaves, depth, rows;  // most leaves and levels (0: any), least rows of a leaf
    double l2, column_share;
};

class Grower {
    struct Free {
        void operator()(int64_t *p) const { ::operator delete[](p, std::align_val_t(64)); }
    };
    using Histogram = std::unique_ptr<int64_t[], Free>;

    Codes codes_;
    Columns columns_;
    Limits limits_;
    std::vector<std::vector<int32_t>> groups_;  // interaction groups: the columns of each
    int32_t *rows_, *left_, *right_;  // (n,) each: the rows by node, and room to move them
    std::vector<Histogram> pool_, own_;  // a histogram for each open node; for each helper
    std::vector<int32_t> idle_;
    int64_t most_slots_;
    std::vector<Scratch> scratch_;
    std::vector<Split> found_;  // (2, d)
    std::vector<int32_t> chosen_;  // columns that may split the node at hand
    std::vector<int64_t> block_left_;
    std::vector<uint8_t> began_;

    // of the tree at hand
    std::vector<Node> nodes_;
    Units units_{};
    const int64_t *cells_ = nullptr;
    uint64_t seed_ = 0;
    Crew *crew_ = nullptr;

    int64_t words() const { return codes_.cells() * (units_.wide ? 2 : 1); }
    int64_t *histogram(int32_t slot) { return pool_[slot].get(); }
    const int64_t *bins_of(const int64_t *h, int64_t j) const {
        const int32_t p = columns_.place[j];
        return h + (p >= 0 ? p * BINS : codes_.wide_start[~p]) * (units_.wide ? 2 : 1);
    }
    Histogram fresh() const {
        auto *place = static_cast<int64_t *>(::operator new[](codes_.cells() * 16, std::align_val_t(64)));
        std::memset(place, 0, codes_.cells() * 16);
        return Histogram(place);
    }

  public:
    Grower(const Codes &codes, const Columns &columns, const Limits &limits, std::vector<std::vector<int32_t>> groups,
           int32_t *rows, int32_t *left, int32_t *right, int64_t memory)
        : codes_(codes), columns_(columns), limits_(limits), groups_(std::move(groups)), rows_(rows), left_(left),
          right_(right), found_(2 * columns.d), block_left_(codes.n / BLOCK + 2) {
        most_slots_ = std::max<int64_t>(16, memory / (codes.cells() * 16));
    }

    const std::vector<Node> &nodes() const { return nodes_; }
    const Columns &columns() const { return columns_; }
    const int32_t *rows() const { return rows_; }

    void grow(const int64_t *cells, const Units &units, const Sums &total, uint64_t seed, Crew &crew) {
        cells_ = cells, units_ = units, seed_ = seed, crew_ = &crew;
        reserve(crew.places());
        nodes_.clear();
        idle_.clear();
        for (int32_t s = int32_t(pool_.size()) - 1; s >= 0; --s) idle_.push_back(s);
        for (int64_t i = 0; i < codes_.n; ++i) rows_[i] = int32_t(i);
        nodes_.emplace_back();
        nodes_[0].sums = total, nodes_[0].stop = codes_.n;
        for (size_t g = 0; g < groups_.size(); ++g) nodes_[0].groups.push_back(int32_t(g));
        if (limits_.leaves != 1 && may_split(nodes_[0])) {
            nodes_[0].slot = take_slot();
            sum_all(histogram(nodes_[0].slot), nullptr, 0, codes_.n);
            search(0, -1);
        }
        if (limits_.leaves == 0) every_leaf();
        else best_first();
    }

  private:
    void reserve(int places) {
        int64_t most = 1;
        for (int64_t j = 0; j < columns_.d; ++j) most = std::max<int64_t>(most, columns_.bins[j] + 1);
        while (int(scratch_.size()) < places) scratch_.emplace_back(most);
        while (int(own_.size()) < places) own_.push_back(own_.empty() ? Histogram() : fresh());
        began_.assign(places, 0);
    }

    bool may_split(const Node &node) const {
        return node.sums.count >= 2 * limits_.rows && (limits_.depth == 0 || node.depth < limits_.depth) &&
               double(node.sums.h) * units_.h >= MIN_CURVATURE;
    }

    // 24 bits of a number, as many as a float has but without its limits: equal gains are equal.
    static double rounded(double v) {
        int exponent = 0;
        const float most = float(std::frexp(v, &exponent));
        return std::ldexp(double(most), exponent);
    }

    // A bounded number of leaves: the largest gain first; among equals the older node.
    void best_first() {
        using Entry = std::pair<double, int32_t>;
        std::priority_queue<Entry> open;
        auto push = [&](int32_t k) {
            if (nodes_[k].split.column >= 0) open.emplace(rounded(nodes_[k].split.gain), -k);
            else drop(k);
        };
        push(0);
        int64_t leaves = 1;
        while (!open.empty() && leaves < limits_.leaves) {
            const int32_t k = -open.top().second;
            open.pop();
            divide(k, ++leaves < limits_.leaves);
            push(nodes_[k].left);
            push(nodes_[k].right);
        }
        for (; !open.empty(); open.pop()) nodes_[-open.top().second].split = Split();
    }

    // Any number of leaves: the order does not matter, so the smaller child comes first, and few histograms wait.
    void every_leaf() {
        std::vector<int32_t> open;
        auto push = [&](int32_t k) {
            if (nodes_[k].split.column >= 0) open.push_back(k);
            else drop(k);
        };
        push(0);
        while (!open.empty()) {
            const int32_t k = open.back();
            open.pop_back();
            divide(k, true);
            const int32_t a = nodes_[k].left, b = nodes_[k].right;
            const bool a_larger = nodes_[a].sums.count > nodes_[b].sums.count;
            push(a_larger ? a : b);
            push(a_larger ? b : a);
        }
    }

    // Split node k as it was found best; if `on`, look for the best splits of its children.
    void divide(int32_t k, bool on) {
        const int32_t l = int32_t(nodes_.size()), r = l + 1;
        nodes_.resize(nodes_.size() + 2);
        Node &node = nodes_[k], &left = nodes_[l], &right = nodes_[r];
        const Split &split = node.split;
        node.left = l, node.right = r;
        left.depth = right.depth = node.depth + 1;
        left.sums = split.left, right.sums = node.sums - split.left;
        left.value = split.left_value, right.value = split.right_value;
        bound(node, left, right);
        left.start = node.start, left.stop = right.start = node.start + split.left.count, right.stop = node.stop;
        for (int32_t g : node.groups)
            if (std::binary_search(groups_[g].begin(), groups_[g].end(), split.column)) left.groups.push_back(g);
        right.groups = left.groups;

        const int32_t large = left.sums.count >= right.sums.count ? l : r, small = large == l ? r : l;
        const bool onward = on && may_split(nodes_[large]);
        const bool shared = crew_->places() > 1 && node.sums.count * columns_.d >= WORTH_SHARING;
        const int32_t slot = onward ? take_slot() : -1;
        if (shared) {
            move_rows_together(node, onward ? histogram(slot) : nullptr, small == l);
        } else {
            move_rows(node);
            if (onward) sum_all(histogram(slot), rows_, nodes_[small].start, nodes_[small].sums.count);
        }
        if (!onward) return drop(k);
        nodes_[small].slot = slot;
        const bool derived = node.slot >= 0;
        nodes_[large].slot = derived ? node.slot : take_slot();
        if (!derived) sum_all(histogram(nodes_[large].slot), rows_, nodes_[large].start, nodes_[large].sums.count);
        nodes_[k].slot = -1;
        search(large, derived ? small : -1);
        if (!derived && may_split(nodes_[small])) search(small, -1);
    }

    void bound(const Node &node, Node &left, Node &right) const {
        left.lower = right.lower = node.lower, left.upper = right.upper = node.upper;
        const int order = columns_.monotonic[node.split.column];
        if (order == 0) return;
        const double middle = (left.value + right.value) / 2;
        (order > 0 ? left.upper : left.lower) = middle;
        (order > 0 ? right.lower : right.upper) = middle;
    }

    // The bins that go left, as bits.
    void mark_bins(Node &node) {
        const int64_t j = node.split.column, bins = columns_.bins[j];
        const int64_t *cells = bins_of(histogram(node.slot), j);
        Scratch &S = scratch_[0];
        order_bins(cells, bins, columns_.missing[j], node.sums, units_, S);
        node.left_bins.assign((bins + 32) / 32, 0);
        const int64_t used = int64_t(S.order.size()), m = std::abs(node.split.bin);
        for (int64_t i = 0; i < m; ++i) {
            const int32_t b = S.order[node.split.bin > 0 ? i : used - 1 - i].second;
            node.left_bins[b / 32] |= uint32_t(1) << (b % 32);
        }
        node.split.missing_left = node.left_bins[bins / 32] >> (bins % 32) & 1;
    }

    // Histograms

    // Room for one more histogram. When memory is scarce, the open node with the least gain gives its own up.
    int32_t take_slot() {
        if (idle_.empty() && int64_t(pool_.size()) >= most_slots_) {
            int32_t least = -1;
            for (int32_t k = 0; k < int32_t(nodes_.size()); ++k)
                if (nodes_[k].slot >= 0 && nodes_[k].left < 0 && nodes_[k].split.column >= 0 &&
                    (least < 0 || nodes_[k].split.gain < nodes_[least].split.gain))
                    least = k;
            if (least >= 0) drop(least);
        }
        if (idle_.empty()) {
            pool_.push_back(fresh());
            return int32_t(pool_.size()) - 1;
        }
        const int32_t slot = idle_.back();
        idle_.pop_back();
        return slot;
    }

    void drop(int32_t k) {
        if (nodes_[k].slot >= 0) idle_.push_back(nodes_[k].slot);
        nodes_[k].slot = -1;
    }

    void clear(int64_t *h) const {
        const int64_t step = units_.wide ? 2 : 1;
        for (int64_t j = 0; j < columns_.d; ++j)
            std::memset(const_cast<int64_t *>(bins_of(h, j)), 0, (columns_.bins[j] + 1) * step * 8);
    }

    void add_rows(int64_t *h, const int32_t *rows, int64_t first, int64_t m) const {
        if (units_.wide)
            sum_rows<Wide, 4>(codes_, rows, first, m, reinterpret_cast<const Wide *>(cells_),
                              reinterpret_cast<Wide *>(h));
        else
            sum_rows<Narrow, 8>(codes_, rows, first, m, reinterpret_cast<const Narrow *>(cells_),
                                reinterpret_cast<Narrow *>(h));
    }

    // Whoever takes part sums into a histogram of his own, the leader into h.
    int64_t *mine(int64_t *h, int who) {
        int64_t *place = who == 0 ? h : own_[who].get();
        if (!began_[who]) clear(place), began_[who] = 1;
        return place;
    }

    void begin(int64_t *h) {
        std::fill(began_.begin(), began_.end(), 0);
        mine(h, 0);
    }

    void gather(int64_t *h) const {  // h += each helper's
        const int64_t step = units_.wide ? 2 : 1;
        for (size_t who = 1; who < began_.size(); ++who) {
            if (!began_[who]) continue;
            for (int64_t j = 0; j < columns_.d; ++j) {
                int64_t *a = const_cast<int64_t *>(bins_of(h, j));
                const int64_t *b = bins_of(own_[who].get(), j);
                for (int64_t c = 0; c < (columns_.bins[j] + 1) * step; ++c) a[c] += b[c];
            }
        }
    }

    // h = the histogram of rows[first : first + m] (of rows first ... first + m themselves if there are no numbers).
    void sum_all(int64_t *h, const int32_t *rows, int64_t first, int64_t m) {
        begin(h);
        const int64_t blocks = m * columns_.d < WORTH_SHARING ? 1 : (m + BLOCK - 1) / BLOCK,
                      size = blocks == 1 ? m : BLOCK;
        crew_->each(blocks, [&](int64_t t, int who) {
            const int64_t a = first + t * size, count = std::min(size, first + m - a);
            if (rows == nullptr) add_rows(mine(h, who), nullptr, a, count);
            else add_rows(mine(h, who), rows + a, 0, count);
        });
        gather(h);
    }

    // Rows

    template <class F>
    void route(const Node &node, F &&with) const {  // with(test): test(row) is 1 if the row goes left, else 0
        const int32_t p = columns_.place[node.split.column];
        const int64_t bins = columns_.bins[node.split.column];
        const uint32_t *set = node.left_bins.data();
        if (p < 0) {
            const uint16_t *code = codes_.wide + int64_t(~p) * codes_.n;
            with([=](int32_t row) { return int64_t(set[code[row] >> 5] >> (code[row] & 31) & 1); });
        } else {
            const uint8_t *code = codes_.columns + int64_t(p) * codes_.n;
            if (node.split.nominal) {
                with([=](int32_t row) { return int64_t(set[code[row] >> 5] >> (code[row] & 31) & 1); });
            } else if (node.split.missing_left) {  // code `bins`, the missing one, becomes 0, before all others
                const uint8_t up = uint8_t(256 - bins), bin = uint8_t(node.split.bin + up);
                with([=](int32_t row) { return int64_t(uint8_t(code[row] + up) <= bin); });
            } else {
                const uint8_t bin = uint8_t(node.split.bin);
                with([=](int32_t row) { return int64_t(code[row] <= bin); });
            }
        }
    }

    void move_rows(const Node &node) {
        route(node, [&](auto goes_left) {
            int64_t a = node.start, b = 0;
            for (int64_t i = node.start; i < node.stop; ++i) {
                const int32_t row = rows_[i];
                const int64_t left = goes_left(row);
                rows_[a] = row, right_[b] = row;  // both written, one kept
                a += left, b += 1 - left;
            }
            std::memcpy(rows_ + a, right_, b * sizeof(int32_t));
        });
    }

    // The same by blocks. Each block is cut in two in rooms apart; then blocks go to their place, and at the same time
    // those of the smaller child are summed into h (if there is one).
    void move_rows_together(const Node &node, int64_t *h, bool left_is_smaller) {
        const int64_t m = node.sums.count, blocks = (m + BLOCK - 1) / BLOCK, start = node.start;
        crew_->each(blocks, [&](int64_t t, int) {
            const int64_t first = start + t * BLOCK, last = std::min(first + BLOCK, node.stop);
            route(node, [&](auto goes_left) {
                int64_t a = first, b = first;
                for (int64_t i = first; i < last; ++i) {
                    const int32_t row = rows_[i];
                    const int64_t left = goes_left(row);
                    left_[a] = row, right_[b] = row;
                    a += left, b += 1 - left;
                }
                block_left_[t] = a - first;
            });
        });
        if (h) begin(h);
        std::vector<int64_t> before(blocks + 1, 0);
        for (int64_t t = 0; t < blocks; ++t) before[t + 1] = before[t] + block_left_[t];
        const int64_t sums = h ? blocks : 0, all_left = before[blocks];
        crew_->each(sums + blocks, [&](int64_t task, int who) {
            const int64_t t = task < sums ? task : task - sums, first = start + t * BLOCK;
            const int64_t lefts = block_left_[t], rights = std::min(BLOCK, node.stop - first) - lefts;
            if (task < sums) {
                if (left_is_smaller) add_rows(mine(h, who), left_ + first, 0, lefts);
                else add_rows(mine(h, who), right_ + first, 0, rights);
            } else {
                std::memcpy(rows_ + start + before[t], left_ + first, lefts * sizeof(int32_t));
                std::memcpy(rows_ + start + all_left + (t * BLOCK - before[t]), right_ + first,
                            rights * sizeof(int32_t));
            }
        });
        if (h) gather(h);
    }

    // Splits

    // Into how many shares the columns are cut: one if a search is short. Bins that must be sorted take long.
    int64_t lots_of_columns() const {
        int64_t work = codes_.cells() * 8;
        for (int64_t j = 0; j < columns_.d; ++j) work += columns_.nominal[j] ? columns_.bins[j] * 56 : 0;
        if (work < WORTH_SHARING) return 1;
        return std::max((columns_.d + 15) / 16, std::min(columns_.d, work / (WORTH_SHARING / 8)));
    }

    // Find the best split of node a; if there is a sibling b, take its histogram from a's first (there still the
    // parent's), and find its best split as well.
    void search(int32_t a, int32_t b) {
        choose_columns(nodes_[a]);
        const bool both = b >= 0 && may_split(nodes_[b]);
        const int64_t d = columns_.d, step = units_.wide ? 2 : 1;
        int64_t *h = histogram(nodes_[a].slot), *g = b >= 0 ? histogram(nodes_[b].slot) : nullptr;
        const int64_t lots = lots_of_columns(), size = (d + lots - 1) / lots;
        std::vector<uint8_t> first(d, chosen_.empty()), second(d, chosen_.empty());
        for (int32_t j : chosen_) first[j] = 1;
        if (both) {
            choose_columns(nodes_[b]);
            for (int32_t j : chosen_) second[j] = 1;
        }
        crew_->each(lots, [&](int64_t t, int who) {
            for (int64_t j = t * size; j < std::min(d, (t + 1) * size); ++j) {
                int64_t *x = const_cast<int64_t *>(bins_of(h, j));
                if (g != nullptr) {
                    const int64_t *y = bins_of(g, j);
                    for (int64_t c = 0; c < (columns_.bins[j] + 1) * step; ++c) x[c] -= y[c];
                }
                found_[j] = first[j] ? best_of(x, j, nodes_[a], who) : Split();
                if (both) found_[d + j] = second[j] ? best_of(bins_of(g, j), j, nodes_[b], who) : Split();
            }
        });
        settle(a, found_.data());
        if (both) settle(b, found_.data() + d);
    }

    Split best_of(const int64_t *cells, int64_t j, const Node &node, int who) {
        const double rounding = double(node.sums.count) * units_.g;
        const Rules rules{limits_.l2, double(limits_.rows),  node.lower,
                          node.upper, columns_.monotonic[j], rounding * (rounding / (double(node.sums.h) * units_.h))};
        Split s = columns_.nominal[j] ? nominal_split(cells, columns_.bins[j], columns_.missing[j], node.sums,
                                                      node.value, units_, rules, scratch_[who])
                                      : numeric_split(cells, columns_.bins[j], columns_.missing[j], node.sums,
                                                      node.value, units_, rules, scratch_[who]);
        if (s.gain > 0.0) s.column = int32_t(j);
        return s;
    }

    void settle(int32_t k, const Split *found) {  // the first of the columns with the largest gain
        Node &node = nodes_[k];
        node.split = Split();
        for (int64_t j = 0; j < columns_.d; ++j)
            if (found[j].gain > 0.0 && found[j].gain > node.split.gain * TIE) node.split = found[j];
        if (node.split.column < 0) return;
        const Sums right = node.sums - node.split.left;
        const Rules rules{limits_.l2, double(limits_.rows), node.lower, node.upper, 0, 0.0};
        node.split.left_value =
            node_value(double(node.split.left.g) * units_.g, double(node.split.left.h) * units_.h, rules);
        node.split.right_value = node_value(double(right.g) * units_.g, double(right.h) * units_.h, rules);
        if (node.split.nominal) mark_bins(node);
    }

    // Columns that the open interaction groups allow, and of these a random share; none means all.
    void choose_columns(const Node &node) {
        chosen_.clear();
        if (groups_.empty() && limits_.column_share >= 1.0) return;
        std::vector<uint8_t> allowed(columns_.d, groups_.empty());
        for (int32_t g : node.groups)
            for (int32_t j : groups_[g]) allowed[j] = 1;
        for (int32_t j = 0; j < int32_t(columns_.d); ++j)
            if (allowed[j]) chosen_.push_back(j);
        const int64_t all = int64_t(chosen_.size());
        if (limits_.column_share >= 1.0 || all == 0) return;
        const int64_t some = std::max<int64_t>(1, int64_t(std::ceil(limits_.column_share * double(all))));
        uint64_t state = seed_ + uint64_t(&node - nodes_.data()) * 0x9e3779b97f4a7c15u;
        for (int64_t i = 0; i < some; ++i) {  // the first of a shuffle; numbers by splitmix64
            uint64_t z = state += 0x9e3779b97f4a7c15u;
            z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u, z = (z ^ (z >> 27)) * 0x94d049bb133111ebu, z ^= z >> 31;
            std::swap(chosen_[i], chosen_[i + int64_t(z % uint64_t(all - i))]);
        }
        chosen_.resize(some);
    }
};

}  // namespace assay::boosting
