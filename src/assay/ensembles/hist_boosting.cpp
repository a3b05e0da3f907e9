// One round of histogram gradient boosting: gradients as whole numbers, a tree, and what it adds to the scores.
//
// The pieces are in include/assay/boosting: losses.hpp (gradients and curvatures), histogram.hpp (sums by bin),
// split.hpp (the best split of a column), grower.hpp (the tree). A Session keeps the memory that all rounds share;
// its calls are short, so that a fit can be interrupted between them.
//
// Checked when a Session is made, once: codes up to the number of bins of their column, which is the missing one;
// places, categories and groups that are there; later the lengths of what a call brings. Twin in NumPy:
// tests/ensembles/test_hist_growing.py, tree_by_the_book.
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "assay/boosting/grower.hpp"
#include "assay/boosting/growth.hpp"
#include "assay/boosting/leaves.hpp"
#include "assay/boosting/units.hpp"

using namespace assay;
using namespace assay::boosting;

namespace {

template <class T> using Out1 = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
using Maybe = std::optional<In1<double>>;

bool all_finite(const double *a, int64_t n) {
    double sum = 0.0;
    for (int64_t i = 0; i < n; ++i) sum += a[i] * 0.0;  // NaN as soon as one is not finite
    return sum == 0.0;
}

bool all_within(const double *a, int64_t n, double low, double high) {
    bool fits = true;
    for (int64_t i = 0; i < n; ++i) fits &= (a[i] >= low) & (a[i] <= high);
    return fits;
}

bool none_above(const double *a, const double *top, int64_t n) {
    bool fits = true;
    for (int64_t i = 0; i < n; ++i) fits &= a[i] <= top[i];
    return fits;
}

constexpr double ROUNDED_ONE = 1.0 + 1e-9;  // a share of a sum, itself rounded

// The codes of all rows.
struct Coded {
    In2<uint8_t> panels;   // (panels * n, width) columns of 8 bits side by side
    In2<uint8_t> columns;  // (d8, n)
    In2<uint16_t> wide;    // (d16, n)
    In1<uint8_t> missing;  // (d,) whether a value of the column is missing
};

// Everything that a Session indexes by. (d columns; d8 of them have codes of 8 bits, d16 of 16.)
In2<uint8_t> checked(const Binned &binned, const Coded &codes, const In1<int8_t> &monotonic,
                     const std::vector<std::vector<int32_t>> &groups, int64_t n, const Growth &growth) {
    const auto &[bins, place, nominal, thresholds, bin_of, category_start, wide_start, width] = binned;
    const auto &[panels, columns, wide, missing] = codes;
    const int64_t d = length(bins), d8 = length(columns), d16 = length(wide);
    require(0 <= n && n < INT32_MAX, "Session: limits");
    check_growing(binned, missing, monotonic, groups, growth, d8);
    require(int64_t(columns.shape(1)) == n && int64_t(wide.shape(1)) == n, "Session: codes of other rows");
    require(width == 4 || width == 8 || width == 16 || width == 32 || width == 64, "Session: width of the panels");
    require(int64_t(panels.shape(1)) == width && length(panels) >= (d8 + width - 1) / width * n, "Session: panels");
    require(length(wide_start) == d16 + 1, "Session: cells");
    for (int64_t j = 0; j < d16; ++j)
        require(within(wide.data() + j * n, n, 0, wide_start.data()[j + 1] - wide_start.data()[j]),
                "Session: a code beyond the bins of its column");
    std::vector<uint8_t> most(size_t(d8), 0);  // the largest code of each column of 8 bits
    for (int64_t j = 0; j < d; ++j)
        if (place.data()[j] >= 0) most[size_t(place.data()[j])] = uint8_t(bins.data()[j]);
    bool fits = true;
    for (int64_t p = 0; p < d8; ++p) {
        const uint8_t *code = columns.data() + p * n, limit = most[size_t(p)];
        uint8_t top = 0;
        for (int64_t i = 0; i < n; ++i) top = code[i] > top ? code[i] : top;
        fits &= top <= limit;
    }
    for (int64_t a = 0; a < d8; a += width) {  // the same codes in panels
        uint8_t top[64] = {0};
        const uint8_t *code = panels.data() + a * n;
        for (int64_t i = 0; i < n; ++i, code += width)
            for (int64_t j = 0; j < width; ++j) top[j] = code[j] > top[j] ? code[j] : top[j];
        for (int64_t j = 0; j < std::min(width, d8 - a); ++j) fits &= top[j] <= most[size_t(a + j)];
    }
    require(fits, "Session: a code beyond the bins of its column");
    return columns;
}

class Session {
    In2<uint8_t> columns_;
    Binned binned_;
    Coded codes_;
    In1<int8_t> monotonic_;
    std::vector<int32_t> rows_, left_, right_;
    std::vector<int64_t> cells_;
    std::vector<Step> steps_;
    std::unique_ptr<Grower> grower_;
    Units units_{};
    Sums total_;
    std::vector<Leaf> leaves_;
    int64_t n_;
    double l2_, heaviest_ = 1.0;
    struct Given {  // what the latest gradients came from
        int kind = SQUARED;
        double parameter = 0.0;
        In1<double> raw, y;
        Maybe w, top, inverse;
        Rows rows() const {
            return {raw.data(), y.data(), data_or_null(w), data_or_null(top), data_or_null(inverse), parameter};
        }
    } given_;
    bool begun_ = false;  // whether there were gradients

    int64_t *cells() {  // 16-byte aligned
        return reinterpret_cast<int64_t *>((reinterpret_cast<uintptr_t>(cells_.data()) + 15) & ~uintptr_t(15));
    }

  public:
    Session(const Binned &binned, const Coded &coded, In1<int8_t> monotonic, std::vector<std::vector<int32_t>> groups,
            int64_t n, const Growth &growth)
        : columns_(checked(binned, coded, monotonic, groups, n, growth)), binned_(binned), codes_(coded),
          monotonic_(monotonic), rows_(n), left_(n), right_(n), cells_(2 * n + 2), steps_(n), n_(n), l2_(growth.l2) {
        const Codes codes{coded.panels.data(), columns_.data(),  coded.wide.data(), binned.wide_start.data(), n,
                          binned.width,        length(columns_), length(coded.wide)};
        const Columns cols{binned.bins.data(), binned.place.data(), coded.missing.data(), binned.nominal.data(),
                           monotonic.data(),   length(binned.bins), codes.wide_start,     codes.cells()};
        const Limits limits{growth.leaves, growth.depth, growth.least, growth.l2, growth.share};
        grower_ = std::make_unique<Grower>(codes, cols, limits, std::move(groups), rows_.data(), left_.data(),
                                           right_.data(), growth.memory);
    }

    // Gradients and curvatures at the scores, in units of their own; false if they are not finite.
    bool gradients(int kind, double parameter, In1<double> raw, In1<double> y, Maybe w, double heaviest, Maybe top,
                   Maybe inverse, Crew &crew) {
        const auto for_each = [&](const Maybe &a) { return !a || length(*a) == n_; };
        require(SQUARED <= kind && kind <= ONE_OF_MANY && length(raw) == n_ && length(y) == n_ && for_each(w) &&
                    for_each(top) && for_each(inverse) && (kind != ONE_OF_MANY || (top && inverse)),
                "gradients: a score and a target for each row");
        given_ = {kind, parameter, raw, y, w, top, inverse}, begun_ = true, heaviest_ = heaviest;
        nb::gil_scoped_release unlocked;
        if (!all_finite(raw.data(), n_) || !all_finite(y.data(), n_) || (w && !all_finite(w->data(), n_)) ||
            (top && !all_finite(top->data(), n_)) || (inverse && !all_finite(inverse->data(), n_)) ||
            !std::isfinite(heaviest))
            return false;
        // What bounds the gradients below, and so the room for them in the cells.
        require(w ? all_within(w->data(), n_, -heaviest, heaviest) : heaviest == 1.0,
                "gradients: a weight above the heaviest");
        require(kind != PINBALL || (0.0 <= parameter && parameter <= 1.0), "gradients: a quantile from 0 to 1");
        require(kind != BINOMIAL || all_within(y.data(), n_, 0.0, 1.0), "gradients: targets from 0 to 1");
        if (kind == ONE_OF_MANY && !none_above(raw.data(), top->data(), n_)) return false;  // the sum was not finite
        require(kind != ONE_OF_MANY || all_within(inverse->data(), n_, 0.0, ROUNDED_ONE),
                "gradients: a share above one");
        const Rows R = given_.rows();
        const int64_t blocks = (n_ + BLOCK - 1) / BLOCK;
        Extent most = known_extent(kind, heaviest);
        if (!has_known_extent(kind)) {
            std::vector<Extent> extents(blocks);
            crew.each(blocks,
                      [&](int64_t t, int) { extents[t] = extent(kind, R, t * BLOCK, std::min(n_, (t + 1) * BLOCK)); });
            most = {0.0, 0.0};
            for (const Extent &e : extents) most = {std::max(e.g, most.g), std::max(e.h, most.h)};
            if (!is_moderate(most, heaviest, n_)) return false;
        }
        const bool constant = kind <= PINBALL && !w;
        units_ = units_for(n_, !constant, most);
        if (fill_cells(crew) < ENOUGH_UNITS * n_ && constant) {  // a few large gradients: finer units
            units_ = units_for(n_, true, most);
            fill_cells(crew);
        }
        return true;
    }

    // The tree of the latest gradients, in preorder: column (-1: leaf), threshold or value, right child, whether
    // missing values go left, rows, gain; for nominal tests the place and the words of the set of categories that go
    // left; the leaves, where their rows begin, and the tree's depth.
    auto grow(double rate, bool exact, uint64_t seed, Crew &crew) {
        require(begun_, "grow: there are no gradients yet");
        Layout tree;
        std::vector<int32_t> leaf_node;
        std::vector<int64_t> leaf_start;
        {
            nb::gil_scoped_release unlocked;
            grower_->grow(cells(), units_, total_, seed, crew);
            tree = lay_out(grower_->nodes(), binned_, codes_.missing.data(), units_, rate);
            leaves_ = tree.leaves;
            if (exact && units_.wide && grower_->nodes().size() > 1) settle_leaves(rate, tree.number, crew);
            if (exact && given_.kind != ABSOLUTE && given_.kind != PINBALL)
                for (const Leaf &leaf : leaves_) tree.number[leaf.node] = bounded(leaf, tree.number[leaf.node], rate);
        }
        for (const Leaf &leaf : leaves_) leaf_node.push_back(leaf.node), leaf_start.push_back(leaf.start);
        return std::make_tuple(give(std::move(tree.column)), give(std::move(tree.number)), give(std::move(tree.right)),
                               give(std::move(tree.missing_left)), give(std::move(tree.rows)),
                               give(std::move(tree.gain)), give(std::move(tree.set_start)), give(std::move(tree.sets)),
                               give(std::move(leaf_node)), give(std::move(leaf_start)), tree.depth);
    }

    // raw[i] += value of the leaf of row i; node[i], if wanted, is that leaf.
    void add(In1<double> number, InOut1<double> raw, std::optional<InOut1<int32_t>> node, Crew &crew) {
        require(length(raw) == n_ && (!node || length(*node) == n_), "add: a score for each row");
        for (const Leaf &leaf : leaves_) require(leaf.node < length(number), "add: a value for each leaf");
        nb::gil_scoped_release unlocked;
        const int64_t size = BLOCK * 4, blocks = (n_ + size - 1) / size;
        crew.each(blocks, [&](int64_t t, int) {
            const int64_t a = t * size, b = std::min(n_, a + size);
            for (const Leaf &leaf : leaves_) {
                const double value = number.data()[leaf.node];
                const int64_t first = std::max(a, leaf.start), last = std::min(b, leaf.stop);
                for (int64_t i = first; i < last; ++i) raw.data()[rows_[i]] += value;
                if (node)
                    for (int64_t i = first; i < last; ++i) node->data()[rows_[i]] = leaf.node;
            }
        });
    }

    Out1<const int32_t> rows() { return Out1<const int32_t>(rows_.data(), {size_t(n_)}, nb::find(this)); }

  private:
    // Cells and steps of all rows, and their total; the sum of the gradients' absolute values, in units.
    int64_t fill_cells(Crew &crew) {
        const Rows R = given_.rows();
        const int64_t blocks = (n_ + BLOCK - 1) / BLOCK;
        std::vector<Sums> sums(blocks);
        std::vector<int64_t> sizes(blocks);
        int64_t *cell = cells();
        crew.each(blocks, [&](int64_t t, int) {
            const int64_t a = t * BLOCK, b = std::min(n_, a + BLOCK);
            make_cells(given_.kind, R, nullptr, a, b, units_, cell, steps_.data());
            for (int64_t i = a; i < b; ++i) {
                const Sums one = units_.sums(cell + (units_.wide ? 2 * i : i));
                sums[t] += one, sizes[t] += std::abs(one.g);
            }
        });
        total_ = {};
        int64_t size = 0;
        for (int64_t t = 0; t < blocks; ++t) total_ += sums[t], size += sizes[t];
        return size;
    }

    void settle_leaves(double rate, std::vector<double> &number, Crew &crew) {
        const int64_t size = BLOCK * 2;
        std::vector<int64_t> start{0};  // the first of each leaf's blocks
        for (const Leaf &leaf : leaves_) start.push_back(start.back() + (leaf.stop - leaf.start + size - 1) / size);
        std::vector<Parts> parts(start.back());
        crew.each(start.back(), [&](int64_t t, int) {
            const size_t l = std::upper_bound(start.begin(), start.end(), t) - start.begin() - 1;
            const int64_t a = leaves_[l].start + (t - start[l]) * size, b = std::min(a + size, leaves_[l].stop);
            for (int64_t i = a; i < b; ++i) parts[t] += steps_[rows_[i]];
        });
        for (size_t l = 0; l < leaves_.size(); ++l) {
            Parts sum;
            for (int64_t t = start[l]; t < start[l + 1]; ++t) sum += parts[t];
            const Sums &sums = grower_->nodes()[leaves_[l].from].sums;
            number[leaves_[l].node] = settled(leaves_[l], sums, sum, units_, l2_, rate);
        }
    }

    double bounded(const Leaf &leaf, double step, double rate) const {
        if (surely_falls(given_.kind, leaf, step) || !std::isfinite(step)) return step;
        if (given_.kind >= BINOMIAL) {
            const Rows R = given_.rows();
            const double scale = decrease_scale(step, heaviest_, units_.count_bits);
            int64_t decrease = 0;
            for (int64_t i = leaf.start; i < leaf.stop; ++i)
                decrease += nearest(decrease_of_row(given_.kind, R, rows_[i], step) * scale);
            if (falls_enough(leaf, step, decrease, scale)) return step;
        }
        return cautious_step(given_.kind, step / rate);
    }
};

// The largest score of each row, and 1 over the sum of exponentials; raw is (K, n).
void normalisers(In2<double> raw, InOut1<double> top, InOut1<double> inverse, Crew &crew) {
    require(raw.shape(0) > 0 && top.shape(0) == raw.shape(1) && inverse.shape(0) == raw.shape(1),
            "normalisers: scores, and a place for each row");
    nb::gil_scoped_release unlocked;
    const int64_t n = int64_t(raw.shape(1)), blocks = (n + 1023) / 1024;
    crew.each(blocks, [&](int64_t t, int) {
        normalise(view(raw), t * 1024, std::min(n, (t + 1) * 1024), top.data(), inverse.data());
    });
}

// The weighted losses of all rows, from their scores and normalisers, added to an exact sum.
void softmax_losses(In2<double> raw, In1<double> y, Maybe w, In1<double> top, In1<double> inverse,
                    InOut1<int64_t> parts, Crew &crew) {
    const int64_t n = int64_t(raw.shape(1)), K = int64_t(raw.shape(0)), blocks = (n + BLOCK - 1) / BLOCK;
    require(int64_t(y.shape(0)) == n && (!w || int64_t(w->shape(0)) == n) && int64_t(top.shape(0)) == n &&
                int64_t(inverse.shape(0)) == n && length(parts) == EXACT_PARTS,
            "softmax_losses: one class, weight and normaliser for each row");
    for (int64_t i = 0; i < n; ++i)
        require(y.data()[i] >= 0.0 && y.data()[i] < double(K), "softmax_losses: classes from 0 to K - 1");
    nb::gil_scoped_release unlocked;
    std::vector<std::vector<int64_t>> sums(crew.places());
    crew.each(blocks, [&](int64_t t, int who) {
        if (sums[who].empty()) sums[who].resize(EXACT_PARTS);
        add_softmax_losses(view(raw), y.data(), data_or_null(w), top.data(), inverse.data(), t * BLOCK,
                           std::min(n, (t + 1) * BLOCK), sums[who].data());
    });
    for (const std::vector<int64_t> &sum : sums)
        for (size_t i = 0; i < sum.size(); ++i) parts.data()[i] += sum[i];
}

void losses(int kind, double parameter, In1<double> raw, In1<double> y, Maybe w, InOut1<int64_t> parts) {
    require(raw.shape(0) == y.shape(0) && (!w || w->shape(0) == y.shape(0)) && length(parts) == EXACT_PARTS,
            "losses: one score and weight for each y");
    require(SQUARED <= kind && kind < ONE_OF_MANY, "losses: of which kind");
    nb::gil_scoped_release unlocked;
    const Rows R{raw.data(), y.data(), data_or_null(w), nullptr, nullptr, parameter};
    add_losses(kind, R, 0, int64_t(y.shape(0)), parts.data());
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    nb::class_<Crew>(m, "Crew")
        .def(nb::init<int>(), nb::arg("places"))
        .def("help", &Crew::help, nb::call_guard<nb::gil_scoped_release>())
        .def("close", &Crew::close);
    record<Coded>(m, "Codes", field("panels", &Coded::panels), field("columns", &Coded::columns),
                  field("wide", &Coded::wide), field("missing", &Coded::missing));
    record<Growth>(m, "Growth", field("leaves", &Growth::leaves), field("depth", &Growth::depth),
                   field("least", &Growth::least), field("l2", &Growth::l2), field("share", &Growth::share),
                   field("memory", &Growth::memory));
    nb::class_<Session>(m, "Session")
        .def(nb::init<const Binned &, const Coded &, In1<int8_t>, std::vector<std::vector<int32_t>>, int64_t,
                      const Growth &>(),
             nb::arg("binned"), nb::arg("codes"), nb::arg("monotonic"), nb::arg("groups"), nb::arg("n"),
             nb::arg("growth"))
        .def("gradients", &Session::gradients, nb::kw_only(), nb::arg("kind"), nb::arg("parameter"), nb::arg("raw"),
             nb::arg("y"), nb::arg("w").none(), nb::arg("heaviest"), nb::arg("top").none(), nb::arg("inverse").none(),
             nb::arg("crew"))
        .def("grow", &Session::grow, nb::arg("rate"), nb::arg("exact"), nb::arg("seed"), nb::arg("crew"))
        .def("add", &Session::add, nb::arg("number"), nb::arg("raw").noconvert(), nb::arg("node").none(),
             nb::arg("crew"))
        .def("rows", &Session::rows);
    define(m, "normalisers", &normalisers, "raw", "top", "inverse", "crew");
    define(m, "softmax_losses", &softmax_losses, "raw", "y", "w", "top", "inverse", "parts", "crew");
    define(m, "losses", &losses, "kind", "parameter", "raw", "y", "w", "parts");
}
