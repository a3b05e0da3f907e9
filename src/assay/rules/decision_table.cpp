// Decision tables: rows with the same categories in some columns form a group; how well do groups tell the classes?
//
// refine splits groups by one more column; leave_one_out asks every row's group, without that row, for its class:
//
//     right(i) = [ y_i = argmax_k (c_gk - v_i [k = y_i]) ],      the default class where the row was alone        (1)
//
// v_i is 1, or the row's weight if that is less: a row of weight 2 is two rows, of which one is left out at a time.
// Only a row of its group's most frequent class can be right, and only the second class can outdo it. Among equally
// frequent classes the first is meant.
//
// Checked here: groups, codes and classes are inside their ranges. Cost: O(n), whatever the number of groups.
// Twin in NumPy: tests/rules/test_decision_table_classifier.py, right_by_the_book.
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"

using namespace assay;

namespace {

using std::uint64_t;
using std::vector;

// Numbers keys 0, 1, 2, ... in the order in which they come; a table of places if there are few, else open addressing.
class Numbering {
    const bool dense_;
    uint64_t mask_ = 0;
    vector<int64_t> keys_;
    vector<int32_t> numbers_;

  public:
    int32_t count = 0;

    Numbering(int64_t possible, int64_t n) : dense_(possible <= 8 * n + 1024) {
        if (dense_) {
            numbers_.assign(possible, -1);
            return;
        }
        uint64_t size = 16;
        while (size < uint64_t(2 * n)) size *= 2;
        mask_ = size - 1;
        keys_.assign(size, -1), numbers_.assign(size, -1);
    }

    int32_t operator()(int64_t key) {
        if (dense_) {
            int32_t &number = numbers_[key];
            if (number < 0) number = count++;
            return number;
        }
        uint64_t h = uint64_t(key) * 0x9e3779b97f4a7c15u;
        for (h = (h ^ (h >> 32)) & mask_; keys_[h] != key; h = (h + 1) & mask_)
            if (keys_[h] < 0) {
                keys_[h] = key, numbers_[h] = count++;
                break;
            }
        return numbers_[h];
    }
};

bool inside(const int32_t *x, int64_t n, int64_t limit) {
    bool fits = true;
    for (int64_t i = 0; i < n; ++i) fits &= x[i] >= 0 && x[i] < limit;
    return fits;
}

// The groups split by the codes of one more column, numbered in the order of their first rows; returns how many.
int64_t refine(In1<int32_t> group, int64_t groups, In1<int32_t> code, int64_t codes, InOut1<int32_t> out) {
    const int64_t n = int64_t(group.shape(0));
    require(int64_t(code.shape(0)) == n && int64_t(out.shape(0)) == n, "refine: shapes");
    require(groups >= 0 && groups <= n + 1 && codes >= 0 && codes < (int64_t(1) << 31), "refine: counts");
    require(inside(group.data(), n, groups) && inside(code.data(), n, codes), "refine: a number is out of range");
    nb::gil_scoped_release unlocked;
    Numbering number(groups * codes, n);
    for (int64_t i = 0; i < n; ++i) out.data()[i] = number(int64_t(group.data()[i]) * codes + code.data()[i]);
    return number.count;
}

struct Group {
    double total = 0, most = 0, second = 0;
    int32_t top = -1, next = -1;  // their classes

    void add(double weight, int32_t k) {
        total += weight;
        if (weight > most || (weight == most && k < top)) {
            second = most, next = top;
            most = weight, top = k;
        } else if (weight > second || (weight == second && (next < 0 || k < next))) {
            second = weight, next = k;
        }
    }
};

// (1), in weights
double leave_one_out(In1<int32_t> group, int64_t groups, In1<int32_t> y, std::optional<In1<double>> w_, int64_t K,
                     int64_t otherwise) {
    const int64_t n = int64_t(group.shape(0));
    require(int64_t(y.shape(0)) == n && (!w_ || int64_t(w_->shape(0)) == n), "leave_one_out: shapes");
    require(groups >= 0 && groups <= n + 1 && K > 0 && K < (int64_t(1) << 31), "leave_one_out: counts");
    require(inside(group.data(), n, groups) && inside(y.data(), n, K), "leave_one_out: a number is out of range");
    nb::gil_scoped_release unlocked;
    const double *w = w_ ? w_->data() : nullptr;
    Numbering number(groups * K, n);
    vector<double> weight;  // by cell: a class in a group
    vector<int64_t> key;
    for (int64_t i = 0; i < n; ++i) {
        const int64_t cell = int64_t(group.data()[i]) * K + y.data()[i];
        const int32_t at = number(cell);
        if (at == int32_t(weight.size())) weight.push_back(0.0), key.push_back(cell);
        weight[at] += w ? w[i] : 1.0;
    }
    vector<Group> found(groups);
    for (size_t c = 0; c < weight.size(); ++c) found[key[c] / K].add(weight[c], int32_t(key[c] % K));
    double right = 0;
    for (int64_t i = 0; i < n; ++i) {
        const Group &g = found[group.data()[i]];
        const double own = w ? std::min(w[i], 1.0) : 1.0, rest = g.most - own;
        const int32_t k = y.data()[i];
        const bool alone = g.total - own <= 1e-12 * g.total;
        const bool hit =
            alone ? k == otherwise : k == g.top && rest > 0 && (rest > g.second || (rest == g.second && k < g.next));
        right += !hit ? 0.0 : w ? w[i] : 1.0;
    }
    return right;
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    define(m, "refine", &refine, "group", "groups", "code", "codes", "out");
    define(m, "leave_one_out", &leave_one_out, "group", "groups", "y", "w", "K", "otherwise");
}
