// Routing: which leaf a row reaches, and what the tree answers; and the bookkeeping of flat trees.
//
// What a node does with a row stands in assay/nodes.hpp.
// A tree is looked through when its Nodes are put together, once for all calls.
// Twin in NumPy: tests/trees/test_tree.py, walk_by_the_book.
#include <cmath>
#include <vector>

#include "assay/edge.hpp"
#include "assay/nodes.hpp"

namespace {

using namespace assay;

// The rows of a table, as the walks below ask for them: dense as they lie there ...
template <class T>
struct DenseRows {
    const T *x;
    int64_t n, d;
    const T *operator()(int64_t i) const { return x + i * d; }
};

// ... or sparse: what the tree asks for is written into a row of zeros, which is swept after each.
struct SparseRows {
    const int64_t *start;
    const int32_t *column;
    const double *value;
    int64_t n;
    std::vector<double> row;
    std::vector<uint8_t> asked;          // (d,) whether some test looks at the column
    std::vector<int32_t> touched;

    SparseRows(const Nodes &nodes, In1<int64_t> starts, In1<int32_t> columns, In1<double> values)
        : start(starts.data()), column(columns.data()), value(values.data()), n(length(starts) - 1),
          row(size_t(nodes.d)), asked(size_t(nodes.d)) {
        for (int64_t i = 0; i < nodes.m; ++i)
            if (nodes.test.kind[i] != LEAF) asked[nodes.test.feature[i]] = 1;
        for (int64_t i = 0; i < length(nodes.surrogates.feature); ++i) asked[nodes.backup.feature[i]] = 1;
    }
    const double *operator()(int64_t i) {
        for (int32_t c : touched) row[c] = 0.0;
        touched.clear();
        for (int64_t k = start[i]; k < start[i + 1]; ++k)
            if (asked[column[k]]) row[column[k]] += value[k], touched.push_back(column[k]);
        return row.data();
    }
};

template <class Rows>
void find_leaves(Rows &rows, const Nodes &nodes, int32_t *out) {
    for (int64_t i = 0; i < rows.n; ++i) {
        const auto *x = rows(i);
        int64_t node = 0;
        while (nodes.test.kind[node] != LEAF) {
            int32_t b = nodes.branch(node, x);
            if (b < 0) b = nodes.heaviest(node);
            node = nodes.child[nodes.offset[node] + b];
        }
        out[i] = int32_t(node);
    }
}

template <class Rows>
void add_leaves(Rows &rows, const Nodes &nodes, const double *value, int64_t V, double *out) {
    std::vector<std::pair<int64_t, double>> todo;
    for (int64_t i = 0; i < rows.n; ++i) {
        const auto *x = rows(i);
        double *o = out + i * V;
        todo.assign(1, {0, 1.0});
        while (!todo.empty()) {
            auto [node, share] = todo.back();
            todo.pop_back();
            while (nodes.test.kind[node] != LEAF) {
                const int32_t *child = nodes.child + nodes.offset[node];
                const int32_t b = nodes.branch(node, x);
                if (b >= 0) {
                    node = child[b];
                    continue;
                }
                const int64_t n_children = nodes.offset[node + 1] - nodes.offset[node];
                double total = 0;
                for (int64_t c = 0; c < n_children; ++c) total += nodes.weight[child[c]];
                if (!(total > 0)) {
                    node = child[0];
                    continue;
                }
                for (int64_t c = n_children - 1; c > 0; --c)
                    if (nodes.weight[child[c]] > 0) todo.push_back({child[c], share * nodes.weight[child[c]] / total});
                share *= nodes.weight[child[0]] / total;
                node = child[0];
                if (share == 0) break;
            }
            if (share == 0) continue;
            const double *v = value + node * V;
            if (share == 1.0)
                for (int64_t k = 0; k < V; ++k) o[k] = v[k];
            else
                for (int64_t k = 0; k < V; ++k) o[k] += share * v[k];
        }
    }
}

template <class T>
void apply(const Nodes &nodes,
           In2<T> X,                 // in      (n, d)
           InOut1<int32_t> leaf) {   // out     (n,)   where a value is spread: the heaviest child's leaf
    require(length(leaf) == length(X) && int64_t(X.shape(1)) == nodes.d,
            "apply: the tree's columns, a leaf for each row");
    nb::gil_scoped_release unlocked;
    DenseRows<T> rows{X.data(), length(X), nodes.d};
    find_leaves(rows, nodes, leaf.data());
}

void apply_sparse(const Nodes &nodes,
                  In1<int64_t> starts,   // in      (n + 1,)  places in columns and values
                  In1<int32_t> columns, In1<double> values, InOut1<int32_t> leaf) {
    require(are_rows(values, columns, starts, length(leaf), nodes.d), "apply: these are no rows of the table");
    nb::gil_scoped_release unlocked;
    SparseRows rows(nodes, starts, columns, values);
    find_leaves(rows, nodes, leaf.data());
}

void check_room(const Nodes &nodes, const In2<double> &value, const InOut2<double> &out) {
    require(length(value) == nodes.m && out.shape(1) == value.shape(1),
            "predict: values for each node, and a place for them");
}

template <class T>
void predict(const Nodes &nodes,
             In2<T> X,               // in      (n, d)
             In2<double> value,      // in      (m, V)
             InOut2<double> out) {   // in/out  (n, V) zeros: sum over leaves of share * value
    check_room(nodes, value, out);
    require(length(out) == length(X) && int64_t(X.shape(1)) == nodes.d,
            "predict: the tree's columns, a place for each row");
    nb::gil_scoped_release unlocked;
    DenseRows<T> rows{X.data(), length(X), nodes.d};
    add_leaves(rows, nodes, value.data(), value.shape(1), out.data());
}

void predict_sparse(const Nodes &nodes, In1<int64_t> starts, In1<int32_t> columns, In1<double> values,
                    In2<double> value, InOut2<double> out) {
    check_room(nodes, value, out);
    require(are_rows(values, columns, starts, length(out), nodes.d), "predict: these are no rows of the table");
    nb::gil_scoped_release unlocked;
    SparseRows rows(nodes, starts, columns, values);
    add_leaves(rows, nodes, value.data(), value.shape(1), out.data());
}

void check_parents(const In1<int32_t> &parent) {
    bool fits = true;
    for (int64_t i = 1; i < length(parent); ++i) fits &= parent.data()[i] >= 0 && parent.data()[i] < i;
    require(fits, "a parent does not stand before its child");
}

// depth[i] = depth[parent[i]] + 1: parents stand before their children.
void depths(In1<int32_t> parent_, InOut1<int32_t> depth_) {
    check_parents(parent_);
    require(length(depth_) == length(parent_), "depths: a place for each node");
    nb::gil_scoped_release unlocked;
    const auto parent = view(parent_);
    const auto depth = view(depth_);
    for (int64_t i = 0; i < parent.size(); ++i) depth[i] = i ? depth[parent[i]] + 1 : 0;
}

// end[i]: one past the last descendant of i.
void ends(In1<int32_t> parent_, InOut1<int32_t> end_) {
    check_parents(parent_);
    require(length(end_) == length(parent_), "ends: a place for each node");
    nb::gil_scoped_release unlocked;
    const auto parent = view(parent_);
    const auto end = view(end_);
    for (int64_t i = 0; i < parent.size(); ++i) end[i] = int32_t(i + 1);
    for (int64_t i = parent.size() - 1; i > 0; --i)
        if (end[i] > end[parent[i]]) end[parent[i]] = end[i];
}

// order: the nodes in preorder, children by their branch number. Returns how many were reached from the root.
int64_t preorder(In1<int32_t> parent_,      // in   (m,)  -1 for the root
                 In1<int32_t> branch_,      // in   (m,)  0 .. number of children - 1
                 InOut1<int32_t> order_) {  // out  (m,)
    require(length(branch_) == length(parent_) && length(order_) == length(parent_), "preorder: a place for each node");
    nb::gil_scoped_release unlocked;
    const auto parent = view(parent_), branch = view(branch_);
    const auto order = view(order_);
    const int64_t m = parent.size();
    std::vector<int32_t> offset(m + 1, 0), child(m, 0), stack;
    for (int64_t i = 0; i < m; ++i) {
        require(parent[i] >= -1 && parent[i] < m && branch[i] >= 0, "a parent is not a node");
        if (parent[i] >= 0) ++offset[parent[i] + 1];
        else stack.push_back(int32_t(i));
    }
    require(stack.size() == 1, "a tree has one root");
    for (int64_t i = 0; i < m; ++i) offset[i + 1] += offset[i];
    for (int64_t i = 0; i < m; ++i)
        if (parent[i] >= 0) {
            const int64_t at = int64_t(offset[parent[i]]) + branch[i];
            require(at < offset[parent[i] + 1], "the branches of a node are numbered from 0 without a gap");
            child[at] = int32_t(i);
        }
    int64_t done = 0;
    while (!stack.empty() && done < m) {
        const int32_t i = stack.back();
        stack.pop_back();
        order[done++] = i;
        for (int64_t c = offset[i + 1] - 1; c >= offset[i]; --c) stack.push_back(child[c]);
    }
    return done;
}

// The ancestors of each row's leaf and the leaf itself, root first, at indptr[i] .. indptr[i + 1].
void ancestors(In1<int32_t> leaf_, In1<int32_t> parent_, In1<int64_t> indptr_, InOut1<int32_t> out_) {
    check_parents(parent_);
    require(within(leaf_, 0, length(parent_)) && shares_out(indptr_, length(leaf_), length(out_)),
            "ancestors: leaves do not fit");
    nb::gil_scoped_release unlocked;
    const auto leaf = view(leaf_), parent = view(parent_);
    const auto indptr = view(indptr_);
    const auto out = view(out_);
    for (int64_t i = 0; i < leaf.size(); ++i) {
        int32_t node = leaf[i];
        for (int64_t at = indptr[i + 1] - 1; at >= indptr[i]; --at, node = node > 0 ? parent[node] : 0) out[at] = node;
    }
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    record<Surrogates>(m, "Surrogates", field("offset", &Surrogates::offset), field("feature", &Surrogates::feature),
                       field("kind", &Surrogates::kind), field("threshold", &Surrogates::threshold),
                       field("set_offset", &Surrogates::set_offset), field("sets", &Surrogates::sets),
                       field("flip", &Surrogates::flip));
    nb::class_<Nodes>(m, "Nodes")
        .def(nb::init<In1<int32_t>, In1<uint8_t>, In1<double>, In1<int32_t>, In1<int32_t>, In1<int32_t>, In1<uint32_t>,
                      In1<int32_t>, In1<double>, const Surrogates &, int64_t>(),
             nb::kw_only(), nb::arg("feature"), nb::arg("kind"), nb::arg("threshold"), nb::arg("offset"),
             nb::arg("child"), nb::arg("set_offset"), nb::arg("sets"), nb::arg("missing"), nb::arg("weight"),
             nb::arg("surrogates"), nb::arg("n_features"));
    define(m, "apply", &apply<double>, "nodes", "X", "leaf");
    define(m, "apply", &apply<float>, "nodes", "X", "leaf");
    define(m, "apply_sparse", &apply_sparse, "nodes", "starts", "columns", "values", "leaf");
    define(m, "predict", &predict<double>, "nodes", "X", "value", "out");
    define(m, "predict", &predict<float>, "nodes", "X", "value", "out");
    define(m, "predict_sparse", &predict_sparse, "nodes", "starts", "columns", "values", "value", "out");
    define(m, "depths", &depths, "parent", "depth");
    define(m, "ends", &ends, "parent", "end");
    define(m, "preorder", &preorder, "parent", "branch", "order");
    define(m, "ancestors", &ancestors, "leaf", "parent", "indptr", "out");
}
