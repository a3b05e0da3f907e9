// Fuzzy ART: rows are shown one after the other; the most active category that vigilance accepts takes each.
//
//     T_k = |I ^ w_k| / (choice + |w_k|),  accepted if |I ^ w_k| >= vigilance |I|,  w_k <- rate (I ^ w_k) + (1 - rate)
//     w_k
//
// A row that no category accepts begins one. With a rate and a vigilance of 0 categories stay, and `labels` are the
// most active ones. Twin in NumPy: tests/cluster/test_fuzzy_art.py, by_the_book.
#include <algorithm>
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"

using namespace assay;

namespace {

constexpr double ROUNDING = 1e-12;  // by which a row may miss the vigilance
constexpr int64_t LANES = 8;  // sums side by side, which the compiler adds up in vectors

// |row ^ w|
HOT double shared(const double *row, const double *w, int64_t q) {
    double lanes[LANES] = {}, sum = 0.0;
    int64_t j = 0;
    for (; j + LANES <= q; j += LANES)
        for (int64_t k = 0; k < LANES; ++k) lanes[k] += std::min(row[j + k], w[j + k]);
    for (; j < q; ++j) sum += std::min(row[j], w[j]);
    for (int64_t k = 0; k < LANES; ++k) sum += lanes[k];
    return sum;
}

// The number of categories after all rows; `labels` has the category of each row.
HOT int64_t learn(In2<double> coded,         // in      (n, q) rows and their complements
                  InOut2<double> weights,    // in/out  (room, q), the first `count` of them in use
                  InOut1<int64_t> labels,    // out     (n,)
                  int64_t count, double vigilance, double choice, double rate) {
    const int64_t n = length(coded), q = int64_t(coded.shape(1)), room = length(weights);
    require(int64_t(weights.shape(1)) == q && length(labels) == n, "fuzzy art: categories of the rows' columns");
    require(count >= 0 && count <= room && ((vigilance <= 0 && count > 0) || room - count >= n),
            "fuzzy art: room for a category of each row");
    nb::gil_scoped_release unlocked;
    double *W = weights.data();
    std::vector<double> size(static_cast<size_t>(room), 0.0);
    const auto measure = [&](int64_t k) {
        double sum = 0.0;
        for (int64_t j = 0; j < q; ++j) sum += W[k * q + j];
        size[size_t(k)] = sum;
    };
    for (int64_t k = 0; k < count; ++k) measure(k);
    const double enough = vigilance * double(q) / 2 - ROUNDING;
    for (int64_t i = 0; i < n; ++i) {
        const double *row = coded.data() + i * q;
        int64_t best = -1;
        double most = -1.0;
        for (int64_t k = 0; k < count; ++k) {
            const double *w = W + k * q;
            const double common = shared(row, w, q);
            if (common < enough) continue;
            const double active = common / (choice + size[size_t(k)]);
            if (active > most) most = active, best = k;
        }
        if (best < 0 && count == room) best = 0;  // of numbers that are none
        double *w = W + (best < 0 ? count : best) * q;
        if (best < 0) {
            best = count++;
            std::copy(row, row + q, w);
        } else
            for (int64_t j = 0; j < q; ++j) w[j] = rate * std::min(row[j], w[j]) + (1 - rate) * w[j];
        if (rate > 0) measure(best);
        labels.data()[i] = best;
    }
    return count;
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    define(m, "learn", &learn, "coded", "weights", "labels", "count", "vigilance", "choice", "rate");
}
