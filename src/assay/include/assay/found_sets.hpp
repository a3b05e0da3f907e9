// Item sets as miners find them: items one after another, a size and a count for each; and how far one has come.
#pragma once
#include <algorithm>
#include <utility>
#include <vector>

#include "assay/edge.hpp"

namespace assay {

struct FoundSets {
    std::vector<int32_t> items, sizes;
    std::vector<int64_t> counts;

    int64_t size() const { return int64_t(sizes.size()); }

    // The items of `set`, and one more, ascending.
    void add(const std::vector<int32_t> &set, int64_t count) {
        const size_t at = items.size();
        items.insert(items.end(), set.begin(), set.end());
        std::sort(items.begin() + int64_t(at), items.end());
        sizes.push_back(int32_t(set.size())), counts.push_back(count);
    }
};

// Mining stops when its budget is used up and says by which steps it came there; the next call goes on from there.
// A step is the place of an item in the list of its level, which is the same each time.
struct Trail {
    std::vector<int32_t> steps;   // where to go on; empty: from the start
    std::vector<int32_t> here;    // the steps at present
    int64_t budget, room;         // work, and sets, that are left
    bool resuming, stopped = false;

    Trail(const int32_t *path, int64_t length, int64_t budget, int64_t room)
        : steps(path, path + length), budget(budget), room(room), resuming(length > 0) {}

    int32_t first(size_t level) const { return resuming && level < steps.size() ? steps[level] : 0; }

    // Whether the item at this step was done before the last stop, so that only its own branch remains.
    bool behind(size_t level, int32_t a) {
        if (!resuming) return false;
        if (level < steps.size() && a == steps[level] && level + 1 < steps.size()) return true;
        resuming = false;
        return false;
    }

    // Whether to stop before this step, because the call has done its share.
    bool full(bool progressed) {
        if (stopped || !progressed || (budget > 0 && room > 0)) return stopped;
        steps = here;
        return stopped = true;
    }
};

}  // namespace assay
