// The top of a logistic likelihood of one column, by Newton's method with halved steps.
//
//     L(v) = sum_i w_i [log(1 + e^g_i) - t_i g_i],    g_i = v_0 z_i + v_1,    0 < t_i < 1
//
// One pass over the rows gives L, its slopes and its second derivatives at a point: the point that a step reaches is
// both judged and gone on from. Checked by the caller: finite z, t and w. Twin in NumPy:
// tests/optimize/test_sigmoid.py.
#include <cmath>

#include "assay/array.hpp"
#include "assay/edge.hpp"
#include "assay/exponential.hpp"
#include "assay/tiles.hpp"

using namespace assay;

namespace {

constexpr double FLAT = 1e-12;     // slopes below, as a share of the weights, are rounding
constexpr double STIFF = 1e-14;    // added to the curvature, likewise: a flat stretch has none of its own
constexpr double SMALL = 1e-6;     // the step after one of this size would be of the order of its square
constexpr double SHORTEST = 1e-10; // share of a step

struct Point {
    double v[2], loss, slope[2], curvature[3];  // of v_0 twice, of both, of v_1 twice
};

// One loop for each step, so that the exponentials of many rows are on their way at once. Where all weights are alike
// the logarithms of a tile are that of a product.
INLINE Point look(const double *z, const double *t, const double *w, int64_t n, bool alike, double v0, double v1) {
    double loss = 0, s0 = 0, s1 = 0, c0 = 0, c1 = 0, c2 = 0;
    double g[TILE], e[TILE], r[TILE], c[TILE];
    for (int64_t start = 0; start < n; start += TILE) {
        const int64_t rows = n - start < TILE ? n - start : TILE;
        const double *x = z + start, *target = t + start, *weight = w + start;
        for (int64_t i = 0; i < rows; ++i) {
            g[i] = v0 * x[i] + v1;
            e[i] = exponential(-std::fabs(g[i]));
        }
        for (int64_t i = 0; i < rows; ++i) {
            const double near = 1 / (1 + e[i]), p = g[i] > 0 ? near : e[i] * near;
            r[i] = weight[i] * (p - target[i]);
            c[i] = weight[i] * e[i] * near * near;
        }
        for (int64_t i = 0; i < rows; ++i) {
            const double linear = (g[i] > 0 ? g[i] : 0.0) - target[i] * g[i];
            g[i] = weight[i] * (alike ? linear : linear + log_one_plus(e[i]));
        }
        loss += total(g, rows);
        if (alike) loss += weight[0] * std::log(product_of_ones_and(e, rows));
        s1 += total(r, rows), c2 += total(c, rows);
        for (int64_t i = 0; i < rows; ++i) r[i] *= x[i], c[i] *= x[i];
        s0 += total(r, rows), c1 += total(c, rows);
        for (int64_t i = 0; i < rows; ++i) c[i] *= x[i];
        c0 += total(c, rows);
    }
    return {{v0, v1}, loss, {s0, s1}, {c0, c1, c2}};
}
HOT Point looked_at(const double *z, const double *t, const double *w, int64_t n, bool alike, double v0, double v1) {
    return look(z, t, w, n, alike, v0, v1);
}

void climb(In1<double> z,       // in      (n,)
           In1<double> t,       // in      (n,) targets
           In1<double> w,       // in      (n,) weights
           int64_t most,        // steps
           InOut1<double> v) {  // in/out  (2,) slope and offset
    const int64_t n = length(z);
    require(length(t) == n && length(w) == n && length(v) == 2, "climb: sizes");
    nb::gil_scoped_release unlocked;
    double total = 0;
    bool alike = true;
    for (int64_t i = 0; i < n; ++i) total += w.data()[i], alike &= w.data()[i] == w.data()[0];
    double *at = v.data();
    Point here = looked_at(z.data(), t.data(), w.data(), n, alike, at[0], at[1]);
    for (int64_t round = 0; round < most; ++round) {
        const double *s = here.slope;
        if (!(std::fmax(std::fabs(s[0]), std::fabs(s[1])) > FLAT * total)) break;
        const double a = here.curvature[0] + STIFF * total, b = here.curvature[1];
        const double c = here.curvature[2] + STIFF * total, det = a * c - b * b;
        const double step[2] = {(c * s[0] - b * s[1]) / det, (a * s[1] - b * s[0]) / det};
        const double longest = std::fmax(std::fabs(step[0]), std::fabs(step[1]));
        if (!std::isfinite(longest)) break;
        if (longest < SMALL) {
            for (int k = 0; k < 2; ++k) at[k] -= step[k];
            break;
        }
        double share = 1;
        Point next = looked_at(z.data(), t.data(), w.data(), n, alike, at[0] - step[0], at[1] - step[1]);
        while (next.loss > here.loss && share > SHORTEST) {
            share /= 2;
            next = looked_at(z.data(), t.data(), w.data(), n, alike, at[0] - share * step[0], at[1] - share * step[1]);
        }
        if (!(next.loss < here.loss)) break;  // rounding is all that is left
        here = next, at[0] = here.v[0], at[1] = here.v[1];
    }
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) { define(m, "climb", &climb, "z", "t", "w", "most", "v"); }
