// Growing one tree: the best cut of each node over its columns, depth first or best first.
//
// A node is a range of rows. The cut of a column needs its rows in ascending order of rank:
//   presorted   every column is sorted once; a split parts every column's range in two, keeping the order;
//   gathered    the node's ranks are fetched and sorted for the columns that are looked at, and only there. The columns
//               of a small node are brought together first, since its rows lie far apart.
// Both give the same keys (rank << 32 | label), and everything else is shared. Nominal columns are ranked anew at each
// node, by the response of their categories, and then cut like numbers.
#pragma once
#include "assay/grouping.hpp"

#include <queue>

namespace assay {

template <class Criterion>
class Grower {
    using Cut = decltype(std::declval<Criterion &>().cut());
    const Data &data;
    const Rules &rules;
    Criterion &criterion;
    Random random;
    int64_t n = 0;  // rows that take part
    double root_weight = 0, tie = 0;
    int32_t entered = -1;
    bool presorted, all_columns;
    uint64_t *order = nullptr;  // presorted: (d, n)
    std::vector<uint64_t> copied;  // ... unless the caller's own may be used up
    std::vector<uint32_t> rows, labels, spare_rows, spare_labels;  // gathered
    std::vector<uint64_t> keys, scratch, regrouped;
    std::vector<int32_t> counter, columns, codes;
    // Gathered, in a small node: its columns side by side, for all nodes below it.
    const int32_t *ranks;
    int64_t stride;
    bool nearby = false;
    std::vector<int32_t> near_ranks;
    std::vector<double> near_numbers, fetched;
    Nearby near_rows;
    std::vector<uint8_t> side;  // of a row, by number: 1 left, 0 right, 2 not known
    // Spread: rows are in several open nodes, and weigh something else in each.
    std::vector<double> weighs, weight_here, spare_weighs;  // beside rows; by number, in the node that was entered
    Groups<Criterion> groups;

  public:
    std::vector<Node> nodes;
    std::vector<More> more;
    std::vector<double> values;  // (nodes, width)

    Grower(const Data &table, const Rules &how, Criterion &what, const std::vector<uint32_t> &taking_part,
           const std::vector<uint32_t> &packed)
        : data(table), rules(how), criterion(what), random(how.seed), n(int64_t(taking_part.size())),
          presorted(table.order != nullptr), all_columns(how.max_features >= table.d), keys(n), scratch(n),
          ranks(table.ranks), stride(table.n), side(size_t(table.n)) {
        columns.resize(data.d);
        for (int64_t j = 0; j < data.d; ++j) columns[j] = int32_t(j);
        if (presorted && n == data.n && rules.use_up) {
            order = data.order;
        } else if (presorted) {
            copied.resize(size_t(data.d * n));
            order = copied.data();
            for (uint32_t row : taking_part) side[row] = 1;
            for (int64_t j = 0; j < data.d; ++j) {
                uint64_t *to = order + j * n, *end = to + n;
                const uint64_t *from = data.order + j * data.n;
                for (int64_t i = 0; to < end; ++i) *to = from[i], to += side[lower(from[i])];
            }
        } else {
            rows = taking_part, labels = rules.packed ? packed : taking_part;
            spare_rows.resize(n), spare_labels.resize(n), counter.resize(BUCKETS);
            if (rules.random) codes.resize(n), fetched.resize(size_t(NEARBY / data.d));
            if (rules.spread) weigh();
        }
    }

    void run() {
        const double inf = std::numeric_limits<double>::infinity();
        Open root{add_node(0, n, -inf, inf), 0, n, 0, -inf, inf};
        root_weight = criterion.weight();
        if (closed(root)) return;
        rules.max_leaves > 0 ? best_first(root) : depth_first(root);
    }

  private:
    void enter(int32_t node, int64_t start, int64_t end) {
        if (entered == node) return;
        if (rules.spread)
            for (int64_t i = start; i < end; ++i) weight_here[rows[i]] = weighs[i];
        if (presorted) {
            const uint64_t *sorted = order + start;
            criterion.enter([sorted](int64_t i) { return lower(sorted[i]); }, end - start);
        } else {
            const uint32_t *gathered = labels.data() + start;
            criterion.enter([gathered](int64_t i) { return gathered[i]; }, end - start);
        }
        entered = node;
    }
    int32_t add_node(int64_t start, int64_t end, double low, double high) {
        const int32_t id = int32_t(nodes.size());
        nodes.emplace_back();
        enter(id, start, end);
        note(id, end - start, low, high);
        return id;
    }
    void note(int32_t id, int64_t m, double low, double high) {  // what the criterion says of the node it is in
        Node &node = nodes[id];
        node.rows = m, node.impurity = criterion.impurity(), node.weight = criterion.weight();
        const size_t at = values.size();
        values.resize(at + criterion.width());
        criterion.value(values.data() + at);
        if (rules.monotonic) criterion.clip(values.data() + at, low, high);
    }
    bool closed(const Open &o) const {  // a leaf, without looking for a cut; the criterion is in this node
        const int64_t m = o.end - o.start;
        return o.depth >= rules.max_depth || m < rules.min_split || m < 2 * rules.min_leaf ||
               nodes[o.node].weight < std::max(2 * rules.min_weight, rules.min_node) || criterion.pure();
    }

    void depth_first(const Open &root) {
        std::vector<Open> stack{root};
        const auto home = criterion.rows;
        size_t below = 0;  // nodes on the stack that are not nearby
        while (!stack.empty()) {
            const Open open = stack.back();
            stack.pop_back();
            if (nearby && stack.size() < below)
                nearby = false, criterion.rows = home, ranks = data.ranks, stride = data.n;
            if (rules.spread) cut_off(open.end);
            if (!presorted && !nearby && !rules.spread && open.end - open.start <= NEARBY / data.d) {
                bring_near(open);
                below = stack.size();
            }
            Split split = best_split(open);
            if (split.kind == LEAF) continue;
            Open left, right;
            bool left_open, right_open;
            carry_out(open, split, left, right, left_open, right_open);
            if (right_open) stack.push_back(right);
            if (left_open) stack.push_back(left);
        }
    }
    void best_first(const Open &root) {
        std::priority_queue<Promise> queue;
        const auto promise = [&](const Open &open) {
            Split split = best_split(open);
            if (split.kind != LEAF) queue.push({open, std::move(split)});
        };
        promise(root);
        for (int64_t leaves = 1; leaves < rules.max_leaves && !queue.empty(); ++leaves) {
            Promise best = queue.top();
            queue.pop();
            Open left, right;
            bool left_open, right_open;
            carry_out(best.open, best.split, left, right, left_open, right_open);
            if (left_open) promise(left);  // carry_out leaves the criterion in the left node
            if (right_open) promise(right);
        }
    }
    void bring_near(const Open &open) {
        const int64_t m = open.end - open.start, d = data.d;
        uint32_t *row = rows.data() + open.start, *label = labels.data() + open.start;
        const bool numbers = rules.random && data.X;
        near_ranks.resize(size_t(m * d));
        for (int64_t j = 0; j < d; ++j) {
            if (numbers && !data.categories[j]) continue;
            const int32_t *from = data.ranks + j * data.n;
            for (int64_t i = 0; i < m; ++i) near_ranks[j * m + i] = from[row[i]];
        }
        if (numbers) {
            near_numbers.resize(size_t(m * d));
            constexpr int64_t SIDE = 8;  // rows at a time: what is written is a cache line
            for (int64_t first = 0; first < m; first += SIDE) {
                const int64_t last = std::min(first + SIDE, m);
                for (int64_t i = last; i < std::min(last + SIDE, m); ++i)  // the next ones are on their way
                    for (int64_t j = 0; j < d; j += 8) __builtin_prefetch(data.X + row[i] * d + j);
                for (int64_t j = 0; j < d; ++j)
                    for (int64_t i = first; i < last; ++i) near_numbers[j * m + i] = data.X[row[i] * d + j];
            }
        }
        if constexpr (!std::is_same<decltype(criterion.rows), PackedRows>::value) {
            criterion.rows = near_rows.of(criterion.rows, label, m);
            for (int64_t i = 0; i < m; ++i) label[i] = uint32_t(i);
        }
        for (int64_t i = 0; i < m; ++i) row[i] = uint32_t(i);
        nearby = true, ranks = near_ranks.data(), stride = m;
        entered = -1;
    }
    // -------------------------------------------------------------- finding the cut of a node

    Split best_split(const Open &open) {
        enter(open.node, open.start, open.end);
        tie = TIE * criterion.mass;
        Split best;
        if (all_columns)
            for (int64_t j = 0; j < data.d; ++j) try_column(open, j, best);
        else try_some(open, best);
        if (best.gain < rules.min_decrease * root_weight - tie) best.kind = LEAF;
        return best;
    }
    void try_some(const Open &open, Split &best) {
        int64_t left = data.d, seen = 0, usable = 0;
        while (left > 0 && (seen < rules.max_features || usable == 0)) {
            std::swap(columns[random.below(left)], columns[left - 1]);
            ++seen;
            usable += try_column(open, columns[--left], best);
        }
    }

    // The keys of a column in the node, sorted; null if they are all equal.
    uint64_t *sorted_keys(const Open &open, int64_t j, bool by_row = false) {
        const int64_t m = open.end - open.start;
        if (presorted) {
            uint64_t *s = order + j * n + open.start;
            return upper(s[0]) == upper(s[m - 1]) ? nullptr : s;
        }
        const int32_t *rank = ranks + j * stride;
        const uint32_t *row = rows.data() + open.start, *label = by_row ? row : labels.data() + open.start;
        uint32_t low = ~uint32_t(0), high = 0;
        for (int64_t i = 0; i < m; ++i) {
            const uint32_t r = uint32_t(rank[row[i]]);
            low = std::min(low, r), high = std::max(high, r);
            keys[i] = uint64_t(r) << 32 | label[i];
        }
        if (low == high) return nullptr;
        return sort_keys(keys.data(), scratch.data(), m, low, high, counter.data());
    }

    int64_t distinct(int64_t j) const { return data.start[j + 1] - data.start[j]; }
    int64_t known_of(const uint64_t *s, int64_t m, int64_t j) const {  // missing values stand behind all others
        if (!data.has_missing[j]) return m;
        const uint32_t missing = uint32_t(distinct(j));
        return std::lower_bound(s, s + m, uint64_t(missing) << 32) - s;
    }

    bool try_column(const Open &open, int64_t j, Split &best) {  // whether the column varies in the node
        const int64_t m = open.end - open.start;
        if (rules.random && !data.categories[j]) return random_cut(open, j, m, best);
        const uint64_t *s = sorted_keys(open, j);
        if (!s) return false;
        if (rules.random) {
            random_grouping(open, j, s, m, best);
            return true;
        }
        const int64_t known = known_of(s, m, j);
        if (known < m && (rules.surrogate || rules.spread)) {  // rows that do not know the answer have no say
            if (known < 2 || upper(s[0]) == upper(s[known - 1])) return false;
            criterion.enter([s](int64_t i) { return lower(s[i]); }, known);
            consider(open, j, s, known, known, best);
            entered = -1;
            enter(open.node, open.start, open.end);
        } else {
            consider(open, j, s, known, m, best);
        }
        return true;
    }
    void consider(const Open &open, int64_t j, const uint64_t *s, int64_t known, int64_t m, Split &best) {
        if (data.categories[j]) return group(open, j, s, known, m, best);
        int64_t at;
        bool missing_left;
        double gain = best.gain, middle;
        if (!sweep(open, j, s, known, m, true, gain, at, missing_left, middle)) return;
        best.take(gain, j, THRESHOLD, missing_left, middle);
        best.cut = upper(s[at - 1]);
        best.threshold =
            at == known ? std::numeric_limits<double>::infinity() : halfway(number(j, s[at - 1]), number(j, s[at]));
    }
    double number(int64_t j, uint64_t key) const {
        return data.values ? data.values[data.start[j] + upper(key)] : data.X[int64_t(lower(key)) * data.d + j];
    }
    // All cuts of sorted keys: the first known of m are values, the rest are missing and go right, then left.
    // Whether a better one than gain was found: it is in front of key number at.
    bool sweep(const Open &open, int64_t j, const uint64_t *s, int64_t known, int64_t m, bool number, double &gain,
               int64_t &at, bool &missing_left, double &middle) {
        bool found = false;
        for (int turn = 0; turn < (known < m ? 2 : 1); ++turn) {
            Cut cut = criterion.cut();
            const int64_t given = turn ? m - known : 0;  // missing rows on the left
            for (int64_t i = known; turn && i < m; ++i) cut.add(lower(s[i]));
            const int64_t first = std::max<int64_t>(1, rules.min_leaf - given);
            const int64_t last = std::min(known - 1, m - rules.min_leaf - given);
            const int64_t end = !turn && known < m && m - known >= rules.min_leaf && known >= rules.min_leaf;
            int64_t left = 0;
            for (; left < first - 1 && left < known; ++left) cut.add(lower(s[left]));
            const auto look = [&](int64_t here) {
                const double g = cut.gain();
                if (!(g > gain + tie) || !allowed(open, j, cut)) return;
                gain = g, at = here, missing_left = turn || (known == m && 2 * here > m);
                middle = (cut.left_value() + cut.right_value()) / 2;
                found = true;
            };
            if (rules.max_candidates > 0 && number) {
                const double step = double(known) / double(rules.max_candidates + 1);
                double next = step;
                while (left < last) {
                    cut.add(lower(s[left++]));
                    if (double(left) < next || upper(s[left]) == upper(s[left - 1])) continue;
                    look(left);
                    next = (std::floor(double(left) / step) + 1) * step;
                }
            } else {
                while (left < last) {
                    cut.add(lower(s[left++]));
                    if (upper(s[left]) != upper(s[left - 1])) look(left);
                }
            }
            if (!end) continue;
            for (; left < known; ++left) cut.add(lower(s[left]));
            look(known);
        }
        return found;
    }
    bool allowed(const Open &open, int64_t j, const Cut &cut) const {
        if (rules.min_weight > 0) {
            const double a = cut.left_weight(), b = criterion.weight() - a;
            if (a < rules.min_weight || b < rules.min_weight) return false;
        }
        // A free column may leave the bounds from above: its sides are clipped to them, which keeps the order.
        if (!rules.monotonic || !rules.monotonic[j]) return true;
        const double a = cut.left_value(), b = cut.right_value();
        return a >= open.low && a <= open.high && b >= open.low && b <= open.high &&
               double(rules.monotonic[j]) * (a - b) <= 0;
    }

    // -------------------------------------------------------------- nominal columns

    void group(const Open &open, int64_t j, const uint64_t *s, int64_t known, int64_t m, Split &best) {
        groups.find(s, known);
        const bool several = Criterion::counts_classes && criterion.width() > 2;
        if (!several || groups.size() > EXHAUSTIVE) {
            regrouped.resize(n);
            groups.arrange(criterion, s, m, regrouped.data());
            int64_t at;
            bool missing_left;
            double gain = best.gain, middle;
            if (sweep(open, j, regrouped.data(), known, m, false, gain, at, missing_left, middle)) {
                best.take(gain, j, SUBSET, missing_left, middle);
                const int64_t last = upper(regrouped[at - 1]);
                groups.write_set(best, data.categories[j], [last](int64_t g) { return g <= last; });
            }
        }
        if constexpr (Criterion::counts_classes)
            if (several) divide(j, s, known, m, best);
    }
    void divide(int64_t j, const uint64_t *s, int64_t known, int64_t m, Split &best) {
        Divisions<Criterion> divisions(criterion, groups, s, known, m);
        auto rest = criterion.total;
        const auto look = [&](const auto &division, auto is_left) {
            const double a = double(division.weight), b = criterion.weight() - a;
            const int64_t fewest = std::min(division.rows, m - division.rows);
            if (fewest < rules.min_leaf || a < rules.min_weight || b < rules.min_weight) return;
            const double gain = criterion.gain_of(division.left, division.weight, rest.data());
            if (!(gain > best.gain + tie)) return;
            best.take(gain, j, SUBSET, known < m ? division.missing_left : 2 * division.rows > m, 0);
            groups.write_set(best, data.categories[j], is_left);
        };
        groups.size() <= EXHAUSTIVE ? divisions.all(look) : divisions.each(look);
    }

    // -------------------------------------------------------------- random cuts

    // A threshold drawn uniformly between the smallest and the largest value in the node.
    bool random_cut(const Open &open, int64_t j, int64_t m, Split &best) {
        const uint32_t *row = rows.data() + open.start;
        if (nearby && data.X) {
            double range[2];
            fetch_numbers(near_numbers.data() + j * stride, row, m, fetched.data(), range);
            int64_t n_missing = 0;
            if (data.has_missing[j])
                for (int64_t i = 0; i < m; ++i) n_missing += std::isnan(fetched[i]);
            if (!(range[0] < range[1]) && (n_missing == 0 || n_missing == m)) return false;
            bool missing_left;
            const double threshold = draw(range[0], range[1], n_missing, missing_left);
            for (int64_t i = 0; missing_left && i < m; ++i)
                if (std::isnan(fetched[i])) fetched[i] = -std::numeric_limits<double>::infinity();
            cut_at(open, j, fetched.data(), m, threshold, threshold, n_missing > 0, missing_left, best);
            return true;
        }
        const int32_t missing = int32_t(distinct(j));
        int32_t range[2];
        fetch_ranks(ranks + j * stride, row, m, missing, codes.data(), range);
        int64_t n_missing = 0;
        if (data.has_missing[j])
            for (int64_t i = 0; i < m; ++i) n_missing += codes[i] == missing;
        if (n_missing == m || (range[0] == range[1] && (n_missing == 0 || rules.surrogate))) return false;
        const double *v = data.values + data.start[j];
        bool missing_left;
        const double threshold = draw(v[range[0]], v[range[1]], n_missing, missing_left);
        const int32_t last = int32_t(std::upper_bound(v + range[0], v + range[1] + 1, threshold) - v) - 1;
        for (int64_t i = 0; missing_left && i < m; ++i) codes[i] = codes[i] == missing ? -1 : codes[i];
        if (cut_at(open, j, codes.data(), m, last, threshold, n_missing > 0, missing_left, best))
            best.cut = uint32_t(last);
        return true;
    }
    double draw(double low, double high, int64_t n_missing, bool &missing_left) {
        const double u = random.unit();
        missing_left = n_missing && low < high && random.unit() < 0.5;
        if (low == high) return high;  // values against missing
        const double threshold = low + u * (high - low);
        return threshold < high ? threshold : low;
    }
    template <class Code>
    bool cut_at(const Open &open, int64_t j, const Code *code, int64_t m, Code last, double threshold, bool has_missing,
                bool missing_left, Split &best) {
        const uint32_t *label = labels.data() + open.start;
        Cut cut = criterion.cut();
        int64_t left = 0;
        if constexpr (std::is_same<Criterion, GiniOfTwo<PackedRows>>::value) {
            int64_t sums[3];
            m < 16 ? sum_codes(code, label, m, last, sums) : sum_up_to(code, label, m, last, sums);
            left = sums[0], cut.Wl = sums[1], cut.ones = sums[2];
        } else {
            for (int64_t i = 0; i < m; ++i) {
                const bool is_left = code[i] <= last;
                cut.add(label[i], criterion.rows.w(label[i]) * is_left);
                left += is_left;
            }
        }
        if (!accept(open, j, cut, left, m, has_missing, missing_left, THRESHOLD, best)) return false;
        best.threshold = threshold;
        return true;
    }
    bool accept(const Open &open, int64_t j, Cut &cut, int64_t left, int64_t m, bool has_missing, bool missing_left,
                uint8_t kind, Split &best) {
        if (left == 0 || left == m || left < rules.min_leaf || m - left < rules.min_leaf) return false;
        const double gain = cut.gain();
        if (!(gain > best.gain + tie) || !allowed(open, j, cut)) return false;
        best.take(gain, j, kind, has_missing ? missing_left : 2 * left > m, (cut.left_value() + cut.right_value()) / 2);
        return true;
    }
    void random_grouping(const Open &open, int64_t j, const uint64_t *s, int64_t m, Split &best) {
        const int64_t known = known_of(s, m, j);
        groups.find(s, known);
        if (groups.size() == 0 || (rules.surrogate && groups.size() < 2)) return;
        const bool tossed = known < m && !rules.surrogate;  // else the missing follow the others
        const bool missing_left = tossed && random.unit() < 0.5;
        std::vector<uint8_t> left(size_t(groups.size()));
        size_t ones = 0;
        for (auto &l : left) ones += l = uint8_t(random.next() >> 63);
        const bool none = ones == 0 && !missing_left, all = ones == left.size() && (missing_left || !tossed);
        if (none || all) left[size_t(random.below(int64_t(left.size())))] ^= 1;
        std::vector<uint8_t> goes(size_t(data.categories[j]) + 1);
        for (int64_t g = 0; g < groups.size(); ++g) goes[groups.code(g)] = left[size_t(g)];
        Cut cut = criterion.cut();
        int64_t moved = 0;
        for (int64_t i = 0; i < m; ++i)
            if (i < known ? goes[upper(s[i])] : missing_left) cut.add(lower(s[i])), ++moved;
        if (accept(open, j, cut, moved, m, known < m, missing_left, SUBSET, best))
            groups.write_set(best, data.categories[j], [&](int64_t g) { return left[size_t(g)]; });
    }

    // -------------------------------------------------------------- carrying out a split

    void carry_out(const Open &open, Split &split, Open &left, Open &right, bool &left_open, bool &right_open) {
        const int64_t m = open.end - open.start;
        const int64_t a = presorted      ? mark_presorted(open, split)
                          : rules.spread ? mark_gathered(open, split)
                                         : divide_gathered(open, split);
        require(rules.spread || (0 < a && a < m), "grow: ranks that have no place");  // or the tree would not end
        left = {-1, open.start, open.start + a, open.depth + 1, open.low, open.high};
        right = {-1, open.start + a, open.end, open.depth + 1, open.low, open.high};
        if (rules.monotonic && rules.monotonic[split.feature]) {
            (rules.monotonic[split.feature] > 0 ? left.high : left.low) = split.middle;
            (rules.monotonic[split.feature] > 0 ? right.low : right.high) = split.middle;
        }
        uint64_t *own = presorted ? order + split.feature * n + open.start : nullptr;
        if (presorted) part(own, m, a, side.data(), scratch.data(), true, true);
        else if (rules.spread) spread(open, split, left, right);
        right.node = add_child(own ? own + a : nullptr, right, right_open);
        left.node = add_child(own, left, left_open);  // the criterion stays in the left node, which comes next
        if (presorted && (left_open || right_open))
            for (int64_t j = 0; j < data.d; ++j)
                if (j != split.feature)
                    part(order + j * n + open.start, m, a, side.data(), scratch.data(), left_open, right_open);
        Node &node = nodes[open.node];
        node.feature = split.feature, node.kind = split.kind, node.threshold = split.threshold;
        node.left = left.node, node.right = right.node, node.missing = rules.spread ? -1 : !split.missing_left;
        if (split.kind == SUBSET) node.threshold = NOTHING, more_of(open.node).set = std::move(split.set);
    }
    More &more_of(int32_t node) {
        if (nodes[node].more < 0) nodes[node].more = int32_t(more.size()), more.emplace_back();
        return more[nodes[node].more];
    }
    int32_t add_child(const uint64_t *sorted, const Open &child, bool &open) {
        const int32_t id = int32_t(nodes.size());
        nodes.emplace_back();
        if (sorted) {  // the rows of the split's own column are in place already
            criterion.enter([sorted](int64_t i) { return lower(sorted[i]); }, child.end - child.start);
            entered = id;
        } else {
            enter(id, child.start, child.end);
        }
        note(id, child.end - child.start, child.low, child.high);
        Open here = child;
        here.node = id;
        open = !closed(here);
        return id;
    }
    bool goes_left(const Split &split, uint32_t rank, uint32_t missing) const {
        if (rank == missing) return split.missing_left;
        return split.kind == THRESHOLD ? rank <= split.cut : in_set(split.set, rank);
    }
    int64_t mark_presorted(const Open &open, Split &split) {
        const int64_t m = open.end - open.start;
        const uint64_t *s = order + split.feature * n + open.start;
        const uint32_t missing = uint32_t(distinct(split.feature));
        int64_t left = 0;
        for (int64_t i = 0; i < m; ++i) {
            const bool is_left = goes_left(split, upper(s[i]), missing);
            side[lower(s[i])] = is_left;
            left += is_left;
        }
        return rules.surrogate ? stand_in(open, split) : left;
    }
    int64_t mark_gathered(const Open &open, Split &split) {
        const int32_t *rank = ranks + split.feature * stride;
        const uint32_t missing = uint32_t(distinct(split.feature));
        int64_t left = 0;
        for (int64_t i = open.start; i < open.end; ++i) {
            const bool is_left = goes_left(split, uint32_t(rank[rows[i]]), missing);
            side[rows[i]] = is_left;
            left += is_left;
        }
        return rules.surrogate ? stand_in(open, split) : left;
    }
    // Gathered: the rows of the left side first, both sides in their order. Returns the rows on the left.
    int64_t divide_gathered(const Open &open, Split &split) {
        if (rules.surrogate) {
            mark_gathered(open, split);
            return part_gathered(open, [&](uint32_t row) { return side[row]; });
        }
        const int64_t j = split.feature;
        if (nearby && rules.random && data.X && split.kind == THRESHOLD) {
            const double *x = near_numbers.data() + j * stride, t = split.threshold;
            if (!data.has_missing[j]) return part_gathered(open, [x, t](uint32_t row) { return x[row] <= t; });
            const bool lost = split.missing_left;
            return part_gathered(open, [=](uint32_t row) { return std::isnan(x[row]) ? lost : x[row] <= t; });
        }
        const int32_t *rank = ranks + j * stride;
        if (split.kind == THRESHOLD && !data.has_missing[j]) {
            const uint32_t last = split.cut;
            return part_gathered(open, [=](uint32_t row) { return uint32_t(rank[row]) <= last; });
        }
        const uint32_t missing = uint32_t(distinct(j));
        return part_gathered(open, [&](uint32_t row) { return goes_left(split, uint32_t(rank[row]), missing); });
    }
    template <class IsLeft> int64_t part_gathered(const Open &open, IsLeft is_left) {
        uint32_t *row = rows.data(), *label = labels.data(), *other_row = spare_rows.data(),
                 *other = spare_labels.data();
        int64_t a = open.start, b = 0;
        for (int64_t i = open.start; i < open.end; ++i) {
            const uint32_t r = row[i], l = label[i];
            const int64_t s = is_left(r);
            row[a] = r, label[a] = l;
            other_row[b] = r, other[b] = l;
            a += s, b += 1 - s;
        }
        for (int64_t i = 0; i < b; ++i) row[a + i] = other_row[i], label[a + i] = other[i];
        return a - open.start;
    }

    // -------------------------------------------------------------- rows in fractions

    // A row that misses the value of the split goes both ways, with its weight divided as that of the others is.
    // Depth first, the sides take the place of their node, the left one last, since it comes next: nothing is kept of
    // nodes that are done. Best first, they are added at the end.
    void spread(const Open &open, const Split &split, Open &left, Open &right) {
        const uint32_t missing = uint32_t(distinct(split.feature));
        spare_rows.assign(rows.begin() + open.start, rows.begin() + open.end);
        spare_weighs.assign(weighs.begin() + open.start, weighs.begin() + open.end);
        double known[2] = {0, 0};
        for (size_t i = 0; i < spare_rows.size(); ++i) {
            const uint32_t r = spare_rows[i];
            if (rank_of(split.feature, r) == missing) side[r] = 2;
            else known[side[r]] += spare_weighs[i];
        }
        if (rules.max_leaves <= 0) cut_off(open.start);
        const auto add = [&](Open &to, uint8_t which) {
            const double share = known[which] / (known[0] + known[1]);
            to.start = int64_t(rows.size());
            for (size_t i = 0; i < spare_rows.size(); ++i) {
                const uint8_t s = side[spare_rows[i]];
                if (s != which && s != 2) continue;
                const double w = s == 2 ? spare_weighs[i] * share : spare_weighs[i];
                if (w > TIE * rules.min_weight) rows.push_back(spare_rows[i]), weighs.push_back(w);
            }
            to.end = int64_t(rows.size());
        };
        add(right, 0), add(left, 1);
        labels.insert(labels.end(), rows.begin() + int64_t(labels.size()), rows.end());
    }
    void cut_off(int64_t end) { rows.resize(size_t(end)), labels.resize(size_t(end)), weighs.resize(size_t(end)); }
    void weigh() {
        if constexpr (std::is_same<decltype(criterion.rows.w(0)), double>::value) {
            for (uint32_t row : rows) weighs.push_back(criterion.rows.w(row));
            weight_here.resize(size_t(data.n));
            criterion.rows.weight = weight_here.data();
        }
    }

    // -------------------------------------------------------------- surrogates

    // Tests of other columns that send rows the same way as the split does, better than the larger side would; then
    // the side of the rows that miss the split's own value. Returns the rows on the left.
    int64_t stand_in(const Open &open, Split &split) {
        const int64_t m = open.end - open.start;
        const uint32_t missing = uint32_t(distinct(split.feature));
        std::vector<uint32_t> lost;
        double weight[2] = {0, 0};
        int64_t left = 0;
        const uint64_t *sorted = presorted ? order + open.start : nullptr;
        for (int64_t i = 0; i < m; ++i) {
            const uint32_t r = presorted ? lower(sorted[i]) : rows[open.start + i];
            if (rank_of(split.feature, r) == missing) lost.push_back(r), side[r] = 2;
            else weight[side[r]] += double(criterion.rows.w(r)), left += side[r];
        }
        split.missing_left = weight[1] > weight[0];
        auto &kept = more_of(open.node).stand_ins;
        for (int64_t j = 0; j < data.d; ++j)
            if (j != split.feature) agree(open, j, kept);
        std::stable_sort(kept.begin(), kept.end(),
                         [](const StandIn &a, const StandIn &b) { return a.agreement > b.agreement * (1 + TIE); });
        if (kept.size() > STAND_INS) kept.resize(STAND_INS);
        for (uint32_t r : lost) {
            uint8_t to = split.missing_left;
            for (const StandIn &t : kept) {
                const uint32_t rank = rank_of(t.feature, r);
                if (rank == uint32_t(distinct(t.feature))) continue;
                to = uint8_t((t.kind == THRESHOLD ? rank <= t.cut : in_set(t.set, rank)) != bool(t.flip));
                break;
            }
            side[r] = to, left += to;
        }
        return left;
    }
    uint32_t rank_of(int64_t j, uint32_t row) const { return uint32_t(ranks[j * stride + row]); }

    void agree(const Open &open, int64_t j, std::vector<StandIn> &kept) {
        const int64_t m = open.end - open.start;
        const uint64_t *s = sorted_keys(open, j, true);
        if (!s) return;
        const int64_t known = known_of(s, m, j);
        double all[2] = {0, 0}, seen[2] = {0, 0};
        const auto w = [&](int64_t i) { return double(criterion.rows.w(lower(s[i]))); };
        for (int64_t i = 0; i < known; ++i)
            if (side[lower(s[i])] < 2) all[side[lower(s[i])]] += w(i);
        const double total = all[0] + all[1], plain = std::max(all[0], all[1]);
        StandIn best{plain * (1 + TIE), int32_t(j), THRESHOLD, 0, 0, 0, {}};
        if (data.categories[j]) {  // each category goes where most of its rows go
            groups.find(s, known);
            best.set.assign(size_t(data.categories[j] + 31) / 32, 0), best.kind = SUBSET, best.threshold = NOTHING;
            double agreement = 0;
            for (int64_t g = 0; g < groups.size(); ++g) {
                double here[2] = {0, 0};
                for (int64_t i = groups.begin(g); i < groups.end(g); ++i)
                    if (side[lower(s[i])] < 2) here[side[lower(s[i])]] += w(i);
                if (here[1] > here[0]) put(best.set, groups.code(g));
                agreement += std::max(here[0], here[1]);
            }
            if (agreement > best.agreement) best.agreement = agreement, kept.push_back(std::move(best));
            return;
        }
        bool found = false;
        const double *v = data.values + data.start[j];
        for (int64_t i = 0; i + 1 < known; ++i) {
            if (side[lower(s[i])] < 2) seen[side[lower(s[i])]] += w(i);
            if (upper(s[i]) == upper(s[i + 1])) continue;
            const double straight = seen[1] + all[0] - seen[0];  // low values left
            for (uint8_t flip = 0; flip < 2; ++flip) {
                const double agreement = flip ? total - straight : straight;
                if (agreement <= best.agreement) continue;
                best.agreement = agreement * (1 + TIE), best.flip = flip, best.cut = upper(s[i]);
                best.threshold = halfway(v[upper(s[i])], v[upper(s[i + 1])]);
                found = true;
            }
        }
        if (found) kept.push_back(std::move(best));
    }
};

}  // namespace assay
