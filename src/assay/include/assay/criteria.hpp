// Impurities, and what a cut of a node's rows into left and right gains.
//
//     gain = W I(node) - W_l I(left) - W_r I(right)          W: sum of weights, I: impurity a unit of weight
//
// A criterion is told the node's rows (enter). Then a Cut begins with every row on the right; rows move to the left
// one by one (add; with weight 0 nothing moves), and gain() can be asked at any time. A Cut is small and local, so that
// it lives in registers. Rows come as 32-bit labels; a Source says which class and weight stand behind a label.
//
//     Gini       I = 1 - sum p_k^2            Entropy   I = -sum p_k log2 p_k
//     Error      I = 1 - max p_k              Risk      I = min_i sum_k L_ik p_k        (rows of L: decisions)
//     Mean       I = average of (y - mean)^2, over the outputs as well
//     Poisson    I = average of y log(y / mean)
//     Absolute   I = average of |y - median|
//
// Twins in NumPy: tests/trees/test_growing.py.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "assay/sorting.hpp"

namespace assay {

using std::uint32_t;
using std::uint64_t;

constexpr double NO_GAIN = -std::numeric_limits<double>::infinity();

// ------------------------------------------------------------------ sources: label -> class, weight

struct UnitRows {  // label is a row, every row weighs 1
    using Weight = int64_t;
    const uint8_t *y;
    int k(uint32_t row) const { return y[row]; }
    int64_t w(uint32_t) const { return 1; }
};

struct CountedRows {  // whole weights
    using Weight = int64_t;
    const int32_t *y, *weight;
    int k(uint32_t row) const { return y[row]; }
    int64_t w(uint32_t row) const { return weight[row]; }
};

struct WeightedRows {  // any weights
    using Weight = double;
    const int32_t *y;
    const double *weight;
    int k(uint32_t row) const { return y[row]; }
    double w(uint32_t row) const { return weight[row]; }
};

struct PackedRows {  // the label itself is weight << 8 | class
    using Weight = int64_t;
    int k(uint32_t label) const { return int(label & 255); }
    int64_t w(uint32_t label) const { return int64_t(label >> 8); }
};

template <class Stored, class T>
struct TargetRows {  // several targets; label is a row; without weights each row weighs 1
    using Weight = T;
    const int32_t *y;  // (n, q) the class of each target, numbered through all targets
    const Stored *weight;  // (n,) or null
    int64_t q;
    T w(uint32_t row) const { return weight ? T(weight[row]) : T(1); }
};
using CountedTargets = TargetRows<int32_t, int64_t>;
using WeightedTargets = TargetRows<double, double>;

struct NumberColumns {  // several numbers a row, output after output: y is (q, stride)
    const double *y, *weight;
    int64_t q, stride;
    double w(uint32_t row) const { return weight ? weight[row] : 1.0; }
};

// The same rows numbered 0..m-1, side by side in memory: for small nodes, whose rows lie far apart.
struct Nearby {
    std::vector<uint8_t> y8;
    std::vector<int32_t> y, count;
    std::vector<double> weight, number;

    UnitRows of(const UnitRows &from, const uint32_t *label, int64_t m) {
        copy(from.y, label, m, y8);
        return {y8.data()};
    }
    CountedRows of(const CountedRows &from, const uint32_t *label, int64_t m) {
        copy(from.y, label, m, y), copy(from.weight, label, m, count);
        return {y.data(), count.data()};
    }
    WeightedRows of(const WeightedRows &from, const uint32_t *label, int64_t m) {
        copy(from.y, label, m, y), copy(from.weight, label, m, weight);
        return {y.data(), weight.data()};
    }
    CountedTargets of(const CountedTargets &from, const uint32_t *label, int64_t m) {
        copy_rows(from.y, from.q, label, m, y);
        if (from.weight) copy(from.weight, label, m, count);
        return {y.data(), from.weight ? count.data() : nullptr, from.q};
    }
    WeightedTargets of(const WeightedTargets &from, const uint32_t *label, int64_t m) {
        copy_rows(from.y, from.q, label, m, y);
        if (from.weight) copy(from.weight, label, m, weight);
        return {y.data(), from.weight ? weight.data() : nullptr, from.q};
    }
    NumberColumns of(const NumberColumns &from, const uint32_t *label, int64_t m) {
        number.resize(size_t(m * from.q));
        for (int64_t o = 0; o < from.q; ++o)
            for (int64_t i = 0; i < m; ++i) number[o * m + i] = from.y[o * from.stride + label[i]];
        if (from.weight) copy(from.weight, label, m, weight);
        return {number.data(), from.weight ? weight.data() : nullptr, from.q, m};
    }
    template <class Rows>  // Numbers
    Rows of(const Rows &from, const uint32_t *label, int64_t m) {
        copy_rows(from.y, from.q, label, m, number);
        if (from.weight) copy(from.weight, label, m, weight);
        return {number.data(), from.weight ? weight.data() : nullptr, from.q};
    }
    template <class T>
    static void copy_rows(const T *from, int64_t q, const uint32_t *label, int64_t m, std::vector<T> &to) {
        to.resize(size_t(m * q));
        for (int64_t i = 0; i < m; ++i) std::copy_n(from + int64_t(label[i]) * q, q, to.data() + i * q);
    }
    template <class T>
    static void copy(const T *from, const uint32_t *label, int64_t m, std::vector<T> &to) {
        to.resize(size_t(m));
        for (int64_t i = 0; i < m; ++i) to[i] = from[label[i]];
    }
};

// ------------------------------------------------------------------ impurities of class weights

inline double xlog2x(double x) { return x > 0 ? x * std::log2(x) : 0; }

// Weight times impurity, each of K class weights c whose sum is W.
template <class T>
double gini_mass(const T *c, int K, double W) {
    double squares = 0;
    for (int k = 0; k < K; ++k) squares += double(c[k]) * double(c[k]);
    return W > 0 ? W - squares / W : 0;
}

template <class T>
double entropy_mass(const T *c, int K, double W) {
    double sum = xlog2x(W);
    for (int k = 0; k < K; ++k) sum -= xlog2x(double(c[k]));
    return sum;
}

template <class T>
double error_mass(const T *c, int K, double W) {
    T most = 0;
    for (int k = 0; k < K; ++k) most = std::max(most, c[k]);
    return W - double(most);
}

template <class T>
double risk_mass(const T *c, int K, const double *loss) {
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < K; ++i) {
        double risk = 0;
        for (int k = 0; k < K; ++k) risk += loss[i * K + k] * double(c[k]);
        least = std::min(least, risk);
    }
    return least;
}

// ------------------------------------------------------------------ classification

enum class Impurity { Gini, Entropy, Error, Risk };

// Totals, values and left weights of the classes: what all criteria of classification share.
template <class Source>
struct Classes {
    using T = typename Source::Weight;
    Source rows;
    int K;
    const double *loss;  // (K, K) or null
    Impurity kind;
    std::vector<T> total, left;
    T W = 0;
    double mass = 0;  // W I(node)
    // Error and risk are flat wherever a cut changes no decision; there, and only there, the Gini gain decides,
    // or the tree would peel off row after row.
    static constexpr double FLAT = 1e-9;

    Classes(Source source, int classes, Impurity which, const double *losses)
        : rows(source), K(classes), loss(losses), kind(which), total(classes), left(classes) {}

    int width() const { return K; }
    double weight() const { return double(W); }
    double impurity() const { return W > 0 ? std::max(0.0, mass / double(W)) : 0; }

    bool pure() const {
        int seen = 0;
        for (int k = 0; k < K; ++k) seen += total[k] > 0;
        return seen <= 1;
    }
    void value(double *out) const {
        for (int k = 0; k < K; ++k) out[k] = double(total[k]) / double(W);
    }
    static void clip(double *value, double low, double high) {  // two classes: the share of class 1
        value[1] = std::min(std::max(value[1], low), high);
        value[0] = 1 - value[1];
    }
    template <class Label>
    void count(Label label, int64_t m) {  // label(i): the i-th of the node's m rows
        std::fill(total.begin(), total.end(), T(0));
        for (int64_t i = 0; i < m; ++i) total[rows.k(label(i))] += rows.w(label(i));
        W = 0;
        for (int k = 0; k < K; ++k) W += total[k];
    }
    double mass_of(const T *c, double w) const {
        switch (kind) {
            case Impurity::Gini: return gini_mass(c, K, w);
            case Impurity::Entropy: return entropy_mass(c, K, w);
            case Impurity::Error: return error_mass(c, K, w);
            default: return risk_mass(c, K, loss);
        }
    }
    // The gain of a cut with these class weights on its left; slow, for groupings of categories.
    double gain_of(const T *c, T w, T *rest) const {
        for (int k = 0; k < K; ++k) rest[k] = total[k] - c[k];
        const double a = double(w), b = double(W - w);
        if (kind == Impurity::Gini || kind == Impurity::Entropy) return mass - mass_of(c, a) - mass_of(rest, b);
        const double gini = gini_mass(total.data(), K, a + b) - gini_mass(c, K, a) - gini_mass(rest, K, b);
        return mass - mass_of(c, a) - mass_of(rest, b) + FLAT * gini;
    }
    static constexpr bool counts_classes = true;
    template <class Label>
    double profile(Label label, int64_t m, double *out) const {  // class shares of some rows; their weight
        std::fill(out, out + K, 0.0);
        double sum = 0;
        for (int64_t i = 0; i < m; ++i) out[rows.k(label(i))] += double(rows.w(label(i)));
        for (int k = 0; k < K; ++k) sum += out[k];
        for (int k = 0; k < K; ++k) out[k] /= sum;
        return sum;
    }
};

// Two classes, Gini. With D = W L_1 - W_l W_1 the gain is 2 D^2 / (W W_l W_r): one division, and for whole
// weights D is exact, so equal cuts have equal gains whatever the column.
template <class Source>
struct GiniOfTwo : Classes<Source> {
    using T = typename Source::Weight;
    GiniOfTwo(Source source, int, Impurity, const double *, int64_t)
        : Classes<Source>(source, 2, Impurity::Gini, nullptr) {}
    template <class Label>
    void enter(Label label, int64_t m) {
        T W = 0, ones = 0;
        for (int64_t i = 0; i < m; ++i) {
            const T w = this->rows.w(label(i));
            W += w;
            ones += w * T(this->rows.k(label(i)));
        }
        this->W = W, this->total[0] = W - ones, this->total[1] = ones;
        this->mass = gini_mass(this->total.data(), 2, double(W));
    }
    struct Cut {
        Source rows;
        T W, ones_all, Wl = 0, ones = 0;
        void add(uint32_t label) { add(label, rows.w(label)); }
        void add(uint32_t label, T w) {
            Wl += w;
            ones += w * T(rows.k(label));
        }
        double gain() const {
            const double D = double(W * ones - Wl * ones_all), a = double(Wl), b = double(W - Wl);
            if (!std::is_integral<T>::value && b <= 1e-15 * double(W)) return 0;  // what is right of it is rounding
            return 2 * D * D / (double(W) * a * b);
        }
        double left_weight() const { return double(Wl); }
        double left_value() const { return double(ones) / double(Wl); }
        double right_value() const { return double(ones_all - ones) / double(W - Wl); }
    };
    Cut cut() { return {this->rows, this->W, this->total[1]}; }
};

// Any number of classes, Gini, whole weights: the sums of squares follow the rows exactly.
template <class Source>
struct GiniOfMany : Classes<Source> {
    int64_t squares = 0;
    GiniOfMany(Source source, int K, Impurity, const double *, int64_t)
        : Classes<Source>(source, K, Impurity::Gini, nullptr) {}
    template <class Label>
    void enter(Label label, int64_t m) {
        this->count(label, m);
        squares = 0;
        for (int k = 0; k < this->K; ++k) squares += this->total[k] * this->total[k];
        this->mass = gini_mass(this->total.data(), this->K, double(this->W));
    }
    struct Cut {
        Source rows;
        int64_t W, *left;
        const int64_t *total;
        int64_t squares, squares_right, squares_left = 0, Wl = 0;
        void add(uint32_t label) { add(label, rows.w(label)); }
        void add(uint32_t label, int64_t w) {
            const int k = rows.k(label);
            const int64_t a = left[k], b = total[k] - a;
            squares_left += w * (2 * a + w);  // (a + w)^2 - a^2
            squares_right -= w * (2 * b - w);  // b^2 - (b - w)^2
            left[k] = a + w;
            Wl += w;
        }
        double gain() const {
            const double a = double(Wl), b = double(W - Wl);
            return (double(squares_left) * b + double(squares_right) * a) / (a * b) - double(squares) / double(W);
        }
        double left_weight() const { return double(Wl); }
        double left_value() const { return double(left[1]) / double(Wl); }
        double right_value() const { return double(total[1] - left[1]) / double(W - Wl); }
    };
    Cut cut() {
        std::fill(this->left.begin(), this->left.end(), 0);
        return {this->rows, this->W, this->left.data(), this->total.data(), squares, squares};
    }
};

// Any criterion, any weights: masses from the class weights at every cut.
template <class Source>
struct AnyImpurity : Classes<Source> {
    using T = typename Source::Weight;
    std::vector<T> right;
    std::vector<double> table;  // c log2 c of the whole numbers up to the weight of all rows
    double mass_gini = 0;
    AnyImpurity(Source source, int K, Impurity which, const double *loss, int64_t most)
        : Classes<Source>(source, K, which, loss), right(K) {
        if (which != Impurity::Entropy || !std::is_same<T, int64_t>::value || most >= (1 << 24)) return;
        table.resize(most + 1);
        for (int64_t c = 1; c <= most; ++c) table[c] = double(c) * std::log2(double(c));
    }
    template <class Label>
    void enter(Label label, int64_t m) {
        this->count(label, m);
        this->mass = this->mass_of(this->total.data(), double(this->W));
        mass_gini = gini_mass(this->total.data(), this->K, double(this->W));
    }
    double entropy(const T *c, T W) const {
        if (table.empty()) return entropy_mass(c, this->K, double(W));
        double sum = table[size_t(W)];
        for (int k = 0; k < this->K; ++k) sum -= table[size_t(c[k])];
        return sum;
    }
    double gain(const T *a, T Wl) {
        const T Wr = this->W - Wl, *all = this->total.data();
        const int K = this->K;
        T *b = right.data();
        for (int k = 0; k < K; ++k) b[k] = all[k] - a[k];
        if (this->kind == Impurity::Entropy) return this->mass - entropy(a, Wl) - entropy(b, Wr);
        const double gini = mass_gini - gini_mass(a, K, double(Wl)) - gini_mass(b, K, double(Wr));
        if (this->kind == Impurity::Gini) return gini;
        return this->mass - this->mass_of(a, double(Wl)) - this->mass_of(b, double(Wr)) + this->FLAT * gini;
    }
    struct Cut {
        AnyImpurity *node;
        Source rows;
        T *left, Wl = 0;
        void add(uint32_t label) { add(label, rows.w(label)); }
        void add(uint32_t label, T w) {
            left[rows.k(label)] += w;
            Wl += w;
        }
        double gain() { return node->gain(left, Wl); }
        double left_weight() const { return double(Wl); }
        double left_value() const { return double(left[1]) / double(Wl); }
        double right_value() const { return double(node->total[1] - left[1]) / double(node->W - Wl); }
    };
    Cut cut() {
        std::fill(this->left.begin(), this->left.end(), T(0));
        return {this, this->rows, this->left.data()};
    }
};

// ------------------------------------------------------------------ regression

struct Numbers {  // label is a row; y is (n, q); without weights each row weighs 1
    const double *y, *weight;
    int64_t q;
    double w(uint32_t row) const { return weight ? weight[row] : 1.0; }
    double at(uint32_t row) const { return y[row]; }
};

// What the criteria of one number share: weight, mean, smallest and largest number.
struct OneNumber {
    Numbers rows;
    double W = 0, least = 0, most = 0, mass = 0;
    double shift = 0, rest = 0, mean = 0;  // mean = shift + rest: numbers far from 0 keep their digits
    explicit OneNumber(Numbers numbers) : rows(numbers) {}
    int width() const { return 1; }
    double weight() const { return W; }
    double impurity() const { return W > 0 ? std::max(0.0, mass / W) : 0; }
    bool pure() const { return least == most; }
    void value(double *out) const { out[0] = mean; }
    static void clip(double *value, double low, double high) { value[0] = std::min(std::max(value[0], low), high); }
    static constexpr bool counts_classes = false;

    template <class Label>
    void average(Label label, int64_t m) {
        W = 0, least = std::numeric_limits<double>::infinity(), most = -least;
        double sum = 0;
        shift = rows.at(label(0));
        for (int64_t i = 0; i < m; ++i) {
            const double y = rows.at(label(i)), w = rows.w(label(i));
            W += w, sum += w * (y - shift);
            least = std::min(least, y), most = std::max(most, y);
        }
        rest = least == most ? 0 : sum / W;
        mean = shift + rest;
    }
    template <class Label>
    double profile(Label label, int64_t m, double *out) const {  // mean of some rows; their weight
        double sum = 0, weight = 0;
        for (int64_t i = 0; i < m; ++i) {
            sum += rows.w(label(i)) * (rows.at(label(i)) - shift - rest);
            weight += rows.w(label(i));
        }
        out[0] = sum / weight;
        return weight;
    }
};

// Squared error. With S = sum over the left of w (y - mean), the gain is S^2 W / (W_l W_r).
struct SquaredError : OneNumber {
    using OneNumber::OneNumber;
    template <class Label>
    void enter(Label label, int64_t m) {
        average(label, m);
        mass = 0;
        for (int64_t i = 0; i < m; ++i) {
            const double r = rows.at(label(i)) - shift - rest;
            mass += rows.w(label(i)) * r * r;
        }
    }
    struct Cut {
        Numbers rows;
        double W, shift, rest, Wl = 0, S = 0;
        void add(uint32_t row) { add(row, rows.w(row)); }
        void add(uint32_t row, double w) {
            S += w * (rows.at(row) - shift - rest);
            Wl += w;
        }
        double gain() const { return S * S * W / (Wl * (W - Wl)); }
        double left_weight() const { return Wl; }
        double left_value() const { return shift + rest + S / Wl; }
        double right_value() const { return shift + rest - S / (W - Wl); }
    };
    Cut cut() const { return {rows, W, shift, rest}; }
};

// The same for q numbers a row: the average of their gains.
struct SquaredErrors : OneNumber {
    std::vector<double> means, sums;
    bool constant = false;
    explicit SquaredErrors(Numbers numbers) : OneNumber(numbers), means(numbers.q), sums(numbers.q) {}
    int width() const { return int(rows.q); }
    bool pure() const { return constant; }
    void value(double *out) const { std::copy(means.begin(), means.end(), out); }
    template <class Label>
    void enter(Label label, int64_t m) {
        const int64_t q = rows.q;
        const double *first = rows.y + int64_t(label(0)) * q;
        std::fill(means.begin(), means.end(), 0.0);
        W = 0, mass = 0, constant = true;
        for (int64_t i = 0; i < m; ++i) {
            const double w = rows.w(label(i)), *y = rows.y + int64_t(label(i)) * q;
            W += w;
            for (int64_t o = 0; o < q; ++o) means[o] += w * (y[o] - first[o]), constant &= y[o] == first[o];
        }
        for (int64_t o = 0; o < q; ++o) means[o] = first[o] + means[o] / W;
        for (int64_t i = 0; i < m && !constant; ++i) {
            const double w = rows.w(label(i)), *y = rows.y + int64_t(label(i)) * q;
            for (int64_t o = 0; o < q; ++o) mass += w * (y[o] - means[o]) * (y[o] - means[o]);
        }
        mass /= double(q);
    }
    template <class Label>
    double profile(Label label, int64_t m, double *out) const {
        const int64_t q = rows.q;
        double weight = 0;
        std::fill(out, out + q, 0.0);
        for (int64_t i = 0; i < m; ++i) {
            const double w = rows.w(label(i)), *y = rows.y + int64_t(label(i)) * q;
            for (int64_t o = 0; o < q; ++o) out[o] += w * (y[o] - means[o]);
            weight += w;
        }
        for (int64_t o = 0; o < q; ++o) out[o] /= weight;
        return weight;
    }
    struct Cut {
        Numbers rows;
        double W, *S;
        const double *mean;
        double Wl = 0;
        void add(uint32_t row) { add(row, rows.w(row)); }
        void add(uint32_t row, double w) {
            const double *y = rows.y + int64_t(row) * rows.q;
            for (int64_t o = 0; o < rows.q; ++o) S[o] += w * (y[o] - mean[o]);
            Wl += w;
        }
        double gain() const {
            double sum = 0;
            for (int64_t o = 0; o < rows.q; ++o) sum += S[o] * S[o];
            return sum * W / (Wl * (W - Wl)) / double(rows.q);
        }
        double left_weight() const { return Wl; }
        double left_value() const { return mean[0] + S[0] / Wl; }
        double right_value() const { return mean[0] - S[0] / (W - Wl); }
    };
    Cut cut() {
        std::fill(sums.begin(), sums.end(), 0.0);
        return {rows, W, sums.data(), means.data()};
    }
};

// Poisson deviance. The y log y terms cancel, and with D = sum over the left of w (y - mean) the gain is
// s_l log(1 + D / (W_l mean)) + s_r log(1 - D / (W_r mean)), where s = W mean +- D are the sums of the sides.
// A side whose numbers are all zero would predict a rate of zero; such a cut is not allowed.
struct Poisson : OneNumber {
    using OneNumber::OneNumber;
    template <class Label>
    void enter(Label label, int64_t m) {
        average(label, m);
        mass = 0;
        for (int64_t i = 0; i < m; ++i) {
            const double y = rows.at(label(i));
            if (y > 0) mass += rows.w(label(i)) * y * std::log(y / mean);
        }
        if (pure()) mass = 0;
    }
    struct Cut {
        Numbers rows;
        double W, shift, rest, mean, Wl = 0, D = 0;
        void add(uint32_t row) { add(row, rows.w(row)); }
        void add(uint32_t row, double w) {
            D += w * (rows.at(row) - shift - rest);
            Wl += w;
        }
        double gain() const {
            const double a = Wl * mean, b = (W - Wl) * mean, tiny = 1e-14 * W * mean;
            if (a + D <= tiny || b - D <= tiny) return NO_GAIN;
            return (a + D) * std::log1p(D / a) + (b - D) * std::log1p(-D / b);
        }
        double left_weight() const { return Wl; }
        double left_value() const { return mean + D / Wl; }
        double right_value() const { return mean - D / (W - Wl); }
    };
    Cut cut() const { return {rows, W, shift, rest, mean}; }
};

// Numbers with weights, kept in order in a Fenwick tree: median and absolute deviation in log time.
class Medians {
    std::vector<double> w_, wy_;  // sums of weight and of weight times number; the tree counts from 1
    const double *level_ = nullptr;
    int64_t size_ = 0, top_ = 1;
    double W_ = 0, Wy_ = 0;

    // The first number with more than this weight at or below it; what is below it comes along.
    int64_t reach(double weight, double &below, double &below_y) const {
        int64_t i = 0;
        below = below_y = 0;
        for (int64_t step = top_; step; step /= 2) {
            if (i + step > size_ || below + w_[i + step] > weight) continue;
            i += step, below += w_[i], below_y += wy_[i];
        }
        return std::min(i, size_ - 1);
    }

  public:
    void start(const double *levels, int64_t size) {  // levels: the distinct numbers, ascending
        level_ = levels, size_ = size, W_ = Wy_ = 0;
        for (top_ = 1; top_ * 2 <= size; top_ *= 2) {}
        w_.assign(size + 1, 0.0), wy_.assign(size + 1, 0.0);
    }
    void add(int64_t rank, double w) {
        const double wy = w * level_[rank];
        W_ += w, Wy_ += wy;
        for (int64_t i = rank + 1; i <= size_; i += i & -i) w_[i] += w, wy_[i] += wy;
    }
    double deviation() const {  // sum of w |y - median|
        double below, below_y;
        const double mid = level_[reach(W_ / 2, below, below_y)];
        return std::max(0.0, mid * below - below_y + (Wy_ - below_y) - mid * (W_ - below));
    }
    // Halfway between two numbers if half of the weight ends between them. The numbers: as given, without a shift.
    double median(const std::vector<double> &numbers) const {
        double a, b;
        const double slack = 1e-12 * W_;
        return numbers[reach(W_ / 2 - slack, a, b)] / 2 + numbers[reach(W_ / 2 + slack, a, b)] / 2;
    }
};

// Absolute error around the median. Both sides of a cut are kept in order.
struct AbsoluteError : OneNumber {
    std::vector<double> numbers, levels;  // distinct numbers of the node; less the shift, so that sums keep digits
    std::vector<int32_t> rank;  // (n,) place of a row's number among them
    std::vector<std::pair<double, uint32_t>> sorted;
    Medians all, left, right;
    double middle = 0;
    AbsoluteError(Numbers source, int64_t n) : OneNumber(source), rank(n) {}
    void value(double *out) const { out[0] = middle; }
    template <class Label>
    void enter(Label label, int64_t m) {
        average(label, m);
        sorted.clear(), numbers.clear(), levels.clear();
        for (int64_t i = 0; i < m; ++i) sorted.emplace_back(rows.at(label(i)), label(i));
        std::sort(sorted.begin(), sorted.end(),
                  [](const auto &a, const auto &b) { return ascends(a.first, b.first, a.second, b.second); });
        for (int64_t i = 0; i < m; ++i) {
            if (i == 0 || sorted[i].first != sorted[i - 1].first) {
                numbers.push_back(sorted[i].first);
                levels.push_back(sorted[i].first - shift);
            }
            rank[sorted[i].second] = int32_t(levels.size() - 1);
        }
        all.start(levels.data(), int64_t(levels.size()));
        for (int64_t i = 0; i < m; ++i) all.add(rank[label(i)], rows.w(label(i)));
        middle = all.median(numbers);
        mass = pure() ? 0 : all.deviation();
    }
    struct Cut {
        AbsoluteError *node;
        double Wl = 0;
        void add(uint32_t row) { add(row, node->rows.w(row)); }
        void add(uint32_t row, double w) {
            if (w == 0) return;
            node->left.add(node->rank[row], w);
            node->right.add(node->rank[row], -w);
            Wl += w;
        }
        double gain() const { return node->mass - node->left.deviation() - node->right.deviation(); }
        double left_weight() const { return Wl; }
        double left_value() const { return node->left.median(node->numbers); }
        double right_value() const { return node->right.median(node->numbers); }
    };
    Cut cut() {
        left.start(levels.data(), int64_t(levels.size()));
        right = all;
        return {this};
    }
};

}  // namespace assay
