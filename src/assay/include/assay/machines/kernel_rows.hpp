// Rows of the kernel matrix of some training rows, as a solver asks for them: those of a matrix in memory, those of a
// part of it, gathered when they are first needed, or rows that are not there before they are computed.
#pragma once
#include <algorithm>
#include <memory>
#include <vector>

#include "assay/edge.hpp"
#include "assay/kernel_values.hpp"

namespace assay::machines {

constexpr int64_t PANEL = kernel_values::WIDTH<double>;
constexpr int64_t MOST_RUNS = 8;  // of places that follow each other, up to which runs are copied

// What computes rows: training rows by the columns of a table, and again in panels.
struct Source {
    int64_t kind, degree;  // of the kernel, as assay/kernel_values.hpp has them
    double gamma, coef0;
    In2<double> A;        // (N, d) rows
    In1<double> half_a;   // (N,)
    nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu> panels;  // (p, d, PANEL)
    In1<double> half_b;   // (p PANEL,)
    In1<int64_t> first, last;  // (segments,) each segment: the rows first to last of A ...
    In1<int64_t> panel;   // (segments,) ... and the panel in which they begin

    kernel_values::Form form() const { return {kind, degree, gamma, coef0}; }
    int64_t size(int64_t s) const { return last.data()[s] - first.data()[s]; }
    void check() const {
        const int64_t N = int64_t(A.shape(0)), count = int64_t(panels.shape(0));
        form().check();
        require(length(half_a) == N && panels.shape(1) == A.shape(1) && int64_t(panels.shape(2)) == PANEL &&
                    length(half_b) == count * PANEL,
                "Source: sizes");
        require(length(first) >= 1 && length(first) == length(last) && length(panel) == length(first),
                "Source: segments");
        for (int64_t s = 0; s < length(first); ++s) {
            const int64_t a = first.data()[s], b = last.data()[s], p = panel.data()[s];
            require(0 <= a && a <= b && b <= N && 0 <= p && p <= count && (b - a + PANEL - 1) / PANEL <= count - p,
                    "Source: a segment");
        }
    }
};

HOT static void source_row(const Source &source, const double *a, double half_a, int64_t s, double *to) {
    using namespace kernel_values;
    const kernel_values::Form form = source.form();
    const int64_t d = int64_t(source.A.shape(1)), p = source.panel.data()[s];
    const double *panels = source.panels.data() + p * d * PANEL, *half_b = source.half_b.data() + p * PANEL;
#define ROW(KIND) row_values<KIND>(form, a, half_a, panels, half_b, source.size(s), d, to)
    BY_KIND(ROW)
#undef ROW
}

template <class T> struct KernelRows {
    int64_t n = 0, width = 0;                 // training rows; columns of K
    const T *K = nullptr;
    const int64_t *places = nullptr;          // (n,) their rows and columns in K; null for all of them
    const int64_t *slot = nullptr;            // (n,) or only their rows, -1 for those that are not there
    const Source *source = nullptr;           // instead of K
    std::vector<std::unique_ptr<T[]>> held;   // (n,) those gathered or computed so far
    std::vector<int64_t> run;                 // where runs of places begin, and n
    std::vector<int64_t> segments;            // of the source
    int64_t computed = 0;

    KernelRows(const T *K, int64_t n, int64_t width, const int64_t *places) : n(n), width(width), K(K), places(places) {
        if (!places) return;
        held.resize(size_t(n));
        for (int64_t t = 0; t < n && int64_t(run.size()) <= MOST_RUNS; ++t)
            if (t == 0 || places[t] != places[t - 1] + 1) run.push_back(t);
        run.push_back(n);
    }
    KernelRows(const Source &source, const int64_t *chosen, int64_t count) : source(&source) {
        for (int64_t k = 0; k < count; ++k)
            segments.push_back(chosen ? chosen[k] : k), n += source.size(segments.back());
        held.resize(size_t(n));
    }
    KernelRows(const T *K, int64_t n, int64_t width, const int64_t *places, const int64_t *slot)
        : KernelRows(K, n, width, places) {
        if (!places) this->slot = slot;
    }
    bool has(int64_t r) const { return !slot || slot[r] >= 0; }
    const T *row(int64_t r) {
        if (held.empty()) return K + (slot ? slot[r] : r) * width;
        std::unique_ptr<T[]> &to = held[size_t(r)];
        if (!to) {
            to.reset(new T[size_t(n)]);
            if (source) compute(r, to.get());
            else gather(K + places[r] * width, to.get());
        }
        return to.get();
    }

  private:
    void gather(const T *from, T *to) const {
        if (int64_t(run.size()) > MOST_RUNS) {
            for (int64_t t = 0; t < n; ++t) to[t] = from[places[t]];
            return;
        }
        for (size_t k = 0; k + 1 < run.size(); ++k)
            std::copy(from + places[run[k]], from + places[run[k]] + (run[k + 1] - run[k]), to + run[k]);
    }
    void compute(int64_t r, T *to) {
        if constexpr (std::is_same_v<T, double>) {
            size_t k = 0;
            for (; r >= source->size(segments[k]); ++k) r -= source->size(segments[k]);
            const int64_t at = source->first.data()[segments[k]] + r;
            const double *a = source->A.data() + at * int64_t(source->A.shape(1));
            for (const int64_t s : segments) {
                source_row(*source, a, source->half_a.data()[at], s, to);
                to += source->size(s);
            }
            ++computed;
        }
    }
};

}  // namespace assay::machines
