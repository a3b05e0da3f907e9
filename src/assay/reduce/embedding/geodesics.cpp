// Shortest paths along a graph of neighbours, and products with the matrix of squared distances.
//
//     g(s, v) = least sum of edge lengths over all paths from s to v; infinite if there is none              (1)
//     out     = (D o D) V,    (D o D)_ij = D_ij^2                                                            (2)
//
// (1) for LANES sources at a time, which lie close together: Dijkstra's rule (a heap of four children a node) from the
// first of them settles the order of the nodes; then nodes whose distance from any source became shorter hand it on to
// their neighbours, in that order, until none does. Nearly all paths lead outwards, so few nodes are visited twice.
// Sums are added from the source on and addition never reverses an order, so the result is Dijkstra's to the last bit.
// Twins in NumPy: tests/reduce/embedding/test_isomap.py, floyd_by_the_book; (2) is (D * D) @ V.
#include <cmath>
#include <limits>
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"

using namespace assay;

namespace {

constexpr double FAR = std::numeric_limits<double>::infinity();

// Nodes in order of their distance: (distance, node) pairs, the least on top. An entry that a shorter path has
// overtaken stays and is passed over when it comes up.
struct Heap {
    struct Entry {
        double key;
        int32_t node;
    };
    std::vector<Entry> entries;
    int64_t size = 0;

    explicit Heap(int64_t most) : entries(most + 1) {}

    INLINE void push(double key, int32_t node) {
        int64_t at = size++;
        while (at > 0) {
            const int64_t parent = (at - 1) >> 2;
            if (entries[parent].key <= key) break;
            entries[at] = entries[parent];
            at = parent;
        }
        entries[at] = {key, node};
    }

    INLINE Entry pop() {
        const Entry top = entries[0], last = entries[--size];
        int64_t at = 0;
        for (;;) {
            const int64_t first = 4 * at + 1;
            if (first >= size) break;
            int64_t least = first;
            const int64_t end = first + 4 < size ? first + 4 : size;
            for (int64_t c = first + 1; c < end; ++c)
                if (entries[c].key < entries[least].key) least = c;
            if (entries[least].key >= last.key) break;
            entries[at] = entries[least];
            at = least;
        }
        entries[at] = last;
        return top;
    }
};

constexpr int64_t LANES = 32;  // sources at a time: four cache lines of distances a node

struct Edges {
    const int64_t *first;
    const int32_t *to;
    const double *apart;
};

// Distances from one source, and its nodes from near to far; how many it reaches.
INLINE int64_t dijkstra(Edges edges, int64_t n, int64_t source, Heap &heap, double *g, int32_t *order) {
    for (int64_t v = 0; v < n; ++v) g[v] = FAR;
    int64_t settled = 0;
    g[source] = 0;
    heap.size = 0;
    heap.push(0, int32_t(source));
    while (heap.size) {
        const auto [key, node] = heap.pop();
        if (key > g[node]) continue;
        order[settled++] = node;
        for (int64_t e = edges.first[node]; e < edges.first[node + 1]; ++e) {
            const double along = key + edges.apart[e];
            if (along < g[edges.to[e]]) {
                g[edges.to[e]] = along;
                heap.push(along, edges.to[e]);
            }
        }
    }
    return settled;
}

// G[v] = min(G[v], G[u] + apart) for all lanes; whether any became less.
INLINE bool relax(const double *from, double apart, double *to) {
    int shorter = 0;
    for (int64_t l = 0; l < LANES; ++l) {
        const double along = from[l] + apart;
        shorter |= along < to[l];
        to[l] = along < to[l] ? along : to[l];
    }
    return shorter;
}

// Hand shorter distances on, in the given order, until none changes.
INLINE void spread(Edges edges, int64_t reached, const int32_t *order, const int32_t *place, uint8_t *changed,
                   double *G) {
    int64_t next = 0;  // no node before it has changed
    while (next < reached) {
        int64_t back = reached;
        for (int64_t t = next; t < reached; ++t) {
            const int32_t u = order[t];
            if (!changed[u]) continue;
            changed[u] = 0;
            for (int64_t e = edges.first[u]; e < edges.first[u + 1]; ++e) {
                const int32_t v = edges.to[e];
                if (!relax(G + u * LANES, edges.apart[e], G + v * LANES)) continue;
                changed[v] = 1;
                if (place[v] <= t && place[v] < back) back = place[v];
            }
        }
        next = back;
    }
}

}  // namespace

HOT void geodesics(In1<int64_t> start,    // in   (n + 1,) where the edges of each node begin
                   In1<int32_t> head,     // in   (e,)     the node that an edge leads to
                   In1<double> apart,     // in   (e,)     its length, 0 or more
                   In1<int64_t> sources,  // in   (m,)     different nodes
                   In1<int64_t> rows,     // in   (m,)     the row of out for each source
                   In1<int64_t> columns,  // in   (n,)     the column of out for each node
                   InOut2<double> out) {  // out  (r, n)   (1), in these rows
    const int64_t n = length(start) - 1, count = length(head), m = length(sources);
    require(n >= 0 && shares_out(start, n, count, true) && length(apart) == count && within(head, 0, n),
            "geodesics: the arrays do not make up a graph");
    require(within(sources, 0, n), "geodesics: a source is no node");
    require(length(rows) == m && within(rows, 0, int64_t(out.shape(0))), "geodesics: a row of out for each source");
    require(length(columns) == n && int64_t(out.shape(1)) == n && within(columns, 0, n),
            "geodesics: a column of out for each node");
    for (int64_t e = 0; e < count; ++e) require(apart.data()[e] >= 0, "geodesics: lengths must not be below 0");
    std::vector<int64_t> wanted(n, -1);  // the row of out that a node's distances go to, while they are to be found
    for (int64_t t = 0; t < m; ++t) {
        require(wanted[sources.data()[t]] < 0, "geodesics: a source is named twice");
        wanted[sources.data()[t]] = rows.data()[t];
    }
    const nb::gil_scoped_release unlocked;
    const Edges edges{start.data(), head.data(), apart.data()};
    Heap heap(count + 1);
    std::vector<double> g(n), G(n * LANES);
    std::vector<int32_t> order(n), place(n);
    std::vector<uint8_t> changed(n);
    for (int64_t t = 0; t < m; ++t) {
        if (wanted[sources.data()[t]] < 0) continue;
        const int64_t reached = dijkstra(edges, n, sources.data()[t], heap, g.data(), order.data());
        for (int64_t v = 0; v < n * LANES; ++v) G[v] = FAR;
        int64_t row_of[LANES], lanes = 0;
        for (int64_t s = 0; s < reached; ++s) {
            const int32_t v = order[s];
            place[v] = int32_t(s);
            changed[v] = 0;
            G[v * LANES] = g[v];
            if (lanes == LANES || wanted[v] < 0) continue;
            row_of[lanes] = wanted[v], wanted[v] = -1;
            G[v * LANES + lanes++] = 0;
            changed[v] = 1;
        }
        if (lanes > 1) spread(edges, reached, order.data(), place.data(), changed.data(), G.data());
        for (int64_t l = 0; l < lanes; ++l) {
            double *row = out.data() + row_of[l] * n;
            for (int64_t v = 0; v < n; ++v) row[columns.data()[v]] = G[v * LANES + l];
        }
    }
}

HOT void squared_product(In2<double> D,         // in   (n, m)
                         In2<double> V,         // in   (m, k)
                         InOut2<double> out) {  // out  (n, k)  (2)
    const int64_t n = int64_t(D.shape(0)), m = int64_t(D.shape(1)), k = int64_t(V.shape(1));
    require(int64_t(V.shape(0)) == m && int64_t(out.shape(0)) == n && int64_t(out.shape(1)) == k,
            "squared_product: the shapes do not match");
    const nb::gil_scoped_release unlocked;
    for (int64_t i = 0; i < n; ++i) {
        const double *row = D.data() + i * m;
        double *sums = out.data() + i * k;
        if (k == 1) {
            const double *v = V.data();
            double parts[8] = {0, 0, 0, 0, 0, 0, 0, 0};
            int64_t j = 0;
            for (; j + 8 <= m; j += 8)
                for (int64_t t = 0; t < 8; ++t) parts[t] += row[j + t] * row[j + t] * v[j + t];
            for (; j < m; ++j) parts[0] += row[j] * row[j] * v[j];
            sums[0] = ((parts[0] + parts[1]) + (parts[2] + parts[3])) + ((parts[4] + parts[5]) + (parts[6] + parts[7]));
            continue;
        }
        for (int64_t c = 0; c < k; ++c) sums[c] = 0;
        for (int64_t j = 0; j < m; ++j) {
            const double square = row[j] * row[j], *v = V.data() + j * k;
            for (int64_t c = 0; c < k; ++c) sums[c] += square * v[c];
        }
    }
}

NB_MODULE(_geodesics, m) {
    define(m, "geodesics", &geodesics, "start", "head", "apart", "sources", "rows", "columns", "out");
    define(m, "squared_product", &squared_product, "D", "V", "out");
}
