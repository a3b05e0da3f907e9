// Fields on grids: each pixel has one of L labels, and equal neighbours (4 of them) weigh exp(coupling) as much.
//
// icm: pixel by pixel the label with the largest score[label] + coupling * (neighbours with that label).
// passing: messages between neighbours, sum-product or max-product; with Potts potentials a message takes O(L):
//
//     m(l) = sum_k b(k) + (exp(J) - 1) b(l)        (max-product: max(max_k b(k), exp(J) b(l)))
//
// Twin in NumPy: tests/graphs/test_grid_field.py.
#include <algorithm>
#include <cmath>
#include <vector>

#include "assay/edge.hpp"

using namespace assay;

namespace {

// The labels after at most `sweeps` sweeps over all pixels; how many were needed until nothing changed.
int64_t icm(In2<double> scores, int64_t height, int64_t width, double coupling, InOut1<int64_t> labels,
            int64_t sweeps) {
    const int64_t n = length(scores), L = int64_t(scores.shape(1));
    require(L > 0 && height >= 0 && sized(height, width, "icm: a picture") == n && length(labels) == n,
            "icm: scores and a label for each pixel");
    require(within(labels, 0, L), "icm: labels");
    nb::gil_scoped_release unlocked;
    std::vector<double> value(L);
    for (int64_t sweep = 1; sweep <= sweeps; ++sweep) {
        bool changed = false;
        for (int64_t r = 0; r < height; ++r)
            for (int64_t c = 0; c < width; ++c) {
                const int64_t at = r * width + c;
                for (int64_t l = 0; l < L; ++l) value[l] = scores.data()[at * L + l];
                if (r > 0) value[labels.data()[at - width]] += coupling;
                if (r + 1 < height) value[labels.data()[at + width]] += coupling;
                if (c > 0) value[labels.data()[at - 1]] += coupling;
                if (c + 1 < width) value[labels.data()[at + 1]] += coupling;
                int64_t best = labels.data()[at];  // stays among equals
                for (int64_t l = 0; l < L; ++l)
                    if (value[l] > value[best] + 1e-12) best = l;
                changed |= best != labels.data()[at];
                labels.data()[at] = best;
            }
        if (!changed) return sweep;
    }
    return sweeps + 1;
}

// Beliefs (n, L) after messages between neighbours; the rounds that were needed, and the last change.
nb::tuple passing(In2<double> weights, int64_t height, int64_t width, double coupling, bool largest, int64_t rounds,
                  double tolerance, InOut2<double> beliefs) {
    const int64_t n = length(weights), L = int64_t(weights.shape(1));
    require(L > 0 && height >= 0 && sized(height, width, "passing: a picture") == n, "passing: weights of each pixel");
    require(length(beliefs) == n && int64_t(beliefs.shape(1)) == L, "passing: room for beliefs");
    int64_t round = 0;
    double change = 0.0;
    {
        nb::gil_scoped_release unlocked;
        const double equal = std::exp(coupling);
        // messages[way][pixel]: what came to the pixel from above, below, left, right
        std::vector<double> messages(4 * n * L, 1.0 / double(L)), before(L), product(L);
        const int64_t away[4] = {-width, width, -1, 1}, back[4] = {1, 0, 3, 2};
        for (round = 1; round <= rounds; ++round) {
            change = 0.0;
            for (int64_t colour = 0; colour < 2; ++colour)  // a chess board: one colour speaks, the other listens
                for (int64_t r = 0; r < height; ++r)
                    for (int64_t c = (r + colour) % 2; c < width; c += 2) {
                        const int64_t at = r * width + c;
                        const bool here[4] = {r > 0, r + 1 < height, c > 0, c + 1 < width};
                        for (int64_t way = 0; way < 4; ++way) {
                            if (!here[way]) continue;
                            double sum = 0.0, top = 0.0;
                            for (int64_t l = 0; l < L; ++l) {
                                double b = weights.data()[at * L + l];
                                for (int64_t other = 0; other < 4; ++other)
                                    if (other != way && here[other]) b *= messages[(other * n + at) * L + l];
                                product[l] = b;
                                sum += b, top = std::max(top, b);
                            }
                            double total = 0.0;
                            for (int64_t l = 0; l < L; ++l) {
                                before[l] =
                                    largest ? std::max(top, equal * product[l]) : sum + (equal - 1.0) * product[l];
                                total += before[l];
                            }
                            double *to = messages.data() + (back[way] * n + at + away[way]) * L;
                            for (int64_t l = 0; l < L; ++l) {
                                const double value = total > 0.0 ? before[l] / total : 1.0 / double(L);
                                change = std::max(change, std::fabs(value - to[l]));
                                to[l] = value;
                            }
                        }
                    }
            if (change <= tolerance) break;
        }
        for (int64_t at = 0; at < n; ++at) {
            const int64_t r = at / std::max<int64_t>(width, 1), c = at % std::max<int64_t>(width, 1);
            const bool here[4] = {r > 0, r + 1 < height, c > 0, c + 1 < width};
            double total = 0.0;
            double *out = beliefs.data() + at * L;
            for (int64_t l = 0; l < L; ++l) {
                out[l] = weights.data()[at * L + l];
                for (int64_t way = 0; way < 4; ++way)
                    if (here[way]) out[l] *= messages[(way * n + at) * L + l];
                total += out[l];
            }
            for (int64_t l = 0; l < L; ++l) out[l] = total > 0.0 ? out[l] / total : 1.0 / double(L);
        }
    }
    return nb::make_tuple(round, change);
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    define(m, "icm", &icm, "scores", "height", "width", "coupling", "labels", "sweeps");
    define(m, "passing", &passing, "weights", "height", "width", "coupling", "largest", "rounds", "tolerance",
           "beliefs");
}
