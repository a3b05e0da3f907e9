// The strength of every node's link: the price of a leaf at which its subtree is no longer worth having.
//
// With cost R(t) of a node as a leaf and price a per leaf, the best pruned subtree under t costs
//
//     f_t(a) = min( R(t) + a,  sum of f_c(a) over the children c )                                              (1)
//
// a concave function of straight pieces. The node is a leaf from the a at which both are equal onwards. Each child's
// pieces are kept as breaks in a heap, latest first; the breaks of a node are its children's before its own.
//
// Twin in Python: tests/trees/pruning/test_cost_complexity.py, weakest_links_by_the_book.
#include <limits>
#include <utility>
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"

using namespace assay;

namespace {

// A leftist heap of breaks; the break of node t is item t.
class Breaks {
  public:
    std::vector<double> at, height, slope;  // what the line gains in height and slope to the left of the break
    std::vector<int32_t> left, right, rank;

    explicit Breaks(int64_t m) : at(m), height(m), slope(m), left(m, -1), right(m, -1), rank(m, 1) {}

    int32_t merge(int32_t a, int32_t b) {  // along the right spines, whose lengths are logarithms
        std::vector<int32_t> &spine = spine_;
        spine.clear();
        while (a >= 0 && b >= 0) {
            if (at[a] < at[b]) std::swap(a, b);
            spine.push_back(a);
            a = right[a];
        }
        int32_t below = a >= 0 ? a : b;
        for (size_t i = spine.size(); i-- > 0;) {
            const int32_t s = spine[i];
            right[s] = below;
            if (rank_of(left[s]) < rank_of(right[s])) std::swap(left[s], right[s]);
            rank[s] = rank_of(right[s]) + 1;
            below = s;
        }
        return below;
    }

  private:
    std::vector<int32_t> spine_;
    int32_t rank_of(int32_t i) const { return i < 0 ? 0 : rank[i]; }
};

void strengths(In1<int32_t> parent,      // in   (m,)  before its children; -1 at the root
               In1<double> cost,         // in   (m,)  R(t)
               InOut1<double> alpha) {   // out  (m,)  infinite at leaves
    const int64_t m = int64_t(parent.shape(0));
    require(int64_t(cost.shape(0)) == m && int64_t(alpha.shape(0)) == m, "weakest links: the arrays differ in length");
    for (int64_t i = 0; i < m; ++i) {
        const int32_t p = parent.data()[i];
        require(i ? p >= 0 && p < i : p == -1, "Tree: parent");
    }
    nb::gil_scoped_release unlocked;
    Breaks breaks(m);
    std::vector<int32_t> heap(m, -1), kids(m, 0);  // of the children together, until their parent is reached
    std::vector<double> height(m, 0.0);             // sum of R(c): the last piece of the children's sum
    for (int64_t i = m; i-- > 0;) {
        const double R = cost.data()[i];
        int32_t own = -1;
        alpha.data()[i] = std::numeric_limits<double>::infinity();
        if (kids[i]) {
            double h = height[i], s = kids[i], a;
            int32_t top = heap[i];
            for (;;) {  // walk left over the breaks until the lines of (1) cross
                a = s > 1 ? (R - h) / (s - 1) : (R > h ? std::numeric_limits<double>::infinity() : 0.0);
                if (top < 0 || a >= breaks.at[top]) break;
                h += breaks.height[top], s += breaks.slope[top];
                top = breaks.merge(breaks.left[top], breaks.right[top]);
            }
            alpha.data()[i] = a;
            breaks.at[i] = a, breaks.height[i] = h - R, breaks.slope[i] = s - 1;
            breaks.left[i] = breaks.right[i] = -1, breaks.rank[i] = 1;
            own = breaks.merge(top, int32_t(i));
        }
        if (i) {
            const int64_t p = parent.data()[i];
            heap[p] = breaks.merge(heap[p], own);
            height[p] += R;
            ++kids[p];
        }
    }
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) { define(m, "strengths", &strengths, "parent", "cost", "alpha"); }
