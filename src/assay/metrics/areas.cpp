// Areas under curves: one sweep over sorted scores, and thousands of resampled areas from one sort.
//
//     area = sum over groups of equal scores, highest first, of  neg_g (tp + pos_g / 2)  /  (P N)
//     average precision = sum over groups of  pos_g / P * tp / (tp + fp),  tp and fp counted up to the group
//
// A resample draws units (rows, or whole groups of rows) with replacement, as many as each stratum has. Its
// random numbers depend on the seed and on the number of the resample alone, so it is the same whatever thread
// draws it, and the same for every measure. Twins in NumPy: tests/metrics/test_areas.py.
#include <algorithm>
#include <limits>
#include <type_traits>
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"
#include "assay/random.hpp"

using namespace assay;

namespace {

// Calls visit(unit) for every unit drawn: for each stratum as many as it holds, each equally likely.
template <class Visit>
inline void draw(Random &random, View1<const int64_t> starts, Visit visit) {
    for (int64_t s = 0; s + 1 < starts.size(); ++s) {
        const int64_t first = starts[s], m = starts[s + 1] - first;
        const uint32_t range = uint32_t(m), rest = range ? uint32_t(-range) % range : 0;
        for (int64_t left = m; left > 0;) {
            const uint64_t word = random.next();
            for (int half = 0; half < 2 && left > 0; ++half) {  // two numbers of 32 bits from one of 64
                const uint64_t product = uint64_t(uint32_t(word >> (32 * half))) * range;
                if (uint32_t(product) < rest) continue;  // Lemire 2019: no unit is likelier than another
                visit(first + int64_t(product >> 32));
                --left;
            }
        }
    }
}

// How many units the strata hold; they begin at 0 and none ends before it begins.
inline int64_t units_of(View1<const int64_t> starts) {
    bool rising = starts.size() > 0 && starts[0] == 0;
    for (int64_t s = 0; rising && s + 1 < starts.size(); ++s) rising = starts[s] <= starts[s + 1];
    require(rising, "strata must begin at 0 and rise");
    return starts[starts.size() - 1];
}

// c or nothing, without a branch: which rows are positive is what nobody can predict.
inline int64_t kept(int64_t c, uint8_t keep) { return c & -int64_t(keep); }
inline double kept(double c, uint8_t keep) { return c * keep; }

// Area and average precision of rows that count `times[i]`; false if a class has no row.
template <bool TIES, bool PRECISE, class Sum>
inline bool sweep(View1<const uint8_t> positive, View1<const uint8_t> last, const Sum *times, double *out) {
    Sum tp = 0, fp = 0, pos = 0, neg = 0, pairs = 0;  // pairs: twice neg (tp + pos / 2)
    double precision = 0;
    for (int64_t i = 0; i < positive.size(); ++i) {
        const Sum c = times[i], inside = kept(c, positive[i]);
        pos += inside;
        neg += c - inside;
        if (TIES && !last[i]) continue;
        pairs += neg * (2 * tp + pos);
        tp += pos, fp += neg;
        if (PRECISE && pos > 0) precision += double(pos) * double(tp) / double(tp + fp);
        pos = neg = 0;
    }
    if (!(tp > 0 && fp > 0)) return false;
    out[0] = double(pairs) / (2.0 * double(tp) * double(fp));
    out[1] = PRECISE ? precision / double(tp) : std::numeric_limits<double>::quiet_NaN();
    return true;
}

}  // namespace

// Distinct scores, highest first, with the positives and negatives at or above each; returns how many.
int64_t tallies(In1<double> positives,      // in   (P,) rising
                In1<double> negatives,      // in   (N,) rising
                InOut1<double> threshold_,  // out  (P + N,) the first m are filled, as in tps and fps
                InOut1<double> tps_, InOut1<double> fps_) {
    const auto pos = view(positives), neg = view(negatives);
    const auto threshold = view(threshold_), tps = view(tps_), fps = view(fps_);
    require(threshold.size() >= pos.size() + neg.size() && tps.size() == threshold.size() &&
                fps.size() == threshold.size(),
            "tallies: too little room");
    nb::gil_scoped_release unlocked;
    int64_t i = pos.size(), j = neg.size(), m = 0;
    while (i > 0 || j > 0) {
        const bool is_positive = j == 0 || (i > 0 && pos[i - 1] >= neg[j - 1]);
        const double score = is_positive ? pos[--i] : neg[--j];  // one less each time, also if it equals nothing (NaN)
        while (i > 0 && pos[i - 1] == score) --i;
        while (j > 0 && neg[j - 1] == score) --j;
        threshold[m] = score, tps[m] = double(pos.size() - i), fps[m] = double(neg.size() - j);
        ++m;
    }
    return m;
}

// Pairs of a positive and a negative in the right order, an equal pair counting half.
HOT double pairs_in_order(In1<double> positives,  // in (P,) rising
                          In1<double> negatives) {  // in (N,) rising
    const auto pos = view(positives), neg = view(negatives);
    nb::gil_scoped_release unlocked;
    const int64_t P = pos.size(), N = neg.size();
    int64_t below = 0, upto = 0, twice = 0;  // negatives below the positive at hand, and up to it
    for (int64_t i = 0; i < P; ++i) {
        while (below < N && neg[below] < pos[i]) ++below;
        if (upto < below) upto = below;
        while (upto < N && neg[upto] == pos[i]) ++upto;
        twice += below + upto;
    }
    return double(twice) / 2;
}

// Areas of resamples first .. first + B - 1.
HOT void resampled_areas(In1<uint8_t> positive_,  // in   (n,) 1 or 0, rows by falling score
                         In1<uint8_t> last_,  // in   (n,) 1 where the next score is lower
                         In1<int32_t> unit_,  // in   (n,) what is drawn when this row is
                         In1<double> weight_,  // in   (n,) or (0,)
                         In1<int64_t> starts_,  // in   (S + 1,) units of each stratum
                         uint64_t seed, int64_t first, bool precise,
                         InOut2<double> out_) {  // out  (B, 2) area, average precision; NaN where a class has no row
    const auto positive = view(positive_), last = view(last_);
    const auto unit = view(unit_);
    const auto weight = view(weight_);
    const auto starts = view(starts_);
    const auto out = view(out_);
    const int64_t n = positive.size(), units = units_of(starts);
    require(last.size() == n && unit.size() == n && (weight.size() == 0 || weight.size() == n) && out.cols() == 2,
            "resampled_areas: lengths differ");
    for (int64_t i = 0; i < n; ++i) require(unit[i] >= 0 && unit[i] < units, "resampled_areas: no such unit");
    nb::gil_scoped_release unlocked;
    const bool ties = !std::all_of(last.data(), last.data() + n, [](uint8_t end) { return end != 0; });
    const bool weighted = weight.size() > 0;
    std::vector<int32_t> count(units);
    std::vector<int64_t> times(weighted ? 0 : n);
    std::vector<double> mass(weighted ? n : 0);
    for (int64_t b = 0; b < out.rows(); ++b) {
        Random random(seed, uint64_t(first + b));
        std::fill(count.begin(), count.end(), 0);
        draw(random, starts, [drawn = count.data()](int64_t u) { ++drawn[u]; });
        bool both;
        if (weighted) {  // mass = count[unit] * weight
            for (int64_t i = 0; i < n; ++i) mass[i] = count[unit[i]] * weight[i];
            both = precise ? sweep<true, true>(positive, last, mass.data(), out.row(b))
                           : sweep<true, false>(positive, last, mass.data(), out.row(b));
        } else {  // times = count[unit]
            for (int64_t i = 0; i < n; ++i) times[i] = count[unit[i]];
            both = precise ? sweep<true, true>(positive, last, times.data(), out.row(b))
                   : ties  ? sweep<true, false>(positive, last, times.data(), out.row(b))
                           : sweep<false, false>(positive, last, times.data(), out.row(b));
        }
        if (!both) out.row(b)[0] = out.row(b)[1] = std::numeric_limits<double>::quiet_NaN();
    }
}

// Sums of resamples first .. first + B - 1: out[b] = sum over the units drawn of V[unit].
HOT void resampled_sums(In2<double> V_,  // in   (units, q)
                        In1<int64_t> starts_,  // in   (S + 1,)
                        uint64_t seed, int64_t first,
                        InOut2<double> out_) {  // out  (B, q)
    const auto V = view(V_);
    const auto starts = view(starts_);
    const auto out = view(out_);
    require(units_of(starts) <= V.rows() && out.cols() == V.cols(), "resampled_sums: lengths differ");
    nb::gil_scoped_release unlocked;
    const int64_t q = V.cols();
    for (int64_t b = 0; b < out.rows(); ++b) {
        Random random(seed, uint64_t(first + b));
        double *sum = out.row(b);
        for (int64_t c = 0; c < q; ++c) sum[c] = 0;
        draw(random, starts, [&](int64_t u) {
            const double *v = V.row(u);
            for (int64_t c = 0; c < q; ++c) sum[c] += v[c];
        });
    }
}

// Weight in each cell of resamples first .. first + B - 1: out[b][cell[unit]] += weight[unit].
HOT void resampled_cells(In1<int32_t> cell_,  // in   (units,)
                         In1<double> weight_,  // in   (units,)
                         In1<int64_t> starts_,  // in   (S + 1,)
                         uint64_t seed, int64_t first,
                         InOut2<double> out_) {  // out  (B, cells)
    const auto cell = view(cell_);
    const auto weight = view(weight_);
    const auto starts = view(starts_);
    const auto out = view(out_);
    require(units_of(starts) <= cell.size() && weight.size() == cell.size(), "resampled_cells: lengths differ");
    for (int64_t i = 0; i < cell.size(); ++i)
        require(cell[i] >= 0 && cell[i] < out.cols(), "resampled_cells: no such cell");
    nb::gil_scoped_release unlocked;
    for (int64_t b = 0; b < out.rows(); ++b) {
        Random random(seed, uint64_t(first + b));
        double *sum = out.row(b);
        for (int64_t c = 0; c < out.cols(); ++c) sum[c] = 0;
        draw(random, starts, [&](int64_t u) { sum[cell[u]] += weight[u]; });
    }
}

// The units that one resample draws.
void drawn_units(In1<int64_t> starts_, uint64_t seed, int64_t resample, InOut1<int64_t> out_) {  // out (units,)
    const auto starts = view(starts_);
    const auto out = view(out_);
    require(units_of(starts) == out.size(), "drawn_units: lengths differ");
    nb::gil_scoped_release unlocked;
    Random random(seed, uint64_t(resample));
    int64_t k = 0;
    draw(random, starts, [&](int64_t u) { out[k++] = u; });
}

NB_MODULE(ASSAY_MODULE, m) {
    m.doc() = "Areas under curves, and sums of resamples.";
    define(m, "tallies", &tallies, "positives", "negatives", "threshold", "tps", "fps");
    define(m, "pairs_in_order", &pairs_in_order, "positives", "negatives");
    define(m, "resampled_areas", &resampled_areas, "positive", "last", "unit", "weight", "starts", "seed", "first",
           "precise", "out");
    define(m, "resampled_sums", &resampled_sums, "V", "starts", "seed", "first", "out");
    define(m, "resampled_cells", &resampled_cells, "cell", "weight", "starts", "seed", "first", "out");
    define(m, "drawn_units", &drawn_units, "starts", "seed", "resample", "out");
}
