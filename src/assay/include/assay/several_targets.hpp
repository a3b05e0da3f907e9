// Impurities of several targets at once: the mean over the targets, each with the criterion of one.
//
// A tree of several targets asks questions that serve all of them. With q targets of K_1 .. K_q classes a node's value
// is the K = K_1 + .. + K_q class shares, target after target. With c_k the class weights of a node,
//
//     Gini      W I = W - (1/q) sum_k c_k^2 / W           Entropy   W I = W log2 W - (1/q) sum_k c_k log2 c_k
//
// since every target has the same weight W; so the targets need not be told apart while a cut is looked for.
// Interface: see assay/criteria.hpp. Twins in NumPy: tests/trees/test_several_targets.py.
#pragma once
#include "assay/criteria.hpp"

namespace assay {

// Class weights of all targets: what both criteria share.
template <class Source>
struct TargetClasses {
    using T = typename Source::Weight;
    Source rows;
    const int32_t *start;  // (q + 1,) where the classes of each target begin
    int K;
    std::vector<T> total, left;
    T W = 0;
    double mass = 0;  // W I(node)
    static constexpr bool counts_classes = false;  // categories are arranged by the profiles of all classes

    TargetClasses(Source source, const int32_t *starts)
        : rows(source), start(starts), K(starts[source.q]), total(size_t(K)), left(size_t(K)) {}
    int width() const { return K; }
    double weight() const { return double(W); }
    double impurity() const { return W > 0 ? std::max(0.0, mass / double(W)) : 0; }
    bool pure() const {
        for (int64_t o = 0; o < rows.q; ++o) {
            int seen = 0;
            for (int32_t k = start[o]; k < start[o + 1]; ++k) seen += total[k] > 0;
            if (seen > 1) return false;
        }
        return true;
    }
    void value(double *out) const {
        for (int k = 0; k < K; ++k) out[k] = double(total[k]) / double(W);
    }
    static void clip(double *, double, double) {}  // monotonic constraints are for one target
    const int32_t *classes(uint32_t row) const { return rows.y + int64_t(row) * rows.q; }
    template <class Label>
    void count(Label label, int64_t m) {
        std::fill(total.begin(), total.end(), T(0));
        for (int64_t i = 0; i < m; ++i) {
            const int32_t *k = classes(label(i));
            const T w = rows.w(label(i));
            for (int64_t o = 0; o < rows.q; ++o) total[k[o]] += w;
        }
        W = 0;
        for (int32_t k = 0; k < start[1]; ++k) W += total[k];
    }
    double squares_of(const T *c) const {
        double sum = 0;
        for (int k = 0; k < K; ++k) sum += double(c[k]) * double(c[k]);
        return sum;
    }
    template <class Label>
    double profile(Label label, int64_t m, double *out) const {  // class shares of some rows; their weight
        std::fill(out, out + K, 0.0);
        double sum = 0;
        for (int64_t i = 0; i < m; ++i) {
            const int32_t *k = classes(label(i));
            const double w = double(rows.w(label(i)));
            for (int64_t o = 0; o < rows.q; ++o) out[k[o]] += w;
            sum += w;
        }
        for (int k = 0; k < K; ++k) out[k] /= sum;
        return sum;
    }
};

// Gini, whole weights: the sums of squares follow the rows exactly. q W^2 must stay below 2^62.
template <class Source>
struct GiniOfTargets : TargetClasses<Source> {
    int64_t squares = 0;
    using TargetClasses<Source>::TargetClasses;
    template <class Label>
    void enter(Label label, int64_t m) {
        this->count(label, m);
        squares = 0;
        for (int k = 0; k < this->K; ++k) squares += this->total[k] * this->total[k];
        this->mass = double(this->W) - double(squares) / (double(this->W) * double(this->rows.q));
    }
    struct Cut {
        Source rows;
        int64_t W, *left;
        const int64_t *total;
        int64_t squares, squares_right, squares_left = 0, Wl = 0;
        void add(uint32_t row) { add(row, rows.w(row)); }
        void add(uint32_t row, int64_t w) {
            const int32_t *y = rows.y + int64_t(row) * rows.q;
            for (int64_t o = 0; o < rows.q; ++o) {
                const int64_t a = left[y[o]], b = total[y[o]] - a;
                squares_left += w * (2 * a + w);   // (a + w)^2 - a^2
                squares_right -= w * (2 * b - w);  // b^2 - (b - w)^2
                left[y[o]] = a + w;
            }
            Wl += w;
        }
        double gain() const {
            const double a = double(Wl), b = double(W - Wl);
            const double sum = (double(squares_left) * b + double(squares_right) * a) / (a * b);
            return (sum - double(squares) / double(W)) / double(rows.q);
        }
        double left_weight() const { return double(Wl); }
        double left_value() const { return 0; }
        double right_value() const { return 0; }
    };
    Cut cut() {
        std::fill(this->left.begin(), this->left.end(), 0);
        return {this->rows, this->W, this->left.data(), this->total.data(), squares, squares};
    }
};

// Gini or entropy, any weights: masses from the class weights at every cut.
template <class Source>
struct ImpurityOfTargets : TargetClasses<Source> {
    using T = typename Source::Weight;
    bool entropy;
    std::vector<T> right;
    std::vector<double> table;  // c log2 c of the whole numbers up to the weight of all rows
    ImpurityOfTargets(Source source, const int32_t *starts, bool by_entropy, int64_t most)
        : TargetClasses<Source>(source, starts), entropy(by_entropy), right(size_t(this->K)) {
        if (!entropy || !std::is_same<T, int64_t>::value || most >= (1 << 24)) return;
        table.resize(size_t(most + 1));
        for (int64_t c = 1; c <= most; ++c) table[size_t(c)] = double(c) * std::log2(double(c));
    }
    double term(T c) const { return table.empty() ? xlog2x(double(c)) : table[size_t(c)]; }
    double mass_of(const T *c, T W) const {
        const double q = double(this->rows.q);
        if (!entropy) return W > 0 ? double(W) - this->squares_of(c) / (double(W) * q) : 0;
        double sum = 0;
        for (int k = 0; k < this->K; ++k) sum += term(c[k]);
        return term(W) - sum / q;
    }
    template <class Label>
    void enter(Label label, int64_t m) {
        this->count(label, m);
        this->mass = this->pure() ? 0 : mass_of(this->total.data(), this->W);
    }
    struct Cut {
        ImpurityOfTargets *node;
        T Wl = 0;
        void add(uint32_t row) { add(row, node->rows.w(row)); }
        void add(uint32_t row, T w) {
            const int32_t *k = node->classes(row);
            for (int64_t o = 0; o < node->rows.q; ++o) node->left[k[o]] += w;
            Wl += w;
        }
        double gain() {
            T *b = node->right.data();
            const T *all = node->total.data(), *a = node->left.data();
            for (int k = 0; k < node->K; ++k) b[k] = std::max(all[k] - a[k], T(0));
            return node->mass - node->mass_of(a, Wl) - node->mass_of(b, node->W - Wl);
        }
        double left_weight() const { return double(Wl); }
        double left_value() const { return 0; }
        double right_value() const { return 0; }
    };
    Cut cut() {
        std::fill(this->left.begin(), this->left.end(), T(0));
        return {this};
    }
};

// Any criterion of one number, applied to each of q numbers a row; the mean of their masses and gains.
template <class One>
struct EachNumber {
    using OneCut = decltype(std::declval<One &>().cut());
    NumberColumns rows;
    std::vector<One> parts;
    std::vector<OneCut> cuts;
    double W = 0, mass = 0;
    static constexpr bool counts_classes = false;

    EachNumber(NumberColumns columns, std::vector<One> each) : rows(columns), parts(std::move(each)) {}
    int width() const { return int(rows.q); }
    double weight() const { return W; }
    double impurity() const { return W > 0 ? std::max(0.0, mass / W) : 0; }
    bool pure() const {
        return std::all_of(parts.begin(), parts.end(), [](const One &one) { return one.pure(); });
    }
    void value(double *out) const {
        for (const One &one : parts) one.value(out++);
    }
    static void clip(double *, double, double) {}
    template <class Label>
    void enter(Label label, int64_t m) {
        mass = 0;
        for (int64_t o = 0; o < rows.q; ++o) {
            One &one = parts[size_t(o)];
            one.rows = {rows.y + o * rows.stride, rows.weight, 1};
            one.enter(label, m);
            mass += one.mass / double(rows.q);
        }
        W = parts[0].W;
    }
    template <class Label>
    double profile(Label label, int64_t m, double *out) const {
        double weight = 0;
        for (const One &one : parts) weight = one.profile(label, m, out++);
        return weight;
    }
    struct Cut {
        EachNumber *node;
        double Wl = 0;
        void add(uint32_t row) { add(row, node->rows.w(row)); }
        void add(uint32_t row, double w) {
            for (OneCut &one : node->cuts) one.add(row, w);
            Wl += w;
        }
        double gain() {
            double sum = 0;
            for (OneCut &one : node->cuts) sum += one.gain();
            return sum / double(node->rows.q);
        }
        double left_weight() const { return Wl; }
        double left_value() const { return 0; }
        double right_value() const { return 0; }
    };
    Cut cut() {
        cuts.clear();
        for (One &one : parts) cuts.push_back(one.cut());
        return {this};
    }
};

}  // namespace assay
