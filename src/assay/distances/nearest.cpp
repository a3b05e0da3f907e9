// The nearest of many rows, one block of scores at a time.
//
// Each query has a store of at most `cap` candidates (score, row). A row enters while its score is at most the query's
// limit; when the store is full it is cut down to the rows that may still be among the k nearest,
//
//     score <= (k-th smallest score so far) + slack                                                        (1)
//
// where `slack` is twice the rounding error of a score: 0 for exact distances, and what a product of matrices
// may be wrong by otherwise. So no true neighbour is lost, and equal ones stay together. A store that (1) cannot bring
// below its size is given up (count -1), and the caller asks in another way.
//
// Twin in NumPy: tests/distances/test_nearest.py, by_the_book.
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "assay/array.hpp"
#include "assay/edge.hpp"

using namespace assay;

namespace {

struct Candidate {
    double score;
    int64_t row;
};
static_assert(sizeof(Candidate) == 16, "two words a candidate");

inline bool before(const Candidate &a, const Candidate &b) {  // equal scores by the lower row
    return a.score < b.score || (a.score == b.score && a.row < b.row);
}

struct Stores {
    Candidate *all;
    int64_t *count;
    double *limit;
    const double *slack;
    int64_t cap, k;

    void cut(int64_t q) const {  // (1)
        if (count[q] <= k) return;
        Candidate *store = all + q * cap, *const end = store + count[q];
        std::nth_element(store, store + (k - 1), end, before);
        const double farthest = limit[q] = store[k - 1].score + slack[q];
        if (slack[q] == 0) count[q] = k;  // exact scores, and the order above prefers lower rows
        else count[q] = std::partition(store + k, end, [=](const Candidate &c) { return c.score <= farthest; }) - store;
    }

    void add(int64_t q, double score, int64_t row) const {
        all[q * cap + count[q]++] = {score, row};
        if (count[q] < cap) return;
        cut(q);
        if (count[q] > cap - 8) count[q] = -1;
    }
};

// Each store holds less than it has room for, and numbers only: what is not a number cannot be put in order.
void require_sound(const InOut2<int64_t> &store, const InOut1<int64_t> &count) {
    const int64_t cap = int64_t(store.shape(1)) / 2;
    require(int64_t(store.shape(1)) == 2 * cap && within(count, -1, std::max<int64_t>(cap, 0)),
            "nearest: a store is overfull");
    const Candidate *all = reinterpret_cast<const Candidate *>(store.data());
    bool fits = true;
    for (int64_t q = 0; q < length(count); ++q)
        for (int64_t t = 0; t < count.data()[q]; ++t) fits &= all[q * cap + t].score == all[q * cap + t].score;
    require(fits, "nearest: a store holds what is not a number");
}

Stores stores_of(InOut2<int64_t> &store, InOut1<int64_t> &count, InOut1<double> &limit, In1<double> &slack, int64_t k) {
    const int64_t cap = int64_t(store.shape(1)) / 2, q = int64_t(store.shape(0));
    require(k >= 1 && cap >= 2 * k + 16, "nearest: the stores are too small");
    require(int64_t(count.shape(0)) == q && int64_t(limit.shape(0)) == q && int64_t(slack.shape(0)) == q,
            "nearest: one store, limit and slack for each query");
    require_sound(store, count);
    return {reinterpret_cast<Candidate *>(store.data()), count.data(), limit.data(), slack.data(), cap, k};
}

// The limit as a number of type T that is no smaller.
template <class T>
INLINE T above(double limit) {
    const T rounded = T(limit);
    return double(rounded) < limit ? std::nextafter(rounded, std::numeric_limits<T>::infinity()) : rounded;
}

// The candidates among a block of scores, for all queries.
template <class T>
INLINE void gather_rows(const View2<const T> &scores, int64_t offset, int64_t own, const Stores &stores) {
    const int64_t w = scores.cols();
    for (int64_t q = 0; q < scores.rows(); ++q) {
        if (stores.count[q] < 0) continue;
        const T *s = scores.row(q);
        const int64_t mine = own < 0 ? -1 : own + q - offset;  // the query's own row, to be left out
        for (int64_t b = 0; b < w; b += 64) {
            const int64_t end = std::min(b + 64, w);
            if (end - b == 64) {  // most blocks hold nothing near: one comparison of vectors
                const T near = above<T>(stores.limit[q]);
                int any = 0;
                for (int64_t t = 0; t < 64; ++t) any |= s[b + t] <= near;
                if (!any) continue;
            }
            for (int64_t t = b; t < end; ++t) {
                if (!(double(s[t]) <= stores.limit[q]) || t == mine) continue;
                stores.add(q, double(s[t]), offset + t);
                if (stores.count[q] < 0) break;
            }
            if (stores.count[q] < 0) break;
        }
    }
}

HOT void gather_double(const View2<const double> &scores, int64_t offset, int64_t own, const Stores &stores) {
    gather_rows<double>(scores, offset, own, stores);
}
HOT void gather_float(const View2<const float> &scores, int64_t offset, int64_t own, const Stores &stores) {
    gather_rows<float>(scores, offset, own, stores);
}

template <class T>
void gather(In2<T> scores_,            // in      (q, w)        scores of rows offset .. offset + w
            int64_t offset,
            int64_t own,               //                       the row that query 0 is, or -1
            int64_t k,
            In1<double> slack,         // in      (q,)
            InOut1<double> limit,      // in/out  (q,)          inf at the start
            InOut1<int64_t> count,     // in/out  (q,)          0 at the start; -1: given up
            InOut2<int64_t> store) {   // in/out  (q, 2 cap)
    const auto scores = view(scores_);
    require(scores.rows() == int64_t(store.shape(0)), "nearest: one store for each query");
    const Stores stores = stores_of(store, count, limit, slack, k);
    const nb::gil_scoped_release unlocked;
    if constexpr (sizeof(T) == 4) gather_float(scores, offset, own, stores);
    else gather_double(scores, offset, own, stores);
}

// How far two points are apart, before the root: the sum of |a - b|^p, or the largest difference.
enum class Power { one, two, whole, infinite, any };  // whole: 3, 4, ... 16

template <Power kind, class A, class B>
INLINE double apart(const A *a, const B *b, int64_t d, double p) {
    double sums[4] = {0, 0, 0, 0};
    int64_t j = 0;
    const auto term = [&](int64_t at, double &sum) __attribute__((always_inline)) {
        const double difference = std::fabs(double(a[at]) - double(b[at]));
        if constexpr (kind == Power::one) sum += difference;
        if constexpr (kind == Power::two) sum += difference * difference;
        if constexpr (kind == Power::infinite) sum = difference > sum ? difference : sum;
        if constexpr (kind == Power::whole) {
            double product = difference;
            for (int t = 1; t < int(p); ++t) product *= difference;
            sum += product;
        }
        if constexpr (kind == Power::any) sum += std::pow(difference, p);
    };
    for (; j + 4 <= d; j += 4)
        for (int64_t t = 0; t < 4; ++t) term(j + t, sums[t]);
    for (; j < d; ++j) term(j, sums[0]);
    if constexpr (kind == Power::infinite) return std::max(std::max(sums[0], sums[1]), std::max(sums[2], sums[3]));
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

template <Power kind>
inline double root(double sum, double p) {
    if constexpr (kind == Power::two) return std::sqrt(sum);
    if constexpr (kind == Power::any || kind == Power::whole) return std::pow(sum, 1 / p);
    return sum;
}

template <class Task>
void by_power(double p, Task &&task) {
    if (p == 1) task(std::integral_constant<Power, Power::one>{});
    else if (p == 2) task(std::integral_constant<Power, Power::two>{});
    else if (std::isinf(p)) task(std::integral_constant<Power, Power::infinite>{});
    else if (p >= 3 && p <= 16 && p == std::floor(p)) task(std::integral_constant<Power, Power::whole>{});
    else task(std::integral_constant<Power, Power::any>{});
}

template <Power kind, class T>
INLINE void scan_rows(const View2<const T> &Q, const View2<const T> &X, double p, int64_t offset, int64_t own,
                      const Stores &stores) {
    const int64_t n = X.rows(), d = X.cols(), piece = std::max<int64_t>(16, 16384 / std::max<int64_t>(d, 1));
    for (int64_t start = 0; start < n; start += piece) {  // rows that stay in the cache while all queries pass
        const int64_t end = std::min(start + piece, n);
        for (int64_t q = 0; q < Q.rows(); ++q) {
            if (stores.count[q] < 0) continue;
            for (int64_t i = start; i < end; ++i) {
                const double sum = apart<kind>(Q.row(q), X.row(i), d, p);
                if (sum <= stores.limit[q] && !(own >= 0 && offset + i == own + q)) stores.add(q, sum, offset + i);
            }
        }
    }
}

template <class T>
INLINE void scan_by_power(const View2<const T> &Q, const View2<const T> &X, double p, int64_t offset, int64_t own,
                          const Stores &stores) {
    if (p == 1) scan_rows<Power::one>(Q, X, p, offset, own, stores);
    else if (p == 2) scan_rows<Power::two>(Q, X, p, offset, own, stores);
    else if (std::isinf(p)) scan_rows<Power::infinite>(Q, X, p, offset, own, stores);
    else if (p >= 3 && p <= 16 && p == std::floor(p)) scan_rows<Power::whole>(Q, X, p, offset, own, stores);
    else scan_rows<Power::any>(Q, X, p, offset, own, stores);
}

HOT void scan_double(const View2<const double> &Q, const View2<const double> &X, double p, int64_t offset, int64_t own,
                     const Stores &stores) {
    scan_by_power<double>(Q, X, p, offset, own, stores);
}
HOT void scan_float(const View2<const float> &Q, const View2<const float> &X, double p, int64_t offset, int64_t own,
                    const Stores &stores) {
    scan_by_power<float>(Q, X, p, offset, own, stores);
}

// Linear scan: the distances themselves, with no product of matrices to help.
template <class T>
void scan(In2<T> Q_,                 // in  (q, d)
          In2<T> X_,                 // in  (n, d)  rows offset .. offset + n
          double p, int64_t offset, int64_t own, int64_t k,
          In1<double> slack,         // in  (q,)  zeros
          InOut1<double> limit,      // in/out  (q,)
          InOut1<int64_t> count,     // in/out  (q,)
          InOut2<int64_t> store) {   // in/out  (q, 2 cap)
    const auto Q = view(Q_), X = view(X_);
    require(Q.cols() == X.cols() && Q.rows() == int64_t(store.shape(0)), "nearest: shapes do not fit");
    const Stores stores = stores_of(store, count, limit, slack, k);
    for (int64_t q = 0; q < Q.rows(); ++q)
        require(slack.data()[q] == 0 && count.data()[q] >= 0, "nearest: a scan is exact and gives nobody up");
    const nb::gil_scoped_release unlocked;
    if constexpr (sizeof(T) == 4) scan_float(Q, X, p, offset, own, stores);
    else scan_double(Q, X, p, offset, own, stores);
}

// The k best of each store, in order, with their exact distances if points are given.
template <class T>
void settle(In2<T> Q_, In2<T> X_, double p, int64_t k, In1<double> slack, InOut1<double> limit, InOut1<int64_t> count,
            InOut2<int64_t> store,
            InOut2<double> distance_,  // out  (q, k)
            InOut2<int64_t> row_) {    // out  (q, k)
    const auto Q = view(Q_), X = view(X_);
    const auto distance = view(distance_);
    const auto row = view(row_);
    const int64_t q_ = Q.rows(), cap = int64_t(store.shape(1)) / 2, d = X.cols();
    require(Q.cols() == d && int64_t(store.shape(0)) == q_ && int64_t(count.shape(0)) == q_ && distance.rows() == q_ &&
                row.rows() == q_ && distance.cols() == k && row.cols() == k && k <= cap,
            "nearest: shapes do not fit");
    const Stores stores = stores_of(store, count, limit, slack, k);
    const nb::gil_scoped_release unlocked;
    by_power(p, [&](auto kind) {
        constexpr Power power = decltype(kind)::value;
        for (int64_t q = 0; q < q_; ++q) {
            if (stores.count[q] < k) continue;  // given up
            stores.cut(q);
            Candidate *c = stores.all + q * cap;
            const int64_t m = stores.count[q];
            for (int64_t t = 0; t < m; ++t)
                if (c[t].row >= 0 && c[t].row < X.rows()) c[t].score = apart<power>(Q.row(q), X.row(c[t].row), d, p);
            std::partial_sort(c, c + k, c + m, before);
            for (int64_t t = 0; t < k; ++t) distance.row(q)[t] = root<power>(c[t].score, p), row.row(q)[t] = c[t].row;
        }
    });
}

// The k best of each store, whose scores are exact.
void sorted(int64_t k, InOut1<int64_t> count, InOut2<int64_t> store, InOut2<double> distance_, InOut2<int64_t> row_) {
    const auto distance = view(distance_);
    const auto row = view(row_);
    const int64_t q_ = distance.rows(), cap = int64_t(store.shape(1)) / 2;
    require(int64_t(store.shape(0)) == q_ && int64_t(count.shape(0)) == q_ && row.rows() == q_ &&
                distance.cols() == k && row.cols() == k && k <= cap,
            "nearest: shapes do not fit");
    require_sound(store, count);
    const nb::gil_scoped_release unlocked;
    for (int64_t q = 0; q < q_; ++q) {
        Candidate *c = reinterpret_cast<Candidate *>(store.data()) + q * cap;
        const int64_t m = count.data()[q];
        if (m < k || m > cap) continue;
        std::partial_sort(c, c + k, c + m, before);
        for (int64_t t = 0; t < k; ++t) distance.row(q)[t] = c[t].score, row.row(q)[t] = c[t].row;
    }
}

// The nearest of a few points, four of them side by side: XT holds column j of all points in its row j, and is padded
// to a multiple of four points. Where a second one is as near but for rounding, all are compared by the sums that
// `settle` compares, so that every way of searching names the same row.
template <Power kind>
__attribute__((noinline)) double apart_across(const double *x, const View2<const double> &XT, int64_t i) {
    const int64_t d = XT.rows(), whole = d - d % 4;
    double sums[4] = {0, 0, 0, 0};
    for (int64_t j = 0; j < d; ++j) {
        const double difference = std::fabs(x[j] - XT.row(j)[i]);
        sums[j < whole ? j % 4 : 0] += kind == Power::one ? difference : difference * difference;
    }
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

template <Power kind>
INLINE void closest_rows(const View2<const double> &Q, const View2<const double> &XT, int64_t n, int64_t *row) {
    typedef double Four __attribute__((vector_size(32), aligned(8), may_alias));
    constexpr double endless = std::numeric_limits<double>::infinity();
    const int64_t d = Q.cols(), width = XT.cols(), whole = d - d % 4;
    for (int64_t q = 0; q < Q.rows(); ++q) {
        const double *x = Q.row(q);
        double least = endless, second = endless;
        int64_t best = 0;
        for (int64_t i = 0; i < width; i += 4) {
            Four sums[4] = {};
            const auto add = [&](int64_t j, Four &sum) __attribute__((always_inline)) {
                const Four difference = x[j] - *reinterpret_cast<const Four *>(XT.row(j) + i);
                if constexpr (kind == Power::one) sum += difference < 0 ? -difference : difference;
                else sum += difference * difference;
            };
            for (int64_t j = 0; j < whole; j += 4) {
                add(j, sums[0]);
                add(j + 1, sums[1]);
                add(j + 2, sums[2]);
                add(j + 3, sums[3]);
            }
            for (int64_t j = whole; j < d; ++j) add(j, sums[0]);
            const Four sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
            for (int t = 0; t < 4 && i + t < n; ++t) {
                if (sum[t] < least) second = least, least = sum[t], best = i + t;
                else second = std::min(second, sum[t]);
            }
        }
        if (second <= least * (1 + 1e-10)) {  // d roundings of 1e-16 each: columns are far fewer than 1e5
            double nearest = apart_across<kind>(x, XT, best = 0);
            for (int64_t i = 1; i < n; ++i) {
                const double sum = apart_across<kind>(x, XT, i);
                if (sum < nearest) nearest = sum, best = i;
            }
        }
        row[q] = best;
    }
}

HOT void closest_one(const View2<const double> &Q, const View2<const double> &XT, int64_t n, int64_t *row) {
    closest_rows<Power::one>(Q, XT, n, row);
}
HOT void closest_two(const View2<const double> &Q, const View2<const double> &XT, int64_t n, int64_t *row) {
    closest_rows<Power::two>(Q, XT, n, row);
}

void closest(In2<double> Q_,           // in   (q, d)
             In2<double> XT_,          // in   (d, w)  w from n up, a multiple of 4
             int64_t n, double p,      //              p: 1 or 2
             InOut1<int64_t> row) {    // out  (q,)
    const auto Q = view(Q_), XT = view(XT_);
    require(Q.cols() == XT.rows() && n >= 1 && n <= XT.cols() && XT.cols() % 4 == 0 && (p == 1 || p == 2) &&
                int64_t(row.shape(0)) == Q.rows(),
            "nearest: shapes do not fit");
    const nb::gil_scoped_release unlocked;
    (p == 1 ? closest_one : closest_two)(Q, XT, n, row.data());
}

// The exact distances of some pairs of points, or what they are the roots of: only these tell which is nearer, since
// sums that differ in the last digit may have equal roots.
template <class T, bool rooted>
void pairs(In2<T> Q_, In2<T> X_, In1<int64_t> query, In1<int64_t> row, double p, InOut1<double> out) {
    const auto Q = view(Q_), X = view(X_);
    const int64_t m = int64_t(query.shape(0)), d = X.cols();
    require(Q.cols() == d && int64_t(row.shape(0)) == m && int64_t(out.shape(0)) == m, "nearest: shapes do not fit");
    for (int64_t t = 0; t < m; ++t)
        require(query.data()[t] >= 0 && query.data()[t] < Q.rows() && row.data()[t] >= 0 && row.data()[t] < X.rows(),
                "nearest: a row number lies outside");
    const nb::gil_scoped_release unlocked;
    by_power(p, [&](auto kind) {
        constexpr Power power = decltype(kind)::value;
        for (int64_t t = 0; t < m; ++t)
            if (const double sum = apart<power>(Q.row(query.data()[t]), X.row(row.data()[t]), d, p); rooted)
                out.data()[t] = root<power>(sum, p);
            else out.data()[t] = sum;
    });
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    m.doc() = "The nearest of many rows, one block of scores at a time.";
    define(m, "gather", &gather<double>, "scores", "offset", "left_out", "k", "slack", "limit", "count", "store");
    define(m, "gather", &gather<float>, "scores", "offset", "left_out", "k", "slack", "limit", "count", "store");
    define(m, "scan", &scan<double>, "Q", "X", "p", "offset", "left_out", "k", "slack", "limit", "count", "store");
    define(m, "scan", &scan<float>, "Q", "X", "p", "offset", "left_out", "k", "slack", "limit", "count", "store");
    define(m, "settle", &settle<double>, "Q", "X", "p", "k", "slack", "limit", "count", "store", "distance", "row");
    define(m, "settle", &settle<float>, "Q", "X", "p", "k", "slack", "limit", "count", "store", "distance", "row");
    define(m, "sorted", &sorted, "k", "count", "store", "distance", "row");
    define(m, "closest", &closest, "Q", "XT", "n", "p", "row");
    define(m, "pairs", &pairs<double, true>, "Q", "X", "query", "row", "p", "out");
    define(m, "pairs", &pairs<float, true>, "Q", "X", "query", "row", "p", "out");
    define(m, "pair_sums", &pairs<double, false>, "Q", "X", "query", "row", "p", "out");
    define(m, "pair_sums", &pairs<float, false>, "Q", "X", "query", "row", "p", "out");
}
