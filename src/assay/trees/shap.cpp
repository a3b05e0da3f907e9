// Shapley values of a tree: what each column adds to the answer for a row.
//
// When only the columns in a set S are known, a row passes the edge into node c, which tests column j, with the
// share o_c (1 on its own branch, 0 elsewhere, z_c where its value is spread) if j is in S, and else with
// z_c = weight of c / weight of its siblings. Of several edges of one column on a path, the products O and Z count.
// The game of one leaf is v prod_{j in S} O_j prod_{j not in S} Z_j, and its Shapley values are
//
//     phi_j = v (O_j - Z_j) int_0^1 prod_{i != j} p_i(t) dt,      p_i(t) = t O_i + (1 - t) Z_i       (1)
//
// a polynomial of degree below D, the number of columns on the path: Q = ceil(D / 2) Gauss points t_q, weights w_q,
// integrate it exactly. With G = prod_i p_i carried down the path and S, the sum of v G over the leaves below an
// edge, carried up, each edge e with the next edge a of the same column above it adds
//
//     phi_j += sum_q w_q [ (O_e - Z_e) / p_e - (O_a - Z_a) / p_a ] S_e(t_q)                          (2)
//
// so that a leaf counts with the lowest edge of each column, as (1) asks. O(m Q) for a row. The interaction of columns
// i and j is
//
//     phi_ij = v (O_i - Z_i) (O_j - Z_j) / 2 int_0^1 prod_{k != i, j} p_k(t) dt                      (3)
//
// which for a fixed i is the same walk, with O_i - Z_i in the place of p_i.
// LANES rows walk together; depth lives on explicit stacks.
//
// Looked through once for each tree, when its Paths are made: parents before their children, depths.
// Twin in NumPy: tests/trees/test_shap.py, shapley_by_subsets.
#include <algorithm>
#include <vector>

#include "assay/edge.hpp"
#include "assay/nodes.hpp"

using namespace assay;

namespace {

// What the rows do not change: the paths of a tree.
struct Paths {
    const Nodes &t;
    In1<int32_t> parents, branches, depths;
    std::vector<int32_t> above;                // (m,)  next node up the path whose edge tests the same column, or -1
    std::vector<double> share, known,
        reach;   // (m,)  z; Z, the product of z over the edges of this column so far; over all
    int64_t distinct = 0;                      // D, the largest number of columns on one path
    int32_t deepest = 0;

    Paths(const Nodes &nodes, In1<int32_t> parent_, In1<int32_t> branch_, In1<int32_t> depth_)
        : t(nodes), parents(parent_), branches(branch_), depths(depth_), above(size_t(t.m)), share(size_t(t.m)),
          known(size_t(t.m)), reach(size_t(t.m)) {
        check_parents();
        nb::gil_scoped_release unlocked;
        const int32_t *parent = parents.data(), *depth = depths.data();
        for (int64_t i = 0; i < t.m; ++i) {
            const int32_t *child = t.child + t.offset[i];
            const int64_t n_children = t.offset[i + 1] - t.offset[i];
            double total = 0;
            for (int64_t b = 0; b < n_children; ++b) total += t.weight[child[b]];
            for (int64_t b = 0; b < n_children; ++b)
                share[child[b]] = total > 0 ? t.weight[child[b]] / total : double(b == 0);
        }
        above[0] = -1, share[0] = known[0] = reach[0] = 1.0;
        std::vector<int32_t> last(t.d, -1), path(1, 0);
        int64_t columns = 0;
        for (int64_t i = 1; i < t.m; ++i) {
            while (int64_t(path.size()) > depth[i]) {  // leave what is not above i
                const int32_t c = path.back();
                last[t.test.feature[parent[c]]] = above[c];
                columns -= above[c] < 0;
                path.pop_back();
            }
            require(!path.empty() && path.back() == parent[i], "paths: the nodes are not in preorder");
            const int32_t j = t.test.feature[parent[i]];
            above[i] = last[j];
            columns += above[i] < 0;
            distinct = std::max(distinct, columns);
            deepest = std::max(deepest, depth[i]);
            known[i] = share[i] * (above[i] < 0 ? 1.0 : known[above[i]]);
            reach[i] = share[i] * reach[parent[i]];
            last[j] = int32_t(i);
            path.push_back(int32_t(i));
        }
    }

  private:
    // Parents stand before their children and test something; a child is one deeper than its parent.
    void check_parents() const {
        require(length(parents) == t.m && length(branches) == t.m && length(depths) == t.m && depths.data()[0] == 0,
                "paths: a parent, a branch and a depth for each node");
        bool fits = true;
        for (int64_t i = 1; i < t.m && fits; ++i) {
            const int32_t p = parents.data()[i];
            fits = p >= 0 && p < i && t.test.kind[p] != LEAF && depths.data()[i] == depths.data()[p] + 1;
        }
        require(fits, "paths: a parent does not stand before its child");
    }
};

struct Walk {
    const Nodes &t;
    const int32_t *parent, *branch, *depth, *above;
    const double *share, *known, *value;
    int64_t V;
    const double *point, *weight;  // (Q,) Gauss points in (0, 1)
    int64_t Q;
    double scale;
    int32_t fixed;  // column i of (3), or -1 for (2)
};

static inline double inverse(double p) { return p > 0 ? 1.0 / p : 0.0; }  // p = 0: nothing comes this way

// Rows x[0] .. x[L - 1] through all nodes; the first `real` of them add to their own part of out.
template <int L>
INLINE void walk(const Walk &a, const double *const *x, int64_t real, double **out, int64_t stride,
                 std::vector<double> &memory, std::vector<int32_t> &taken) {
    const int64_t Q = a.Q, V = a.V, each = L * (1 + Q + Q * V);
    const auto O = [&](int64_t k) { return memory.data() + k * each; };              // (L,)       at depth k
    const auto G = [&](int64_t k) { return memory.data() + k * each + L; };          // (Q, L)
    const auto S = [&](int64_t k) { return memory.data() + k * each + L + Q * L; };  // (V, Q, L)
    int64_t at = 0;                                                                  // depth of the node under way
    constexpr int NODE = L, HELD = L + 1, WIDE = L + 2;  // per depth: L branches, the node, the depth of the last
    std::vector<int32_t> &path = taken;                  // edge of the fixed column

    const auto enter = [&](int64_t i) {
        const int64_t k = a.depth[i];
        double *g = G(k);
        if (k == 0) {
            std::fill(O(0), O(0) + L, 1.0);
            std::fill(g, g + Q * L, 1.0);
            path[HELD] = -1;
        } else {
            const int32_t *from = path.data() + (k - 1) * WIDE, up = a.above[i];
            const bool fixed = a.t.test.feature[a.parent[i]] == a.fixed;
            path[k * WIDE + HELD] = fixed ? int32_t(k) : from[HELD];
            const double z = a.share[i], Z = a.known[i], *above = up < 0 ? nullptr : O(a.depth[up]), *before = G(k - 1);
            double *o = O(k);
            for (int l = 0; l < L; ++l) {
                o[l] = from[l] == a.branch[i] ? 1.0 : from[l] < 0 ? z : 0.0;
                if (above) o[l] *= above[l];
            }
            if (fixed) std::copy(before, before + Q * L, g);
            for (int64_t q = 0; q < Q && !fixed; ++q) {
                const double t = a.point[q], rest = (1 - t) * Z;
                if (above) {
                    const double outer = (1 - t) * a.known[up];
                    for (int l = 0; l < L; ++l)
                        g[q * L + l] = before[q * L + l] * (t * o[l] + rest) * inverse(t * above[l] + outer);
                } else {
                    for (int l = 0; l < L; ++l) g[q * L + l] = before[q * L + l] * (t * o[l] + rest);
                }
            }
        }
        double *s = S(k);
        int32_t *next = path.data() + k * WIDE;
        next[NODE] = int32_t(i);
        if (a.t.test.kind[i] == LEAF) {
            for (int64_t v = 0; v < V; ++v)
                for (int64_t q = 0; q < Q * L; ++q) s[v * Q * L + q] = a.value[i * V + v] * g[q];
            if (a.fixed >= 0) {
                const int32_t held = next[HELD];
                double factor[L];  // O_i - Z_i
                for (int l = 0; l < L; ++l) factor[l] = held < 0 ? 0.0 : O(held)[l] - a.known[path[held * WIDE + NODE]];
                for (int64_t q = 0; q < V * Q; ++q)
                    for (int l = 0; l < L; ++l) s[q * L + l] *= factor[l];
            }
        } else {
            std::fill(s, s + V * Q * L, 0.0);
            for (int l = 0; l < L; ++l) next[l] = a.t.branch(i, x[l]);
        }
        at = k;
    };

    const auto leave = [&] {  // (2) for the edge into the node under way, and its sum to its parent's
        const int32_t i = path[at * WIDE + NODE], up = a.above[i], j = a.t.test.feature[a.parent[i]];
        const double Z = a.known[i], *o = O(at), *above = up < 0 ? nullptr : O(a.depth[up]);
        double *s = S(at), *sum = S(at - 1), r[L];
        if (j == a.fixed) {
            for (int64_t q = 0; q < V * Q * L; ++q) sum[q] += s[q];
            --at;
            return;
        }
        for (int64_t q = 0; q < Q; ++q) {
            const double t = a.point[q], w = a.weight[q] * a.scale, rest = (1 - t) * Z;
            for (int l = 0; l < L; ++l) r[l] = w * (o[l] - Z) * inverse(t * o[l] + rest);
            if (above) {
                const double Y = a.known[up], outer = (1 - t) * Y;
                for (int l = 0; l < L; ++l) r[l] -= w * (above[l] - Y) * inverse(t * above[l] + outer);
            }
            for (int64_t v = 0; v < V; ++v) {
                double *sv = s + (v * Q + q) * L, *sumv = sum + (v * Q + q) * L, *first = s + v * Q * L;
                for (int l = 0; l < L; ++l) {
                    sumv[l] += sv[l];
                    first[l] = r[l] * sv[l] + (q ? first[l] : 0.0);  // the sum over q gathers where q = 0 stood
                }
            }
        }
        for (int64_t v = 0; v < V; ++v)
            for (int64_t l = 0; l < real; ++l) out[l][j * stride + v] += s[v * Q * L + l];
        --at;
    };

    enter(0);
    for (int64_t i = 1; i < a.t.m; ++i) {
        while (at >= a.depth[i]) leave();
        enter(i);
    }
    while (at > 0) leave();
}

constexpr int LANES = 8;
constexpr int64_t PLENTY = 1 << 23;  // numbers on the stacks: beyond, one row at a time

HOT void all_rows(const Walk &a, const double *X, int64_t n, int64_t d, int64_t deepest, double *out, int64_t stride) {
    const int64_t each = 1 + a.Q + a.Q * a.V;
    const bool together = n > 1 && (deepest + 1) * each * LANES <= PLENTY;
    const int64_t L = together ? LANES : 1;
    std::vector<double> memory((deepest + 1) * each * L);
    std::vector<int32_t> taken((deepest + 1) * (L + 2));
    const double *x[LANES];
    double *o[LANES];
    for (int64_t i = 0; i < n; i += L) {
        const int64_t real = std::min(L, n - i);
        for (int64_t l = 0; l < L; ++l) {
            x[l] = X + (i + std::min(l, real - 1)) * d;
            o[l] = out + (i + std::min(l, real - 1)) * d * stride;
        }
        if (together) walk<LANES>(a, x, real, o, stride, memory, taken);
        else walk<1>(a, x, real, o, stride, memory, taken);
    }
}

// out[i, j, first + v] += scale * phi_j of output v for row i; with a fixed column, twice its interaction with j.
void add_contributions(const Paths &paths,
                       In2<double> X,             // in      (n, d)
                       In2<double> value,         // in      (m, V)
                       In1<double> point,         // in      (Q,)   Gauss points in (0, 1)
                       In1<double> weight_of_point, double scale, int64_t first, int32_t fixed,
                       nb::ndarray<double, nb::ndim<3>, nb::c_contig, nb::device::cpu> out) {  // in/out  (n, d, all)
    const int64_t V = value.shape(1), stride = out.shape(2), n = length(X), d = paths.t.d;
    require(int64_t(X.shape(1)) == d && length(value) == paths.t.m && length(weight_of_point) == length(point),
            "add_contributions: arrays of another length");
    require(int64_t(out.shape(0)) == n && int64_t(out.shape(1)) == d && first >= 0 && first <= stride - V,
            "add_contributions: out must have a place for each row, column and output");
    nb::gil_scoped_release unlocked;
    const Walk a{paths.t,
                 paths.parents.data(),
                 paths.branches.data(),
                 paths.depths.data(),
                 paths.above.data(),
                 paths.share.data(),
                 paths.known.data(),
                 value.data(),
                 V,
                 point.data(),
                 weight_of_point.data(),
                 length(point),
                 scale,
                 fixed};
    all_rows(a, X.data(), n, d, paths.deepest, out.data() + first, stride);
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    nb::class_<Paths>(m, "Paths")
        .def(nb::init<const Nodes &, In1<int32_t>, In1<int32_t>, In1<int32_t>>(), nb::keep_alive<1, 2>(),
             nb::arg("nodes"), nb::arg("parent"), nb::arg("branch"), nb::arg("depth"))
        .def_ro("distinct", &Paths::distinct)
        .def_prop_ro("reach", [](const Paths &paths) { return give(std::vector<double>(paths.reach)); });
    define(m, "add_contributions", &add_contributions, "paths", "X", "value", "point", "weight_of_point", "scale",
           "first", "fixed", "out");
}
