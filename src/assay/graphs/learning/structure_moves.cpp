// Moves between structures: which is the best that is legal, and which columns lead to which.
//
// Twins in NumPy: tests/graphs/test_search.py.
#include <cmath>
#include <vector>

#include "assay/edge.hpp"

using namespace assay;

namespace {

bool square(const In2<uint8_t> &a, int64_t d) { return length(a) == d && int64_t(a.shape(1)) == d; }

// reach[i, j]: whether a directed path leads from i to j.
void paths(In2<uint8_t> arcs, InOut2<uint8_t> reach) {
    const int64_t d = length(arcs);
    require(square(arcs, d) && length(reach) == d && int64_t(reach.shape(1)) == d, "paths: a square of columns");
    nb::gil_scoped_release unlocked;
    std::vector<std::vector<int64_t>> children(d);
    for (int64_t i = 0; i < d; ++i)
        for (int64_t j = 0; j < d; ++j)
            if (arcs.data()[i * d + j]) children[i].push_back(j);
    std::vector<int64_t> todo;
    for (int64_t i = 0; i < d; ++i) {
        uint8_t *met = reach.data() + i * d;
        for (int64_t j = 0; j < d; ++j) met[j] = 0;
        todo.assign(1, i);
        while (!todo.empty()) {
            const int64_t k = todo.back();
            todo.pop_back();
            for (int64_t j : children[k])
                if (!met[j]) met[j] = 1, todo.push_back(j);
        }
    }
}

constexpr int64_t ADD = 0, REMOVE = 1, REVERSE = 2;

// The move that gains most: add before delete before reverse among equals, then the lowest columns.
struct Best {
    double least_gain, gain = 0.0;
    int64_t kind = -1, from = -1, to = -1;
    double within = 0.0;  // the best of the kind that is looked at
    int64_t a = -1, b = -1;
    void see(double value, int64_t i, int64_t j) {
        if (value > (a < 0 ? -INFINITY : within + least_gain)) within = value, a = i, b = j;
    }
    void end(int64_t which) {
        if (a >= 0 && (kind < 0 || within > gain + least_gain)) gain = within, kind = which, from = a, to = b;
        a = b = -1;
    }
};

double best_move(In2<uint8_t> arcs,  // in   (d, d)
                 In2<uint8_t> reach,  // in   (d, d) by paths
                 In2<double> gains,  // in   (d, d) of adding, or taking away, the arc from i to j
                 In2<uint8_t> allowed,  // in   (d, d)
                 In2<uint8_t> required,  // in   (d, d)
                 In2<int64_t> until,  // in   (d, d) the move from which an arc may change again
                 int64_t step,  // this move
                 int64_t max_parents, double least_gain,
                 InOut1<int64_t> move) {  // out  (3,) kind (add, delete, reverse; -1: none), from, to
    const int64_t d = length(arcs);
    require(square(arcs, d) && square(reach, d) && square(allowed, d) && square(required, d) && length(gains) == d &&
                int64_t(gains.shape(1)) == d && length(until) == d && int64_t(until.shape(1)) == d,
            "best_move: squares of columns");
    require(length(move) == 3, "best_move: room for the move");
    nb::gil_scoped_release unlocked;
    const auto at = [d](const auto &a, int64_t i, int64_t j) { return a.data()[i * d + j]; };
    std::vector<int64_t> parents(d, 0);
    for (int64_t i = 0; i < d; ++i)
        for (int64_t j = 0; j < d; ++j) parents[j] += at(arcs, i, j) != 0;
    Best best{least_gain};
    for (int64_t i = 0; i < d; ++i)
        for (int64_t j = 0; j < d; ++j)
            if (at(allowed, i, j) && !at(arcs, i, j) && !at(reach, j, i) && i != j && parents[j] < max_parents &&
                at(until, i, j) <= step)
                best.see(at(gains, i, j), i, j);
    best.end(ADD);
    const auto free = [&](int64_t i, int64_t j) {
        return at(arcs, i, j) && !at(required, i, j) && at(until, i, j) <= step;
    };
    for (int64_t i = 0; i < d; ++i)
        for (int64_t j = 0; j < d; ++j)
            if (free(i, j)) best.see(at(gains, i, j), i, j);
    best.end(REMOVE);
    for (int64_t i = 0; i < d; ++i)
        for (int64_t j = 0; j < d; ++j) {
            if (!free(i, j) || !at(allowed, j, i) || parents[i] >= max_parents) continue;
            bool around = false;  // another path from i to j
            for (int64_t k = 0; k < d && !around; ++k) around = at(arcs, i, k) && at(reach, k, j);
            if (!around) best.see(at(gains, i, j) + at(gains, j, i), i, j);
        }
    best.end(REVERSE);
    move.data()[0] = best.kind, move.data()[1] = best.from, move.data()[2] = best.to;
    return best.gain;
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    define(m, "paths", &paths, "arcs", "reach");
    define(m, "best_move", &best_move, "arcs", "reach", "gains", "allowed", "required", "until", "step", "max_parents",
           "least_gain", "move");
}
