// Trees and graphs in pairs.
//
// Subset trees (Collins and Duffy 2001): for nodes u, v of two trees with the same production (label and labels of the
// children), D(u, v) = l prod over children (1 + D(child of u, child of v)), where leaves count 1; K = sum of D.
//
// Shared walks: X_0[u, v] = 1 where labels agree, X_k = agree * (A_1 X_{k-1} A_2'), K = sum_k decay^k sum(X_k).
//
// Twins in Python: tests/kernels/structures/test_trees.py and test_graphs.py.
#include "assay/array.hpp"
#include "assay/edge.hpp"

#include <algorithm>
#include <vector>

using namespace assay;

namespace {

// n objects with parts (nodes), each of which has links to parts of the same object, numbered from its first one.
struct Parts {
    In1<int64_t> first;   // (n + 1,) where the parts of each object begin
    In1<uint64_t> label;  // (parts,)
    In1<int64_t> start;   // (parts + 1,) where the links of each part begin
    In1<int64_t> link;    // (links,)
    In1<double> weight;   // (links,) or none, which means ones

    int64_t objects() const { return length(first) - 1; }
    int64_t size(int64_t i) const { return first.data()[i + 1] - first.data()[i]; }
    int64_t largest() const {
        int64_t most = 0;
        for (int64_t i = 0; i < objects(); ++i) most = std::max(most, size(i));
        return most;
    }
    void check() const {
        require(objects() >= 0 && shares_out(first, objects(), length(label), true), "parts of objects");
        require(shares_out(start, length(label), length(link), true), "links of parts");
        require(weight.size() == 0 || length(weight) == length(link), "weights of links");
        for (int64_t i = 0; i < objects(); ++i) {
            const int64_t begin = start.data()[first.data()[i]], end = start.data()[first.data()[i + 1]];
            require(within(link.data() + begin, end - begin, 0, size(i)), "links lead outside of an object");
        }
    }
};

double subset_tree_sum(const Parts &A, int64_t i, const Parts &B, int64_t j, double decay, double *D) {
    const int64_t a0 = A.first.data()[i], b0 = B.first.data()[j], n = A.size(i), m = B.size(j);
    double sum = 0;
    for (int64_t u = 0; u < n; ++u)  // children before their parents
        for (int64_t v = 0; v < m; ++v) {
            const int64_t a = A.start.data()[a0 + u], b = B.start.data()[b0 + v];
            const int64_t children = A.start.data()[a0 + u + 1] - a;
            double value = 0;
            if (children && A.label.data()[a0 + u] == B.label.data()[b0 + v] &&
                children == B.start.data()[b0 + v + 1] - b) {
                value = decay;
                for (int64_t c = 0; c < children; ++c)
                    value *= 1.0 + D[A.link.data()[a + c] * m + B.link.data()[b + c]];
            }
            D[u * m + v] = value;
            sum += value;
        }
    return sum;
}

void subset_trees(const Parts &A, const Parts &B, double decay, InOut2<double> out) {  // out (n, m)
    const auto result = view(out);
    require(result.rows() == A.objects() && result.cols() == B.objects(), "subset_trees: sizes");
    for (const Parts *parts : {&A, &B})  // children stand before their parents
        for (int64_t i = 0; i < parts->objects(); ++i)
            for (int64_t u = 0; u < parts->size(i); ++u) {
                const int64_t at = parts->first.data()[i] + u, begin = parts->start.data()[at];
                require(within(parts->link.data() + begin, parts->start.data()[at + 1] - begin, 0, u),
                        "subset_trees: children stand before their parents");
            }
    std::vector<double> D(size_t(sized(A.largest(), B.largest(), "subset_trees: sizes")));
    nb::gil_scoped_release unlocked;
    for (int64_t i = 0; i < A.objects(); ++i)
        for (int64_t j = 0; j < B.objects(); ++j) result.row(i)[j] = subset_tree_sum(A, i, B, j, decay, D.data());
}

double walk_sum(const Parts &A, int64_t i, const Parts &B, int64_t j, int64_t longest, double decay, double *X,
                double *Y) {
    const int64_t a0 = A.first.data()[i], b0 = B.first.data()[j], n = A.size(i), m = B.size(j);
    double sum = 0, factor = 1;
    for (int64_t u = 0; u < n; ++u)
        for (int64_t v = 0; v < m; ++v) sum += X[u * m + v] = A.label.data()[a0 + u] == B.label.data()[b0 + v];
    for (int64_t k = 1; k <= longest; ++k) {
        factor *= decay;
        std::fill(Y, Y + n * m, 0.0);
        for (int64_t u = 0; u < n; ++u)
            for (int64_t e = A.start.data()[a0 + u]; e < A.start.data()[a0 + u + 1]; ++e) {
                const double w = A.weight.size() ? A.weight.data()[e] : 1.0;
                const double *from = X + A.link.data()[e] * m;
                for (int64_t v = 0; v < m; ++v) Y[u * m + v] += w * from[v];  // Y = A_1 X
            }
        double step = 0;
        for (int64_t u = 0; u < n; ++u)
            for (int64_t v = 0; v < m; ++v) {
                double value = 0;
                if (A.label.data()[a0 + u] == B.label.data()[b0 + v])
                    for (int64_t e = B.start.data()[b0 + v]; e < B.start.data()[b0 + v + 1]; ++e)
                        value += (B.weight.size() ? B.weight.data()[e] : 1.0) * Y[u * m + B.link.data()[e]];
                step += X[u * m + v] = value;  // X = agree * (Y A_2')
            }
        sum += factor * step;
    }
    return sum;
}

constexpr int64_t MOST_STEPS = 10000;  // of a walk: a file must not make a prediction endless

void walks(const Parts &A, const Parts &B, int64_t longest, double decay, InOut2<double> out) {  // out (n, m)
    const auto result = view(out);
    require(result.rows() == A.objects() && result.cols() == B.objects(), "walks: sizes");
    require(longest >= 0 && longest <= MOST_STEPS, "walks: longest must be from 0 to 10000");
    const size_t room = size_t(sized(A.largest(), B.largest(), "walks: sizes"));
    std::vector<double> X(room), Y(room);
    nb::gil_scoped_release unlocked;
    for (int64_t i = 0; i < A.objects(); ++i)
        for (int64_t j = 0; j < B.objects(); ++j)
            result.row(i)[j] = walk_sum(A, i, B, j, longest, decay, X.data(), Y.data());
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    record<Parts>(m, "Parts", field("first", &Parts::first), field("label", &Parts::label),
                  field("start", &Parts::start), field("link", &Parts::link), field("weight", &Parts::weight));
    define(m, "subset_trees", &subset_trees, "A", "B", "decay", "out");
    define(m, "walks", &walks, "A", "B", "longest", "decay", "out");
}
