// Rows of a table as linear learners use them: a score, and a step along the row; dense or CSR.
//
//     rows.score(i, w)         x_i . w
//     rows.add(i, step, w)     w += step * x_i
#pragma once
#include "assay/array.hpp"

namespace assay {
namespace {

// Four sums side by side; their order does not depend on the instruction set.
HOT double dot(const double *x, const double *w, int64_t d) {
    double a = 0, b = 0, c = 0, e = 0;
    int64_t j = 0;
    for (; j + 4 <= d; j += 4) {
        a += x[j] * w[j];
        b += x[j + 1] * w[j + 1];
        c += x[j + 2] * w[j + 2];
        e += x[j + 3] * w[j + 3];
    }
    for (; j < d; ++j) a += x[j] * w[j];
    return (a + b) + (c + e);
}

HOT void add_scaled(double step, const double *x, double *w, int64_t d) {
    for (int64_t j = 0; j < d; ++j) w[j] += step * x[j];  // w += step * x
}

struct DenseRows {
    const double *X;
    int64_t d;
    double score(int64_t i, const double *w) const { return dot(X + i * d, w, d); }
    void add(int64_t i, double step, double *w) const { add_scaled(step, X + i * d, w, d); }
};

template <class I>
struct SparseRows {
    const double *data;
    const I *indices, *indptr;
    double score(int64_t i, const double *w) const {
        double s = 0;
        for (int64_t p = indptr[i]; p < int64_t(indptr[i + 1]); ++p) s += data[p] * w[indices[p]];
        return s;
    }
    void add(int64_t i, double step, double *w) const {
        for (int64_t p = indptr[i]; p < int64_t(indptr[i + 1]); ++p) w[indices[p]] += step * data[p];
    }
};

}  // namespace
}  // namespace assay
