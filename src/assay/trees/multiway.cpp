// Trees of n-way splits on categories and binary splits on numbers: see assay/multiway.hpp for how they grow.
#include "assay/edge.hpp"
#include "assay/multiway.hpp"

using namespace assay;
using namespace assay::multiway;

namespace {

nb::tuple grow(const SortedRows &rows, const Rules &rules, int64_t most_nodes) {
    Grower g = grower(rows, rules);
    g.nodes.most = size_t(most_nodes);
    {
        nb::gil_scoped_release unlocked;
        g.grow(g.whole(rows.lists.data(), rows.y.data(), data_or_null(rows.w)));
    }
    Nodes &t = g.nodes;
    return nb::make_tuple(give(std::move(t.parent)), give(std::move(t.branch)), give(std::move(t.feature)),
                          give(std::move(t.kind)), give(std::move(t.low)), give(std::move(t.high)),
                          give(std::move(t.category)), give(std::move(t.rows)), give(std::move(t.counts)));
}

// What every column offers at the root: out[j] = gain, ratio, branches, low, high, category (branches 0: nothing).
void offers(const SortedRows &rows, const Rules &rules, InOut2<double> out) {
    Grower g = grower(rows, rules);
    const int64_t d = length(rows.n_categories), n = length(rows.y);
    require(int64_t(out.shape(0)) == d && out.shape(1) == 6, "offers: shapes");
    nb::gil_scoped_release unlocked;
    auto root = g.whole(rows.lists.data(), rows.y.data(), data_or_null(rows.w));
    const Task task{root, 0, n, g.add_node(-1, 0, *root, 0, n), 0};
    double total = 0;
    for (int64_t k = 0; k < rows.K; ++k) total += g.nodes.counts[k];
    vector<Split> splits(d);
    g.look(task, total, splits);
    for (int64_t j = 0; j < d; ++j) {
        const Split &s = splits[j];
        double *o = out.data() + j * 6;
        o[0] = s.gain, o[1] = s.ratio, o[2] = s.branches, o[3] = s.low, o[4] = s.high, o[5] = s.category;
    }
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    record<SortedRows>(m, "SortedRows", field("codes", &SortedRows::codes), field("lists", &SortedRows::lists),
                       field("distinct", &SortedRows::distinct), field("n_categories", &SortedRows::n_categories),
                       field("y", &SortedRows::y), field("w", &SortedRows::w), field("K", &SortedRows::K),
                       field("fractions", &SortedRows::fractions));
    record<Rules>(m, "Rules", field("criterion", &Rules::criterion), field("average", &Rules::average),
                  field("correction", &Rules::correction), field("tenth", &Rules::tenth),
                  field("useless", &Rules::useless), field("one_vs_rest", &Rules::one_vs_rest),
                  field("min_leaf", &Rules::min_leaf), field("penalty", &Rules::penalty),
                  field("tolerance", &Rules::tolerance), field("max_depth", &Rules::max_depth));
    define(m, "grow", &grow, "rows", "rules", "most_nodes");
    define(m, "offers", &offers, "rows", "rules", "out");
}
