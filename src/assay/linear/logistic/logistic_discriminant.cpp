// One epoch of (mini-batch) gradient descent on outputs y_k of scores a_k = w_k0 + w_k . x.
//
//     cross-entropy, softmax or sigmoid outputs:   delta_k = r_k - y_k
//     squared error of sigmoid outputs:            delta_k = (r_k - y_k) y_k (1 - y_k)
//     after the rows of a batch:                   w_k += rate_k sum_i weight_i delta_ik (1, x_i)
//
// Checked by the caller: finite rows.
// Twin in NumPy: tests/linear/logistic/test_logistic_outputs.py, epoch_by_the_book.
#include <algorithm>
#include <cmath>

#include "assay/edge.hpp"
#include "assay/rows.hpp"

using namespace assay;

namespace {

struct Outputs {
    bool softmax, squared, bias;
};

double sigmoid(double a) {
    if (a >= 0) return 1 / (1 + std::exp(-a));
    const double e = std::exp(a);
    return e / (1 + e);
}

// delta of one row, from its scores in place
void pull(const Outputs &out, int64_t K, const double *r, double weight, double *a) {
    if (out.softmax) {
        double top = a[0], sum = 0;
        for (int64_t k = 1; k < K; ++k) top = a[k] > top ? a[k] : top;
        for (int64_t k = 0; k < K; ++k) sum += a[k] = std::exp(a[k] - top);
        for (int64_t k = 0; k < K; ++k) a[k] = weight * (r[k] - a[k] / sum);
        return;
    }
    for (int64_t k = 0; k < K; ++k) {
        const double y = sigmoid(a[k]);
        a[k] = weight * (r[k] - y) * (out.squared ? y * (1 - y) : 1.0);
    }
}

template <class Rows>
void descend(const Rows &rows, const Outputs &out, View2<const double> R, const double *weight,
             View1<const int64_t> order, int64_t size, const double *rates, View2<double> W, View2<double> delta) {
    const int64_t K = W.rows();
    for (int64_t begin = 0; begin < order.size(); begin += size) {
        const int64_t m = std::min(size, order.size() - begin);
        for (int64_t t = 0; t < m; ++t) {
            const int64_t i = order[begin + t];
            double *a = delta.row(t);
            for (int64_t k = 0; k < K; ++k) a[k] = W.row(k)[0] + rows.score(i, W.row(k) + 1);
            pull(out, K, R.row(i), weight ? weight[i] : 1.0, a);
        }
        for (int64_t t = 0; t < m; ++t) {
            const int64_t i = order[begin + t];
            for (int64_t k = 0; k < K; ++k) {
                const double step = rates[k] * delta.row(t)[k];
                if (out.bias) W.row(k)[0] += step;
                rows.add(i, step, W.row(k) + 1);
            }
        }
    }
}

void check_batches(int64_t n, int64_t d, const In2<double> &R, const In1<double> &weight, const In1<int64_t> &order,
                   int64_t size, const In1<double> &rates, const InOut2<double> &W, const InOut2<double> &delta) {
    const int64_t K = length(W);
    require(length(R) == n && int64_t(R.shape(1)) == K && weighs(weight, n) && within(order, 0, n),
            "logistic outputs: a target and a weight for each row, and rows to visit among them");
    require(K > 0 && int64_t(W.shape(1)) == d + 1 && length(rates) == K && size > 0 &&
                length(delta) >= std::min(size, length(order)) && int64_t(delta.shape(1)) == K,
            "logistic outputs: weights for each output and column, and room for a batch");
}

void dense(In2<double> X,            // in      (n, d)
           In2<double> R,            // in      (n, K)      targets 0 or 1
           In1<double> weight,       // in      (n,), or (0,) for ones
           In1<int64_t> order,       // in      (m,)        rows to visit
           int64_t size,             // rows of a batch
           In1<double> rates,        // in      (K,)
           Outputs outputs,
           InOut2<double> W,         // in/out  (K, d + 1)  bias first
           InOut2<double> delta) {   // scratch (size, K)
    check_batches(length(X), int64_t(X.shape(1)), R, weight, order, size, rates, W, delta);
    nb::gil_scoped_release unlocked;
    descend(DenseRows{X.data(), int64_t(X.shape(1))}, outputs, view(R), data_or_null(weight), view(order), size,
            rates.data(), view(W), view(delta));
}

template <class I>
void sparse(In1<double> data, In1<I> indices, In1<I> indptr,  // in  the CSR matrix
            In2<double> R, In1<double> weight, In1<int64_t> order, int64_t size, In1<double> rates, Outputs outputs,
            InOut2<double> W, InOut2<double> delta) {
    require(are_rows(data, indices, indptr, length(R), int64_t(W.shape(1)) - 1),
            "logistic outputs: these are no sparse rows of the columns");
    check_batches(length(R), int64_t(W.shape(1)) - 1, R, weight, order, size, rates, W, delta);
    nb::gil_scoped_release unlocked;
    descend(SparseRows<I>{data.data(), indices.data(), indptr.data()}, outputs, view(R), data_or_null(weight),
            view(order), size, rates.data(), view(W), view(delta));
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    m.doc() = "Epochs of gradient descent on logistic outputs.";
    record<Outputs>(m, "Outputs", field("softmax", &Outputs::softmax), field("squared", &Outputs::squared),
                    field("bias", &Outputs::bias));
    define(m, "dense", &dense, "X", "R", "weight", "order", "size", "rates", "outputs", "W", "delta");
    define(m, "sparse", &sparse<int32_t>, "data", "indices", "indptr", "R", "weight", "order", "size", "rates",
           "outputs", "W", "delta");
    define(m, "sparse", &sparse<int64_t>, "data", "indices", "indptr", "R", "weight", "order", "size", "rates",
           "outputs", "W", "delta");
}
