// Agglomerative clustering by the distances of the groups' rows, merged by Lance and Williams:
//
//     complete   d(a + b, c) = max(d(a, c), d(b, c))
//     average    d(a + b, c) = (n_a d(a, c) + n_b d(b, c)) / (n_a + n_b),     weighted: with n_a = n_b
//
// Chains of nearest neighbours (Murtagh 1983), from a matrix of distances or from the rows of numbers. A row alone has
// its distances computed when the chain first comes to it, and soon it merges: of rows of numbers only the distances of
// groups and of the chain are kept, a part of the matrix. Merges come in the order of the chain; the caller sorts them.
//
// This file is compiled without fused products, so that distances are SciPy's to the last bit and the same everywhere.
//
// Twin in NumPy: tests/cluster/test_hierarchy.py, merges_by_the_book.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"
#include "assay/least.hpp"

using namespace assay;

namespace {

constexpr double NEVER = std::numeric_limits<double>::infinity();
constexpr int64_t PANEL = 32;  // rows whose coordinates stand beside each other

// Rows in panels, one coordinate of all of a panel after the other.
class Panels {
    std::vector<double> room;

  public:
    const int64_t n, d;
    Panels(const double *X, int64_t n, int64_t d) : room((n + PANEL - 1) / PANEL * PANEL * d), n(n), d(d) {
        for (int64_t i = 0; i < n; ++i)
            for (int64_t j = 0; j < d; ++j) room[(i / PANEL * d + j) * PANEL + i % PANEL] = X[i * d + j];
    }
    const double *panel(int64_t p) const { return room.data() + p * d * PANEL; }
    double at(int64_t i, int64_t j) const { return room[(i / PANEL * d + j) * PANEL + i % PANEL]; }
};

// out[i] = |x_i - x|, summed column by column
HOT void distances_from(const Panels &panels, const double *x, double *out) {
    for (int64_t p = 0; p * PANEL < panels.n; ++p) {
        const double *t = panels.panel(p);
        double sums[PANEL] = {};
        for (int64_t j = 0; j < panels.d; ++j, t += PANEL)
            for (int64_t r = 0; r < PANEL; ++r) {
                const double gap = t[r] - x[j];
                sums[r] += gap * gap;
            }
        for (int64_t r = 0; r < PANEL; ++r) sums[r] = std::sqrt(sums[r]);
        std::copy_n(sums, std::min(PANEL, panels.n - p * PANEL), out + p * PANEL);
    }
}

// What the linkage makes of the distances from two groups that become one.
INLINE double joined(double x, double y, int kind, double share) {
    return kind == 0 ? (y > x ? y : x) : x + (y - x) * share;
}

struct Joint {
    int64_t stays, gone;  // places of two groups, of which the first is now both
    double share;  // of the second in the mean
};

HOT void join_rows(double *x, const double *y, int64_t width, int kind, double share) {
    for (int64_t i = 0; i < width; ++i) x[i] = joined(x[i], y[i], kind, share);
}
HOT void catch_up(double *x, const Joint *first, const Joint *last, int kind) {
    for (; first != last; ++first) {
        x[first->stays] = joined(x[first->stays], x[first->gone], kind, first->share);
        x[first->gone] = NEVER;
    }
}
void keep(double *x, const std::vector<int64_t> &places) {
    for (size_t c = 0; c < places.size(); ++c) x[c] = x[places[c]];
}

// Rows of numbers that come and go.
class Rows {
    static constexpr int64_t MANY = 64;  // rows that are asked of the system at once
    std::vector<std::unique_ptr<double[]>> rooms;
    std::vector<double *> free;

  public:
    double *take(int64_t width) {
        if (free.empty()) {
            rooms.emplace_back(new double[width * MANY]);
            for (int64_t i = MANY - 1; i >= 0; --i) free.push_back(rooms.back().get() + i * width);
        }
        double *row = free.back();
        free.pop_back();
        return row;
    }
    void give(double *row) { free.push_back(row); }
};

// Distances of groups, of which only whole rows are written. A merge changes the rows of its two groups; any other row
// gets its two entries when it is read next, from the list of merges. When half of the groups are gone, so are their
// columns.
class Distances {
    struct Stage {
        std::vector<Joint> joints;
        std::vector<int64_t> kept;  // places of the groups that were left at its end
    };
    double *M;  // (n, n), or none: computed from the points
    const Panels *points;
    int64_t n;
    int kind;
    Rows rows;
    std::vector<Stage> past;
    std::vector<Joint> joints;
    std::vector<double *> of_place;  // none: a row alone, that was not looked at yet
    std::vector<int64_t> seen;  // joints that the row has
    std::vector<double> x, fresh;

    double *first_look(int64_t a) {
        const int64_t i = row[a];
        double *y = M ? M + i * n : fresh.data();
        if (points) {
            for (int64_t j = 0; j < points->d; ++j) x[j] = points->at(i, j);
            distances_from(*points, x.data(), y);
        }
        y[i] = NEVER;
        for (const Stage &stage : past) {
            catch_up(y, stage.joints.data(), stage.joints.data() + stage.joints.size(), kind);
            keep(y, stage.kept);
        }
        if (!points) return y;
        double *own = rows.take(n);
        std::copy_n(y, width, own);
        return own;
    }

  public:
    int64_t width, left;  // places, and those of them that are groups
    std::vector<double> size;  // 0: gone
    std::vector<int64_t> row;  // the row that stands for the group
    Distances(double *D, const Panels *points, int64_t n, const In1<double> &w, int kind)
        : M(D), points(points), n(n), kind(kind), of_place(n, nullptr), seen(n, 0), x(points ? points->d : 0),
          fresh(points ? n : 0), width(n), left(n), size(n, 1.0), row(n) {
        if (w.size()) std::copy_n(w.data(), n, size.data());
        for (int64_t i = 0; i < n; ++i) row[i] = i;
        joints.reserve(n);
    }
    bool is_group(int64_t a) const { return a < width && size[a] > 0.0; }
    double *of(int64_t a) {
        if (!of_place[a]) of_place[a] = first_look(a);
        catch_up(of_place[a], joints.data() + seen[a], joints.data() + joints.size(), kind);
        seen[a] = int64_t(joints.size());
        return of_place[a];
    }
    void join(int64_t a, int64_t b) {
        double *y = of(a);
        const double share = kind == 1 ? size[b] / (size[a] + size[b]) : 0.5;
        join_rows(y, of(b), width, kind, share);  // what is gone is no number now, and never the least
        y[a] = y[b] = NEVER;
        joints.push_back({a, b, share});
        seen[a] = int64_t(joints.size());
        size[a] += size[b];
        row[a] = std::max(row[a], row[b]);  // as SciPy has it: then ties go alike
        size[b] = 0.0;
        if (points) rows.give(of_place[b]);
        of_place[b] = nullptr;
        --left;
    }
    // The columns of what is left move together; `at` says where the group of a row is.
    void close_ranks(std::vector<int64_t> &at) {
        std::vector<int64_t> kept;
        for (int64_t i = 0; i < width; ++i)
            if (size[i] > 0.0) kept.push_back(i);
        for (int64_t k = 0; k < left; ++k) {
            const int64_t from = kept[k];
            if (of_place[from]) keep(of(from), kept);
            of_place[k] = of_place[from], size[k] = size[from], row[k] = row[from];
            at[row[k]] = k;
        }
        width = left;
        past.push_back({std::move(joints), std::move(kept)});
        joints.clear();
        std::fill_n(seen.begin(), left, 0);
    }
};

constexpr int64_t FEW = 64;  // places that need not be saved

void merge_along(Distances &distances, int64_t n, int64_t *pairs, double *heights) {
    const std::vector<int64_t> &row = distances.row;
    std::vector<int64_t> at(n), links;
    for (int64_t i = 0; i < n; ++i) {
        require(distances.size[i] > 0.0, "chain: weights must be above 0");
        at[i] = i;
    }
    for (int64_t step = 0; step + 1 < n;) {
        if (links.empty()) {
            int64_t first = -1;
            for (int64_t i = 0; i < distances.width; ++i)
                if (distances.size[i] > 0.0 && (first < 0 || row[i] < row[first])) first = i;
            links.push_back(row[first]);
        }
        const int64_t a = at[links.back()], before = links.size() > 1 ? at[links[links.size() - 2]] : -1;
        require(distances.is_group(a) && (before < 0 || distances.is_group(before)),
                "chain: the distances must be symmetric");
        const double *x = distances.of(a), least = least_of(x, distances.width);
        require(least < NEVER, "chain: the distances must be finite numbers");
        int64_t b = before >= 0 && x[before] == least ? before : -1;
        if (b < 0)
            for (int64_t i = 0; i < distances.width; ++i)
                if (x[i] == least && (b < 0 || row[i] < row[b])) b = i;
        if (b != before) {
            require(int64_t(links.size()) < distances.left, "chain: the distances must be symmetric");
            links.push_back(row[b]);
            continue;
        }
        pairs[2 * step] = row[a];
        pairs[2 * step + 1] = row[b];
        heights[step++] = least;
        links.pop_back();
        links.pop_back();
        const int64_t stays = std::min(a, b);
        distances.join(stays, std::max(a, b));
        at[row[stays]] = stays;
        if (distances.width >= FEW && 2 * distances.left <= distances.width) distances.close_ranks(at);
    }
}

bool fit(const InOut2<int64_t> &pairs, const InOut1<double> &heights, int64_t n) {
    return n > 0 && length(pairs) == n - 1 && pairs.shape(1) == 2 && length(heights) == n - 1;
}

void chain(InOut2<double> D,  // in/out  (n, n) symmetric distances; overwritten
           In1<double> w,  // in      (n,) above 0, or (0,): ones
           int kind,  // 0 complete, 1 average, 2 weighted
           InOut2<int64_t> pairs,  // out     (n - 1, 2) a row of each of two groups
           InOut1<double> heights) {  // out     (n - 1,)
    const int64_t n = D.shape(0);
    require(int64_t(D.shape(1)) == n && weighs(w, n) && fit(pairs, heights, n) && kind >= 0 && kind <= 2,
            "chain: pairs and heights must fit the rows, and the kind be 0, 1 or 2");
    nb::gil_scoped_release unlocked;
    Distances distances(D.data(), nullptr, n, w, kind);
    merge_along(distances, n, pairs.data(), heights.data());
}

void chain_of_rows(In2<double> X,  // in   (n, d)
                   In1<double> w, int kind, InOut2<int64_t> pairs, InOut1<double> heights) {
    const int64_t n = X.shape(0), d = X.shape(1);
    require(d > 0 && weighs(w, n) && fit(pairs, heights, n) && kind >= 0 && kind <= 2,
            "chain_of_rows: pairs and heights must fit the rows, and the kind be 0, 1 or 2");
    nb::gil_scoped_release unlocked;
    const Panels points(X.data(), n, d);
    Distances distances(nullptr, &points, n, w, kind);
    merge_along(distances, n, pairs.data(), heights.data());
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    define(m, "chain", &chain, "D", "w", "kind", "pairs", "heights");
    define(m, "chain_of_rows", &chain_of_rows, "X", "w", "kind", "pairs", "heights");
}
