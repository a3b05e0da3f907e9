// Shortest spanning trees of rows, by distance or by mutual reachability max(c_i, c_j, |x_i - x_j|), and what is read
// off them: merges in order, the condensed tree of HDBSCAN, Genie's merges, and the groups of DBSCAN.
//
// Few columns: Boruvka's rounds over a tree of boxes; a row remembers its nearest row in another part while it is in
// another part, and a box in one part is passed over. Else Prim's rule, one row of distances at a time, never a matrix.
//
// Twins in NumPy: tests/cluster/test_spanning.py.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"
#include "assay/point_tree.hpp"

using namespace assay;

namespace {

constexpr double NEVER = std::numeric_limits<double>::infinity();

// ------------------------------------------------------------------ Prim

// Squared distances of row `at` from the rows left, which stand column by column in T (d, left).
HOT int64_t nearer_rows(const double *T, int64_t pitch, int64_t left, int64_t d, const double *x, double *sums,
                        const double *core, double reach, double *gap, int64_t *from, int64_t at) {
    for (int64_t i = 0; i < left; ++i) sums[i] = 0.0;
    for (int64_t j = 0; j < d; ++j) {
        const double *t = T + j * pitch, v = x[j];
        for (int64_t i = 0; i < left; ++i) {
            const double apart = t[i] - v;
            sums[i] += apart * apart;
        }
    }
    if (core)
        for (int64_t i = 0; i < left; ++i) {
            const double most = core[i] > reach ? core[i] : reach;
            sums[i] = sums[i] > most ? sums[i] : most;
        }
    double least = NEVER;
    for (int64_t i = 0; i < left; ++i) {
        const bool nearer = sums[i] < gap[i];
        gap[i] = nearer ? sums[i] : gap[i];
        from[i] = nearer ? at : from[i];
        least = gap[i] < least ? gap[i] : least;
    }
    int64_t next = 0;
    while (next + 1 < left && !(gap[next] == least)) ++next;
    return next;
}

void prim(In2<double> X,  // in   (n, d)
          In1<double> core,  // in   (n,) or (0,): zeros
          InOut2<int64_t> edges,  // out  (n - 1, 2)
          InOut1<double> lengths) {  // out  (n - 1,)
    const int64_t n = X.shape(0), d = X.shape(1);
    require(n > 0 && d > 0 && weighs(core, n) && length(edges) == n - 1 && edges.shape(1) == 2 &&
                length(lengths) == n - 1,
            "prim: edges and lengths must fit the rows");
    nb::gil_scoped_release unlocked;
    std::vector<double> T(n * d), sums(n), gap(n, NEVER), reach(core.size() ? n : 0), x(d);
    std::vector<int64_t> row(n), from(n, 0);
    for (int64_t i = 0; i < n; ++i) {
        row[i] = i;
        if (core.size()) reach[i] = core.data()[i] * core.data()[i];
        for (int64_t j = 0; j < d; ++j) T[j * n + i] = X.data()[i * d + j];
    }
    int64_t left = n, place = 0;
    for (int64_t step = 0; step + 1 < n; ++step) {
        const int64_t at = row[place];
        const double own = core.size() ? reach[place] : 0.0;
        for (int64_t j = 0; j < d; ++j) x[j] = T[j * n + place];
        --left;  // the last row takes the place of the one that is reached
        row[place] = row[left], gap[place] = gap[left], from[place] = from[left];
        if (core.size()) reach[place] = reach[left];
        for (int64_t j = 0; j < d; ++j) T[j * n + place] = T[j * n + left];
        place = nearer_rows(T.data(), n, left, d, x.data(), sums.data(), core.size() ? reach.data() : nullptr, own,
                            gap.data(), from.data(), at);
        edges.data()[2 * step] = from[place];
        edges.data()[2 * step + 1] = row[place];
        lengths.data()[step] = std::sqrt(gap[place]);
    }
}

void prim_of_matrix(In2<double> D,  // in   (n, n) distances
                    InOut2<int64_t> edges,  // out  (n - 1, 2)
                    InOut1<double> lengths) {  // out  (n - 1,)
    const int64_t n = D.shape(0);
    require(n > 0 && int64_t(D.shape(1)) == n && length(edges) == n - 1 && edges.shape(1) == 2 &&
                length(lengths) == n - 1,
            "prim_of_matrix: edges and lengths must fit the rows");
    nb::gil_scoped_release unlocked;
    std::vector<double> gap(n, NEVER);
    std::vector<int64_t> from(n, 0), row(n);
    for (int64_t i = 0; i < n; ++i) row[i] = i;
    int64_t left = n, place = 0;
    for (int64_t step = 0; step + 1 < n; ++step) {
        const int64_t at = row[place];
        const double *distances = D.data() + at * n;
        --left;
        row[place] = row[left], gap[place] = gap[left], from[place] = from[left];
        place = 0;
        for (int64_t i = 0; i < left; ++i) {
            const double v = distances[row[i]];
            if (v < gap[i]) gap[i] = v, from[i] = at;
            if (gap[i] < gap[place] || (gap[i] == gap[place] && row[i] < row[place])) place = i;
        }
        edges.data()[2 * step] = from[place];
        edges.data()[2 * step + 1] = row[place];
        lengths.data()[step] = gap[place];
    }
}

// ------------------------------------------------------------------ Boruvka

class Rounds {
    const PointTree &tree;
    const std::vector<double> &core;  // reduced, by place; empty: zeros
    std::vector<int64_t> part, node_part, nearest;  // of places; -1: several parts, or not known
    std::vector<double> bound;  // nothing in another part is nearer
    std::vector<double> best;
    std::vector<int64_t> best_from, best_to;

  public:
    Sets sets;
    Rounds(const PointTree &tree, const std::vector<double> &core)
        : tree(tree), core(core), part(tree.n), node_part(tree.nodes.size()), nearest(tree.n, -1), bound(tree.n, 0.0),
          best(tree.n), best_from(tree.n), best_to(tree.n), sets(tree.n) {}

    // One round; the edges that were added.
    template <class Add> int64_t run(Add add) {
        for (int64_t i = 0; i < tree.n; ++i) part[i] = sets.find(i);
        for (int64_t node = int64_t(tree.nodes.size()) - 1; node >= 0; --node) {
            const auto &here = tree.nodes[node];
            if (here.left >= 0)
                node_part[node] = node_part[here.left] == node_part[here.right] ? node_part[here.left] : -1;
            else {
                node_part[node] = part[here.from];
                for (int64_t i = here.from; i < here.to; ++i)
                    if (part[i] != node_part[node]) node_part[node] = -1;
            }
        }
        std::fill(best.begin(), best.end(), NEVER);
        for (int64_t i = 0; i < tree.n; ++i)  // what is remembered costs nothing, and bounds the search
            if (nearest[i] >= 0 && part[nearest[i]] != part[i]) offer(i, nearest[i], bound[i]);
        for (int64_t i = 0; i < tree.n; ++i) {
            if (nearest[i] >= 0 && part[nearest[i]] != part[i]) continue;
            nearest[i] = -1;
            if (bound[i] >= best[part[i]] || (core.size() && core[i] >= best[part[i]])) continue;
            double limit = best[part[i]];
            search(0, tree.nearest(tree.at(i), 0), i, limit);
            bound[i] = limit;
            if (nearest[i] >= 0) offer(i, nearest[i], limit);
        }
        int64_t added = 0;
        for (int64_t i = 0; i < tree.n; ++i)
            if (best[i] < NEVER && sets.unite(best_from[i], best_to[i])) {
                add(best_from[i], best_to[i], best[i]);
                ++added;
            }
        return added;
    }

  private:
    void offer(int64_t i, int64_t j, double v) {
        const int64_t a = part[i];
        if (v < best[a] || (v == best[a] && best_from[a] > i)) best[a] = v, best_from[a] = i, best_to[a] = j;
    }
    void search(int64_t node, double apart, int64_t i, double &limit) {
        if (!(apart < limit) || node_part[node] == part[i]) return;
        const auto &here = tree.nodes[node];
        const double *x = tree.at(i);
        if (here.left < 0) {
            for (int64_t j = here.from; j < here.to; ++j) {
                if (part[j] == part[i]) continue;
                double v = tree.between(x, tree.at(j));
                if (core.size()) v = std::max(v, std::max(core[i], core[j]));
                if (v < limit) limit = v, nearest[i] = j;
            }
            return;
        }
        const double a = tree.nearest(x, here.left), b = tree.nearest(x, here.right);
        if (a <= b) search(here.left, a, i, limit), search(here.right, b, i, limit);
        else search(here.right, b, i, limit), search(here.left, a, i, limit);
    }
};

void boruvka(In2<double> X,  // in   (n, d) finite
             In1<double> core,  // in   (n,) or (0,): zeros
             int p,  // 1, 2, or 0 for infinity
             InOut2<int64_t> edges,  // out  (n - 1, 2)
             InOut1<double> lengths) {  // out  (n - 1,)
    const int64_t n = X.shape(0), d = X.shape(1);
    require(n > 0 && d > 0 && weighs(core, n) && length(edges) == n - 1 && edges.shape(1) == 2 &&
                length(lengths) == n - 1 && p >= 0 && p <= 2,
            "boruvka: edges and lengths must fit the rows, and p be 0, 1 or 2");
    nb::gil_scoped_release unlocked;
    const PointTree tree(X.data(), n, d, p);
    std::vector<double> reach(core.size() ? n : 0);
    for (int64_t i = 0; i < int64_t(reach.size()); ++i) reach[i] = tree.begin(core.data()[tree.order[i]]);
    Rounds rounds(tree, reach);
    int64_t count = 0;
    while (count < n - 1) {
        const int64_t added = rounds.run([&](int64_t a, int64_t b, double v) {
            edges.data()[2 * count] = tree.order[a];
            edges.data()[2 * count + 1] = tree.order[b];
            lengths.data()[count++] = tree.finish(v);
        });
        require(added > 0, "boruvka: the rows must be finite numbers");
    }
}

// The distance of each row from its k-th nearest row, itself the first.
void core_distances(In2<double> X, int64_t k, int p, InOut1<double> out) {
    const int64_t n = X.shape(0), d = X.shape(1);
    require(n > 0 && d > 0 && k > 0 && k <= n && p >= 0 && p <= 2 && length(out) == n,
            "core_distances: from 1 to n neighbours, p of 0, 1 or 2, and one result for each row");
    nb::gil_scoped_release unlocked;
    const PointTree tree(X.data(), n, d, p);
    std::vector<double> heap(k);
    for (int64_t i = 0; i < n; ++i) {
        tree.smallest(tree.at(i), k, heap.data());
        out.data()[tree.order[i]] = tree.finish(heap[0]);
    }
}

// ------------------------------------------------------------------ trees of merges

// Edges by rising length as merges: rows are 0..n-1, merge m makes n + m.
void merges_of(In2<int64_t> edges,  // in   (n - 1, 2) of a forest, in order
               InOut2<int64_t> merges,  // out  (n - 1, 2) the lower number first
               InOut1<int64_t> sizes) {  // out  (n - 1,)
    const int64_t m = length(edges), n = m + 1;
    require(edges.shape(1) == 2 && length(merges) == m && merges.shape(1) == 2 && length(sizes) == m &&
                within(edges, 0, n),
            "merges_of: edges of n - 1 rows");
    nb::gil_scoped_release unlocked;
    Sets sets(n);
    std::vector<int64_t> name(n), size(n, 1);
    for (int64_t i = 0; i < n; ++i) name[i] = i;
    for (int64_t e = 0; e < m; ++e) {
        const int64_t a = sets.find(edges.data()[2 * e]), b = sets.find(edges.data()[2 * e + 1]);
        require(a != b, "merges_of: the edges must be a tree");
        const int64_t u = name[a], v = name[b], both = size[a] + size[b];
        sets.unite(a, b);
        const int64_t kept = sets.find(a);
        name[kept] = n + e;
        size[kept] = both;
        merges.data()[2 * e] = std::min(u, v);
        merges.data()[2 * e + 1] = std::max(u, v);
        sizes.data()[e] = both;
    }
}

// Genie: merges along the edges of a spanning tree by rising length; as long as the Gini index of the sizes is above
// the limit, the next edge is the shortest at a group of the smallest size.
double gini(const std::vector<int64_t> &count, const std::vector<int64_t> &present, int64_t groups, int64_t n) {
    // sum over sorted sizes (2 i - g + 1) c_i / ((g - 1) sum c), i from 0
    double sum = 0.0, before = 0.0;
    for (const int64_t size : present) {
        const double m = double(count[size]);
        sum += double(size) * (m * (2.0 * before + m - 1.0) - m * double(groups - 1));
        before += m;
    }
    return sum / (double(groups - 1) * double(n));
}
void genie(In2<int64_t> edges,  // in   (n - 1, 2) by rising length
           double limit,
           InOut1<int64_t> order) {  // out  (n - 1,) edges in the order of their merges
    const int64_t m = length(edges), n = m + 1;
    require(edges.shape(1) == 2 && length(order) == m && within(edges, 0, n), "genie: edges of n - 1 rows");
    nb::gil_scoped_release unlocked;
    Sets sets(n);
    std::vector<int64_t> size(n, 1), count(n + 1, 0), present{1}, next(m + 1);
    std::vector<char> used(m, 0);
    count[1] = n;
    int64_t first = 0, pointer = 0, smallest = 1;
    for (int64_t e = 0; e <= m; ++e) next[e] = e + 1;
    const auto skip = [&](int64_t e) {
        while (e < m && used[e]) e = next[e];
        return e;
    };
    for (int64_t step = 0; step < m; ++step) {
        const int64_t groups = n - step;
        int64_t e;
        first = skip(first);
        if (groups > 1 && limit < 1.0 && gini(count, present, groups, n) > limit) {
            if (present.front() != smallest) smallest = present.front(), pointer = first;
            e = skip(std::max(pointer, first));
            while (e < m) {
                const int64_t a = sets.find(edges.data()[2 * e]), b = sets.find(edges.data()[2 * e + 1]);
                if (size[a] == smallest || size[b] == smallest) break;
                e = skip(e + 1);
            }
            pointer = e;
            if (e >= m) e = first, pointer = first;
        } else e = first;
        require(e < m, "genie: the edges must be a tree");
        used[e] = 1;
        const int64_t a = sets.find(edges.data()[2 * e]), b = sets.find(edges.data()[2 * e + 1]);
        require(a != b, "genie: the edges must be a tree");
        for (const int64_t s : {size[a], size[b]})
            if (--count[s] == 0) present.erase(std::lower_bound(present.begin(), present.end(), s));
        const int64_t both = size[a] + size[b];
        sets.unite(a, b);
        size[sets.find(a)] = both;
        if (count[both]++ == 0) present.insert(std::lower_bound(present.begin(), present.end(), both), both);
        order.data()[step] = e;
    }
}

// HDBSCAN's condensed tree: going down from the root, a part with fewer than `least` rows falls out of its group, and a
// cut into two large parts makes two groups. Groups are n, n + 1, ... in the order of the walk.
nb::tuple condense(In2<int64_t> merges, In1<double> heights, In1<int64_t> sizes, int64_t least) {
    const int64_t m = length(merges), n = m + 1;
    require(merges.shape(1) == 2 && length(heights) == m && length(sizes) == m && least > 0 &&
                within(merges, 0, 2 * n - 1),
            "condense: heights and sizes of n - 1 merges");
    for (int64_t e = 0; e < m; ++e)
        require(merges.data()[2 * e] < n + e && merges.data()[2 * e + 1] < n + e,
                "condense: merges of what is there already");
    std::vector<int64_t> parents, children, many;
    std::vector<double> lambdas;
    {
        nb::gil_scoped_release unlocked;
        std::vector<int64_t> name(2 * n - 1, -1), level{2 * n - 2}, below, stack;
        int64_t next = n + 1;
        name[2 * n - 2] = n;
        const auto rows = [&](int64_t node) { return node < n ? int64_t(1) : sizes.data()[node - n]; };
        const auto add = [&](int64_t parent, int64_t child, double lambda, int64_t size) {
            parents.push_back(parent), children.push_back(child), lambdas.push_back(lambda), many.push_back(size);
        };
        const auto fall = [&](int64_t node, int64_t group, double lambda) {
            stack.assign(1, node);
            while (!stack.empty()) {
                const int64_t at = stack.back();
                stack.pop_back();
                if (at < n) add(group, at, lambda, 1);
                else stack.push_back(merges.data()[2 * (at - n) + 1]), stack.push_back(merges.data()[2 * (at - n)]);
            }
        };
        while (m > 0 && !level.empty()) {  // one level after the other, as a walk in breadth
            below.clear();
            for (const int64_t node : level) {
                if (node < n) continue;
                const int64_t group = name[node], left = merges.data()[2 * (node - n)];
                const int64_t right = merges.data()[2 * (node - n) + 1];
                const double height = heights.data()[node - n], lambda = height > 0 ? 1.0 / height : NEVER;
                const int64_t a = rows(left), b = rows(right);
                if (a >= least && b >= least) {
                    name[left] = next++;
                    add(group, name[left], lambda, a);
                    name[right] = next++;
                    add(group, name[right], lambda, b);
                    below.push_back(left), below.push_back(right);
                } else if (a < least && b < least) fall(left, group, lambda), fall(right, group, lambda);
                else if (a < least) name[right] = group, below.push_back(right), fall(left, group, lambda);
                else name[left] = group, below.push_back(left), fall(right, group, lambda);
            }
            level.swap(below);
        }
    }
    return nb::make_tuple(give(std::move(parents)), give(std::move(children)), give(std::move(lambdas)),
                          give(std::move(many)));
}

// ------------------------------------------------------------------ DBSCAN

class Density {
    const PointTree &tree;
    const double eps;
    std::vector<char> united;  // of nodes: their core rows are in one set, or there is none
    std::vector<int64_t> some;  // of nodes: a core row, or -1

  public:
    std::vector<char> core;
    Sets sets;
    Density(const PointTree &tree, double eps)
        : tree(tree), eps(tree.begin(eps)), united(tree.nodes.size(), 0), some(tree.nodes.size(), -1), core(tree.n, 0),
          sets(tree.n) {}

    void count_rows(const double *w, double least) {
        for (int64_t i = 0; i < tree.n; ++i) {
            double total = 0.0;
            count(0, tree.at(i), w, least, total);
            core[i] = total >= least;
        }
        for (int64_t node = int64_t(tree.nodes.size()) - 1; node >= 0; --node) {
            const auto &here = tree.nodes[node];
            if (here.left >= 0) some[node] = some[here.left] >= 0 ? some[here.left] : some[here.right];
            else
                for (int64_t i = here.to - 1; i >= here.from; --i)
                    if (core[i]) some[node] = i;
            united[node] = some[node] < 0;
        }
    }
    void unite_rows() {
        for (int64_t i = 0; i < tree.n; ++i)
            if (core[i]) unite(0, i);
    }
    // The least label of the core rows around a place.
    void label(int64_t node, const double *x, const int64_t *labels, int64_t &least) {
        if (some[node] < 0 || tree.nearest(x, node) > eps) return;
        const auto &here = tree.nodes[node];
        if (here.left >= 0) {
            label(here.left, x, labels, least);
            label(here.right, x, labels, least);
            return;
        }
        for (int64_t j = here.from; j < here.to; ++j)
            if (core[j] && labels[j] < least && tree.between(x, tree.at(j)) <= eps) least = labels[j];
    }

  private:
    void count(int64_t node, const double *x, const double *w, double least, double &total) {
        if (!w && total >= least) return;  // enough; weights may be below 0
        if (tree.nearest(x, node) > eps) return;
        const auto &here = tree.nodes[node];
        if (!w && tree.farthest(x, node) <= eps) {
            total += double(here.to - here.from);
            return;
        }
        if (here.left >= 0) {
            count(here.left, x, w, least, total);
            count(here.right, x, w, least, total);
            return;
        }
        for (int64_t j = here.from; j < here.to; ++j)
            if (tree.between(x, tree.at(j)) <= eps) total += w ? w[tree.order[j]] : 1.0;
    }
    void unite(int64_t node, int64_t i) {
        if (some[node] < 0) return;
        if (united[node] && sets.find(some[node]) == sets.find(i)) return;
        const double *x = tree.at(i);
        if (tree.nearest(x, node) > eps) return;
        const auto &here = tree.nodes[node];
        if (here.left >= 0) {
            unite(here.left, i);
            unite(here.right, i);
        } else
            for (int64_t j = here.from; j < here.to; ++j)
                if (core[j] && tree.between(x, tree.at(j)) <= eps) sets.unite(i, j);
        if (!united[node] && tree.farthest(x, node) <= eps) united[node] = 1;  // all of them are in the set of i now
    }
};

void dbscan(In2<double> X,  // in   (n, d) finite
            In1<double> w,  // in   (n,) or (0,): ones
            double eps,
            double least,  // weight of the rows around a core row
            int p,  // 1, 2, or 0 for infinity
            InOut1<int64_t> labels,  // out  (n,) -1: noise
            InOut1<uint8_t> core) {  // out  (n,)
    const int64_t n = X.shape(0), d = X.shape(1);
    require(n > 0 && d > 0 && weighs(w, n) && p >= 0 && p <= 2 && length(labels) == n && length(core) == n,
            "dbscan: labels must fit the rows, and p be 0, 1 or 2");
    nb::gil_scoped_release unlocked;
    const PointTree tree(X.data(), n, d, p);
    Density density(tree, eps);
    density.count_rows(w.size() ? w.data() : nullptr, least);
    density.unite_rows();
    std::vector<int64_t> place(n), name(n, -1), by_place(n, -1);
    for (int64_t i = 0; i < n; ++i) place[tree.order[i]] = i;
    int64_t next = 0;
    for (int64_t row = 0; row < n; ++row) {  // groups are numbered by their first core row
        const int64_t i = place[row];
        core.data()[row] = uint8_t(density.core[i]);
        if (!density.core[i]) continue;
        int64_t &label = name[density.sets.find(i)];
        if (label < 0) label = next++;
        by_place[i] = label;
    }
    for (int64_t i = 0; i < n; ++i) {
        int64_t label = by_place[i];
        if (!density.core[i]) {
            label = n;
            density.label(0, tree.at(i), by_place.data(), label);
            label = label == n ? -1 : label;
        }
        labels.data()[tree.order[i]] = label;
    }
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    define(m, "prim", &prim, "X", "core", "edges", "lengths");
    define(m, "prim_of_matrix", &prim_of_matrix, "D", "edges", "lengths");
    define(m, "boruvka", &boruvka, "X", "core", "p", "edges", "lengths");
    define(m, "core_distances", &core_distances, "X", "k", "p", "out");
    define(m, "merges_of", &merges_of, "edges", "merges", "sizes");
    define(m, "genie", &genie, "edges", "limit", "order");
    define(m, "condense", &condense, "merges", "heights", "sizes", "least");
    define(m, "dbscan", &dbscan, "X", "w", "eps", "least", "p", "labels", "core");
}
