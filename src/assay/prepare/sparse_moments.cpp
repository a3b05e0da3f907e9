// Sums over the stored entries of a sparse table, by class and column; what is not stored is left to the caller.
//
//     totals       known_kj += w_i,   entries_kj += 1 (if w_i > 0),   sum_kj += w_i x_ij,   missing_kj += w_i of NaN
//     deviations   first_kj += w_i (x_ij - mean_kj),   second_kj += w_i (x_ij - mean_kj)^2
//
// Checked by the caller: weights not negative, outputs zeroed.
// Twin in NumPy: tests/prepare/test_sparse_moments.py, moments_by_the_book.
#include "assay/array.hpp"
#include "assay/edge.hpp"

using namespace assay;

namespace {

template <class T, class I>
struct Stored {
    In1<T> data;
    In1<I> indices, indptr;
    In1<int64_t> y;
    In1<double> w;

    void check(int64_t K, int64_t d) const {
        const int64_t n = length(y);
        require(are_rows(data, indices, indptr, n, d), "sparse_moments: these are no rows of the table");
        require(weighs(w, n) && within(y, 0, K), "sparse_moments: a weight or none, and a class, for each row");
    }

    template <class Act> void each(int64_t d, const Act &act) const {
        const int64_t n = length(y);
        for (int64_t i = 0; i < n; ++i) {
            const double weight = w.size() ? w.data()[i] : 1.0;
            if (weight == 0.0) continue;
            const int64_t start = y.data()[i] * d;
            for (int64_t t = indptr.data()[i]; t < int64_t(indptr.data()[i + 1]); ++t)
                act(start + int64_t(indices.data()[t]), double(data.data()[t]), weight);
        }
    }
};

bool fits(const InOut2<double> &a, const InOut2<double> &b) {
    return a.shape(0) == b.shape(0) && a.shape(1) == b.shape(1);
}

template <class T, class I>
void totals(In1<T> data, In1<I> indices, In1<I> indptr, In1<int64_t> y, In1<double> w,
            InOut2<double> known,      // in/out  (K, d)
            InOut2<double> entries,    // in/out  (K, d)
            InOut2<double> sum,        // in/out  (K, d)
            InOut2<double> missing) {  // in/out  (K, d)
    require(fits(known, entries) && fits(known, sum) && fits(known, missing), "sparse_moments: tables of one size");
    const int64_t d = int64_t(known.shape(1));
    const Stored<T, I> stored{data, indices, indptr, y, w};
    stored.check(length(known), d);
    nb::gil_scoped_release unlocked;
    stored.each(d, [&](int64_t cell, double x, double weight) {
        entries.data()[cell] += 1.0;
        if (x != x) {
            missing.data()[cell] += weight;
            return;
        }
        known.data()[cell] += weight;
        sum.data()[cell] += weight * x;
    });
}

template <class T, class I>
void deviations(In1<T> data, In1<I> indices, In1<I> indptr, In1<int64_t> y, In1<double> w,
                In2<double> mean,         // in      (K, d)
                InOut2<double> first,     // in/out  (K, d)
                InOut2<double> second) {  // in/out  (K, d)
    require(fits(first, second) && mean.shape(0) == first.shape(0) && mean.shape(1) == first.shape(1),
            "sparse_moments: tables of one size");
    const int64_t d = int64_t(mean.shape(1));
    const Stored<T, I> stored{data, indices, indptr, y, w};
    stored.check(length(mean), d);
    nb::gil_scoped_release unlocked;
    stored.each(d, [&](int64_t cell, double x, double weight) {
        const double apart = x - mean.data()[cell];
        if (apart != apart) return;
        first.data()[cell] += weight * apart;
        second.data()[cell] += weight * apart * apart;
    });
}

template <class T, class I> void bind(nb::module_ &m) {
    define(m, "totals", &totals<T, I>, "data", "indices", "indptr", "y", "w", "known", "entries", "sum", "missing");
    define(m, "deviations", &deviations<T, I>, "data", "indices", "indptr", "y", "w", "mean", "first", "second");
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    bind<double, int32_t>(m);
    bind<double, int64_t>(m);
    bind<float, int32_t>(m);
    bind<float, int64_t>(m);
}
