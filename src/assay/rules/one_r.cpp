// OneR: numbers in ascending order cut into buckets, each with one class that is frequent in it.
//
// A bucket takes in the next distinct number as long as its most frequent class weighs less than `least`, or is also
// the most frequent class of that number. Neighbours that then have the same class become one:
//
//     while c[top(c)] < least or top(next) == top(c):    c += next                                    (1)
//
// Among equally frequent classes the first is meant. Checked by the caller: ends ascending, the last one n; y in
// 0..K-1. Twin in Python: tests/rules/test_one_r_classifier.py, buckets_by_the_book.
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"

using namespace assay;

namespace {

// The first of the most frequent classes.
inline int64_t top_of(const double *c, int64_t K) { return std::max_element(c, c + K) - c; }

nb::tuple buckets(In1<int64_t> ends_,                 // in  (g,)  behind the last row of each distinct number
                  In1<int32_t> y_,                    // in  (n,)  classes in the order of the numbers
                  std::optional<In1<double>> w_,      // in  (n,)  or None
                  int64_t K, double least) {
    const auto ends = view(ends_);
    const auto y = view(y_);
    const int64_t g = ends.size();
    require(!w_ || int64_t(w_->shape(0)) == y.size(), "buckets: shapes");
    require(g == 0 || ends[g - 1] == y.size(), "buckets: ends");
    require(within(ends_, 0, y.size() + 1) && K > 0 && K < INT32_MAX && within(y_, 0, K),
            "buckets: a row or a class that is not there");
    std::vector<int64_t> last, top;  // of each bucket: its last distinct number, its class
    {
        nb::gil_scoped_release unlocked;
        const double *w = w_ ? w_->data() : nullptr;
        std::vector<double> now(K), next(K);
        int64_t row = 0, now_top = 0, next_top = 0;
        auto close = [&](int64_t at) {
            const bool same = !top.empty() && top.back() == now_top;
            if (same) last.back() = at;
            else last.push_back(at), top.push_back(now_top);
        };
        for (int64_t i = 0; i < g; ++i) {
            std::fill(next.begin(), next.end(), 0.0);
            for (; row < ends[i]; ++row) next[y[row]] += w ? w[row] : 1.0;
            next_top = top_of(next.data(), K);
            if (i && !(now[now_top] < least || next_top == now_top)) {  // (1)
                close(i - 1);
                now.swap(next), now_top = next_top;
                continue;
            }
            for (int64_t k = 0; k < K; ++k) now[k] += next[k];
            now_top = top_of(now.data(), K);
        }
        if (g) close(g - 1);
    }
    return nb::make_tuple(give(std::move(last)), give(std::move(top)));
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) { define(m, "buckets", &buckets, "ends", "y", "w", "K", "least"); }
