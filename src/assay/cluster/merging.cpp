// Agglomerative clustering by the means of the groups: pairs, nearest first, from the rows in O(n d) memory.
//
//     ward       d(a, b)^2 = 2 n_a n_b / (n_a + n_b) |m_a - m_b|^2
//     centroid   d(a, b) = |m_a - m_b|
//
// Ward by chains of nearest neighbours (Murtagh 1983). Of centroid the merges may come nearer: there each group
// remembers its nearest (Mullner 2011). Merges come in the order of the chain; the caller sorts them.
//
// Twin in NumPy: tests/cluster/test_hierarchy.py, merges_by_the_book.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"
#include "assay/least.hpp"

using namespace assay;

namespace {

constexpr double NEVER = std::numeric_limits<double>::infinity();

// Means of the groups, column by column, those in use at the front.
struct Groups {
    int64_t n, d, left;
    std::vector<double> T, size, mean, sums;
    std::vector<int64_t> row;  // the row that stands for the group
    Groups(In2<double> X, In1<double> w)
        : n(X.shape(0)), d(X.shape(1)), left(n), T(n * d), size(n, 1.0), mean(d), sums(n), row(n) {
        for (int64_t i = 0; i < n; ++i) {
            row[i] = i;
            if (w.size()) size[i] = w.data()[i];
            for (int64_t j = 0; j < d; ++j) T[j * n + i] = X.data()[i * d + j];
        }
    }
};

HOT void gaps_of(const double *T, int64_t n, int64_t left, int64_t d, const double *x, double *sums) {
    constexpr int64_t STRIP = 1024;  // columns of it stay in the first-level cache
    for (int64_t start = 0; start < left; start += STRIP) {
        const int64_t m = std::min(STRIP, left - start);
        double *s = sums + start;
        for (int64_t i = 0; i < m; ++i) s[i] = 0.0;
        int64_t j = 0;
        for (; j + 2 <= d; j += 2) {
            const double *t = T + j * n + start, *u = t + n, a = x[j], b = x[j + 1];
            for (int64_t i = 0; i < m; ++i) {
                const double g = t[i] - a, h = u[i] - b;
                s[i] += g * g + h * h;
            }
        }
        for (; j < d; ++j) {
            const double *t = T + j * n + start, a = x[j];
            for (int64_t i = 0; i < m; ++i) {
                const double g = t[i] - a;
                s[i] += g * g;
            }
        }
    }
}
HOT void ward_factors(const double *size, int64_t left, double own, double *sums) {
    for (int64_t i = 0; i < left; ++i) sums[i] *= 2.0 * own * size[i] / (own + size[i]);
}

// Squared distances of all groups from that at `place`, itself never; the places of the nearest, `before` among equals.
int64_t nearest_group(Groups &groups, int64_t place, bool ward, int64_t before, double &least) {
    for (int64_t j = 0; j < groups.d; ++j) groups.mean[j] = groups.T[j * groups.n + place];
    double *sums = groups.sums.data();
    gaps_of(groups.T.data(), groups.n, groups.left, groups.d, groups.mean.data(), sums);
    if (ward) ward_factors(groups.size.data(), groups.left, groups.size[place], sums);
    sums[place] = NEVER;
    least = least_of(sums, groups.left);
    if (before >= 0 && sums[before] == least) return before;
    int64_t at = -1;
    for (int64_t i = 0; i < groups.left; ++i)
        if (sums[i] == least && i != place && (at < 0 || groups.row[i] < groups.row[at])) at = i;
    return at;
}

// The group at b goes into that at a; the last one takes the place of b.
void merge_groups(Groups &groups, int64_t a, int64_t b) {
    const double total = groups.size[a] + groups.size[b], share = groups.size[b] / total;
    const int64_t last = groups.left - 1;
    for (int64_t j = 0; j < groups.d; ++j) {
        double *t = groups.T.data() + j * groups.n;
        t[a] += (t[b] - t[a]) * share;
        t[b] = t[last];
    }
    groups.size[a] = total;
    groups.row[a] = std::min(groups.row[a], groups.row[b]);
    groups.size[b] = groups.size[last];
    groups.row[b] = groups.row[last];
    --groups.left;
}

bool fit(const InOut2<int64_t> &pairs, const InOut1<double> &heights, int64_t n) {
    return n > 0 && length(pairs) == n - 1 && pairs.shape(1) == 2 && length(heights) == n - 1;
}

void ward(In2<double> X,  // in   (n, d)
          In1<double> w,  // in   (n,) weights above 0, or (0,): ones
          InOut2<int64_t> pairs,  // out  (n - 1, 2) a row of each of two groups
          InOut1<double> heights) {  // out  (n - 1,)
    const int64_t n = X.shape(0);
    require(X.shape(1) > 0 && weighs(w, n) && fit(pairs, heights, n), "ward: pairs and heights must fit the rows");
    nb::gil_scoped_release unlocked;
    Groups groups(X, w);
    std::vector<int64_t> chain, at(n);  // rows that stand for groups; where their group is
    for (int64_t i = 0; i < n; ++i) at[i] = i;
    for (int64_t step = 0; step + 1 < n;) {
        if (chain.empty()) {
            int64_t first = 0;
            for (int64_t i = 1; i < groups.left; ++i)
                if (groups.row[i] < groups.row[first]) first = i;
            chain.push_back(groups.row[first]);
        }
        const int64_t a = at[chain.back()], before = chain.size() > 1 ? at[chain[chain.size() - 2]] : -1;
        double least;
        const int64_t b = nearest_group(groups, a, true, before, least);
        require(b >= 0, "ward: the rows must be finite numbers");
        if (b != before) {
            require(int64_t(chain.size()) < groups.left, "ward: the distances of the rows must be symmetric");
            chain.push_back(groups.row[b]);
            continue;
        }
        pairs.data()[2 * step] = groups.row[a];
        pairs.data()[2 * step + 1] = groups.row[b];
        heights.data()[step++] = std::sqrt(least);
        chain.pop_back();
        chain.pop_back();
        const int64_t name = std::max(groups.row[a], groups.row[b]);  // as SciPy has it: then ties go alike
        merge_groups(groups, a, b);
        const int64_t kept = a < groups.left ? a : b;  // the last one has moved
        groups.row[kept] = name;
        at[name] = kept;
        if (b < groups.left && b != kept) at[groups.row[b]] = b;
    }
}

void centroid(In2<double> X, In1<double> w, InOut2<int64_t> pairs, InOut1<double> heights) {
    const int64_t n = X.shape(0);
    require(X.shape(1) > 0 && weighs(w, n) && fit(pairs, heights, n), "centroid: pairs and heights must fit the rows");
    nb::gil_scoped_release unlocked;
    Groups groups(X, w);
    std::vector<int64_t> next(n, -1);  // by place: the row that stands for the nearest group
    std::vector<double> gap(n, NEVER);
    std::vector<int64_t> at(n);
    for (int64_t i = 0; i < n; ++i) at[i] = i;
    for (int64_t i = 0; i < n && n > 1; ++i) {
        const int64_t b = nearest_group(groups, i, false, -1, gap[i]);
        require(b >= 0, "centroid: the rows must be finite numbers");
        next[i] = groups.row[b];
    }
    for (int64_t step = 0; step + 1 < n; ++step) {
        int64_t a = 0;
        for (int64_t i = 1; i < groups.left; ++i) {
            if (gap[i] > gap[a]) continue;
            const int64_t low = std::min(groups.row[i], next[i]), best = std::min(groups.row[a], next[a]);
            if (gap[i] < gap[a] || low < best || (low == best && groups.row[i] < groups.row[a])) a = i;
        }
        int64_t b = at[next[a]];
        if (groups.row[b] < groups.row[a]) std::swap(a, b);
        pairs.data()[2 * step] = groups.row[a];
        pairs.data()[2 * step + 1] = groups.row[b];
        heights.data()[step] = std::sqrt(gap[a] < gap[b] ? gap[a] : gap[b]);
        const int64_t gone = groups.row[b], last = groups.left - 1, stays = groups.row[a];
        merge_groups(groups, a, b);
        if (b != last) gap[b] = gap[last], next[b] = next[last], at[groups.row[b]] = b;
        if (a == last) a = b;
        at[stays] = a;
        if (groups.left < 2) break;
        double least;
        const int64_t nearest = nearest_group(groups, a, false, -1, least);
        const std::vector<double> sums(groups.sums.begin(), groups.sums.begin() + groups.left);
        gap[a] = least;
        next[a] = groups.row[nearest];
        for (int64_t i = 0; i < groups.left; ++i) {
            if (i == a) continue;
            if (next[i] == gone || next[i] == stays) {  // it has moved: look again
                if (sums[i] <= gap[i]) gap[i] = sums[i], next[i] = stays;
                else next[i] = groups.row[nearest_group(groups, i, false, -1, gap[i])];
            } else if (sums[i] < gap[i]) gap[i] = sums[i], next[i] = stays;
        }
    }
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    define(m, "ward", &ward, "X", "w", "pairs", "heights");
    define(m, "centroid", &centroid, "X", "w", "pairs", "heights");
}
