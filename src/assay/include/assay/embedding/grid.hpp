// The potential of many points in the plane, by a grid and Fourier transforms (particle mesh).
//
//     phi(y) = sum_j 1 / (1 + |y - y_j|^2),        sum_j (y - y_j) / (1 + |y - y_j|^2)^2 = - grad phi(y) / 2
//
// Each point is spread over P x P nodes by B-splines; the convolution with the kernel at the nodes is a product of
// spectra, divided by the spectrum of the splines (once for the sources, once for the places where phi is read), so
// that phi is the spline through the kernel's values at the nodes; and phi and its slope are read by the same splines.
// With nodes half a unit apart and cubic splines forces are within 1 % of the largest, which is less than Barnes-Hut
// errs. The grid is twice as long as needed, so that the circular convolution does not reach around.
//
// Real transforms run down the first axis (two real rows are one complex row, sixteen columns at a time), complex ones
// along the second (sixteen rows at a time, whose tiles are transposed as they are read).
#pragma once
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "assay/crew.hpp"
#include "assay/embedding/points.hpp"
#include "assay/fft.hpp"

namespace assay {

constexpr int P = 6;                    // nodes that a point is spread over, on each axis: quintic splines
constexpr double SPACING = 0.5;         // between nodes, at most
constexpr int64_t FEWEST_NODES = 48;    // across the points; closer points get a finer grid,
constexpr double FINEST = 0.125;        // though not so fine that the slopes drown in rounding
constexpr int64_t POINTS_IN_TASK = 1024;
constexpr int64_t ROWS_IN_STRIP = 16;

// The P weights of a point a fraction t behind a node, and their slopes: quintic B-splines.
INLINE void splines(float t, float *w, float *slope) {
    constexpr float C[P][P] = {{1, -5, 10, -10, 5, -1},    {26, -50, 20, 20, -20, 5}, {66, 0, -60, 0, 30, -10},
                               {26, 50, 20, -20, -20, 10}, {1, 5, 10, 10, 5, -5},     {0, 0, 0, 0, 0, 1}};
    for (int a = 0; a < P; ++a) {
        const float *c = C[a];
        w[a] = (c[0] + t * (c[1] + t * (c[2] + t * (c[3] + t * (c[4] + t * c[5]))))) * (1.0f / 120);
        slope[a] = (c[1] + t * (2 * c[2] + t * (3 * c[3] + t * (4 * c[4] + t * (5 * c[5]))))) * (1.0f / 120);
    }
}

struct Plane {  // what the passes share
    int64_t rows, cols, stride;  // of the field that is not 0; stride a multiple of sixteen
    int64_t half, width;         // complex rows and columns of the transforms: rows <= 2 half, cols <= width
};

// Down the first axis, sixteen columns from `column` on: 2 half real rows to half + 1 complex ones.
[[maybe_unused]] HOT static void down(const float *field, Plane plane, int64_t column, const Fourier &half,
                                      const Fourier &whole, float *re_out, float *im_out, Signals *scratch) {
    const int64_t h = plane.half;
    Signals *re = scratch, *im = re + h, *re2 = im + h, *im2 = re2 + h;
    for (int64_t k = 0; k < h; ++k) {
        re[k] =
            2 * k < plane.rows ? *reinterpret_cast<const Signals *>(field + 2 * k * plane.stride + column) : Signals{};
        im[k] = 2 * k + 1 < plane.rows ? *reinterpret_cast<const Signals *>(field + (2 * k + 1) * plane.stride + column)
                                       : Signals{};
    }
    const bool second = half.transform(re, im, re2, im2);
    const Signals *a = second ? re2 : re, *b = second ? im2 : im;
    for (int64_t k = 0; k <= h; ++k) {  // X_k = (Z_k + Z*_-k) / 2 - i w^k (Z_k - Z*_-k) / 2
        const int64_t x = k == h ? 0 : k, y = k == 0 ? 0 : h - k;
        const Signals er = (a[x] + a[y]) * 0.5f, ei = (b[x] - b[y]) * 0.5f;
        const Signals dr = (a[x] - a[y]) * 0.5f, di = (b[x] + b[y]) * 0.5f;
        const float c = k == h ? -1.0f : whole.cosine(k), s = k == h ? 0.0f : whole.sine(k);
        *reinterpret_cast<Signals *>(re_out + k * plane.stride + column) = er + (di * c + dr * s);
        *reinterpret_cast<Signals *>(im_out + k * plane.stride + column) = ei + (di * s - dr * c);
    }
}

// The way back, times half.
[[maybe_unused]] HOT static void up(const float *re_in, const float *im_in, Plane plane, int64_t column,
                                    const Fourier &half, const Fourier &whole, float *field, Signals *scratch) {
    const int64_t h = plane.half;
    Signals *re = scratch, *im = re + h, *re2 = im + h, *im2 = re2 + h;
    for (int64_t k = 0; k < h; ++k) {  // Z_k = (X_k + X*_h-k) / 2 + i w^-k (X_k - X*_h-k) / 2
        const Signals xr = *reinterpret_cast<const Signals *>(re_in + k * plane.stride + column);
        const Signals xi = *reinterpret_cast<const Signals *>(im_in + k * plane.stride + column);
        const Signals yr = *reinterpret_cast<const Signals *>(re_in + (h - k) * plane.stride + column);
        const Signals yi = *reinterpret_cast<const Signals *>(im_in + (h - k) * plane.stride + column);
        const Signals er = (xr + yr) * 0.5f, ei = (xi - yi) * 0.5f, dr = (xr - yr) * 0.5f, di = (xi + yi) * 0.5f;
        const float c = whole.cosine(k), s = -whole.sine(k);
        re[k] = er - (dr * s + di * c);
        im[k] = ei + (dr * c - di * s);
    }
    const bool second = half.transform(im, re, im2, re2);  // exchanged: the inverse
    const Signals *a = second ? re2 : re, *b = second ? im2 : im;
    for (int64_t k = 0; 2 * k < plane.rows; ++k) {
        *reinterpret_cast<Signals *>(field + 2 * k * plane.stride + column) = a[k];
        if (2 * k + 1 < plane.rows) *reinterpret_cast<Signals *>(field + (2 * k + 1) * plane.stride + column) = b[k];
    }
}

// Sixteen rows and columns, transposed. In steps that exchange blocks of 8, 4, 2 and 1.
INLINE void transpose(const float *from, int64_t from_stride, float *to, int64_t to_stride) {
    float tile[SIGNALS][SIGNALS];
    for (int64_t i = 0; i < SIGNALS; ++i)
        *reinterpret_cast<Signals *>(tile[i]) = *reinterpret_cast<const Signals *>(from + i * from_stride);
    for (int64_t j = 0; j < SIGNALS; ++j)
        for (int64_t i = 0; i < SIGNALS; ++i) to[j * to_stride + i] = tile[i][j];
}

// Along the second axis, sixteen rows from `row` on. With `spectrum`: forward, times it, and back, in place (times
// width). Without: the forward transform's real part into `out` (width / 2 + 1 places of sixteen lanes).
[[maybe_unused]] HOT static void along(float *re_plane, float *im_plane, Plane plane, int64_t row, const Fourier &wide,
                                       const Signals *spectrum, Signals *out, Signals *scratch) {
    const int64_t n = plane.width, room = whole_lanes(n), cols = whole_lanes(plane.cols);
    Signals *re = scratch, *im = re + room, *re2 = im + room, *im2 = re2 + room;
    for (int64_t j = 0; j < cols; j += SIGNALS) {
        transpose(re_plane + row * plane.stride + j, plane.stride, reinterpret_cast<float *>(re + j), SIGNALS);
        transpose(im_plane + row * plane.stride + j, plane.stride, reinterpret_cast<float *>(im + j), SIGNALS);
    }
    for (int64_t j = plane.cols; j < n; ++j) re[j] = im[j] = Signals{};
    const bool second = wide.transform(re, im, re2, im2);
    Signals *a = second ? re2 : re, *b = second ? im2 : im, *c = second ? re : re2, *d = second ? im : im2;
    if (spectrum == nullptr) {
        for (int64_t m = 0; m <= n / 2; ++m) out[m] = a[m];
        return;
    }
    for (int64_t m = 0; m < n; ++m) {
        const Signals &factor = spectrum[m <= n / 2 ? m : n - m];
        a[m] *= factor, b[m] *= factor;
    }
    const bool third = wide.transform(b, a, d, c);
    const Signals *x = third ? c : a, *y = third ? d : b;
    for (int64_t j = 0; j < cols; j += SIGNALS) {
        transpose(reinterpret_cast<const float *>(x + j), SIGNALS, re_plane + row * plane.stride + j, plane.stride);
        transpose(reinterpret_cast<const float *>(y + j), SIGNALS, im_plane + row * plane.stride + j, plane.stride);
    }
}

class Grid {
    Plane plane_{};
    double spacing_ = 0;
    std::unique_ptr<Fourier> half_, whole_, wide_;
    std::vector<float> field_, re_, im_, spectrum_;
    std::vector<std::vector<float>> scratch_;
    std::vector<int64_t> order_, start_;
    std::vector<int32_t> base_;  // (2, n)
    std::vector<float> part_;    // (2, n) fraction behind the node

  public:
    // Nodes across the points, on both axes, and what lies between two of them.
    struct Size {
        int64_t rows, cols;
        double spacing;
    };
    static Size size(const float *y, int64_t stride, int64_t n) {
        double span[2];
        for (int a = 0; a < 2; ++a) {
            const auto [least, most] = std::minmax_element(y + a * stride, y + a * stride + n);
            span[a] = double(*most) - double(*least);
        }
        const double wide = std::max(span[0], span[1]);
        double spacing = SPACING;
        while (wide < spacing * double(FEWEST_NODES) && spacing > FINEST) spacing /= 2;
        const double most = double(int64_t(1) << 24);
        return {int64_t(std::min(span[0] / spacing, most)) + P + 1, int64_t(std::min(span[1] / spacing, most)) + P + 1,
                spacing};
    }

    // Z (n,) and force (2, stride) of all points.
    void repel(const float *y, int64_t stride, int64_t n, const Size &size, Crew &crew, double *Z, float *force) {
        prepare(size, crew);
        place(y, stride, n, crew);
        spread(crew);
        const int64_t columns = plane_.stride / SIGNALS, rows = (plane_.half + SIGNALS) / SIGNALS;
        crew.each(columns, [&](int64_t t, int who) {
            down(field_.data(), plane_, t * SIGNALS, *half_, *whole_, re_.data(), im_.data(), room(who));
        });
        const int64_t kept = plane_.width / 2 + 1;
        crew.each(rows, [&](int64_t t, int who) {
            along(re_.data(), im_.data(), plane_, t * SIGNALS, *wide_,
                  reinterpret_cast<const Signals *>(spectrum_.data()) + t * kept, nullptr, room(who));
        });
        crew.each(columns, [&](int64_t t, int who) {
            up(re_.data(), im_.data(), plane_, t * SIGNALS, *half_, *whole_, field_.data(), room(who));
        });
        crew.each((n + POINTS_IN_TASK - 1) / POINTS_IN_TASK, [&](int64_t t, int) {
            read(t * POINTS_IN_TASK, std::min(n, (t + 1) * POINTS_IN_TASK), n, stride, Z, force);
        });
    }

  private:
    Signals *room(int who) { return reinterpret_cast<Signals *>(scratch_[size_t(who)].data()); }

    // Transforms and the spectrum of the kernel, if the grid is another than the last.
    void prepare(const Size &size, Crew &crew) {
        const int64_t half = quick_length(size.rows, 2), width = quick_length(2 * size.cols, 4);
        const bool other = half != plane_.half || width != plane_.width || size.spacing != spacing_;
        plane_ = {size.rows, size.cols, whole_lanes(size.cols), half, width};
        field_.assign(size_t(plane_.rows * plane_.stride), 0.0f);
        const int64_t rows = whole_lanes(half + 1);
        re_.assign(size_t(rows * plane_.stride), 0.0f), im_.assign(size_t(rows * plane_.stride), 0.0f);
        if (!other) return;
        spacing_ = size.spacing;
        half_ = std::make_unique<Fourier>(half), whole_ = std::make_unique<Fourier>(2 * half);
        wide_ = std::make_unique<Fourier>(width);
        scratch_.assign(size_t(crew.places()), {});
        for (auto &one : scratch_) one.resize(size_t(4 * SIGNALS * std::max(half, whole_lanes(width))));
        const Plane full{2 * half, width, whole_lanes(width), half, width};
        std::vector<float> kernel(size_t(full.rows * full.stride)), re(size_t(rows * full.stride)),
            im(size_t(rows * full.stride));
        crew.each(full.rows, [&](int64_t i, int) {
            const double a = double(std::min(i, full.rows - i)) * spacing_;
            for (int64_t j = 0; j < width; ++j) {
                const double b = double(std::min(j, width - j)) * spacing_;
                kernel[size_t(i * full.stride + j)] = float(1.0 / (1.0 + a * a + b * b));
            }
        });
        crew.each(full.stride / SIGNALS, [&](int64_t t, int who) {
            down(kernel.data(), full, t * SIGNALS, *half_, *whole_, re.data(), im.data(), room(who));
        });
        const int64_t kept = width / 2 + 1;
        spectrum_.assign(size_t(rows * kept), 0.0f);
        crew.each(rows / SIGNALS, [&](int64_t t, int who) {
            Signals *out = reinterpret_cast<Signals *>(spectrum_.data()) + t * kept;
            along(re.data(), im.data(), full, t * SIGNALS, *wide_, nullptr, out, room(who));
            for (int64_t m = 0; m < kept; ++m)
                for (int64_t l = 0; l < SIGNALS; ++l) {
                    const double symbol = of_splines(t * SIGNALS + l, 2 * half) * of_splines(m, width);
                    out[m][l] = float(double(out[m][l]) / (symbol * symbol * double(half) * double(width)));
                }
        });
    }

    // The spectrum of the quintic spline at the nodes, (1, 26, 66, 26, 1) / 120.
    static double of_splines(int64_t k, int64_t n) {
        const double angle = 2.0 * 3.14159265358979323846 * double(k) / double(n);
        return (33.0 + 26.0 * std::cos(angle) + std::cos(2 * angle)) / 60.0;
    }

    // Nodes and fractions of all points, and the points in the order of their rows.
    void place(const float *y, int64_t stride, int64_t n, Crew &) {
        base_.resize(size_t(2 * n)), part_.resize(size_t(2 * n)), order_.resize(size_t(n));
        start_.assign(size_t(plane_.rows + 1), 0);
        for (int a = 0; a < 2; ++a) {
            const float low = *std::min_element(y + a * stride, y + a * stride + n);
            const int64_t top = (a == 0 ? plane_.rows : plane_.cols) - P;
            const float scale = float(1.0 / spacing_);
            for (int64_t i = 0; i < n; ++i) {
                const float at = (y[a * stride + i] - low) * scale;
                const int64_t node = std::min(int64_t(at), top);
                base_[size_t(a * n + i)] = int32_t(node);
                part_[size_t(a * n + i)] = at - float(node);
            }
        }
        for (int64_t i = 0; i < n; ++i) ++start_[size_t(base_[size_t(i)]) + 1];
        for (int64_t r = 0; r < plane_.rows; ++r) start_[size_t(r + 1)] += start_[size_t(r)];
        std::vector<int64_t> next(start_.begin(), start_.end() - 1);
        for (int64_t i = 0; i < n; ++i) order_[size_t(next[size_t(base_[size_t(i)])]++)] = i;
    }

    void spread(Crew &crew) {
        const int64_t n = int64_t(order_.size());
        crew.each((plane_.rows + ROWS_IN_STRIP - 1) / ROWS_IN_STRIP, [&](int64_t t, int) {
            const int64_t low = t * ROWS_IN_STRIP, high = std::min(plane_.rows, low + ROWS_IN_STRIP);
            for (int64_t s = start_[size_t(std::max<int64_t>(0, low - P + 1))]; s < start_[size_t(high)]; ++s) {
                const size_t i = size_t(order_[size_t(s)]), j = i + size_t(n);
                float w[P], v[P], slope[P];
                splines(part_[i], w, slope), splines(part_[j], v, slope);
                const int64_t row = base_[i];
                float *at = field_.data() + row * plane_.stride + base_[j];
                for (int64_t a = std::max<int64_t>(0, low - row); a < std::min<int64_t>(P, high - row); ++a)
                    for (int b = 0; b < P; ++b) at[a * plane_.stride + b] += w[a] * v[b];
            }
        });
    }

    void read(int64_t first, int64_t last, int64_t n, int64_t stride, double *Z, float *force) const {
        const float half = float(-0.5 / spacing_);
        for (int64_t s = first; s < last; ++s) {
            const size_t i = size_t(order_[size_t(s)]), j = i + size_t(n);
            float w[P], v[P], dw[P], dv[P], value = 0, down = 0, right = 0;
            splines(part_[i], w, dw), splines(part_[j], v, dv);
            const float *at = field_.data() + base_[i] * plane_.stride + base_[j];
            for (int a = 0; a < P; ++a) {
                float along = 0, slope = 0;
                for (int b = 0; b < P; ++b)
                    along += v[b] * at[a * plane_.stride + b], slope += dv[b] * at[a * plane_.stride + b];
                value += w[a] * along, down += dw[a] * along, right += w[a] * slope;
            }
            Z[i] = double(value);
            force[i] = half * down, force[size_t(stride) + i] = half * right;
        }
    }
};

}  // namespace assay
