// Rows given their neighbours, under a Gaussian process: Vecchia's approximation, one row at a time.
//
//     y_i | y_N ~ N(b'y_N, v),    b = C^-1 c,    v = k - c'C^-1 c                                               (1)
//
// with C the covariances of the neighbours N (noise on the diagonal), c those of row i with them and k its own. C, c, k
// and the targets are eliminated together as one matrix, so that the factor, the solutions and v come out of one loop.
// With e = y_i - b'y_N, s = (e^2 / v - 1) / (2 v), g = C^-1 y_N, w = (e / v) g, and b and w lengthened by -1 and 0 for
// the row itself, the log density of the row changes with an entry of the covariances by
//
//     d ln p / d K_ab = 2 s b_a b_b - b_a w_b - w_a b_b    (a /= b, K_ba with it),    s b_a^2 - b_a w_a    (a = b)  (2)
//
// The kernel is a sum of terms, each a variance times a profile of the distance after columns are divided by length
// scales; its rows are given so divided, term by term.
//
// Twin in NumPy: tests/processes/test_vecchia.py, by_the_book.
#include <algorithm>
#include <cmath>
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"
#include "assay/exponential.hpp"

using namespace assay;

namespace {

constexpr int64_t MOST_NEIGHBOURS = 1024, MOST_TERMS = 16, MOST_COLUMNS = 64;

enum Kind { CONSTANT, GAUSSIAN, MATERN_1, MATERN_3, MATERN_5, KINDS };  // the profiles

struct Terms {
    In1<int64_t> kind;  // in  (t,)  a Kind
    In1<double> variance;  // in  (t,)

    void check() const {
        require(length(kind) <= MOST_TERMS, "vecchia: too many terms");
        require(length(kind) == length(variance), "vecchia: terms do not fit");
        require(within(kind, 0, KINDS), "vecchia: no such profile");
    }
};

struct Points {
    In2<double> scaled;  // in  (N, t d)  rows as each term wants them
    In1<double> noise;  // in  (N,)
    In2<double> Y;  // in  (N, T)
    In2<int64_t> neighbours;  // in  (q, m)    of the last q points, among all; from the first -1 on there are none

    void check() const {
        const int64_t N = length(scaled), q = length(neighbours), m = int64_t(neighbours.shape(1));
        require(length(noise) == N && length(Y) == N, "vecchia: points do not fit");
        require(q <= N && m <= MOST_NEIGHBOURS, "vecchia: neighbours do not fit");
        require(within(neighbours, -1, N), "vecchia: a neighbour that is no point");
    }
};

// out += variance k(r^2) and slope = variance g(r^2), g = -2 k', for n squared distances.
INLINE void profile(int64_t kind, double variance, const double *squares, int64_t n, double *value, double *slope) {
    const auto each = [&](auto k) __attribute__((always_inline)) {
        for (int64_t a = 0; a < n; ++a) k(a);
    };
    switch (kind) {
        case CONSTANT: each([&](int64_t a) { value[a] = variance, slope[a] = 0.0; }); break;
        case GAUSSIAN: each([&](int64_t a) { value[a] = slope[a] = variance * exponential(-0.5 * squares[a]); }); break;
        case MATERN_1:
            each([&](int64_t a) {
                const double z = std::sqrt(squares[a]), e = variance * exponential(-z);
                value[a] = e, slope[a] = z > 0 ? e / z : 0.0;
            });
            break;
        case MATERN_3:
            each([&](int64_t a) {
                const double z = std::sqrt(3.0 * squares[a]), e = variance * exponential(-z);
                value[a] = (1.0 + z) * e, slope[a] = 3.0 * e;
            });
            break;
        default:
            each([&](int64_t a) {
                const double z = std::sqrt(5.0 * squares[a]), e = variance * exponential(-z);
                value[a] = (1.0 + z + z * z / 3.0) * e, slope[a] = 5.0 / 3.0 * (1.0 + z) * e;
            });
    }
}

// What one row needs; p = m + 1 points, the row itself last, and T targets beside them.
struct Work {
    int64_t m, t, d, T, stride;
    std::vector<double> place, value, slope, U, squares, b, w, g;

    Work(int64_t m_, int64_t t_, int64_t d_, int64_t T_)
        : m(m_), t(t_), d(d_), T(T_), stride(m_ + 1), place(size_t((t_ * d_) * (m_ + 1))),
          value(size_t(t_ * (m_ + 1) * (m_ + 1))), slope(value.size()), U(size_t((m_ + 1) * (m_ + 1 + T_))),
          squares(size_t(m_ + 1)), b(size_t(m_ + 1)), w(size_t(m_ + 1)), g(size_t(m_ + 1)) {}
};

// The covariances of k neighbours and the row itself into U, upper triangle, beside them their targets.
INLINE void covariances(const Terms &terms, const Points &points, const int64_t *near, int64_t k, int64_t row,
                        Work &work) {
    const int64_t p = k + 1, width = work.m + 1 + work.T, columns = work.t * work.d;
    for (int64_t a = 0; a < p; ++a) {
        const double *x = points.scaled.data() + (a < k ? near[a] : row) * columns;
        for (int64_t c = 0; c < columns; ++c) work.place[size_t(c * work.stride + a)] = x[c];
    }
    for (int64_t a = 0; a < p; ++a) {
        const int64_t at = a < k ? near[a] : row;
        double *u = work.U.data() + a * width;
        std::fill(u + a, u + p, 0.0);
        for (int64_t t = 0; t < work.t; ++t) {
            double *squares = work.squares.data();
            std::fill(squares + a, squares + p, 0.0);
            for (int64_t j = 0; j < work.d; ++j) {
                const double *x = work.place.data() + (t * work.d + j) * work.stride;
                const double xa = x[a];
                for (int64_t b = a; b < p; ++b) squares[b] += (x[b] - xa) * (x[b] - xa);
            }
            const int64_t begin = (t * work.stride + a) * work.stride;
            double *value = work.value.data() + begin, *slope = work.slope.data() + begin;
            profile(terms.kind.data()[t], terms.variance.data()[t], squares + a, p - a, value + a, slope + a);
            for (int64_t b = a; b < p; ++b) u[b] += value[b];
        }
        u[a] += points.noise.data()[at];
        const double *y = points.Y.data() + at * work.T;
        for (int64_t t = 0; t < work.T; ++t) u[p + t] = y[t];
    }
}

// U'U = the covariances, in place, and the columns of targets solved with U'. False if one is not positive.
INLINE bool eliminate(int64_t p, Work &work) {
    const int64_t width = work.m + 1 + work.T, all = p + work.T;
    for (int64_t a = 0; a < p; ++a) {
        double *u = work.U.data() + a * width;
        for (int64_t c = 0; c < a; ++c) {  // u -= U[c, a] U[c]
            const double *before = work.U.data() + c * width, f = before[a];
            for (int64_t b = a; b < all; ++b) u[b] -= f * before[b];
        }
        if (!(u[a] > 0)) return false;
        const double inverse = 1.0 / std::sqrt(u[a]);
        for (int64_t b = a; b < all; ++b) u[b] *= inverse;
    }
    return true;
}

// x = U^-1 x over the first k rows.
INLINE void back(int64_t k, const Work &work, double *x) {
    const int64_t width = work.m + 1 + work.T;
    for (int64_t a = k - 1; a >= 0; --a) {
        const double *u = work.U.data() + a * width;
        double sum = x[a];
        for (int64_t b = a + 1; b < k; ++b) sum -= u[b] * x[b];
        x[a] = sum / u[a];
    }
}

INLINE int64_t known(const int64_t *near, int64_t m) {
    int64_t k = 0;
    while (k < m && near[k] >= 0) ++k;
    return k;
}

// The sums of all rows from begin to end: the log density, its derivatives by the logs of each term's variance, of its
// length scales, and by the noise of all points alike. The first row without a positive variance, or -1.
HOT int64_t sum_rows(const Terms &terms, const Points &points, int64_t begin, int64_t end, Work &work, double *total,
                     double *by_variance, double *by_scale, double *by_noise) {
    const int64_t first = length(points.scaled) - length(points.neighbours), m = work.m, T = work.T;
    const int64_t width = m + 1 + T, stride = work.stride;
    for (int64_t i = begin; i < end; ++i) {
        const int64_t *near = points.neighbours.data() + i * m, k = known(near, m), p = k + 1;
        covariances(terms, points, near, k, first + i, work);
        if (!eliminate(p, work)) return i;
        const double *last = work.U.data() + k * width, v = last[k] * last[k];
        double *b = work.b.data(), *w = work.w.data(), *g = work.g.data();
        for (int64_t a = 0; a < k; ++a) b[a] = work.U[size_t(a * width + k)];
        back(k, work, b);
        double squares = 0;
        std::fill(w, w + p, 0.0);
        for (int64_t t = 0; t < T; ++t) {
            const double ratio = last[p + t];  // e / sqrt(v)
            squares += ratio * ratio;
            for (int64_t a = 0; a < k; ++a) g[a] = work.U[size_t(a * width + p + t)];
            back(k, work, g);
            const double factor = ratio / last[k];
            for (int64_t a = 0; a < k; ++a) w[a] += factor * g[a];
        }
        *total -= 0.5 * (squares + double(T) * std::log(6.283185307179586477 * v));
        const double s = 0.5 * (squares - double(T)) / v;
        b[k] = -1.0;
        double diagonal = 0;
        for (int64_t a = 0; a < p; ++a) diagonal += s * b[a] * b[a] - b[a] * w[a];
        *by_noise += diagonal;
        for (int64_t t = 0; t < work.t; ++t) {
            double by_value = diagonal * terms.variance.data()[t];
            for (int64_t a = 0; a < k; ++a) {
                const double *value = work.value.data() + (t * stride + a) * stride;
                double *slope = work.slope.data() + (t * stride + a) * stride;
                const double first_part = 2.0 * s * b[a] - w[a], second_part = b[a];
                double sum = 0;
                for (int64_t c = a + 1; c < p; ++c) {
                    const double weight = first_part * b[c] - second_part * w[c];  // (2)
                    sum += weight * value[c];
                    slope[c] *= weight;
                }
                by_value += sum;
            }
            by_variance[t] += by_value;
            for (int64_t j = 0; j < work.d; ++j) {
                const double *x = work.place.data() + (t * work.d + j) * stride;
                double total_j = 0;
                for (int64_t a = 0; a < k; ++a) {
                    const double *slope = work.slope.data() + (t * stride + a) * stride, xa = x[a];
                    double sum = 0;
                    for (int64_t c = a + 1; c < p; ++c) sum += slope[c] * (x[c] - xa) * (x[c] - xa);
                    total_j += sum;
                }
                by_scale[t * work.d + j] += total_j;
            }
        }
    }
    return -1;
}

// b and v of (1) for the rows from begin to end.
HOT int64_t solve_rows(const Terms &terms, const Points &points, int64_t begin, int64_t end, Work &work, double *coef,
                       double *variance) {
    const int64_t first = length(points.scaled) - length(points.neighbours), m = work.m;
    const int64_t width = m + 1 + work.T;
    for (int64_t i = begin; i < end; ++i) {
        const int64_t *near = points.neighbours.data() + i * m, k = known(near, m);
        covariances(terms, points, near, k, first + i, work);
        double *b = coef + i * m;
        std::fill(b, b + m, 0.0);
        if (!eliminate(k, work)) return i;
        double *u = work.U.data() + k * width;  // the row itself: its variance may be 0
        double v = u[k];
        for (int64_t a = 0; a < k; ++a) v -= work.U[size_t(a * width + k)] * work.U[size_t(a * width + k)];
        variance[i] = v > 0 ? v : 0.0;
        for (int64_t a = 0; a < k; ++a) b[a] = work.U[size_t(a * width + k)];
        back(k, work, b);
    }
    return -1;
}

int64_t columns_of(const Terms &terms, const Points &points) {
    const int64_t t = length(terms.kind), all = int64_t(points.scaled.shape(1));
    require(t == 0 ? all == 0 : all % t == 0, "vecchia: columns do not fit");
    require(t == 0 || all / t <= MOST_COLUMNS, "vecchia: too many columns");
    return t ? all / t : 0;
}

// sums: log density, by the noise, then by each term's variance, then by its length scales.
int64_t evidence(const Terms &terms, const Points &points, int64_t begin, int64_t end, InOut1<double> sums) {
    const int64_t t = length(terms.kind), d = columns_of(terms, points), m = int64_t(points.neighbours.shape(1));
    require(begin >= 0 && begin <= end && end <= length(points.neighbours), "vecchia: rows do not fit");
    require(length(sums) == 2 + t + t * d, "vecchia: sums do not fit");
    const int64_t T = int64_t(points.Y.shape(1));
    require(T >= 1 && T <= 4096, "vecchia: too many targets");
    Work work(m, t, d, T);
    const nb::gil_scoped_release unlocked;
    double *out = sums.data();
    std::fill(out, out + 2 + t + t * d, 0.0);
    return sum_rows(terms, points, begin, end, work, out, out + 2, out + 2 + t, out + 1);
}

int64_t conditionals(const Terms &terms, const Points &points, int64_t begin, int64_t end, InOut2<double> coef,
                     InOut1<double> variance) {
    const int64_t t = length(terms.kind), d = columns_of(terms, points), m = int64_t(points.neighbours.shape(1));
    const int64_t q = length(points.neighbours);
    require(begin >= 0 && begin <= end && end <= q, "vecchia: rows do not fit");
    require(length(coef) == q && int64_t(coef.shape(1)) == m && length(variance) == q, "vecchia: results do not fit");
    const int64_t T = int64_t(points.Y.shape(1));
    require(T >= 1 && T <= 4096, "vecchia: too many targets");
    Work work(m, t, d, T);
    const nb::gil_scoped_release unlocked;
    return solve_rows(terms, points, begin, end, work, coef.data(), variance.data());
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    m.doc() = "Rows given their neighbours, under a Gaussian process.";
    record<Terms>(m, "Terms", field("kind", &Terms::kind), field("variance", &Terms::variance));
    record<Points>(m, "Points", field("scaled", &Points::scaled), field("noise", &Points::noise),
                   field("Y", &Points::Y), field("neighbours", &Points::neighbours));
    define(m, "evidence", &evidence, "terms", "points", "begin", "end", "sums");
    define(m, "conditionals", &conditionals, "terms", "points", "begin", "end", "coef", "variance");
}
