// Trees of n-way splits on categories and binary splits on numbers: see assay/multiway.hpp for how they grow.
#include "assay/give.hpp"
#include "assay/multiway.hpp"

using namespace assay;
using namespace assay::multiway;

namespace {

nb::tuple grow(In2<int32_t> codes,         // in  (nominal columns, n)  -1: missing
               InOut2<uint64_t> lists,  // in/out  (numeric columns, n)  rank << 32 | row, ascending; then by nodes
               In1<int32_t> distinct,  // in  (numeric columns,)  their ranks
               In1<int32_t> n_categories,  // in  (d,)  0: numeric
               In1<int32_t> y,  // in  (n,)
               Maybe w,  // in  (n,)  or None: each row counts once
               int64_t K, bool fractions, int criterion, bool average, bool correction, bool tenth, bool useless,
               bool one_vs_rest, double min_leaf, double penalty, double tolerance, int64_t max_depth,
               int64_t most_nodes) {
    Rules rules{criterion, average, correction, tenth, useless, one_vs_rest, min_leaf, penalty, tolerance, max_depth};
    Grower g = grower(codes, lists, distinct, n_categories, y, w, K, fractions, rules);
    g.nodes.most = size_t(most_nodes);
    {
        nb::gil_scoped_release unlocked;
        g.grow(g.whole(lists.data(), y.data(), w ? w->data() : nullptr));
    }
    Nodes &t = g.nodes;
    return nb::make_tuple(give(std::move(t.parent)), give(std::move(t.branch)), give(std::move(t.feature)),
                          give(std::move(t.kind)), give(std::move(t.low)), give(std::move(t.high)),
                          give(std::move(t.category)), give(std::move(t.rows)), give(std::move(t.counts)));
}

// What every column offers at the root: out[j] = gain, ratio, branches, low, high, category (branches 0: nothing).
void offers(In2<int32_t> codes, InOut2<uint64_t> lists, In1<int32_t> distinct, In1<int32_t> n_categories,
            In1<int32_t> y, Maybe w, int64_t K, bool fractions, int criterion, bool correction, bool tenth,
            bool useless, bool one_vs_rest, double min_leaf, double tolerance, InOut2<double> out) {
    Rules rules{criterion, false, correction, tenth, useless, one_vs_rest, min_leaf, 0.0, tolerance, 0};
    Grower g = grower(codes, lists, distinct, n_categories, y, w, K, fractions, rules);
    const int64_t d = int64_t(n_categories.shape(0)), n = int64_t(y.shape(0));
    require(int64_t(out.shape(0)) == d && out.shape(1) == 6, "offers: shapes");
    nb::gil_scoped_release unlocked;
    auto root = g.whole(lists.data(), y.data(), w ? w->data() : nullptr);
    const Task task{root, 0, n, g.add_node(-1, 0, *root, 0, n), 0};
    double total = 0;
    for (int64_t k = 0; k < K; ++k) total += g.nodes.counts[k];
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
    m.def("grow", &grow, nb::arg("codes"), nb::arg("lists"), nb::arg("distinct"), nb::arg("n_categories"), nb::arg("y"),
          nb::arg("w").none(), nb::arg("K"), nb::arg("fractions"), nb::kw_only(), nb::arg("criterion"),
          nb::arg("average"), nb::arg("correction"), nb::arg("tenth"), nb::arg("useless"), nb::arg("one_vs_rest"),
          nb::arg("min_leaf"), nb::arg("penalty"), nb::arg("tolerance"), nb::arg("max_depth"), nb::arg("most_nodes"));
    m.def("offers", &offers, nb::arg("codes"), nb::arg("lists"), nb::arg("distinct"), nb::arg("n_categories"),
          nb::arg("y"), nb::arg("w").none(), nb::arg("K"), nb::arg("fractions"), nb::kw_only(), nb::arg("criterion"),
          nb::arg("correction"), nb::arg("tenth"), nb::arg("useless"), nb::arg("one_vs_rest"), nb::arg("min_leaf"),
          nb::arg("tolerance"), nb::arg("out"));
}
