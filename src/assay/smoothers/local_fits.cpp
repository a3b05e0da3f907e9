// Local fits: at each query x a polynomial through the rows near it, each row weighing v_t.
//
//     v_t = prior_t k(|x - x_t| / h),   c = (sum_t v_t f_t f_t')^-1 f(x),   estimate = sum_t s_t y_t,   s_t = v_t f_t'
//     c
//
// f: the monomials of the columns, centred and scaled by the window's weighted means and deviations. Degree 0 is the
// weighted mean, degree -1 the weighted median. A column whose spread in the window is less than 1e-12 of its squared
// range there is left out, and so is a monomial that the ones before it determine: what is left of a window with one
// distinct x is its mean. h is given, or the distance within which the rows' counts add up to k; or the window is the
// k nearest rows themselves, of equally far ones those that come first. A window without weight gives NaN. A query may
// leave out one of the rows, its own; of a row that counts as several, one of these.
//
// Twin in NumPy: tests/smoothers/test_local_fits.py, fit_by_the_book.
#include <algorithm>
#include <limits>
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"
#include "assay/kernel_profiles.hpp"
#include "assay/sorting.hpp"

using namespace assay;

namespace {

constexpr double THIN = 1e-12, DEPENDENT = 1e-10;
constexpr int64_t MOST_FACTORS = 64;  // of one column in a monomial
constexpr int NEAREST = -1;  // instead of a profile: the k nearest rows, all alike
constexpr double NONE = std::numeric_limits<double>::quiet_NaN();

// The sum of f(t) for t < m, in eight lanes that vector code can take at once.
template <class F>
INLINE double total(int64_t m, F f) {
    double lane[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    int64_t t = 0;
    for (; t + 8 <= m; t += 8)
        for (int l = 0; l < 8; ++l) lane[l] += f(t + l);
    double rest = 0;
    for (; t < m; ++t) rest += f(t);
    return ((lane[0] + lane[4]) + (lane[1] + lane[5])) + ((lane[2] + lane[6]) + (lane[3] + lane[7])) + rest;
}

struct Rows {
    const double *x;      // (n, d)
    const double *y;      // (n,)
    const double *count;  // (n,) as how many rows each counts, or null for one each
    const double *prior;  // (n,) its weight before the kernel: the count, or less; or null for ones
    int64_t n;
};

struct Fit {            // what is fitted at a query
    double h, k;             // width, or k > 0: so many neighbours
    int kind, degree;
    In2<int64_t> powers;     // (p, d)
};

struct Way {
    int kind;               // a profile, or NEAREST
    int degree;             // -1 for the median
    const int64_t *powers;  // (p, d) exponents of the monomials, the constant first
    int64_t p;
    double k;  // neighbours, or 0 for a given h
};

struct Scratch {
    std::vector<double> distance, v, near, monomials, gram, right, c, from, mean, scale, pivot;
    std::vector<int64_t> ties;
    Scratch(int64_t n, int64_t d, int64_t p)
        : distance(n), v(n), near(n), monomials(p), gram(p * p), right(p), c(p), from(d), mean(d), scale(d), pivot(p) {}
};

// The weighted mean of the m values, and what each counts.
HOT double mean_of(const double *v, const double *y, int64_t m, double *s) {
    const double all = total(m, [=](int64_t t) { return v[t]; });
    if (!(all > 0)) return NONE;
    if (s)
        for (int64_t t = 0; t < m; ++t) s[t] = v[t] / all;
    return total(m, [=](int64_t t) { return v[t] * y[t]; }) / all;
}

// The value in the middle; between two, their mean.
double median_of(const double *v, const double *y, int64_t m, double *s, std::vector<int64_t> &order) {
    order.clear();
    double all = 0;
    for (int64_t t = 0; t < m; ++t)
        if (v[t] > 0) order.push_back(t), all += v[t];
    if (order.empty()) return NONE;
    std::sort(order.begin(), order.end(), [=](int64_t a, int64_t b) { return ascends(y[a], y[b], a, b); });
    const double half = all / 2, slack = 1e-12 * all;
    double sum = 0;
    int64_t low = -1, high = order.back();
    for (int64_t t : order) {
        sum += v[t];
        if (low < 0 && sum >= half - slack) low = t;
        if (sum > half + slack) {
            high = t;
            break;
        }
    }
    if (s) {
        std::fill(s, s + m, 0.0);
        s[low] += 0.5, s[high] += 0.5;
    }
    return 0.5 * (y[low] + y[high]);
}

// The weighted line of one column at x: the mean, and the slope times the way from it.
HOT double line_at(const double *x, const double *v, const double *y, int64_t m, double at, double *s) {
    const double all = total(m, [=](int64_t t) { return v[t]; });
    if (!(all > 0)) return NONE;
    const double from = x[0];  // differences of rows that are near to each other are exact
    const double shift = total(m, [=](int64_t t) { return v[t] * (x[t] - from); }) / all;
    const auto off = [=](int64_t t) { return (x[t] - from) - shift; };
    const double level = total(m, [=](int64_t t) { return v[t] * y[t]; }) / all;
    const double spread = total(m, [=](int64_t t) { return v[t] * off(t) * off(t); });
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (int64_t t = 0; t < m; ++t) {
        low = v[t] > 0 && x[t] < low ? x[t] : low;
        high = v[t] > 0 && x[t] > high ? x[t] : high;
    }
    const bool thin = !(high > low && spread > THIN * all * (high - low) * (high - low));  // equal x: only rounding
    const double tilt = thin ? 0.0 : ((at - from) - shift) / spread;
    if (s)
        for (int64_t t = 0; t < m; ++t) s[t] = v[t] * (1 / all + tilt * off(t));
    if (thin) return level;
    return level + tilt * total(m, [=](int64_t t) { return v[t] * off(t) * (y[t] - level); });
}

void monomials(const double *x, const Scratch &of, const Way &way, int64_t d, double *f) {
    for (int64_t k = 0; k < way.p; ++k) {
        double product = 1;
        for (int64_t j = 0; j < d; ++j)
            for (int64_t e = way.powers[k * d + j]; e > 0; --e)
                product *= ((x[j] - of.from[j]) - of.mean[j]) * of.scale[j];
        f[k] = product;
    }
}

// Any degree, any number of columns.
HOT double polynomial_at(const double *x, const double *v, const double *y, int64_t m, int64_t d, const double *at,
                         const Way &way, Scratch &my, double *s) {
    const double all = total(m, [=](int64_t t) { return v[t]; });
    if (!(all > 0)) return NONE;
    int64_t first = 0;
    while (!(v[first] > 0)) ++first;
    for (int64_t j = 0; j < d; ++j) {
        double low = std::numeric_limits<double>::infinity(), high = -low, shift = 0, spread = 0;
        const double from = my.from[j] = x[first * d + j];  // differences of rows near to each other are exact
        for (int64_t t = 0; t < m; ++t) {
            if (!(v[t] > 0)) continue;
            low = std::min(low, x[t * d + j]), high = std::max(high, x[t * d + j]);
            shift += v[t] * (x[t * d + j] - from);
        }
        shift = my.mean[j] = shift / all;
        for (int64_t t = 0; t < m; ++t) {
            const double off = (x[t * d + j] - from) - shift;
            spread += v[t] * off * off;
        }
        spread /= all;
        my.scale[j] = high > low && spread > THIN * (high - low) * (high - low) ? 1 / std::sqrt(spread) : 0.0;
    }
    const int64_t p = way.p;
    double *A = my.gram.data(), *b = my.right.data(), *f = my.monomials.data(), *c = my.c.data();
    std::fill(A, A + p * p, 0.0), std::fill(b, b + p, 0.0);
    for (int64_t t = 0; t < m; ++t) {
        if (!(v[t] > 0)) continue;
        monomials(x + t * d, my, way, d, f);
        for (int64_t k = 0; k < p; ++k) {
            const double vf = v[t] * f[k];
            for (int64_t l = 0; l <= k; ++l) A[k * p + l] += vf * f[l];
            b[k] += vf * y[t];
        }
    }
    double *D = my.pivot.data();  // A = L D L', a row whose pivot vanishes left out
    for (int64_t k = 0; k < p; ++k) {
        const double size = A[k * p + k];
        double pivot = size;
        for (int64_t l = 0; l < k; ++l) {
            if (D[l] == 0) {
                A[k * p + l] = 0;
                continue;
            }
            double entry = A[k * p + l];
            for (int64_t q = 0; q < l; ++q) entry -= A[k * p + q] * D[q] * A[l * p + q];
            A[k * p + l] = entry / D[l];
            pivot -= entry * A[k * p + l];
        }
        D[k] = pivot > DEPENDENT * size ? pivot : 0.0;
    }
    monomials(at, my, way, d, f);
    for (int64_t k = 0; k < p; ++k) {
        double value = f[k];
        for (int64_t l = 0; l < k; ++l) value -= D[l] == 0 ? 0.0 : A[k * p + l] * c[l];
        c[k] = D[k] == 0 ? 0.0 : value;
    }
    for (int64_t k = 0; k < p; ++k) c[k] = D[k] == 0 ? 0.0 : c[k] / D[k];
    for (int64_t k = p - 1; k >= 0; --k)
        for (int64_t l = k + 1; l < p; ++l)
            if (D[k] != 0) c[k] -= A[l * p + k] * c[l];
    double estimate = 0;
    for (int64_t k = 0; k < p; ++k) estimate += b[k] * c[k];
    if (s)
        for (int64_t t = 0; t < m; ++t) {
            double product = 0;
            if (v[t] > 0) {
                monomials(x + t * d, my, way, d, f);
                for (int64_t k = 0; k < p; ++k) product += f[k] * c[k];
            }
            s[t] = v[t] * product;
        }
    return estimate;
}

// What is left of a row that counts as several when one is left out, and as how many row t counts.
double kept(const double *count, int64_t t) { return count && count[t] > 1 ? 1 - 1 / count[t] : 0.0; }
double counted(const double *count, int64_t t, int64_t own) {
    const double all = count ? count[t] : 1.0;
    return t == own ? all * kept(count, t) : all;
}

// Exponents that a monomial may have: the loop that multiplies takes as many steps.
bool are_powers(const In2<int64_t> &powers) { return assay::within(powers, 0, MOST_FACTORS + 1); }

bool fits(const In1<double> &a, int64_t n) { return a.shape(0) == 0 || int64_t(a.shape(0)) == n; }

double fit(const double *x, const double *v, const double *y, int64_t m, int64_t d, const double *at, const Way &way,
           Scratch &my, double *s) {
    if (way.degree < 0) return median_of(v, y, m, s, my.ties);
    if (way.degree == 0) return mean_of(v, y, m, s);
    if (way.degree == 1 && d == 1) return line_at(x, v, y, m, at[0], s);
    return polynomial_at(x, v, y, m, d, at, way, my, s);
}

HOT void profile(int kind, const double *distance, const double *prior, int64_t m, double h, double nearest,
                 double *v) {
    if (h > 0) profile_values(kind, distance, m, h, nearest, v);
    else
        for (int64_t t = 0; t < m; ++t) v[t] = distance[t] == 0 ? 1.0 : 0.0;
    if (prior)
        for (int64_t t = 0; t < m; ++t) v[t] *= prior[t];
}

// v: the k nearest rows; of those at the distance h itself, first come first served.
void take_nearest(const double *distance, const double *count, const int64_t *order, int64_t m, int64_t own, double h,
                  double k, Scratch &my) {
    const auto worth = [=](int64_t t) { return counted(count, t, own); };
    my.ties.clear();
    double left = k;
    for (int64_t t = 0; t < m; ++t) {
        my.v[t] = 0;
        if (!(worth(t) > 0)) continue;
        if (distance[t] < h) {
            my.v[t] = worth(t);
            left -= my.v[t];
        } else if (distance[t] == h) {
            my.ties.push_back(t);
        }
    }
    if (order) std::sort(my.ties.begin(), my.ties.end(), [=](int64_t a, int64_t b) { return order[a] < order[b]; });
    for (int64_t t : my.ties) {
        if (!(left > 0)) break;
        my.v[t] = std::min(left, worth(t));
        left -= my.v[t];
    }
}

// ---- one column, sorted: windows are found by bisection ----

struct Span {
    int64_t low, high;  // rows low <= t < high
};

double away(const double *x, double at, int64_t t) { return x[t] < at ? at - x[t] : x[t] - at; }

// The distance within which counts add up to k, without the row `own`.
double radius_on_line(const Rows &rows, double at, double k, int64_t own) {
    const double *x = rows.x;
    const int64_t n = rows.n, place = std::lower_bound(x, x + n, at) - x;
    if (!rows.count) {
        const int64_t whole = int64_t(std::min(double(n), std::ceil(k) + (own >= 0 ? 1 : 0)));  // itself is at 0
        int64_t low = std::max<int64_t>(0, place - whole), high = std::min(place, n - whole);
        while (low < high) {  // the first window whose left end is not farther than the row right of it
            const int64_t middle = (low + high) / 2;
            if (at - x[middle] > x[middle + whole] - at) low = middle + 1;
            else high = middle;
        }
        return std::max(away(x, at, low), away(x, at, low + whole - 1));
    }
    int64_t left = place - 1, right = place;
    double sum = 0, radius = 0;
    while (left >= 0 || right < n) {
        const bool down = right >= n || (left >= 0 && at - x[left] <= x[right] - at);
        const int64_t t = down ? left-- : right++;
        const double worth = counted(rows.count, t, own);
        if (!(worth > 0)) continue;
        radius = away(x, at, t), sum += worth;
        if (sum >= k * (1 - 1e-12)) break;
    }
    return radius;
}

double nearest_on_line(const Rows &rows, double at, int64_t own) {
    const auto counts = [&](int64_t t) {
        return counted(rows.count, t, own) > 0 && (!rows.prior || rows.prior[t] > 0);
    };
    const int64_t place = std::lower_bound(rows.x, rows.x + rows.n, at) - rows.x;
    int64_t left = place - 1, right = place;
    while (left >= 0 && !counts(left)) --left;
    while (right < rows.n && !counts(right)) ++right;
    const double infinite = std::numeric_limits<double>::infinity();
    return std::min(left >= 0 ? at - rows.x[left] : infinite, right < rows.n ? rows.x[right] - at : infinite);
}

Span within(const Rows &rows, double at, double radius) {
    const double *x = rows.x, *end = x + rows.n;
    int64_t low = std::lower_bound(x, end, at - radius) - x, high = std::upper_bound(x, end, at + radius) - x;
    while (low > 0 && at - x[low - 1] <= radius) --low;  // at - radius was rounded
    while (high < rows.n && x[high] - at <= radius) ++high;
    return {low, std::max(low, high)};
}

void on_line(In1<double> x,            // in   (n,)     sorted
             In1<double> y,            // in   (n,)
             In1<double> count,        // in   (n,), or (0,) for ones
             In1<double> prior,        // in   (n,), or (0,) for ones
             In1<int64_t> order,       // in   (n,)     where each row stood before it was sorted
             In1<double> queries,      // in   (q,)
             In1<int64_t> own,         // in   (q,)     a sorted row that its query leaves out, or -1
             const Fit &how,
             InOut1<double> estimate,  // out  (q,)
             InOut2<double> weights) { // out  (q, n) s_t in the order before sorting, zeros when it comes; or (0, 0)
    const auto &[h, k, kind, degree, powers] = how;
    const int64_t n = x.shape(0), q = queries.shape(0), p = powers.shape(0);
    require(int64_t(y.shape(0)) == n && int64_t(order.shape(0)) == n, "the rows do not fit together");
    require(fits(count, n) && fits(prior, n), "the weights do not fit the rows");
    require(int64_t(own.shape(0)) == q && int64_t(estimate.shape(0)) == q, "the queries do not fit together");
    require(powers.shape(1) == 1 && are_powers(powers), "a line has one column, and powers of it");
    const bool all = weights.shape(0) > 0;
    require(!all || (int64_t(weights.shape(0)) == q && int64_t(weights.shape(1)) == n), "no room for the weights");
    for (int64_t t = 0; t < n; ++t) require(order.data()[t] >= 0 && order.data()[t] < n, "a row that is not there");
    nb::gil_scoped_release unlocked;
    const Rows rows{x.data(), y.data(), data_or_null(count), data_or_null(prior), n};
    const Way way{kind, degree, powers.data(), p, k};
    Scratch my(n, 1, p);
    std::vector<double> s(all ? n : 0);
    for (int64_t i = 0; i < q; ++i) {
        const double at = queries.data()[i];
        const int64_t left_out = own.data()[i];
        const double size = k > 0 ? radius_on_line(rows, at, k, left_out) : h;
        double nearest = 0, reached = size;
        if (kind != NEAREST && !reaches_zero(kind) && size > 0) {
            nearest = nearest_on_line(rows, at, left_out);
            if (!std::isfinite(nearest)) nearest = 0;
            reached = size * reach(kind, nearest / size);
        }
        const Span span = within(rows, at, reached);
        const int64_t m = span.high - span.low, inside = left_out - span.low;
        const double *xs = rows.x + span.low, *ys = rows.y + span.low;
        const double *cs = rows.count ? rows.count + span.low : nullptr;
        const double *ps = rows.prior ? rows.prior + span.low : nullptr;
        for (int64_t t = 0; t < m; ++t) my.distance[t] = away(xs, at, t);
        if (kind == NEAREST) {
            take_nearest(my.distance.data(), cs, order.data() + span.low, m, inside, size, k, my);
        } else {
            profile(kind, my.distance.data(), ps, m, size, nearest, my.v.data());
            if (left_out >= 0 && inside >= 0 && inside < m) my.v[inside] *= kept(cs, inside);
        }
        estimate.data()[i] = fit(xs, my.v.data(), ys, m, 1, &at, way, my, all ? s.data() : nullptr);
        if (all && std::isfinite(estimate.data()[i]))
            for (int64_t t = 0; t < m; ++t) weights.data()[i * n + order.data()[span.low + t]] = s[t];
    }
}

// ---- any rows, with their distances ----

double radius_in_space(const double *distance, const double *count, int64_t n, double k, int64_t own, Scratch &my) {
    if (!count) {
        int64_t m = 0;
        for (int64_t t = 0; t < n; ++t)
            if (t != own) my.near[m++] = distance[t];
        if (m == 0) return 0;
        const int64_t place = std::min(m, int64_t(std::min(double(m), std::ceil(k)))) - 1;
        std::nth_element(my.near.begin(), my.near.begin() + place, my.near.begin() + m,
                         [](double a, double b) { return ascends(a, b); });
        return my.near[place];
    }
    my.ties.clear();
    for (int64_t t = 0; t < n; ++t)
        if (counted(count, t, own) > 0) my.ties.push_back(t);
    std::sort(my.ties.begin(), my.ties.end(), [=](int64_t a, int64_t b) { return ascends(distance[a], distance[b]); });
    double sum = 0, radius = 0;
    for (int64_t t : my.ties) {
        radius = distance[t], sum += counted(count, t, own);
        if (sum >= k * (1 - 1e-12)) break;
    }
    return radius;
}

// The fit at one place through n rows with their distances; s (n,) or null.
double at_one(const double *x, const double *y, const double *count, const double *prior, const double *distance,
              int64_t n, int64_t d, const double *at, int64_t own, double h, const Way &way, Scratch &my, double *s) {
    const double size = way.k > 0 ? radius_in_space(distance, count, n, way.k, own, my) : h;
    if (way.kind == NEAREST) {
        take_nearest(distance, count, nullptr, n, own, size, way.k, my);
    } else {
        double nearest = std::numeric_limits<double>::infinity();
        for (int64_t t = 0; t < n; ++t)
            if (distance[t] < nearest && counted(count, t, own) > 0 && (!prior || prior[t] > 0)) nearest = distance[t];
        profile(way.kind, distance, prior, n, size, std::isfinite(nearest) ? nearest : 0.0, my.v.data());
        if (own >= 0 && own < n) my.v[own] *= kept(count, own);
    }
    return fit(x, my.v.data(), y, n, d, at, way, my, s);
}

void in_space(In2<double> x,            // in   (n, d)
              In1<double> y,            // in   (n,)
              In1<double> count,        // in   (n,), or (0,) for ones
              In1<double> prior,        // in   (n,), or (0,) for ones
              In2<double> queries,      // in   (q, d)
              In2<double> distances,    // in   (q, n)   none NaN
              In1<int64_t> own,         // in   (q,)     a row that its query leaves out, or -1
              const Fit &how,
              InOut1<double> estimate,  // out  (q,)
              InOut2<double> weights) { // out  (q, n) s_t, or (0, 0)
    const auto &[h, k, kind, degree, powers] = how;
    const int64_t n = x.shape(0), d = x.shape(1), q = queries.shape(0), p = powers.shape(0);
    require(int64_t(y.shape(0)) == n && int64_t(distances.shape(1)) == n, "the rows do not fit together");
    require(fits(count, n) && fits(prior, n), "the weights do not fit the rows");
    require(int64_t(own.shape(0)) == q && int64_t(estimate.shape(0)) == q && int64_t(distances.shape(0)) == q,
            "the queries do not fit together");
    require(int64_t(powers.shape(1)) == d && int64_t(queries.shape(1)) == d && are_powers(powers),
            "the columns do not fit together");
    const bool all = weights.shape(0) > 0;
    require(!all || (int64_t(weights.shape(0)) == q && int64_t(weights.shape(1)) == n), "no room for the weights");
    nb::gil_scoped_release unlocked;
    const Way way{kind, degree, powers.data(), p, k};
    Scratch my(n, d, p);
    for (int64_t i = 0; i < q; ++i) {
        double *s = all ? weights.data() + i * n : nullptr;
        estimate.data()[i] =
            at_one(x.data(), y.data(), data_or_null(count), data_or_null(prior), distances.data() + i * n, n, d,
                   queries.data() + i * d, own.data()[i], h, way, my, s);
        if (s && !std::isfinite(estimate.data()[i])) std::fill(s, s + n, 0.0);
    }
}

// ---- the same, with lists of the rows that may count ----

void in_lists(In2<double> x, In1<double> y, In1<double> count, In1<double> prior, In2<double> queries,
              In1<int64_t> start,       // in   (q + 1,) where the list of each query begins
              In1<int64_t> rows,        // in   (m,)     row numbers; equally far ones from low to high
              In1<double> distances,    // in   (m,)
              In1<int64_t> own, const Fit &how, InOut1<double> estimate, InOut2<double> weights) {
    const auto &[h, k, kind, degree, powers] = how;
    const int64_t n = x.shape(0), d = x.shape(1), q = queries.shape(0), p = powers.shape(0), m = rows.shape(0);
    require(int64_t(y.shape(0)) == n && int64_t(distances.shape(0)) == m, "the rows do not fit together");
    require(fits(count, n) && fits(prior, n), "the weights do not fit the rows");
    require(int64_t(own.shape(0)) == q && int64_t(estimate.shape(0)) == q && int64_t(start.shape(0)) == q + 1,
            "the queries do not fit together");
    require(int64_t(powers.shape(1)) == d && int64_t(queries.shape(1)) == d && are_powers(powers),
            "the columns do not fit together");
    const bool all = weights.shape(0) > 0;
    require(!all || (int64_t(weights.shape(0)) == q && int64_t(weights.shape(1)) == n), "no room for the weights");
    const int64_t *first = start.data(), *row = rows.data();
    int64_t longest = 0;
    require(first[0] == 0 && first[q] == m, "the lists do not fit the rows");
    for (int64_t i = 0; i < q; ++i) {
        require(first[i] <= first[i + 1], "the lists do not fit the rows");
        longest = std::max(longest, first[i + 1] - first[i]);
    }
    for (int64_t t = 0; t < m; ++t) require(row[t] >= 0 && row[t] < n, "a row that is not there");
    nb::gil_scoped_release unlocked;
    const Way way{kind, degree, powers.data(), p, k};
    Scratch my(longest, d, p);
    std::vector<double> xs(longest * d), ys(longest), cs(longest), ps(longest), s(longest);
    const double *c = data_or_null(count), *w = data_or_null(prior);
    for (int64_t i = 0; i < q; ++i) {
        const int64_t size = first[i + 1] - first[i], *list = row + first[i];
        int64_t left_out = -1;
        for (int64_t t = 0; t < size; ++t) {
            std::copy_n(x.data() + list[t] * d, d, xs.data() + t * d);
            ys[t] = y.data()[list[t]];
            if (c) cs[t] = c[list[t]];
            if (w) ps[t] = w[list[t]];
            if (list[t] == own.data()[i]) left_out = t;
        }
        estimate.data()[i] =
            at_one(xs.data(), ys.data(), c ? cs.data() : nullptr, w ? ps.data() : nullptr, distances.data() + first[i],
                   size, d, queries.data() + i * d, left_out, h, way, my, all ? s.data() : nullptr);
        if (all && std::isfinite(estimate.data()[i]))
            for (int64_t t = 0; t < size; ++t) weights.data()[i * n + list[t]] = s[t];
    }
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    m.doc() = "Polynomials through the rows near a query, weighted by a kernel.";
    record<Fit>(m, "Fit", field("h", &Fit::h), field("k", &Fit::k), field("kind", &Fit::kind),
                field("degree", &Fit::degree), field("powers", &Fit::powers));
    define(m, "on_line", &on_line, "x", "y", "count", "prior", "order", "queries", "left_out", "how", "estimate",
           "weights");
    define(m, "in_space", &in_space, "x", "y", "count", "prior", "queries", "distances", "left_out", "how", "estimate",
           "weights");
    define(m, "in_lists", &in_lists, "x", "y", "count", "prior", "queries", "start", "rows", "distances", "left_out",
           "how", "estimate", "weights");
}
