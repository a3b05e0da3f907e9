// Reinsch's smoothing spline: a natural cubic spline g through m knots, its second derivatives c at the inner ones.
//
//     B c = Q' y,   B = R + lambda Q' W^-1 Q,   g = y - lambda W^-1 Q c
//
// with steps h_i = x_{i+1} - x_i; R tridiagonal: (h_i + h_{i+1}) / 3 and h_{i+1} / 6; column j of Q: 1 / h_j,
// -1 / h_j - 1 / h_{j+1}, 1 / h_{j+1}. B itself is ill conditioned (as m^4 and worse), so it is never made: with
// R = C C' the same c is the least-squares solution of
//
//     [ C'                       ]       [ 0                      ]
//     [ lambda^1/2 W^-1/2 Q      ] c  =  [ W^1/2 y / lambda^1/2   ]
//
// whose matrix has the root of that condition. Rotations make it a triangle U of three diagonals, B = U'U. The
// leverages are posterior variances of a curve whose slope wanders, found from both ends. All takes O(m).
//
// Checked by the caller: rising knots, weights above 0. Twin in NumPy: tests/smoothers/test_splines.py.
#include <algorithm>
#include <cmath>
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"

using namespace assay;

namespace {

struct Triangle {
    std::vector<double> a, b, c;  // the diagonal of U, and the two right of it
    explicit Triangle(int64_t k) : a(k), b(k), c(k) {}
};

// Rotate a row with entries in columns j, j + 1 and j + 2 into the triangle, and its right side r with it.
void insert(Triangle &U, double *right, int64_t k, int64_t j, double p, double q, double s, double r) {
    for (; j < k && (p != 0 || q != 0 || s != 0); ++j) {
        if (p != 0) {
            const double size = std::hypot(U.a[j], p), cos = U.a[j] / size, sin = p / size;
            const double b = U.b[j], c = U.c[j];
            U.a[j] = size;
            U.b[j] = cos * b + sin * q, q = cos * q - sin * b;
            U.c[j] = cos * c + sin * s, s = cos * s - sin * c;
            if (right) {
                const double old = right[j];
                right[j] = cos * old + sin * r, r = cos * r - sin * old;
            }
        }
        p = q, q = s, s = 0;
    }
}

// U, and with z (m,) the rotated right side of z.
Triangle factored(const double *x, const double *w, int64_t m, double lambda, const double *z, double *right) {
    const int64_t k = m - 2;
    Triangle U(k);
    const double root = std::sqrt(lambda);
    double below = 0;  // of C, the entry left of its diagonal
    for (int64_t i = 0; i < m; ++i) {
        const double before = i >= 1 ? 1 / (x[i] - x[i - 1]) : 0, after = i + 1 < m ? 1 / (x[i + 1] - x[i]) : 0;
        const double scale = root / std::sqrt(w[i]), r = z ? z[i] : 0;
        double row[3] = {i >= 2 ? before : 0, i >= 1 && i <= m - 2 ? -before - after : 0, i <= m - 3 ? after : 0};
        int64_t first = i - 2;
        if (first < 0) {  // columns -2 and -1 are not there
            row[0] = row[-first], row[1] = -first == 1 ? row[2] : 0, row[2] = 0;
            first = 0;
        }
        insert(U, right, k, first, scale * row[0], scale * row[1], scale * row[2], r);
        const int64_t j = i - 1;  // the row of C' that ends in column i
        if (j >= 0 && j < k) {
            const double diagonal = std::sqrt((x[j + 2] - x[j]) / 3 - below * below);
            below = (x[j + 2] - x[j + 1]) / 6 / diagonal;
            insert(U, right, k, j, diagonal, j + 1 < k ? below : 0, 0, 0);
        }
    }
    return U;
}

void solve_upper(const Triangle &U, double *v, int64_t k) {
    for (int64_t j = k - 1; j >= 0; --j) {
        if (j + 1 < k) v[j] -= U.b[j] * v[j + 1];
        if (j + 2 < k) v[j] -= U.c[j] * v[j + 2];
        v[j] /= U.a[j];
    }
}

void solve(const Triangle &U, double *v, int64_t k) {  // U'U v = v
    for (int64_t j = 0; j < k; ++j) {
        if (j >= 1) v[j] -= U.b[j - 1] * v[j - 1];
        if (j >= 2) v[j] -= U.c[j - 2] * v[j - 2];
        v[j] /= U.a[j];
    }
    solve_upper(U, v, k);
}

// v (k,) -> Q v (m,)
double times_q(const double *x, const double *v, int64_t m, int64_t i) {
    double sum = 0;
    if (i <= m - 3) sum += v[i] / (x[i + 1] - x[i]);
    if (i >= 1 && i <= m - 2) sum -= v[i - 1] * (1 / (x[i] - x[i - 1]) + 1 / (x[i + 1] - x[i]));
    if (i >= 2) sum += v[i - 2] / (x[i] - x[i - 1]);
    return sum;
}

double q_times(const double *x, const double *y, int64_t j) {
    return (y[j + 2] - y[j + 1]) / (x[j + 2] - x[j + 1]) - (y[j + 1] - y[j]) / (x[j + 1] - x[j]);
}

void check(int64_t m, int64_t weights) {
    require(m >= 3 && weights == m, "a spline needs three knots, each with a weight");
}

// What the knots on one side say about value and slope at a place: the precisions [[a, b], [b, s + b^2 / a]].
struct Known {
    double a = 0, b = 0, s = 0;

    double middle() const { return a > 0 ? b / a : 0.0; }
    double slope() const { return s + b * middle(); }

    void see(double w) {  // a number of weight w at this place
        if (a > 0) s += w * b * middle() / (a + w);
        a += w;
    }

    // Go h on; meanwhile the slope has wandered with the variance h / lambda.
    void go(double h, double rate) {
        b -= a * h;
        const double r = h * rate, along = h + 1.5 * middle();
        const double trace = r * (s + 0.25 * b * middle() + a / 3 * along * along);
        const double all = 1 + trace + a * s * r * r * h * h / 12;
        b = (b - a * s * r * h / 2) / all;
        a = a * (1 + s * r) / all;
        s = s / (1 + s * r);
    }
};

// Leverages as precisions: knot i is known from the left, from the right, and by its own weight. Sums of positive terms
// only, so that none is lost to rounding, as 1 - lambda W^-1 diag(Q B^-1 Q') would be.
void leverages(const double *x, const double *w, int64_t m, double lambda, double *own) {
    const double rate = std::min(1 / lambda, 1e60);
    std::vector<Known> left(m);
    Known side;
    for (int64_t i = 0; i + 1 < m; ++i) {
        side.see(w[i]);
        side.go(x[i + 1] - x[i], rate);
        left[i + 1] = side;
    }
    side = Known();
    for (int64_t i = m - 1; i >= 0; --i) {
        const Known &l = left[i];
        const double slope = l.slope() + side.slope(), apart = l.middle() + side.middle();  // mirrored: its b is -b
        const double rest = (l.a + side.a) * (l.s + side.s) + l.a * side.a * apart * apart;
        own[i] = w[i] * slope / (rest + w[i] * slope);
        side.see(w[i]);
        if (i > 0) side.go(x[i] - x[i - 1], rate);
    }
}

void smooth(In1<double> x,          // in   (m,)  rising
            In1<double> y,          // in   (m,)
            In1<double> w,          // in   (m,)  above 0
            double lambda,
            InOut1<double> g,       // out  (m,)  the spline at the knots
            InOut1<double> c,       // out  (m,)  its second derivatives there, 0 at the ends
            InOut1<double> own) {   // out  (m,)  leverages, or (0,)
    const int64_t m = x.shape(0), k = m - 2;
    check(m, w.shape(0));
    require(int64_t(y.shape(0)) == m && int64_t(g.shape(0)) == m && int64_t(c.shape(0)) == m, "a value for each knot");
    require(own.shape(0) == 0 || int64_t(own.shape(0)) == m, "a leverage for each knot");
    nb::gil_scoped_release unlocked;
    const double *X = x.data(), *W = w.data();
    double *inner = c.data() + 1;
    c.data()[0] = c.data()[m - 1] = 0;
    std::vector<double> z(m);
    for (int64_t i = 0; i < m; ++i) z[i] = std::sqrt(W[i]) * y.data()[i];
    std::fill(inner, inner + k, 0.0);
    const Triangle U = factored(X, W, m, lambda, z.data(), inner);
    if (lambda > 0) {
        solve_upper(U, inner, k);
        const double root = std::sqrt(lambda);
        for (int64_t j = 0; j < k; ++j) inner[j] /= root;
    } else {
        for (int64_t j = 0; j < k; ++j) inner[j] = q_times(X, y.data(), j);
        solve(U, inner, k);
    }
    for (int64_t i = 0; i < m; ++i) g.data()[i] = y.data()[i] - lambda / W[i] * times_q(X, inner, m, i);
    if (own.shape(0) == 0) return;
    leverages(X, W, m, lambda, own.data());
}

void shares(In1<double> x, In1<double> w, double lambda,
            InOut2<double> on_values,   // in   (q, m) how much an answer takes of each g;  out  of each y instead
            InOut2<double> on_bends) {  // in   (q, m) how much it takes of each c; spoiled
    const int64_t m = x.shape(0), k = m - 2, q = on_values.shape(0);
    check(m, w.shape(0));
    require(int64_t(on_values.shape(1)) == m && int64_t(on_bends.shape(1)) == m && int64_t(on_bends.shape(0)) == q,
            "a part for each knot");
    nb::gil_scoped_release unlocked;
    const double *X = x.data(), *W = w.data();
    const Triangle U = factored(X, W, m, lambda, nullptr, nullptr);
    std::vector<double> scaled(m);
    for (int64_t i = 0; i < q; ++i) {  // s = a + Q B^-1 (b - lambda Q' W^-1 a)
        double *a = on_values.data() + i * m, *b = on_bends.data() + i * m + 1;
        for (int64_t t = 0; t < m; ++t) scaled[t] = a[t] / W[t];
        for (int64_t j = 0; j < k; ++j) b[j] -= lambda * q_times(X, scaled.data(), j);
        solve(U, b, k);
        for (int64_t t = 0; t < m; ++t) a[t] += times_q(X, b, m, t);
    }
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    m.doc() = "Smoothing splines in linear time.";
    define(m, "smooth", &smooth, "x", "y", "w", "penalty", "g", "c", "leverages");
    define(m, "shares", &shares, "x", "w", "penalty", "on_values", "on_bends");
}
