// Explicit features of kernels: cosines of random projections, and count sketches of rows.
//
//     waves:   A_ij <- scale cos(A_ij + offset_j)
//     sketch:  out_i[t, h_t(j)] += s_t(j) x_ij        t: one of the factors of a power, h_t(j) a place, s_t(j) a sign
//
// Twins in NumPy: tests/kernels/approximations/test_feature_maps.py.
#include "assay/array.hpp"
#include "assay/cosine.hpp"
#include "assay/edge.hpp"

#include <cmath>

using namespace assay;

namespace {

HOT void wave_row(double *a, const double *offset, int64_t m, double scale) {
    double most = 0;
    INDEPENDENT
    for (int64_t j = 0; j < m; ++j) {
        a[j] += offset[j];
        const double size = std::fabs(a[j]);
        most = size > most ? size : most;  // NaN stays NaN below
    }
    if (most <= COSINE_LIMIT) {
        INDEPENDENT
        for (int64_t j = 0; j < m; ++j) a[j] = scale * cosine(a[j]);
    } else {
        for (int64_t j = 0; j < m; ++j) a[j] = scale * std::cos(a[j]);
    }
}

void waves(InOut2<double> A,     // in/out (n, m)
           In1<double> offset,   // in     (m,)
           double scale) {
    const auto rows = view(A);
    require(length(offset) == rows.cols(), "waves: sizes");
    nb::gil_scoped_release unlocked;
    for (int64_t i = 0; i < rows.rows(); ++i) wave_row(rows.row(i), offset.data(), rows.cols(), scale);
}

struct Hashes {
    const int64_t *place;
    const double *sign;
    int64_t factors, d, m;
    void add(double *out, int64_t j, double x) const {
        for (int64_t t = 0; t < factors; ++t) out[t * m + place[t * d + j]] += sign[t * d + j] * x;
    }
};

Hashes hashes_of(In2<int64_t> place, In2<double> sign, int64_t m) {
    const auto p = view(place);
    require(int64_t(sign.shape(0)) == p.rows() && int64_t(sign.shape(1)) == p.cols(), "sketch: sizes of the hashes");
    require(within(place, 0, m), "sketch: places");
    return {p.data(), sign.data(), p.rows(), p.cols(), m};
}

void sketch(In2<double> X,         // in     (n, d)
            In2<int64_t> place,    // in     (factors, d or more)
            In2<double> sign,      // in     the same
            int64_t m,
            InOut2<double> out) {  // in/out (n, factors * m)
    const Hashes hashes = hashes_of(place, sign, m);
    const auto rows = view(X);
    const auto sums = view(out);
    require(sums.rows() == rows.rows() && rows.cols() <= hashes.d &&
                sums.cols() == sized(hashes.factors, m, "sketch: sizes"),
            "sketch: sizes");
    nb::gil_scoped_release unlocked;
    for (int64_t i = 0; i < rows.rows(); ++i)
        for (int64_t j = 0; j < rows.cols(); ++j) hashes.add(sums.row(i), j, rows.row(i)[j]);
}

void sketch_sparse(In1<double> data,      // in     of a CSR matrix
                   In1<int32_t> column,   // in
                   In1<int64_t> start,    // in     (n + 1,)
                   In2<int64_t> place,    // in     (factors, d or more)
                   In2<double> sign,      // in     the same
                   InOut2<double> out) {  // in/out (n, factors * m)
    const auto sums = view(out);
    const int64_t factors = int64_t(place.shape(0)), n = sums.rows();
    require(factors > 0 && sums.cols() % factors == 0, "sketch_sparse: sizes");
    const Hashes hashes = hashes_of(place, sign, sums.cols() / factors);
    require(are_rows(data, column, start, n, hashes.d), "sketch_sparse: rows");
    nb::gil_scoped_release unlocked;
    for (int64_t i = 0; i < n; ++i)
        for (int64_t e = start.data()[i]; e < start.data()[i + 1]; ++e)
            hashes.add(sums.row(i), column.data()[e], data.data()[e]);
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    define(m, "waves", &waves, "A", "offset", "scale");
    define(m, "sketch", &sketch, "X", "place", "sign", "m", "out");
    define(m, "sketch_sparse", &sketch_sparse, "data", "column", "start", "place", "sign", "out");
}
