// Growing a tree of n-way splits on categories and binary splits on numbers, with rows that count in part.
//
// A node looks at every column. With the class weights n_bk of the branches b, over the rows whose value is known,
//
//     S      = sum_b ( sum_k T(n_bk) - T(n_b) ),     T(x) = x log2 x          (1)   for Gini: sum_b sum_k n_bk^2 / n_b
//     gain   = (S - S of one branch) / n             n: known and unknown     (2)
//     ratio  = gain / ( -sum_b n_b/n log2 n_b/n ),   unknown: one more branch (3)
//
// A threshold is the cut of largest S; C4.5 then takes log2(cuts)/n off its gain. A row without a value at the chosen
// column goes down every branch with the share n_b / n_known of its weight.
//
// Numeric columns are sorted once, as rank << 32 | entry with the rank behind the last for missing; a split keeps
// their order. A frame owns the lists of a subtree; children of a split without missing values are segments of their
// parent's frame, others get frames of their own when their turn comes, because some rows live in several of them.
//
// Checked by the caller: codes in 0..categories-1 or -1, y in 0..K-1, w > 0, the lists those of rank_columns.
// Twin in Python: tests/trees/test_multiway.py, grow_by_the_book. Shared by whole trees (trees/multiway.cpp) and by
// partial ones (rules/partial_tree.cpp).
#pragma once
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "assay/array.hpp"
#include "assay/sorting.hpp"

namespace assay::multiway {

using std::uint16_t;
using std::uint32_t;
using std::uint64_t;
using std::vector;

constexpr uint64_t ENTRY = 0xffffffffu;  // the part of an item that is no rank
constexpr double SMALL = 1e-6;  // weights closer than this are the same
enum Kind : uint8_t { LEAF, THRESHOLD, SUBSET, NWAY };
enum Criterion { GAIN, GAIN_RATIO, GINI };

inline uint32_t rank_of(uint64_t item) { return uint32_t(item >> 32); }
inline uint32_t entry_of(uint64_t item) { return uint32_t(item); }

struct Rules {
    int criterion;
    bool average;      // only columns of at least average gain compete (C4.5)
    bool correction;   // gain of a threshold -= log2(cuts) / n
    bool tenth;        // both sides of a threshold hold a tenth of the average class, 25 at most (C4.5)
    bool useless;      // split also where the gain is zero (ID3)
    bool one_vs_rest;  // categories: one against all others instead of n-way
    double min_leaf, penalty, tolerance;
    int64_t max_depth;
};

struct Split {
    double gain = 0, ratio = 0;
    int32_t branches = 0;  // 0: there is none
    uint32_t low = 0, high = 0;
    int32_t category = -1;
};

struct Frame {
    vector<int32_t> row;       // (size,) entry -> row
    vector<uint16_t> y;        // (size,)
    vector<double> w;          // (size,) empty if every row counts once
    vector<uint32_t> entries;  // (size,) in segments, one per node
    uint64_t *lists = nullptr; // (numeric columns, size) in the same segments, each sorted
    vector<uint64_t> kept;     // what lists points to, except in the first frame
    int64_t size = 0;
};

struct Task {
    std::shared_ptr<Frame> frame;
    int64_t start, end;
    int32_t node, depth;
    int64_t from = 0, to = 0;  // rows without a value at the parent's test, in the parent's frame ...
    double share = 0;          // ... and what of them comes here; then this task has no frame of its own yet
};

struct Nodes {
    vector<int32_t> parent, branch, feature, low, high, category;
    vector<uint8_t> kind;
    vector<int64_t> rows;
    vector<double> counts;  // (m, K)
    size_t most = SIZE_MAX;  // columns of r and s categories make r s leaves, nearly all without a row

    int32_t add(int32_t above, int32_t at, int64_t n_rows, int64_t K) {
        if (parent.size() >= most) throw std::overflow_error("grow: too many nodes");  // OverflowError in Python
        parent.push_back(above), branch.push_back(at), rows.push_back(n_rows);
        feature.push_back(-2), low.push_back(-1), high.push_back(-1), category.push_back(-1);
        kind.push_back(LEAF);
        counts.resize(counts.size() + K, 0.0);
        return int32_t(parent.size()) - 1;
    }
};

// x log2 x; a weight that rounding left behind counts as none.
inline double T(double x) { return x < SMALL ? 0.0 : x * std::log2(x); }

// The best cut of one sorted list, from its first known entry to its last.
template <bool Weighted, bool Gini>
static inline void scan(const uint64_t *list, int64_t known, const uint16_t *y, const double *w, const double *steps,
                        const double *table, double *left, double *right, double *terms, int64_t K, double n_known,
                        double least, double tolerance, double start, double &best, int64_t &at, int64_t &cuts) {
    double n_left = 0, S = start, S_left = 0, S_right = 0;
    if (Weighted && !Gini)
        for (int64_t k = 0; k < K; ++k) terms[k] = T(right[k]);  // T(l) + T(r) of each class
    const double whole = Weighted ? T(n_known) : 0.0;
    if (Gini) S_right = start * n_known;  // sum_k n_k^2
    for (int64_t i = 0; i + 1 < known; ++i) {
        const uint32_t e = entry_of(list[i]);
        const int64_t k = y[e];
        const double v = Weighted ? w[e] : 1.0, l = left[k], r = right[k];
        if (Gini) {
            S_left += v * (2 * l + v), S_right -= v * (2 * r - v);
        } else if (Weighted) {
            const double now = T(l + v) + T(r - v);
            S += now - terms[k];
            terms[k] = now;
        } else {
            S += steps[int64_t(l)] - steps[int64_t(r) - 1];  // T(l + 1) - T(l) + T(r - 1) - T(r)
        }
        left[k] = l + v, right[k] = r - v, n_left += v;
        if (rank_of(list[i]) == rank_of(list[i + 1])) continue;
        const double n_right = n_known - n_left;
        if (n_left < least || n_right < least) continue;
        ++cuts;
        double value;  // (1) of this cut
        if (Gini) value = S_left / n_left + S_right / n_right;
        else if (Weighted) value = S + whole - T(n_left) - T(n_right);
        else value = S + table[int64_t(n_known)] - table[int64_t(n_left)] - table[int64_t(n_right)];
        if (value > best + tolerance) best = value, at = i;
    }
}

HOT static void scan_counts(const uint64_t *list, int64_t known, const uint16_t *y, const double *steps,
                            const double *table, double *left, double *right, double n, double least, double tolerance,
                            double start, double &best, int64_t &at, int64_t &cuts) {
    scan<false, false>(list, known, y, nullptr, steps, table, left, right, nullptr, 0, n, least, tolerance, start, best,
                       at, cuts);
}

HOT static void scan_weights(const uint64_t *list, int64_t known, const uint16_t *y, const double *w, double *left,
                             double *right, double *terms, int64_t K, double n, double least, double tolerance,
                             double start, double &best, int64_t &at, int64_t &cuts) {
    scan<true, false>(list, known, y, w, nullptr, nullptr, left, right, terms, K, n, least, tolerance, start, best, at,
                      cuts);
}

HOT static void scan_gini(const uint64_t *list, int64_t known, const uint16_t *y, const double *w, double *left,
                          double *right, double n, double least, double tolerance, double start, double &best,
                          int64_t &at, int64_t &cuts) {
    if (w)
        scan<true, true>(list, known, y, w, nullptr, nullptr, left, right, nullptr, 0, n, least, tolerance, start, best,
                         at, cuts);
    else
        scan<false, true>(list, known, y, w, nullptr, nullptr, left, right, nullptr, 0, n, least, tolerance, start,
                          best, at, cuts);
}

// A stable partition of one segment: the items whose side is b go to place[b] onwards.
template <class Item>
static inline void move_to_sides(Item *items, int64_t n, const int32_t *side, vector<int64_t> &place, Item *spare) {
    for (int64_t i = 0; i < n; ++i) spare[place[side[uint32_t(items[i])]]++] = items[i];
    std::memcpy(items, spare, size_t(n) * sizeof(Item));
}

// The same for two sides, without a branch to guess.
template <class Item>
static inline void move_to_two(Item *items, int64_t n, const uint8_t *second, Item *spare) {
    int64_t a = 0, b = 0;
    for (int64_t i = 0; i < n; ++i) {
        const Item item = items[i];
        const uint8_t s = second[uint32_t(item)];
        items[a] = item, spare[b] = item;
        a += 1 - s, b += s;
    }
    std::memcpy(items + a, spare, size_t(b) * sizeof(Item));
}

HOT static void part_list(uint64_t *items, int64_t n, const uint8_t *second, uint64_t *spare) {
    move_to_two(items, n, second, spare);
}

class Grower {
    const int32_t *codes_;     // (nominal columns, n)
    const int32_t *distinct_;  // (numeric columns,) ranks of each; the next one means missing
    const int64_t n_, d_, K_;
    const int32_t *n_categories_;  // (d,) 0: numeric
    const Rules rules_;
    const bool weighted_;
    vector<int32_t> place_;  // (d,) which of the nominal, or of the numeric, columns
    int64_t n_numeric_ = 0;
    vector<double> table_, steps_;  // T(0..n) and its differences
    vector<double> left_, right_, terms_, cells_, bags_;
    vector<int32_t> side_, present_, slot_;
    vector<uint32_t> renamed_;
    vector<uint8_t> second_;
    vector<uint64_t> spare_;
    vector<uint32_t> spare_entries_;
    vector<int64_t> starts_, cursor_;
    bool all_many_ = true;

  public:
    Nodes nodes;

    int32_t place(int64_t j) const { return place_[j]; }

    Grower(const int32_t *codes, const int32_t *distinct, int64_t n, int64_t d, int64_t K, const int32_t *n_categories,
           Rules rules, bool weighted)
        : codes_(codes), distinct_(distinct), n_(n), d_(d), K_(K), n_categories_(n_categories), rules_(rules),
          weighted_(weighted), left_(K), right_(K), terms_(K) {
        int32_t nominal = 0;
        for (int64_t j = 0; j < d; ++j) {
            place_.push_back(n_categories[j] ? nominal++ : int32_t(n_numeric_++));
            all_many_ &= n_categories[j] && n_categories[j] + SMALL >= 0.3 * double(n);
        }
        if (!weighted) {
            table_.resize(n + 2), steps_.resize(n + 1);
            for (int64_t i = 0; i < n + 2; ++i) table_[i] = i < 2 ? 0.0 : double(i) * std::log2(double(i));
            for (int64_t i = 0; i < n + 1; ++i) steps_[i] = table_[i + 1] - table_[i];
        }
        side_.resize(n), second_.resize(n), spare_.resize(n), spare_entries_.resize(n), renamed_.resize(n);
    }

    // Frame of all rows, which orders the lists given to it in place.
    std::shared_ptr<Frame> whole(uint64_t *lists, const int32_t *y, const double *w) {
        auto f = std::make_shared<Frame>();
        f->size = n_;
        f->row.resize(n_), f->y.resize(n_), f->entries.resize(n_);
        for (int64_t i = 0; i < n_; ++i) f->row[i] = int32_t(i), f->y[i] = uint16_t(y[i]), f->entries[i] = uint32_t(i);
        if (weighted_) {
            f->w.assign(n_, 1.0);
            if (w) std::copy(w, w + n_, f->w.begin());
        }
        f->lists = lists;
        return f;
    }

    int32_t add_node(int32_t parent, int32_t branch, const Frame &f, int64_t start, int64_t end) {
        const int32_t node = nodes.add(parent, branch, end - start, K_);
        double *c = nodes.counts.data() + int64_t(node) * K_;
        for (int64_t i = start; i < end; ++i) {
            const uint32_t e = f.entries[i];
            c[f.y[e]] += weighted_ ? f.w[e] : 1.0;
        }
        return node;
    }

    void grow(std::shared_ptr<Frame> root) {
        vector<Task> todo{{root, 0, n_, add_node(-1, 0, *root, 0, n_), 0}};
        root.reset();
        vector<Split> splits(d_);
        while (!todo.empty()) {
            Task task = std::move(todo.back());
            todo.pop_back();
            const double *c = nodes.counts.data() + int64_t(task.node) * K_;
            double n = 0, most = 0;
            for (int64_t k = 0; k < K_; ++k) n += c[k], most = std::max(most, c[k]);
            if (n - most < SMALL || n + SMALL < 2 * rules_.min_leaf || task.depth >= rules_.max_depth) continue;
            if (task.to > task.from) settle(task);
            const int64_t j = choose(task, n, splits);
            if (j >= 0) divide(task, j, splits[j], todo);
        }
    }

    // What every column offers at a node.
    void look(const Task &task, double n, vector<Split> &splits) {
        for (int64_t j = 0; j < d_; ++j) {
            splits[j] = Split();
            if (n_categories_[j]) look_at_categories(task, j, n, splits[j]);
            else look_at_numbers(task, j, n, splits[j]);
        }
    }

    double plain(double x) const { return weighted_ ? T(x) : table_[int64_t(x)]; }

    // (1) of one branch with these class weights
    double term(const double *c, double n) const {
        double sum = 0;
        if (rules_.criterion == GINI) {
            for (int64_t k = 0; k < K_; ++k) sum += c[k] * c[k];
            return n > 0 ? sum / n : 0.0;
        }
        for (int64_t k = 0; k < K_; ++k) sum += plain(c[k]);
        return sum - plain(n);
    }

    int64_t choose(const Task &task, double n, vector<Split> &splits) {
        look(task, n, splits);
        int64_t valid = 0, best = -1;
        double average = -std::numeric_limits<double>::infinity(), top = rules_.useless ? -1e300 : 0.0;
        if (rules_.average) {
            average = 0;
            for (int64_t j = 0; j < d_; ++j) {
                const bool many = n_categories_[j] + SMALL >= 0.3 * double(n_);
                if (!splits[j].branches || (n_categories_[j] && many && !all_many_)) continue;
                average += splits[j].gain, ++valid;
            }
            if (!valid) return -1;
            average /= double(valid);
        }
        for (int64_t j = 0; j < d_; ++j) {
            const Split &s = splits[j];
            if (!s.branches || s.gain < average - 1e-3) continue;
            const double plain = rules_.criterion == GAIN_RATIO ? s.ratio : s.gain;
            const double score = plain - rules_.penalty * (s.branches - 1);
            if (score > top + rules_.tolerance) top = score, best = j;
        }
        return best;
    }

    void look_at_numbers(const Task &task, int64_t j, double n, Split &s) {
        const Frame &f = *task.frame;
        const uint64_t *list = f.lists + place_[j] * f.size + task.start;
        int64_t known = task.end - task.start;
        const double *c = nodes.counts.data() + int64_t(task.node) * K_;
        std::copy(c, c + K_, right_.begin());
        const uint32_t none = uint32_t(distinct_[place_[j]]);
        if (known && rank_of(list[known - 1]) == none) {
            known = std::lower_bound(list, list + known, uint64_t(none) << 32) - list;
            std::fill(right_.begin(), right_.end(), 0.0);
            for (int64_t i = 0; i < known; ++i) right_[f.y[entry_of(list[i])]] += f.w[entry_of(list[i])];
        }
        if (known < 2 || rank_of(list[0]) == rank_of(list[known - 1])) return;
        double n_known = 0;
        for (int64_t k = 0; k < K_; ++k) n_known += right_[k];
        double least = rules_.min_leaf;
        if (rules_.tenth) least = std::max(least, std::min(0.1 * n_known / double(K_), 25.0));
        least = std::max(least - SMALL, 0.0);
        std::fill(left_.begin(), left_.end(), 0.0);
        const double start = term(right_.data(), n_known), slack = rules_.tolerance * n;
        double best = rules_.useless ? -1e300 : start;
        int64_t at = -1, cuts = 0;
        if (rules_.criterion == GINI)
            scan_gini(list, known, f.y.data(), weighted_ ? f.w.data() : nullptr, left_.data(), right_.data(), n_known,
                      least, slack, start, best, at, cuts);
        else if (weighted_)
            scan_weights(list, known, f.y.data(), f.w.data(), left_.data(), right_.data(), terms_.data(), K_, n_known,
                         least, slack, start, best, at, cuts);
        else
            scan_counts(list, known, f.y.data(), steps_.data(), table_.data(), left_.data(), right_.data(), n_known,
                        least, slack, start, best, at, cuts);
        if (at < 0) return;
        s.gain = (best - start) / n;  // (2)
        if (rules_.correction) {
            s.gain -= std::log2(double(cuts)) / n;
            if (s.gain < rules_.tolerance) return;
        }
        double n_left = 0;
        for (int64_t i = 0; i <= at; ++i) n_left += weighted_ ? f.w[entry_of(list[i])] : 1.0;
        const double bags[2] = {n_left, n_known - n_left};
        s.ratio = ratio(s.gain, bags, 2, n, n_known);
        s.low = rank_of(list[at]), s.high = rank_of(list[at + 1]), s.branches = 2;
    }

    // (3)
    double ratio(double gain, const double *bags, int64_t r, double n, double n_known) const {
        double spread = T(n) - T(n - n_known);
        for (int64_t b = 0; b < r; ++b) spread -= T(bags[b]);
        return spread < SMALL ? 0.0 : gain * n / spread;
    }

    void look_at_categories(const Task &task, int64_t j, double n, Split &s) {
        const Frame &f = *task.frame;
        const int32_t *code = codes_ + place_[j] * n_;
        const int64_t r = few_of(task, code, n_categories_[j]);  // categories to look at
        cells_.assign(r * K_, 0.0), bags_.assign(r, 0.0);
        for (int64_t i = task.start; i < task.end; ++i) {
            const uint32_t e = f.entries[i];
            const int32_t c = code[f.row[e]];
            if (c >= 0) cells_[(present_.empty() ? c : slot_[c]) * K_ + f.y[e]] += weighted_ ? f.w[e] : 1.0;
        }
        std::fill(left_.begin(), left_.end(), 0.0);  // here: all known rows
        double n_known = 0;
        int64_t filled = 0;
        const double least = std::max(rules_.min_leaf - SMALL, 1e-12);
        for (int64_t c = 0; c < r; ++c) {
            for (int64_t k = 0; k < K_; ++k) bags_[c] += cells_[c * K_ + k], left_[k] += cells_[c * K_ + k];
            n_known += bags_[c], filled += bags_[c] >= least;
        }
        const double start = term(left_.data(), n_known);
        if (rules_.one_vs_rest) return one_against_all(r, n, n_known, start, least, s);
        if (filled < 2) return;
        double S = 0;
        for (int64_t c = 0; c < r; ++c) S += term(&cells_[c * K_], bags_[c]);
        s.gain = std::max(S - start, 0.0) / n;  // (2)
        s.ratio = ratio(s.gain, bags_.data(), r, n, n_known), s.branches = n_categories_[j];
    }

    // In a node of fewer rows than the column has categories, only those that occur are looked at, in their order:
    // present_ lists them and slot_ finds them again. Returns how many there are to look at.
    int64_t few_of(const Task &task, const int32_t *code, int32_t r) {
        present_.clear();
        if (task.end - task.start >= r) return r;
        if (int64_t(slot_.size()) < r) slot_.resize(r);
        for (int64_t i = task.start; i < task.end; ++i) {
            const int32_t c = code[task.frame->row[task.frame->entries[i]]];
            if (c >= 0) present_.push_back(c);
        }
        std::sort(present_.begin(), present_.end());
        present_.erase(std::unique(present_.begin(), present_.end()), present_.end());
        for (size_t i = 0; i < present_.size(); ++i) slot_[present_[i]] = int32_t(i);
        return int64_t(present_.size());
    }

    void one_against_all(int64_t r, double n, double n_known, double start, double least, Split &s) {
        for (int64_t c = 0; c < r; ++c) {
            const double bags[2] = {bags_[c], n_known - bags_[c]};
            if (bags[0] < least || bags[1] < least) continue;
            for (int64_t k = 0; k < K_; ++k) right_[k] = left_[k] - cells_[c * K_ + k];
            const double S = term(&cells_[c * K_], bags[0]) + term(right_.data(), bags[1]);
            const double gain = std::max(S - start, 0.0) / n, by = ratio(gain, bags, 2, n, n_known);
            const bool better =
                rules_.criterion == GAIN_RATIO ? by > s.ratio + rules_.tolerance : gain > s.gain + rules_.tolerance;
            if (s.branches && !better) continue;
            s.gain = gain, s.ratio = by, s.branches = 2, s.category = present_.empty() ? int32_t(c) : present_[c];
        }
    }

    // Say for each entry of the node which branch it takes, a last one if its value is missing; returns how many are.
    int64_t take_sides(const Task &task, int64_t j, const Split &s) {
        const Frame &f = *task.frame;
        int64_t missing = 0;
        starts_.assign(s.branches + 2, 0);
        auto put = [&](uint32_t e, int32_t b) {
            missing += b < 0;
            side_[e] = b < 0 ? s.branches : b;
            ++starts_[side_[e] + 1];
        };
        if (n_categories_[j]) {
            const int32_t *code = codes_ + place_[j] * n_;
            for (int64_t i = task.start; i < task.end; ++i) {
                const uint32_t e = f.entries[i];
                const int32_t c = code[f.row[e]];
                put(e, c < 0 || s.category < 0 ? c : c != s.category);
            }
        } else {
            const uint64_t *list = f.lists + place_[j] * f.size;
            const uint32_t none = uint32_t(distinct_[place_[j]]);
            for (int64_t i = task.start; i < task.end; ++i) {
                const uint32_t rank = rank_of(list[i]);
                put(entry_of(list[i]), rank == none ? -1 : rank > s.low);
            }
        }
        for (int32_t b = 0; b <= s.branches; ++b) starts_[b + 1] += starts_[b];
        return missing;
    }

    void divide(const Task &task, int64_t j, const Split &s, vector<Task> &todo) {
        nodes.feature[task.node] = int32_t(j);
        nodes.kind[task.node] = !n_categories_[j] ? THRESHOLD : s.category >= 0 ? SUBSET : NWAY;
        nodes.category[task.node] = s.category;
        if (!n_categories_[j]) nodes.low[task.node] = int32_t(s.low), nodes.high[task.node] = int32_t(s.high);
        const size_t first = todo.size();
        cut_segments(task, s, take_sides(task, j, s), todo);
        // the largest child waits longest, so that few others wait with it
        size_t largest = first;
        for (size_t t = first; t < todo.size(); ++t)
            if (todo[t].end - todo[t].start > todo[largest].end - todo[largest].start) largest = t;
        if (first < todo.size()) std::swap(todo[first], todo[largest]);
    }

    // Order the segment by branch, rows without a value last, and leave the branches to do.
    void cut_segments(const Task &task, const Split &s, int64_t missing, vector<Task> &todo) {
        Frame &f = *task.frame;
        const int64_t n = task.end - task.start;
        const bool two = s.branches == 2 && !missing;
        if (two)
            for (int64_t i = task.start; i < task.end; ++i) second_[f.entries[i]] = uint8_t(side_[f.entries[i]]);
        auto restart = [&] { cursor_.assign(starts_.begin(), starts_.end()); };
        restart();
        move_to_sides(f.entries.data() + task.start, n, side_.data(), cursor_, spare_entries_.data());
        for (int64_t c = 0; c < n_numeric_; ++c) {
            uint64_t *items = f.lists + c * f.size + task.start;
            if (two) {
                part_list(items, n, second_.data(), spare_.data());
            } else {
                restart();
                move_to_sides(items, n, side_.data(), cursor_, spare_.data());
            }
        }
        double known = 0;
        if (missing)
            for (int64_t i = task.start; i < task.end - missing; ++i) known += f.w[f.entries[i]];
        for (int32_t b = 0; b < s.branches; ++b) {
            Task child{task.frame, task.start + starts_[b], task.start + starts_[b + 1], 0, task.depth + 1};
            child.node = add_node(task.node, b, f, child.start, child.end);
            if (missing) share_out(child, known, task.end - missing, task.end);
            if (child.end > child.start) todo.push_back(std::move(child));
        }
    }

    // Count the rows without a value at a child too, with its share of their weight.
    void share_out(Task &child, double known, int64_t from, int64_t to) {
        double *c = nodes.counts.data() + int64_t(child.node) * K_, own = 0;
        for (int64_t k = 0; k < K_; ++k) own += c[k];
        const double share = own / known;
        if (share <= SMALL) return;
        for (int64_t i = from; i < to; ++i) {
            const uint32_t e = child.frame->entries[i];
            c[child.frame->y[e]] += share * child.frame->w[e];
        }
        nodes.rows[child.node] += to - from;
        child.from = from, child.to = to, child.share = share;
    }

    // Give a task a frame of its own, in which the rows without a value stand among its others.
    void settle(Task &task) {
        const Frame &f = *task.frame;
        auto own = std::make_shared<Frame>();
        own->size = task.end - task.start + task.to - task.from;
        own->row.reserve(own->size), own->y.reserve(own->size), own->w.reserve(own->size);
        auto take = [&](int64_t from, int64_t to, double share) {
            for (int64_t i = from; i < to; ++i) {
                const uint32_t e = f.entries[i];
                renamed_[e] = uint32_t(own->row.size());
                own->entries.push_back(renamed_[e]);
                own->row.push_back(f.row[e]), own->y.push_back(f.y[e]), own->w.push_back(share * f.w[e]);
            }
        };
        take(task.start, task.end, 1.0), take(task.from, task.to, task.share);
        own->kept.resize(n_numeric_ * own->size);
        uint64_t *out = own->lists = own->kept.data();
        for (int64_t c = 0; c < n_numeric_; ++c) {
            const uint64_t *items = f.lists + c * f.size;
            const uint64_t *a = items + task.start, *a_end = items + task.end, *b = items + task.from,
                           *b_end = items + task.to;
            while (a < a_end || b < b_end) {
                const uint64_t item = b == b_end || (a < a_end && *a < *b) ? *a++ : *b++;
                *out++ = (item & ~ENTRY) | renamed_[entry_of(item)];
            }
        }
        task = {own, 0, own->size, task.node, task.depth};
    }
};

// Rows as trees of n-way splits see them.
struct SortedRows {
    In2<int32_t> codes;         // (nominal columns, n)  -1: missing
    InOut2<uint64_t> lists;     // (numeric columns, n)  rank << 32 | row, ascending; afterwards by nodes
    In1<int32_t> distinct;      // (numeric columns,)  their ranks
    In1<int32_t> n_categories;  // (d,)  0: numeric
    In1<int32_t> y;             // (n,)
    std::optional<In1<double>> w;  // (n,)  or None: each row counts once
    int64_t K;
    bool fractions;
};

Grower grower(const SortedRows &rows, const Rules &rules) {
    const auto &[codes, lists, distinct, n_categories, y, w, K, fractions] = rows;
    const int64_t n = int64_t(y.shape(0)), d = int64_t(n_categories.shape(0));
    require(K < 65536, "there are more than 65535 classes");
    require(n < (int64_t(1) << 31), "there are too many rows");
    require(distinct.shape(0) == lists.shape(0), "distinct does not fit the columns");
    require(int64_t(codes.shape(1)) == n && int64_t(lists.shape(1)) == n, "columns and y differ in length");
    require(int64_t(codes.shape(0) + lists.shape(0)) == d, "n_categories does not fit the columns");
    require(!w || int64_t(w->shape(0)) == n, "w and y differ in length");
    require(K > 0 && within(y, 0, K) && within(distinct, 0, INT32_MAX),
            "a class or a number of ranks that is not there");
    const bool weighted = w.has_value() || fractions;  // rows without a value are shared out by weight
    int64_t nominal = 0, numeric = 0;
    vector<uint8_t> listed(lists.shape(0) ? size_t(n) : 0);  // whether a row stands in the list of the column
    for (int64_t j = 0; j < d; ++j) {
        const int32_t c = n_categories.data()[j];
        require(c >= 0 && (c > 0 ? nominal < length(codes) : numeric < length(lists)),
                "n_categories does not fit the columns");
        if (c > 0) {
            require(within(codes.data() + nominal++ * n, n, weighted ? -1 : 0, c), "a category that is not there");
            continue;
        }
        const uint64_t *list = lists.data() + numeric * n;
        const int64_t ranks = distinct.data()[numeric++] + weighted;
        const auto [rank, row] = most_of_halves(list, n);
        require(n == 0 || (row < n && rank < ranks), "a row or a rank that is not there");
        std::fill(listed.begin(), listed.end(), uint8_t(0));
        for (int64_t i = 0; i < n; ++i) listed[lower(list[i])] = 1;
        require(uint64_t(n) == size_t(std::count(listed.begin(), listed.end(), uint8_t(1))), "a row is listed twice");
    }
    return Grower(codes.data(), distinct.data(), n, d, K, n_categories.data(), rules, weighted);
}

}  // namespace assay::multiway
