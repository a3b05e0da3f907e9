// Sums of kernels over many weighted points, by a tree of boxes.
//
//     S(q) = sum_t w_t k(D(q, x_t) / h_q)                                                                   (1)
//
// with a profile k that falls from 1 at 0. All points of a box that is between D_min and D_max away give between
// k(D_max / h) and k(D_min / h); so a box of mass m may be answered by m times the mean of the two, wrong by at most
//
//     m (k_min_distance - k_max_distance) / 2  <=  m (atol + rtol * (what is surely in S)) / (mass of all)   (2)
//
// else its halves are asked, the nearer one first. Over all boxes the errors add up to at most atol + rtol S.
//
// The tree halves the points at the median of the widest side of their box until a leaf has at most `leaf` points. Its
// shape follows from n and the number of levels: node i has the children 2i + 1 and 2i + 2, points [a, b) are cut at
// (a + b) / 2. So there is nothing to follow that could lead astray.
//
// Twin in NumPy: tests/densities/test_kernel_sums.py, by_the_book.
#include <algorithm>
#include <cmath>
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"
#include "assay/sorting.hpp"
#include "assay/exponential.hpp"

using namespace assay;

namespace {

enum Shape { GAUSSIAN, BOX, TRIANGULAR, EPANECHNIKOV, BIWEIGHT, TRIWEIGHT, TRICUBE, COSINE, EXPONENTIAL, LOGISTIC };
enum Geometry { EUCLIDEAN, MANHATTAN, CHEBYSHEV, PRODUCT };  // product: one profile a coordinate, multiplied

// cos(pi u / 2) for 0 <= u <= 1, as sin(pi (1 - u) / 2): a series whose terms end below the last place.
INLINE double cosine(double u) {
    const double x = 1.57079632679489661923 * (1.0 - u), s = x * x;
    double p = -1.0 / 121645100408832000.0;  // -1/19!
    p = p * s + 1.0 / 355687428096000.0;
    p = p * s - 1.0 / 1307674368000.0;
    p = p * s + 1.0 / 6227020800.0;
    p = p * s - 1.0 / 39916800.0;
    p = p * s + 1.0 / 362880.0;
    p = p * s - 1.0 / 5040.0;
    p = p * s + 1.0 / 120.0;
    p = p * s - 1.0 / 6.0;
    p = p * s + 1.0;
    return p * x;
}

// The root of s >= 0 in products alone, which compilers turn into vector code: the library's sets errno. Newton's steps
// for 1 / root from a guess by halving the exponent; within 2 units in the last place from 1e-300 to 1e300, 0 at 0.
INLINE double root(double s) {
    s = s < 1e300 ? s : 1e300;
    const int64_t guess = 0x5fe6eb50c7b537a9 - (bits_of(s) >> 1);
    double y;
    std::memcpy(&y, &guess, 8);
    y *= 1.5 - (0.5 * s * y) * y;
    y *= 1.5 - (0.5 * s * y) * y;
    y *= 1.5 - (0.5 * s * y) * y;
    const double r = s * y;
    return r + 0.5 * y * (s - r * r);
}

// t[i] <- k of the length that t[i] stands for: D (or its square) over h. Kernels that end do so at D = h exactly,
// hence the division.
template <int SHAPE, bool SQUARED>
INLINE void profile_of(double *t, int64_t n, double h, double cut) {
    constexpr bool ends = SHAPE != GAUSSIAN && SHAPE != EXPONENTIAL && SHAPE != LOGISTIC;
    constexpr bool square =
        SHAPE == GAUSSIAN || SHAPE == BOX || SHAPE == EPANECHNIKOV || SHAPE == BIWEIGHT || SHAPE == TRIWEIGHT;
    const double unit = SQUARED ? h * h : h, per = 1.0 / unit, last = SQUARED ? cut * cut : cut;
    for (int64_t i = 0; i < n; ++i) {
        const double given = ends ? t[i] / unit : t[i] * per;
        double u = given;  // what the kernel is a function of: the length or its square
        if (square && !SQUARED) u = given * given;
        if (!square && SQUARED) u = root(given);
        if (ends) u = u < 1.0 ? u : 1.0;
        double k;
        if (SHAPE == GAUSSIAN) k = exponential(-0.5 * u);
        else if (SHAPE == BOX) k = 1.0;
        else if (SHAPE == TRIANGULAR || SHAPE == EPANECHNIKOV) k = 1.0 - u;
        else if (SHAPE == BIWEIGHT) k = (1.0 - u) * (1.0 - u);
        else if (SHAPE == TRIWEIGHT) k = (1.0 - u) * (1.0 - u) * (1.0 - u);
        else if (SHAPE == TRICUBE) {
            const double v = 1.0 - u * u * u;
            k = v * v * v;
        } else if (SHAPE == COSINE) k = cosine(u);
        else if (SHAPE == EXPONENTIAL) k = exponential(-u);
        else {
            const double e = exponential(-u);
            k = 4.0 * e / ((1.0 + e) * (1.0 + e));
        }
        t[i] = given <= last && (!ends || given < 1.0) ? k : 0.0;
    }
}

template <bool SQUARED>
INLINE void profile(int shape, double *t, int64_t n, double h, double cut) {
    switch (shape) {
        case GAUSSIAN: return profile_of<GAUSSIAN, SQUARED>(t, n, h, cut);
        case BOX: return profile_of<BOX, SQUARED>(t, n, h, cut);
        case TRIANGULAR: return profile_of<TRIANGULAR, SQUARED>(t, n, h, cut);
        case EPANECHNIKOV: return profile_of<EPANECHNIKOV, SQUARED>(t, n, h, cut);
        case BIWEIGHT: return profile_of<BIWEIGHT, SQUARED>(t, n, h, cut);
        case TRIWEIGHT: return profile_of<TRIWEIGHT, SQUARED>(t, n, h, cut);
        case TRICUBE: return profile_of<TRICUBE, SQUARED>(t, n, h, cut);
        case COSINE: return profile_of<COSINE, SQUARED>(t, n, h, cut);
        case EXPONENTIAL: return profile_of<EXPONENTIAL, SQUARED>(t, n, h, cut);
        default: return profile_of<LOGISTIC, SQUARED>(t, n, h, cut);
    }
}

struct Points {
    const double *packed, *weights;  // the coordinates of a leaf lie column by column
    const double *narrow;            // of each point, what divides its own width; null if all have the same
    int64_t n, d;
};

struct Query {
    const double *at;
    double h, cut;
    int shape, geometry;
};

// t[i] <- the profile of the points [a, b).
INLINE void of_leaf(const Points &p, const Query &q, int64_t a, int64_t b, double *t, double *one) {
    const int64_t n = b - a;
    const double *x = p.packed + a * p.d;
    std::fill(t, t + n, q.geometry == PRODUCT ? 1.0 : 0.0);
    for (int64_t j = 0; j < p.d; ++j, x += n) {
        const double c = q.at[j];
        if (q.geometry == EUCLIDEAN) {
            for (int64_t i = 0; i < n; ++i) t[i] += (x[i] - c) * (x[i] - c);
        } else if (q.geometry == MANHATTAN) {
            for (int64_t i = 0; i < n; ++i) t[i] += std::fabs(x[i] - c);
        } else if (q.geometry == CHEBYSHEV) {
            for (int64_t i = 0; i < n; ++i) {
                const double far = std::fabs(x[i] - c);
                t[i] = far > t[i] ? far : t[i];
            }
        } else {
            for (int64_t i = 0; i < n; ++i) one[i] = std::fabs(x[i] - c);
            if (p.narrow)
                for (int64_t i = 0; i < n; ++i) one[i] *= p.narrow[a + i];
            profile<false>(q.shape, one, n, q.h, q.cut);
            for (int64_t i = 0; i < n; ++i) t[i] *= one[i];
        }
    }
    if (q.geometry == PRODUCT) return;
    if (p.narrow) {
        const double *s = p.narrow + a;
        if (q.geometry == EUCLIDEAN)
            for (int64_t i = 0; i < n; ++i) t[i] *= s[i] * s[i];
        else
            for (int64_t i = 0; i < n; ++i) t[i] *= s[i];
    }
    if (q.geometry == EUCLIDEAN) profile<true>(q.shape, t, n, q.h, q.cut);
    else profile<false>(q.shape, t, n, q.h, q.cut);
}

INLINE double weighted(const double *t, const double *w, int64_t n) {  // t @ w
    double part[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int64_t l = 0; l < 8; ++l) part[l] += t[i + l] * w[i + l];
    double sum = 0;
    for (; i < n; ++i) sum += t[i] * w[i];
    return sum + (((part[0] + part[4]) + (part[1] + part[5])) + ((part[2] + part[6]) + (part[3] + part[7])));
}

// bound[0] <- at least, bound[1] <- at most what any point of the node gives; one: room for 2 d numbers.
INLINE void of_box(const Query &q, const double *lo, const double *hi, int64_t d, const double *narrow, double *bound,
                   double *one) {
    double near = 0, far = 0;
    for (int64_t j = 0; j < d; ++j) {
        const double below = lo[j] - q.at[j], above = q.at[j] - hi[j];
        const double least = std::max(0.0, std::max(below, above)), most = std::max(-below, -above);
        if (q.geometry == EUCLIDEAN) near += least * least, far += most * most;
        else if (q.geometry == MANHATTAN) near += least, far += most;
        else if (q.geometry == CHEBYSHEV) near = std::max(near, least), far = std::max(far, most);
        else one[2 * j] = most, one[2 * j + 1] = least;
    }
    const double widest = narrow ? narrow[0] : 1.0, narrowest = narrow ? narrow[1] : 1.0;
    if (q.geometry == PRODUCT) {
        for (int64_t j = 0; j < d; ++j) one[2 * j] *= narrowest, one[2 * j + 1] *= widest;
        profile<false>(q.shape, one, 2 * d, q.h, q.cut);
        bound[0] = bound[1] = 1.0;
        for (int64_t j = 0; j < d; ++j) bound[0] *= one[2 * j], bound[1] *= one[2 * j + 1];
        return;
    }
    const bool squared = q.geometry == EUCLIDEAN;
    bound[0] = far * (squared ? narrowest * narrowest : narrowest);
    bound[1] = near * (squared ? widest * widest : widest);
}

INLINE void of_lengths(const Query &q, double *bounds, int64_t n) {  // lengths of of_box to profiles
    if (q.geometry == EUCLIDEAN) profile<true>(q.shape, bounds, n, q.h, q.cut);
    else if (q.geometry != PRODUCT) profile<false>(q.shape, bounds, n, q.h, q.cut);
}

struct Open {
    int64_t node, a, b;
    double least, most;
};

constexpr double TINY = 4e-16;  // what is left out may change the last place

}  // namespace

// The tree over the rows of X: their order, and the box of each node.
void grow(In2<double> X_,           // in  (n, d)
          int64_t levels,           //     2^levels leaves
          InOut1<int64_t> order_,   // out (n,)    row numbers, in the order of the leaves
          InOut2<double> lo_,       // out (2^(levels + 1) - 1, d)
          InOut2<double> hi_) {     // out
    const auto X = view(X_);
    const auto order = view(order_);
    const auto lo = view(lo_), hi = view(hi_);
    require(levels >= 0 && levels < 48, "kernel sums: too many levels");
    const int64_t n = X.rows(), d = X.cols(), nodes = (int64_t(2) << levels) - 1;
    require(n >= int64_t(1) << levels && order.size() == n, "kernel sums: a leaf must have a point");
    require(lo.rows() == nodes && hi.rows() == nodes && lo.cols() == d && hi.cols() == d, "kernel sums: boxes");
    nb::gil_scoped_release unlocked;
    for (int64_t i = 0; i < n; ++i) order[i] = i;
    std::vector<int64_t> from(nodes), to(nodes);
    from[0] = 0, to[0] = n;
    for (int64_t node = 0; node < nodes; ++node) {
        const int64_t a = from[node], b = to[node];
        double *low = lo.row(node), *high = hi.row(node);
        std::copy(X.row(order[a]), X.row(order[a]) + d, low);
        std::copy(low, low + d, high);
        for (int64_t i = a + 1; i < b; ++i) {
            const double *x = X.row(order[i]);
            for (int64_t j = 0; j < d; ++j) {
                low[j] = x[j] < low[j] ? x[j] : low[j];
                high[j] = x[j] > high[j] ? x[j] : high[j];
            }
        }
        if (2 * node + 2 >= nodes) continue;
        int64_t wide = 0;
        for (int64_t j = 1; j < d; ++j)
            if (high[j] - low[j] > high[wide] - low[wide]) wide = j;
        const int64_t mid = a + (b - a) / 2;
        std::nth_element(order.data() + a, order.data() + mid, order.data() + b,
                         [&](int64_t s, int64_t t) { return ascends(X.row(s)[wide], X.row(t)[wide], s, t); });
        from[2 * node + 1] = a, to[2 * node + 1] = mid;
        from[2 * node + 2] = mid, to[2 * node + 2] = b;
    }
}

// packed <- the rows of X in that order, the coordinates of each leaf column by column; the mass of each node.
void pack(In2<double> X_, In1<int64_t> order_, In1<double> weights_, int64_t levels,
          InOut1<double> packed_,    // out (n d,)
          InOut1<double> mass_) {    // out (nodes,)
    const auto X = view(X_);
    const auto order = view(order_);
    const auto weights = view(weights_);  // in the order of the leaves
    const auto packed = view(packed_), mass = view(mass_);
    require(levels >= 0 && levels < 48, "kernel sums: too many levels");
    const int64_t n = X.rows(), d = X.cols(), nodes = (int64_t(2) << levels) - 1, first = nodes / 2;
    require(order.size() == n && weights.size() == n && packed.size() == n * d && mass.size() == nodes,
            "kernel sums: one place for each point");
    for (int64_t i = 0; i < n; ++i) require(order[i] >= 0 && order[i] < n, "kernel sums: no such row");
    nb::gil_scoped_release unlocked;
    std::vector<int64_t> from(nodes), to(nodes);
    from[0] = 0, to[0] = n;
    for (int64_t node = 0; node < nodes; ++node) {
        const int64_t a = from[node], b = to[node], mid = a + (b - a) / 2;
        if (node < first) {
            from[2 * node + 1] = a, to[2 * node + 1] = mid;
            from[2 * node + 2] = mid, to[2 * node + 2] = b;
            continue;
        }
        mass[node] = 0;
        for (int64_t i = a; i < b; ++i) {
            mass[node] += weights[i];
            for (int64_t j = 0; j < d; ++j) packed[a * d + j * (b - a) + (i - a)] = X.row(order[i])[j];
        }
    }
    for (int64_t node = first - 1; node >= 0; --node) mass[node] = mass[2 * node + 1] + mass[2 * node + 2];
}

// Points in the leaves of a tree of boxes, as grow and pack leave them.
struct BoxTree {
    In1<double> packed;      // (n d,)
    In1<double> weights;     // (n,)
    In1<double> narrow;      // (n,)      what multiplies the lengths to each point; or empty: 1
    In2<double> lo, hi;      // (nodes, d)
    In1<double> mass;        // (nodes,)
    In2<double> narrow_box;  // (nodes, 2) least and greatest of narrow in the node; or empty
    int64_t levels;
};

// (1) for some queries.
HOT void sums(const BoxTree &tree, In2<double> Q_,  // in  (q, d)
              In1<double> h_,          // in  (q,)      above 0
              In1<int64_t> left_out_,  // in  (q,)      place of the point that is left out, or -1
              int shape, int geometry,
              double cut,              //     lengths above it (in widths) give 0
              double atol, double rtol,
              InOut1<double> out_) {   // out (q,)
    const auto lo = view(tree.lo), hi = view(tree.hi), Q = view(Q_), narrow_box = view(tree.narrow_box);
    const auto mass = view(tree.mass), h = view(h_), narrow = view(tree.narrow), weights = view(tree.weights);
    const int64_t levels = tree.levels;
    const auto out = view(out_);
    const auto own = view(left_out_);
    require(levels >= 0 && levels < 48, "kernel sums: too many levels");
    const int64_t n = weights.size(), d = Q.cols(), nodes = (int64_t(2) << levels) - 1, first = nodes / 2;
    const bool own_widths = narrow.size() > 0;
    require(n >= first + 1 && length(tree.packed) == n * d && d > 0, "kernel sums: packed has another size");
    require(lo.rows() == nodes && hi.rows() == nodes && lo.cols() == d && hi.cols() == d && mass.size() == nodes,
            "kernel sums: boxes of another tree");
    require(!own_widths || (narrow.size() == n && narrow_box.rows() == nodes && narrow_box.cols() == 2),
            "kernel sums: one width for each point");
    require(h.size() == Q.rows() && own.size() == Q.rows() && out.size() == Q.rows(), "kernel sums: one of each query");
    require(shape >= GAUSSIAN && shape <= LOGISTIC && geometry >= EUCLIDEAN && geometry <= PRODUCT,
            "kernel sums: no such kernel");
    const Points points{tree.packed.data(), weights.data(), own_widths ? narrow.data() : nullptr, n, d};
    const int64_t largest = n / (first + 1) + 1;
    std::vector<double> room(2 * largest + 2 * d);
    double *const t = room.data(), *const one = t + largest, *const box = one + largest;
    std::vector<Open> stack(levels + 2);
    nb::gil_scoped_release unlocked;
    for (int64_t i = 0; i < Q.rows(); ++i) {
        const Query q{Q.row(i), h[i], cut, shape, geometry};
        double bound[4];
        of_box(q, lo.row(0), hi.row(0), d, own_widths ? narrow_box.row(0) : nullptr, bound, box);
        of_lengths(q, bound, 2);
        int64_t open = 0;
        stack[open++] = {0, 0, n, bound[0], bound[1]};
        double sum = 0, sure = own[i] < 0 ? mass[0] * bound[0] : 0.0;
        while (open > 0) {
            const Open now = stack[--open];
            const bool whole = own[i] < now.a || own[i] >= now.b;  // the point left out is elsewhere
            const double allowed = (atol + std::max(rtol, TINY) * sure) / mass[0];
            if (whole && 0.5 * (now.most - now.least) <= allowed) {  // (2)
                sum += mass[now.node] * 0.5 * (now.most + now.least);
                continue;
            }
            const double was = whole ? mass[now.node] * now.least : 0.0;
            if (now.node >= first) {
                of_leaf(points, q, now.a, now.b, t, one);
                if (!whole) t[own[i] - now.a] = 0.0;
                const double found = weighted(t, weights.data() + now.a, now.b - now.a);
                sum += found;
                sure += found - was;
                continue;
            }
            const int64_t left = 2 * now.node + 1, mid = now.a + (now.b - now.a) / 2;
            for (int64_t s = 0; s < 2; ++s)
                of_box(q, lo.row(left + s), hi.row(left + s), d, own_widths ? narrow_box.row(left + s) : nullptr,
                       bound + 2 * s, box);
            of_lengths(q, bound, 4);
            const bool in_left = own[i] >= now.a && own[i] < mid, in_right = own[i] >= mid && own[i] < now.b;
            sure += (in_left ? 0.0 : mass[left] * bound[0]) + (in_right ? 0.0 : mass[left + 1] * bound[2]) - was;
            const Open l{left, now.a, mid, bound[0], bound[1]}, r{left + 1, mid, now.b, bound[2], bound[3]};
            const bool left_first = l.most >= r.most;
            stack[open++] = left_first ? r : l;
            stack[open++] = left_first ? l : r;
        }
        out[i] = sum;
    }
}

NB_MODULE(ASSAY_MODULE, m) {
    m.doc() = "Sums of kernels over many weighted points, by a tree of boxes.";
    define(m, "grow", &grow, "X", "levels", "order", "lo", "hi");
    define(m, "pack", &pack, "X", "order", "weights", "levels", "packed", "mass");
    record<BoxTree>(m, "BoxTree", field("packed", &BoxTree::packed), field("weights", &BoxTree::weights),
                    field("narrow", &BoxTree::narrow), field("lo", &BoxTree::lo), field("hi", &BoxTree::hi),
                    field("mass", &BoxTree::mass), field("narrow_box", &BoxTree::narrow_box),
                    field("levels", &BoxTree::levels));
    define(m, "sums", &sums, "tree", "Q", "h", "left_out", "shape", "geometry", "cut", "atol", "rtol", "out");
}
