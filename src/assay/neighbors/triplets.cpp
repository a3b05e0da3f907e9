// Large margins around rows: what the triplets (row i, its target j, its impostor l) cost in a metric, and which rows
// are impostors.
//
//     z_ijl = 1 + D(i, j) - D(i, l),     cost  w_i phi(z_ijl),     phi(z) = max(0, z), rounded off over a width h:
//     phi_h(z) = 0 (z <= 0),  z^2 / 2h (z < h),  z - h / 2 (beyond)                                             (1)
//
// D is Euclid's squared distance of mapped rows y. Half the gradient of (1 - mu) sum w_i D(i, j) + mu sum w_i phi_h is
//
//     H_i = sum of c (y_i - y_j) over all pairs of row i, c being what the pair's distance counts                  (2)
//
// Twin in NumPy: tests/neighbors/test_triplets.py, push_by_the_book.
#include <algorithm>
#include <utility>
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"

using namespace assay;

namespace {

INLINE double squared_distance(const double *a, const double *b, int64_t r) {
    double sums[4] = {0, 0, 0, 0};
    int64_t c = 0;
    for (; c + 4 <= r; c += 4)
        for (int64_t t = 0; t < 4; ++t) sums[t] += (a[c + t] - b[c + t]) * (a[c + t] - b[c + t]);
    for (; c < r; ++c) sums[0] += (a[c] - b[c]) * (a[c] - b[c]);
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

struct Costs {
    double pull = 0, hinge = 0, smooth = 0, force = 0, active = 0, crossed = 0;
};

// H_i += c (y_i - y_j), H_j -= c (y_i - y_j)
INLINE void draw(const double *a, const double *b, double c, int64_t r, double *Ha, double *Hb) {
    for (int64_t t = 0; t < r; ++t) {
        const double force = c * (a[t] - b[t]);
        Ha[t] += force, Hb[t] -= force;
    }
}

struct Shares {
    double pull, push;  // 1 - mu, mu
    double width;
};

// One row's targets, and its impostors one by one.
struct Row {
    const double *y;
    double w;
    int64_t r, count = 0;
    const int64_t *target;
    double *near, *pushed;  // distances of the targets, and how far each is pushed
    double farthest = -1, pull = 0, hinge = 0, smooth = 0, force = 0;

    // The force on an impostor: the sum of the derivatives of (1).
    INLINE double meet(double far, double width, Costs &sums) {
        double force = 0;
        for (int64_t j = 0; j < count; ++j) {
            const double z = 1 + near[j] - far;
            if (z <= 0) continue;
            const double slope = z < width ? z / width : 1;
            hinge += z, sums.active += 1, sums.crossed += near[j] > far;
            smooth += z < width ? 0.5 * z * slope : z - 0.5 * width;
            pushed[j] += w * slope, force += slope;
        }
        this->force += force;
        return w * force;
    }
};

INLINE Row begin(const View2<const double> &Y, int64_t i, const View2<const int64_t> &targets, const double *w,
                 double *near, double *pushed) {
    Row row{Y.row(i), w[i], Y.cols(), 0, targets.row(i), near, pushed};
    for (; row.count < targets.cols() && row.target[row.count] >= 0; ++row.count) {  // -1: a small class has fewer
        const double apart = squared_distance(row.y, Y.row(row.target[row.count]), row.r);
        near[row.count] = apart, pushed[row.count] = 0;
        row.pull += apart, row.farthest = std::max(row.farthest, apart);
    }
    return row;
}

INLINE void end(const View2<const double> &Y, int64_t i, const Row &row, Shares shares, const View2<double> &H,
                Costs &sums) {
    for (int64_t j = 0; j < row.count; ++j)
        draw(row.y, Y.row(row.target[j]), shares.pull * row.w + shares.push * row.pushed[j], row.r, H.row(i),
             H.row(row.target[j]));
    sums.pull += row.w * row.pull, sums.hinge += row.w * row.hinge;
    sums.smooth += row.w * row.smooth, sums.force += row.w * row.force;
}

// near: room for the distances of one row's targets
HOT Costs listed_costs(const View2<const double> &Y, const View2<const int64_t> &targets, const int64_t *start,
                       const int64_t *impostors, const double *w, Shares shares, double *near, double *target_push,
                       double *impostor_push, const View2<double> &H) {
    Costs sums;
    for (int64_t i = 0; i < Y.rows(); ++i) {
        Row row = begin(Y, i, targets, w, near, target_push + i * targets.cols());
        for (int64_t t = start[i]; t < start[i + 1]; ++t) {
            const int64_t l = impostors[t];
            const double far = squared_distance(row.y, Y.row(l), row.r);
            impostor_push[t] = 1 + row.farthest > far && row.count ? row.meet(far, shares.width, sums) : 0;
            if (impostor_push[t] > 0) draw(row.y, Y.row(l), -shares.push * impostor_push[t], row.r, H.row(i), H.row(l));
        }
        end(Y, i, row, shares, H, sums);
    }
    return sums;
}

HOT Costs every_cost(const View2<const double> &Y, const int64_t *label, const View2<const int64_t> &targets,
                     const double *w, Shares shares, double *near, double *pushed, const View2<double> &H) {
    Costs sums;
    for (int64_t i = 0; i < Y.rows(); ++i) {
        Row row = begin(Y, i, targets, w, near, pushed);
        for (int64_t l = 0; l < (row.count ? Y.rows() : 0); ++l) {
            if (label[l] == label[i]) continue;
            const double far = squared_distance(row.y, Y.row(l), row.r);
            if (!(1 + row.farthest > far)) continue;
            draw(row.y, Y.row(l), -shares.push * row.meet(far, shares.width, sums), row.r, H.row(i), H.row(l));
        }
        end(Y, i, row, shares, H, sums);
    }
    return sums;
}

nb::object numbers(const Costs &sums) {
    return give(std::vector<double>{sums.pull, sums.hinge, sums.smooth, sums.force, sums.active, sums.crossed});
}

// (pull, hinge, smoothed hinge, sum of forces, triplets with z > 0, triplets whose impostor is nearer than the target)
nb::object push(In2<double> Y_,                  // in   (n, r)  mapped rows
                In2<int64_t> targets_,           // in   (n, k)  rows; -1 after the last of a row
                In1<int64_t> start,              // in   (n + 1,)
                In1<int64_t> impostors,          // in   (m,)    rows
                In1<double> w,                   // in   (n,)
                double mu, double width,         //              h of (1), from 0 up
                InOut2<double> target_push,      // out  (n, k)  sum over l of w_i phi'
                InOut1<double> impostor_push,    // out  (m,)    sum over j of w_i phi'
                InOut2<double> H_) {             // in/out (n, r) (2) is added
    const auto Y = view(Y_);
    const auto targets = view(targets_);
    const auto H = view(H_);
    const int64_t n = Y.rows(), m = length(impostors), k = targets.cols();
    require(targets.rows() == n && length(w) == n && shares_out(start, n, m, true) && length(impostor_push) == m &&
                int64_t(target_push.shape(0)) == n && int64_t(target_push.shape(1)) == k && width >= 0 &&
                H.rows() == n && H.cols() == Y.cols(),
            "triplets: shapes do not fit");
    require(within(targets_, -1, n) && within(impostors, 0, n), "triplets: a row number lies outside");
    Costs sums;
    {
        const nb::gil_scoped_release unlocked;
        std::vector<double> near(static_cast<size_t>(k), 0.0);
        sums = listed_costs(Y, targets, start.data(), impostors.data(), w.data(), {1 - mu, mu, width}, near.data(),
                            target_push.data(), impostor_push.data(), H);
    }
    return numbers(sums);
}

// The same over all rows of other classes.
nb::object push_all(In2<double> Y_,          // in   (n, r)  mapped rows
                    In1<int64_t> label,      // in   (n,)    classes
                    In2<int64_t> targets_,   // in   (n, k)  rows; -1 after the last of a row
                    In1<double> w,           // in   (n,)
                    double mu, double width,
                    InOut2<double> H_) {     // in/out (n, r) (2) is added
    const auto Y = view(Y_);
    const auto targets = view(targets_);
    const auto H = view(H_);
    const int64_t n = Y.rows(), k = targets.cols();
    require(targets.rows() == n && length(w) == n && length(label) == n && width >= 0 && H.rows() == n &&
                H.cols() == Y.cols(),
            "triplets: shapes do not fit");
    require(within(targets_, -1, n), "triplets: a row number lies outside");
    Costs sums;
    {
        const nb::gil_scoped_release unlocked;
        std::vector<double> near(static_cast<size_t>(k), 0.0), pushed(static_cast<size_t>(k), 0.0);
        sums = every_cost(Y, label.data(), targets, w.data(), {1 - mu, mu, width}, near.data(), pushed.data(), H);
    }
    return numbers(sums);
}

// The rows of a block whose squared distance |a|^2 + |b|^2 - 2 a.b lies below a limit, at most `most` of each query:
// the nearest. How many of each query, and their columns from low to high.
nb::object nearer(In2<double> products_,   // in   (q, m)  a.b
                  In1<double> squares,     // in   (m,)    |b|^2
                  In1<double> limit,       // in   (q,)    the limit - |a|^2
                  int64_t most) {
    const auto products = view(products_);
    const int64_t q = products.rows(), m = products.cols();
    require(length(squares) == m && length(limit) == q && most >= 1, "triplets: shapes do not fit");
    std::vector<int64_t> counts(static_cast<size_t>(q)), columns;
    {
        const nb::gil_scoped_release unlocked;
        std::vector<std::pair<double, int64_t>> below;
        for (int64_t i = 0; i < q; ++i) {
            below.clear();
            const double *product = products.row(i), *square = squares.data(), bound = limit.data()[i];
            for (int64_t l = 0; l < m; ++l)
                if (square[l] - 2 * product[l] < bound) below.emplace_back(square[l] - 2 * product[l], l);
            if (int64_t(below.size()) > most) {
                std::nth_element(below.begin(), below.begin() + most, below.end());
                below.resize(static_cast<size_t>(most));
            }
            const size_t first = columns.size();
            for (const auto &pair : below) columns.push_back(pair.second);
            std::sort(columns.begin() + int64_t(first), columns.end());
            counts[size_t(i)] = int64_t(below.size());
        }
    }
    return nb::make_tuple(give(std::move(counts)), give(std::move(columns)));
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    m.doc() = "Large margins around rows: targets pulled near, impostors pushed away.";
    define(m, "push", &push, "Y", "targets", "start", "impostors", "w", "mu", "width", "target_push", "impostor_push",
           "H");
    define(m, "push_all", &push_all, "Y", "label", "targets", "w", "mu", "width", "H");
    define(m, "nearer", &nearer, "products", "squares", "limit", "most");
}
