// Learning vector quantisation: rows are shown one after the other, and the nearest prototypes move.
//
//     lvq1     the nearest moves by rate (x - m) if its class is the row's, by -rate (x - m) if not
//     olvq1    the same, with a rate of each prototype: rate_i <- rate_i / (1 + s rate_i), s = +1 if right, -1 if not
//     lvq2.1   the two nearest, if one is right, the other wrong and x lies in the window between them
//     lvq3     as lvq2.1; two right ones move by epsilon rate
//     glvq     the nearest right and the nearest wrong one, by the slope of f(mu), mu = (d+ - d-) / (d+ + d-)
//
// The rate falls in a line from its first value to 0 over all visits. A step may not leave the range of the training
// rows, so that prototypes which are pushed away stay finite. Twin in NumPy: tests/local/test_lvq.py, by_the_book.
#include <algorithm>
#include <cmath>
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"

using namespace assay;

namespace {

struct LVQRule {
    int64_t kind;  // in the order above
    double rate, window, epsilon;
    In1<double> low, high;  // (d,) the range that prototypes stay in
    void check() const {
        require(kind >= 0 && kind <= 4, "LVQRule: there is no such kind");
        require(length(low) == length(high), "LVQRule: a lowest and a highest value for each column");
    }
};

class Prototypes {
    const LVQRule &rule;
    double *M;
    const int64_t d;

  public:
    Prototypes(const LVQRule &rule, double *M, int64_t d) : rule(rule), M(M), d(d) {}

    double squared(const double *x, int64_t h) const {
        double sum = 0.0;
        for (int64_t j = 0; j < d; ++j) {
            const double gap = x[j] - M[h * d + j];
            sum += gap * gap;
        }
        return sum;
    }

    void move(int64_t h, const double *x, double step) {
        double *m = M + h * d;
        for (int64_t j = 0; j < d; ++j)
            m[j] = std::clamp(m[j] + step * (x[j] - m[j]), rule.low.data()[j], rule.high.data()[j]);
    }
};

// The rows of `order` from visit `begin` of `visits` on; the prototypes, and for olvq1 their rates, are moved.
void learn(In2<double> X,            // in      (n, d)
           In1<int64_t> y,           // in      (n,)     classes
           In1<double> weight,       // in      (n,), or (0,) for ones
           In1<int64_t> order,       // in      (m,)     rows to visit
           InOut2<double> M,         // in/out  (H, d)   prototypes
           In1<int64_t> label,       // in      (H,)     their classes
           InOut1<double> rates,     // in/out  (H,)     of olvq1
           const LVQRule &rule, int64_t begin, int64_t visits) {
    const int64_t n = length(X), d = int64_t(X.shape(1)), H = length(M);
    require(length(y) == n && weighs(weight, n) && within(order, 0, n), "lvq: a class and a weight for each row");
    require(int64_t(M.shape(1)) == d && length(label) == H && length(rates) == H && H > 0,
            "lvq: a class and a rate for each prototype");
    require(length(rule.low) == d, "lvq: a range for each column");
    require(begin >= 0 && visits > 0, "lvq: counts must not be below 0");
    nb::gil_scoped_release unlocked;
    Prototypes prototypes(rule, M.data(), d);
    for (int64_t t = 0; t < length(order); ++t) {
        const int64_t i = order.data()[t];
        const double *x = X.data() + i * d, w = weight.size() ? weight.data()[i] : 1.0;
        int64_t first = -1, second = -1, right = -1, wrong = -1;
        double d1 = INFINITY, d2 = INFINITY, dr = INFINITY, dw = INFINITY;
        for (int64_t h = 0; h < H; ++h) {
            const double gap = prototypes.squared(x, h);
            if (gap < d1) second = first, d2 = d1, first = h, d1 = gap;
            else if (gap < d2) second = h, d2 = gap;
            double &best = label.data()[h] == y.data()[i] ? dr : dw;
            if (gap < best) best = gap, (label.data()[h] == y.data()[i] ? right : wrong) = h;
        }
        if (first < 0) continue;
        const double rate = w * rule.rate * std::max(0.0, 1.0 - double(begin + t) / double(visits));
        const bool good = label.data()[first] == y.data()[i];
        if (rule.kind == 0) prototypes.move(first, x, good ? rate : -rate);
        else if (rule.kind == 1) {
            double &mine = rates.data()[first];
            prototypes.move(first, x, w * (good ? mine : -mine));
            mine = std::min(mine / (1 + (good ? mine : -mine)), rule.rate);
        } else if (rule.kind == 4) {
            if (right < 0 || wrong < 0 || !(dr + dw > 0)) continue;
            const double away = dw / (dr + dw), mu = 1 - 2 * away, f = 1 / (1 + std::exp(-mu));
            const double step = 2 * rate * f * (1 - f);  // slopes times (dr + dw) / 2: the rate has no unit
            prototypes.move(right, x, step * away);
            prototypes.move(wrong, x, -step * (1 - away));
        } else if (second >= 0) {
            const bool also = label.data()[second] == y.data()[i];
            const double near = (1 - rule.window) / (1 + rule.window);
            if (good != also && d1 > near * near * d2) {
                prototypes.move(first, x, good ? rate : -rate);
                prototypes.move(second, x, also ? rate : -rate);
            } else if (rule.kind == 3 && good && also) {
                prototypes.move(first, x, rule.epsilon * rate);
                prototypes.move(second, x, rule.epsilon * rate);
            }
        }
    }
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    record<LVQRule>(m, "LVQRule", field("kind", &LVQRule::kind), field("rate", &LVQRule::rate),
                    field("window", &LVQRule::window), field("epsilon", &LVQRule::epsilon), field("low", &LVQRule::low),
                    field("high", &LVQRule::high));
    define(m, "learn", &learn, "X", "y", "weight", "order", "M", "label", "rates", "rule", "begin", "visits");
}
