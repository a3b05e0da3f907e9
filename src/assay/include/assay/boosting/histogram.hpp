// Histograms of a node: for every column and bin, the sums of its rows' cells.
//
//     H[column, bin] = sum of cell_i over rows i of the node with code_i,column = bin
//
// A cell is one 64-bit number (narrow: gradient and count) or two (wide: gradient; curvature and count), so that a
// row costs one addition a column. Whole numbers add up to the same in any order: the result depends neither on
// threads nor on whether a node's histogram was summed or taken as parent minus sibling.
//
// Codes lie in panels of up to 64 columns, row after row in each, so that a row of a panel is one cache line. Rows
// are copied together, a tile at a time; then GROUP columns are summed at a time, whose bins stay in the first cache.
// Columns of more than 256 bins (nominal ones) have 16-bit codes, column after column.
#pragma once
#include <algorithm>
#include <cstring>
#include <type_traits>

#include "assay/array.hpp"

namespace assay::boosting {

constexpr int64_t BINS = 256, TILE = 1024, AHEAD = 16;  // bins of a byte; rows of a tile; rows fetched ahead

// Unsigned, as columns that only fill up a group are added up without end; nobody reads them.
typedef uint64_t Wide __attribute__((vector_size(16), may_alias));
typedef uint64_t Narrow;

struct Codes {
    const uint8_t *panels;      // (n_panels, n, width)
    const uint8_t *columns;     // (d8, n)     the same, column after column
    const uint16_t *wide;       // (d16, n)
    const int64_t *wide_start;  // (d16 + 1,)  first cell of each wide column in a histogram
    int64_t n, width, d8, d16;
    int64_t cells() const { return wide_start[d16]; }
};

// Rows of one panel, given by number (or rows first ... first + m if there are no numbers). Cells are found by the
// number of their row, or (IN_ORDER) stand in the order of the rows.
template <class Cell, int GROUP, bool IN_ORDER>
static inline void sum_panel(const uint8_t *panel, int64_t width, int64_t columns, const int32_t *rows, int64_t first,
                             int64_t m, const Cell *cells, Cell *out) {
    alignas(64) uint8_t tile[TILE * 64];
    alignas(64) Cell values[TILE];
    for (int64_t a = 0; a < m; a += TILE) {
        const int64_t t = m - a < TILE ? m - a : TILE;
        const uint8_t *codes = panel + (first + a) * width;
        const Cell *v = cells + first + a;
        if (rows != nullptr) {  // tile = panel[rows], values = cells[rows]
            for (int64_t i = 0; i < t; ++i) {
                if (a + i + AHEAD < m) {
                    __builtin_prefetch(panel + rows[a + i + AHEAD] * width);
                    if constexpr (!IN_ORDER) __builtin_prefetch(cells + rows[a + i + AHEAD]);
                }
                std::memcpy(tile + i * width, panel + rows[a + i] * width, width);
                if constexpr (!IN_ORDER) values[i] = cells[rows[a + i]];
            }
            codes = tile;
            if constexpr (!IN_ORDER) v = values;
        }
        for (int64_t j = 0; j < columns; j += GROUP) {
            Cell *h = out + j * BINS;
            for (int64_t i = 0; i < t; ++i) {
                uint64_t some = 0;
                std::memcpy(&some, codes + i * width + j, GROUP);
                const Cell value = v[i];
#pragma GCC unroll 8
                for (int g = 0; g < GROUP; ++g) h[g * BINS + ((some >> (8 * g)) & 255)] += value;  // H[code] += cell
            }
        }
    }
}

// f(a constant of this value): widths are multiples of 4, up to 64.
template <int W = 4, class F>
static inline void with_width(int64_t width, F &&f) {
    if constexpr (W < 64)
        if (width != W) return with_width<W + 4>(width, f);
    f(std::integral_constant<int, W>());
}

template <class Cell, int GROUP, bool IN_ORDER = false>
static inline void sum_rows(const Codes &C, const int32_t *rows, int64_t first, int64_t m, const Cell *cells,
                            Cell *out) {
    for (int64_t j = 0; j < C.d8; j += C.width) {
        const uint8_t *panel = C.panels + j * C.n;
        const int64_t columns = std::min(C.width, C.d8 - j);
        Cell *h = out + j * BINS;
        with_width(C.width, [&](auto width) {  // the compiler likes to know the width of a row
            constexpr int W = decltype(width)::value;
            sum_panel<Cell, W % GROUP ? 4 : GROUP, IN_ORDER>(panel, W, columns, rows, first, m, cells, h);
        });
    }
    for (int64_t j = 0; j < C.d16; ++j) {
        const uint16_t *codes = C.wide + j * C.n;
        Cell *h = out + C.wide_start[j];
        if (rows == nullptr) {
            for (int64_t i = first; i < first + m; ++i) h[codes[i]] += cells[i];
        } else {
            for (int64_t i = 0; i < m; ++i) h[codes[rows[i]]] += cells[IN_ORDER ? i : rows[i]];
        }
    }
}

}  // namespace assay::boosting
