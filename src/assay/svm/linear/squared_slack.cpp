// Newton's method for squared slacks: a piecewise quadratic function of the weights v = (w, b / s).
//
//     E(v) = 1/2 v'v + sum_i  u_i max(0, t_i - z_i - e)^2 + l_i max(0, z_i - t_i - e)^2,    z_i = x_i . w + s v_d
//
// A row counts 2 u_i or 2 l_i in the matrix of second derivatives while its slack is above 0, and nothing else. So from
// one step to the next only rows that begin or cease to have slack change the matrix: near the minimum few do, and a
// step costs two passes over the rows. The minimum is reached after finitely many steps.
//
//     respond   loss, slopes G = dE/dz and second derivatives of the losses
//     newton    some steps; z, the curvatures c of the rows and the matrix H are kept between calls
//
// Twins in NumPy: tests/svm/linear/test_squared_slack.py.
#include <algorithm>
#include <cmath>
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"

using namespace assay;

namespace {

struct Table {
    In2<double> X;  // (n, d)
    In1<double> target, above, below;  // (n,) t, u, l
    double epsilon, constant;  // e, s; s = 0 for no constant
    void check() const {
        const int64_t n = int64_t(X.shape(0));
        require(length(target) == n && length(above) == n && length(below) == n, "target and prices: one for each row");
    }
};

struct View {
    const double *x, *target, *above, *below;
    double epsilon, constant;
    int64_t n, d, p;  // p weights: d, and one more if there is a constant
};

View seen(const Table &table) {
    const int64_t d = int64_t(table.X.shape(1));
    return {table.X.data(),
            table.target.data(),
            table.above.data(),
            table.below.data(),
            table.epsilon,
            table.constant,
            int64_t(table.X.shape(0)),
            d,
            d + (table.constant != 0)};
}

// The sum of a_j b_j in eight lanes, which do not wait for each other.
inline __attribute__((always_inline)) double dot(const double *a, const double *b, int64_t d) {
    double lane[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    int64_t j = 0;
    for (; j + 8 <= d; j += 8)
        for (int k = 0; k < 8; ++k) lane[k] += a[j + k] * b[j + k];
    double sum = ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
    for (; j < d; ++j) sum += a[j] * b[j];
    return sum;
}

// The slope of a row's loss in z, its second derivative, and the loss.
inline __attribute__((always_inline)) double bent(const View &t, int64_t i, double z, double &slope,
                                                  double &curvature) {
    const double r = t.target[i] - z, over = r - t.epsilon, under = -r - t.epsilon;
    const double u = over > 0 ? t.above[i] : 0.0, l = under > 0 ? t.below[i] : 0.0;
    slope = -2 * u * over + 2 * l * under;
    curvature = 2 * u + 2 * l;
    return u * over * over + l * under * under;
}

HOT double respond_loop(const View &t, const double *z, double *G, double *c) {
    double loss = 0;
    for (int64_t i = 0; i < t.n; ++i) loss += bent(t, i, z[i], G[i], c[i]);
    return loss;
}

// u = (X, s) p
HOT void scores_loop(const View &t, const double *p, double *u) {
    const double add = t.constant != 0 ? t.constant * p[t.d] : 0.0;
    for (int64_t i = 0; i < t.n; ++i) u[i] = dot(t.x + i * t.d, p, t.d) + add;
}

// g += (X, s)' G
HOT void slopes_loop(const View &t, const double *G, double *g) {
    double sum = 0;
    for (int64_t i = 0; i < t.n; ++i) {
        const double a = G[i], *x = t.x + i * t.d;
        if (a == 0) continue;
        for (int64_t j = 0; j < t.d; ++j) g[j] += a * x[j];
        sum += a;
    }
    if (t.constant != 0) g[t.d] += t.constant * sum;
}

constexpr int64_t ROWS = 64, TALL = 6, WIDE = 8;  // rows of a pack; a tile of H that stays in registers

// H (upper triangle, rows of `wide` entries) += left' right over the rows of a pack
HOT void tiles_loop(const double *left, const double *right, int64_t rows, int64_t tall, int64_t wide, double *H) {
    for (int64_t a = 0; a < tall; a += TALL)
        for (int64_t b = a / WIDE * WIDE; b < wide; b += WIDE) {
            double tile[TALL][WIDE] = {};
            for (int64_t r = 0; r < rows; ++r) {
                const double *f = left + r * tall + a, *x = right + r * wide + b;
                for (int i = 0; i < TALL; ++i)
                    for (int k = 0; k < WIDE; ++k) tile[i][k] += f[i] * x[k];
            }
            for (int i = 0; i < TALL; ++i)
                for (int k = 0; k < WIDE; ++k) H[(a + i) * wide + b + k] += tile[i][k];
        }
}

// H += sum over the rows listed of weight (x, s)(x, s)'; both triangles of the (p, p) matrix.
void add_rows(const View &t, const std::vector<int64_t> &list, const std::vector<double> &weight, double *H) {
    const int64_t p = t.p, tall = (p + TALL - 1) / TALL * TALL, wide = (p + WIDE - 1) / WIDE * WIDE;
    std::vector<double> left(size_t(ROWS * tall)), right(size_t(ROWS * wide)), sum(size_t(tall * wide));
    for (size_t first = 0; first < list.size(); first += ROWS) {
        const int64_t rows = std::min<int64_t>(ROWS, int64_t(list.size() - first));
        for (int64_t r = 0; r < rows; ++r) {
            const double *x = t.x + list[first + size_t(r)] * t.d, f = weight[first + size_t(r)];
            double *a = left.data() + r * tall, *b = right.data() + r * wide;
            for (int64_t j = 0; j < t.d; ++j) a[j] = f * x[j], b[j] = x[j];
            if (t.constant != 0) a[t.d] = f * t.constant, b[t.d] = t.constant;
        }
        tiles_loop(left.data(), right.data(), rows, tall, wide, sum.data());
    }
    for (int64_t a = 0; a < p; ++a)
        for (int64_t b = a; b < p; ++b) {
            H[a * p + b] += sum[size_t(a * wide + b)];
            if (b > a) H[b * p + a] = H[a * p + b];
        }
}

// p = -H^-1 g by Cholesky's factors of H in units in which its diagonal is 1; a pivot lost in rounding is made stiff.
void solve(const double *H, const double *g, int64_t p, std::vector<double> &L, std::vector<double> &unit,
           double *step) {
    for (int64_t j = 0; j < p; ++j) unit[size_t(j)] = 1 / std::sqrt(H[j * p + j]);
    for (int64_t a = 0; a < p; ++a) {
        double *row = L.data() + a * p;
        for (int64_t b = 0; b < a; ++b)
            row[b] = (H[a * p + b] * unit[size_t(a)] * unit[size_t(b)] - dot(row, L.data() + b * p, b)) *
                     L[size_t(b * p + b)];
        const double pivot = 1 - dot(row, row, a);
        row[a] = pivot > 1e-15 ? 1 / std::sqrt(pivot) : 1e-4;  // the inverse of the factor's diagonal
    }
    for (int64_t a = 0; a < p; ++a)
        step[a] = (-g[a] * unit[size_t(a)] - dot(L.data() + a * p, step, a)) * L[size_t(a * p + a)];
    for (int64_t a = p - 1; a >= 0; --a) {
        step[a] *= L[size_t(a * p + a)];
        for (int64_t b = 0; b < a; ++b) step[b] -= L[size_t(a * p + b)] * step[a];
    }
    for (int64_t a = 0; a < p; ++a) step[a] *= unit[size_t(a)];
}

// E, its slope and curvature in a of v + a step
struct Along {
    double value, slope, curvature;
};
HOT Along along_loop(const View &t, const double *z, const double *u, double a) {
    double loss = 0, slope = 0, curvature = 0;
    for (int64_t i = 0; i < t.n; ++i) {
        double g, c;
        loss += bent(t, i, z[i] + a * u[i], g, c);
        slope += g * u[i];
        curvature += c * u[i] * u[i];
    }
    return {loss, slope, curvature};
}

// About the lowest point of v + a step, a > 0: Newton's method on the line, between points where E falls and rises.
double line(const View &t, const double *z, const double *u, double vv, double vs, double ss, double start,
            double slope) {
    double low = 0, high = std::numeric_limits<double>::infinity(), a = 1, best = 0, least = start;
    for (int round = 0; round < 40; ++round) {
        Along here = along_loop(t, z, u, a);
        here.value += 0.5 * vv + a * vs + 0.5 * a * a * ss;
        here.slope += vs + a * ss;
        here.curvature += ss;
        if (here.value <= least) best = a, least = here.value;
        if (std::fabs(here.slope) <= -0.1 * slope && here.value <= start) return a;
        (here.slope < 0 ? low : high) = a;
        const double guess = here.curvature > 0 ? a - here.slope / here.curvature : -1;
        a = guess > low && guess < high ? guess : std::isinf(high) ? 2 * a : 0.5 * (low + high);
        if (high - low <= 1e-14 * high) break;
    }
    return best;
}

double respond(const Table &table, In1<double> z, InOut1<double> G, InOut1<double> c) {
    const View t = seen(table);
    require(length(z) == t.n && length(G) == t.n && length(c) == t.n, "z, G and c: one for each row");
    nb::gil_scoped_release free;
    return respond_loop(t, z.data(), G.data(), c.data());
}

void scores(const Table &table, In1<double> v, InOut1<double> z) {
    const View t = seen(table);
    require(length(v) == t.p && length(z) == t.n, "one weight a column, one score a row");
    nb::gil_scoped_release free;
    scores_loop(t, v.data(), z.data());
}

// Up to `steps` steps. Returns the steps made, E, and half of what a full step promises: below tol times E it stops.
nb::tuple newton(const Table &table, double tol, int64_t steps, InOut1<double> v, InOut1<double> z, InOut1<double> c,
                 InOut2<double> H) {
    const View t = seen(table);
    require(length(v) == t.p && length(z) == t.n && length(c) == t.n, "one weight a column, one score a row");
    require(int64_t(H.shape(0)) == t.p && int64_t(H.shape(1)) == t.p, "H: a row and a column for each weight");
    require(steps >= 0, "steps from 0 up");
    int64_t made = 0;
    double value = 0, promise = 0;
    bool done = false;
    {
        nb::gil_scoped_release free;
        const int64_t n = t.n, p = t.p;
        std::vector<double> G(static_cast<size_t>(n)), now(static_cast<size_t>(n)), u(static_cast<size_t>(n));
        std::vector<double> g(static_cast<size_t>(p)), step(static_cast<size_t>(p)), unit(static_cast<size_t>(p));
        std::vector<double> L(static_cast<size_t>(p * p)), weight;
        std::vector<int64_t> list;
        double *point = v.data(), *score = z.data(), *kept = c.data(), *matrix = H.data();
        bool fresh = false;  // whether the matrix was added up from nothing at this point
        while (true) {
            value = respond_loop(t, score, G.data(), now.data());
            int64_t active = 0, changed = 0;
            for (int64_t i = 0; i < n; ++i) active += now[size_t(i)] != 0, changed += now[size_t(i)] != kept[i];
            fresh = fresh || 2 * changed > active || !(matrix[0] > 0);
            if (fresh) {
                std::fill(matrix, matrix + p * p, 0.0);
                for (int64_t j = 0; j < p; ++j) matrix[j * p + j] = 1;
            }
            list.clear(), weight.clear();
            for (int64_t i = 0; i < n; ++i) {
                const double add = fresh ? now[size_t(i)] : now[size_t(i)] - kept[i];
                if (add != 0) list.push_back(i), weight.push_back(add);
                kept[i] = now[size_t(i)];
            }
            add_rows(t, list, weight, matrix);
            double vv = 0;
            for (int64_t j = 0; j < p; ++j) g[size_t(j)] = point[j], vv += point[j] * point[j];
            value += 0.5 * vv;
            slopes_loop(t, G.data(), g.data());
            solve(matrix, g.data(), p, L, unit, step.data());
            const double slope = dot(g.data(), step.data(), p);
            promise = -0.5 * slope;
            done = promise <= tol * value;
            if (done || made >= steps || !std::isfinite(value)) break;
            double length = 0;
            if (slope < 0) {
                scores_loop(t, step.data(), u.data());
                length = line(t, score, u.data(), vv, dot(point, step.data(), p), dot(step.data(), step.data(), p),
                              value, slope);
            }
            if (length == 0) {
                if (fresh) break;  // nothing but rounding is left
                fresh = true;  // differences have worn the matrix out
                continue;
            }
            fresh = false;
            for (int64_t j = 0; j < p; ++j) point[j] += length * step[size_t(j)];
            for (int64_t i = 0; i < n; ++i) score[i] += length * u[size_t(i)];
            ++made;
        }
    }
    return nb::make_tuple(made, value, promise, done);
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    record<Table>(m, "Table", field("X", &Table::X), field("target", &Table::target), field("above", &Table::above),
                  field("below", &Table::below), field("epsilon", &Table::epsilon),
                  field("constant", &Table::constant));
    define(m, "respond", &respond, "table", "z", "G", "c");
    define(m, "scores", &scores, "table", "v", "z");
    define(m, "newton", &newton, "table", "tol", "steps", "v", "z", "c", "H");
}
