// Grows one tree of a boosted sum: the node with the largest gain is split first.
//
// A split moves the node's rows (stably, so that they stay in their order), sums the histogram of the smaller child,
// takes the larger child's as parent minus sibling, and looks for the best split of each. Rows are cut into blocks and
// columns into lots that the crew shares; the tree is the same for any number of helpers.
#pragma once
#include <memory>
#include <new>
#include <queue>

#include "assay/boosting/search.hpp"
#include "assay/crew.hpp"

namespace assay::boosting {

constexpr int64_t BLOCK = 8192;             // rows that are moved or summed as one task
constexpr int64_t WORTH_SHARING = 1 << 15;  // additions below which one thread is quicker than two

class Grower : Search {
    struct Free {
        void operator()(int64_t *p) const { ::operator delete[](p, std::align_val_t(64)); }
    };
    using Histogram = std::unique_ptr<int64_t[], Free>;

    Codes codes_;
    int32_t *rows_, *left_, *right_;  // (n,) each: the rows by node, and room to move them
    std::vector<Histogram> pool_, own_;  // a histogram for each open node; for each helper
    std::vector<int32_t> idle_;
    int64_t most_slots_;
    std::vector<Scratch> scratch_;
    std::vector<Split> found_;  // (2, d)
    std::vector<int64_t> block_left_;
    std::vector<uint8_t> began_;

    // of the tree at hand
    std::vector<Node> nodes_;
    const int64_t *cells_ = nullptr;
    Crew *crew_ = nullptr;

    int64_t words() const { return codes_.cells() * (units_.wide ? 2 : 1); }
    int64_t *histogram(int32_t slot) { return pool_[slot].get(); }
    Histogram fresh() const {
        auto *place = static_cast<int64_t *>(::operator new[](codes_.cells() * 16, std::align_val_t(64)));
        std::memset(place, 0, codes_.cells() * 16);
        return Histogram(place);
    }

  public:
    Grower(const Codes &codes, const Columns &columns, const Limits &limits, std::vector<std::vector<int32_t>> groups,
           int32_t *rows, int32_t *left, int32_t *right, int64_t memory)
        : Search(columns, limits, std::move(groups)), codes_(codes), rows_(rows), left_(left), right_(right),
          found_(2 * columns.d), block_left_(codes.n / BLOCK + 2) {
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
        nodes_.push_back(root(total));
        nodes_[0].stop = codes_.n;
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
        while (int(scratch_.size()) < places) scratch_.emplace_back(most_bins());
        while (int(own_.size()) < places) own_.push_back(own_.empty() ? Histogram() : fresh());
        began_.assign(places, 0);
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
        make_children(node, left, right);
        left.start = node.start, left.stop = right.start = node.start + split.left.count, right.stop = node.stop;

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
        const bool both = b >= 0 && may_split(nodes_[b]);
        const int64_t d = columns_.d, step = units_.wide ? 2 : 1;
        int64_t *h = histogram(nodes_[a].slot), *g = b >= 0 ? histogram(nodes_[b].slot) : nullptr;
        const int64_t lots = lots_of_columns(), size = (d + lots - 1) / lots;
        const std::vector<uint8_t> first = columns_for(nodes_[a]),
                                   second = both ? columns_for(nodes_[b]) : std::vector<uint8_t>();
        crew_->each(lots, [&](int64_t t, int who) {
            for (int64_t j = t * size; j < std::min(d, (t + 1) * size); ++j) {
                int64_t *x = const_cast<int64_t *>(bins_of(h, j));
                if (g != nullptr) {
                    const int64_t *y = bins_of(g, j);
                    for (int64_t c = 0; c < (columns_.bins[j] + 1) * step; ++c) x[c] -= y[c];
                }
                found_[j] = first[j] ? best_of(x, j, nodes_[a], scratch_[who]) : Split();
                if (both) found_[d + j] = second[j] ? best_of(bins_of(g, j), j, nodes_[b], scratch_[who]) : Split();
            }
        });
        settle(nodes_[a], found_.data(), h, scratch_[0]);
        if (both) settle(nodes_[b], found_.data() + d, g, scratch_[0]);
    }
};

}  // namespace assay::boosting
