// t-SNE: neighbours attract, all points repel.
//
//     minimise  KL(P || Q) = sum_ij p_ij ln(p_ij / q_ij),   q_ij = w_ij / Z,   w_ij = (1 + |y_i - y_j|^2 / v)^(-(v + 1)
//     / 2) gradient_i = 2 (v + 1) / v [ sum_j p_ij u_ij (y_i - y_j)  -  1/Z sum_j w_ij u_ij (y_i - y_j) ], u_ij = 1 /
//     (1 + |y_i - y_j|^2 / v)
//
// The first sum runs over the edges of the graph of neighbours. The second is over all pairs (sixteen at a time), over
// the cells of a tree (tree.hpp), or read from a grid (grid.hpp). Sums are made by tasks cut by size alone, each in its
// own order, and added in the order of the tasks: the number of threads changes nothing.
//
// Twin in NumPy: tests/reduce/embedding/test_tsne.py.
#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include <nanobind/stl/tuple.h>

#include "assay/array.hpp"
#include "assay/crew.hpp"
#include "assay/edge.hpp"
#include "assay/embedding/grid.hpp"
#include "assay/embedding/points.hpp"
#include "assay/embedding/tree.hpp"
#include "assay/exponential.hpp"

using namespace assay;

namespace {

constexpr int64_t ROWS_IN_TASK = 256;
constexpr int64_t PLACES_IN_TASK = 4;
constexpr int PERPLEXITY_STEPS = 200;
constexpr int64_t POINTS_FOR_GRID = 8192;
constexpr int64_t MOST_NODES = int64_t(1) << 24;  // of a grid: beyond, a tree

struct Team : Crew {  // this module's own name of a crew
    using Crew::Crew;
};

struct Edges {
    In1<int64_t> start;  // (n + 1,) where the neighbours of each row begin
    In1<int32_t> other;  // (E,)
    In1<float> p;  // (E,)     joint probabilities
    int64_t points;  // that rows may name

    int64_t rows() const { return length(start) - 1; }
    void check() const {
        require(length(start) >= 1 && shares_out(start, rows(), length(other), true), "Edges: neighbours of each row");
        require(length(p) == length(other), "Edges: one probability for each neighbour");
        require(points >= 0 && within(other, 0, points), "Edges: a neighbour that is no point");
    }
};

struct State {
    InOut2<double> y, velocity, gains;  // (n, d)

    void check() const {
        require(y.shape(0) >= 1 && y.shape(1) >= 1 && int64_t(y.shape(1)) <= MOST_AXES,
                "State: at least one point, and 1 to 64 axes");
        require(y.shape(0) == velocity.shape(0) && y.shape(1) == velocity.shape(1) && y.shape(0) == gains.shape(0) &&
                    y.shape(1) == gains.shape(1),
                "State: a velocity and a gain for each coordinate");
    }
};

struct Plan {
    int32_t method;  // 0 chosen by cost, 1 all pairs, 2 tree, 3 grid
    double angle;  // of the tree
    double exaggeration, momentum, rate;
    int64_t steps;
    int32_t dof;
    bool measure;  // the divergence, at the last step

    void check() const {
        require(method >= 0 && method <= 3 && dof >= 1 && dof <= MOST_AXES, "Plan: a method from 0 to 3, and dof");
        require(steps >= 0 && steps <= (int64_t(1) << 20), "Plan: steps");
        require(angle >= 0 && std::isfinite(exaggeration) && std::isfinite(momentum) && std::isfinite(rate),
                "Plan: finite numbers");
    }
};

// ------------------------------------------------------------------ probabilities

// p_j ~ exp(-beta d_j^2) with the perplexity asked for: 2^entropy. Distances in units of their mean, so that no scale
// is out of range; Newton's steps on ln(beta), kept between the bounds that bisection has found.
HOT void row_probabilities(const double *distance, int64_t k, double wanted, double *p) {
    double mean = 0, least = INFINITY;
    for (int64_t j = 0; j < k; ++j) mean = std::max(mean, distance[j]), least = std::min(least, distance[j]);
    const double unit = mean;
    if (!(unit > 0 && std::isfinite(unit))) {
        for (int64_t j = 0; j < k; ++j) p[j] = 1.0 / double(k);
        return;
    }
    std::vector<double> square(static_cast<size_t>(k));
    double *s = square.data();
    const double closest = least / unit;
    mean = 0;
    for (int64_t j = 0; j < k; ++j) {
        const double r = distance[j] / unit;
        s[j] = (r - closest) * (r + closest), mean += s[j];
    }
    mean /= double(k);
    double low = -INFINITY, high = INFINITY, log_beta = mean > 0 ? -std::log(mean) : 0.0;
    for (int step = 0; step < PERPLEXITY_STEPS; ++step) {
        const double beta = std::exp(std::min(log_beta, 700.0));
        double total = 0, first = 0, second = 0;
        for (int64_t j = 0; j < k; ++j) p[j] = exponential(-std::min(beta * s[j], 708.0));
        for (int64_t j = 0; j < k; ++j) {
            const double t = p[j] * s[j];
            total += p[j], first += t, second += t * s[j];
        }
        first /= total, second /= total;
        const double entropy = std::log(total) + beta * first, off = entropy - wanted;
        const double slope = -beta * beta * (second - first * first);  // of the entropy in ln beta
        const double inverse = 1.0 / total;
        if (std::abs(off) < 1e-10 || !(log_beta < 700.0) || high - low < 1e-13) {
            for (int64_t j = 0; j < k; ++j) p[j] *= inverse;
            return;
        }
        (off > 0 ? low : high) = log_beta;
        double next = slope < 0 ? log_beta - off / slope : INFINITY;
        if (!(next > low && next < high))
            next = std::isinf(low) ? high - 1.0 : std::isinf(high) ? low + 1.0 : 0.5 * (low + high);
        next = std::min(std::max(next, log_beta - 8.0), log_beta + 8.0);
        if (step + 1 == PERPLEXITY_STEPS)
            for (int64_t j = 0; j < k; ++j) p[j] *= inverse;
        log_beta = next;
    }
}

// Conditional probabilities of each row's neighbours.
void probabilities(In1<double> distance,  // (E,)
                   In1<int64_t> start,  // (n + 1,)
                   double perplexity, InOut1<double> p, Team &crew) {
    const int64_t n = length(start) - 1;
    require(n >= 0 && shares_out(start, n, length(distance), true) && length(p) == length(distance),
            "probabilities: distances of each row, and a place for each");
    require(perplexity > 0, "probabilities: a perplexity above 0");
    nb::gil_scoped_release unlocked;
    crew.each((n + ROWS_IN_TASK - 1) / ROWS_IN_TASK, [&](int64_t t, int) {
        for (int64_t i = t * ROWS_IN_TASK; i < std::min(n, (t + 1) * ROWS_IN_TASK); ++i) {
            const int64_t a = start.data()[i], b = start.data()[i + 1];
            row_probabilities(distance.data() + a, b - a, std::log(perplexity), p.data() + a);
        }
    });
}

// ------------------------------------------------------------------ attraction

// sum_j p_ij u_ij (y_i - y_j) of rows first ... last - 1. Points lie as (n, D) so that a neighbour is one read.
template <int D>
INLINE void attract(const int64_t *start, const int32_t *other, const float *p, const float *points, const float *from,
                    int d, float inverse, int64_t first, int64_t last, float *force, int64_t stride) {
    const int axes = D > 0 ? D : d;
    for (int64_t i = first; i < last; ++i) {
        float sums[D > 0 ? D : MOST_AXES][SIGNALS], here[D > 0 ? D : MOST_AXES];
        for (int a = 0; a < axes; ++a) {
            here[a] = from[i * axes + a];
            for (int64_t l = 0; l < SIGNALS; ++l) sums[a][l] = 0;
        }
        int64_t e = start[i];
        for (; e + SIGNALS <= start[i + 1]; e += SIGNALS) {
            float apart[D > 0 ? D : MOST_AXES][SIGNALS], u[SIGNALS];
            for (int64_t l = 0; l < SIGNALS; ++l) u[l] = 0;
            for (int a = 0; a < axes; ++a)
                for (int64_t l = 0; l < SIGNALS; ++l) {
                    apart[a][l] = here[a] - points[int64_t(other[e + l]) * axes + a];
                    u[l] += apart[a][l] * apart[a][l];
                }
            for (int64_t l = 0; l < SIGNALS; ++l) u[l] = p[e + l] / (1.0f + u[l] * inverse);
            for (int a = 0; a < axes; ++a)
                for (int64_t l = 0; l < SIGNALS; ++l) sums[a][l] += u[l] * apart[a][l];
        }
        for (; e < start[i + 1]; ++e) {
            float square = 0;
            for (int a = 0; a < axes; ++a) {
                const float gap = here[a] - points[int64_t(other[e]) * axes + a];
                square += gap * gap;
            }
            const float u = p[e] / (1.0f + square * inverse);
            for (int a = 0; a < axes; ++a) sums[a][0] += u * (here[a] - points[int64_t(other[e]) * axes + a]);
        }
        for (int a = 0; a < axes; ++a) {
            float s = 0;
            for (int64_t l = 0; l < SIGNALS; ++l) s += sums[a][l];
            force[a * stride + i] = s;
        }
    }
}

HOT void attract_rows(const int64_t *start, const int32_t *other, const float *p, const float *points,
                      const float *from, int d, float inverse, int64_t first, int64_t last, float *force,
                      int64_t stride) {
    if (d == 1) attract<1>(start, other, p, points, from, d, inverse, first, last, force, stride);
    else if (d == 2) attract<2>(start, other, p, points, from, d, inverse, first, last, force, stride);
    else if (d == 3) attract<3>(start, other, p, points, from, d, inverse, first, last, force, stride);
    else attract<0>(start, other, p, points, from, d, inverse, first, last, force, stride);
}

// ------------------------------------------------------------------ repulsion

HOT void list_sums(const float *y, int64_t stride, int64_t first, int64_t last, const float *z, const float *mass,
                   int64_t size, int d, int dof, double *Z, float *force) {
    if (d == 1) sum_over_list<1>(y, stride, first, last, z, mass, size, d, dof, Z, force);
    else if (d == 2 && dof == 1) sum_over_list<2>(y, stride, first, last, z, mass, size, d, 1, Z, force);
    else if (d == 2) sum_over_list<2>(y, stride, first, last, z, mass, size, d, dof, Z, force);
    else if (d == 3) sum_over_list<3>(y, stride, first, last, z, mass, size, d, dof, Z, force);
    else sum_over_list<0>(y, stride, first, last, z, mass, size, d, dof, Z, force);
}

class Repulsion {
    int64_t n_, stride_;
    int d_, dof_, method_;
    float angle_;
    Crew &crew_;
    Grid grid_;
    std::vector<float> ones_, tree_force_;
    std::vector<double> Z_, tree_Z_;

  public:
    Repulsion(int64_t n, int d, int dof, int method, double angle, Crew &crew)
        : n_(n), stride_(whole_lanes(n)), d_(d), dof_(dof), method_(method), angle_(float(angle)), crew_(crew),
          ones_(size_t(stride_), 0.0f), Z_(size_t(n)) {
        std::fill(ones_.begin(), ones_.begin() + n, 1.0f);
    }

    // Z of all pairs, and the forces (d, stride); y (max(d, 2), stride), places behind n are 0.
    double operator()(const float *y, float *force) {
        const int method = chosen(y);
        if (method == 3) grid(y, force);
        else if (method == 2 && d_ == 1) tree<1>(y, force);
        else if (method == 2 && d_ == 2) tree<2>(y, force);
        else if (method == 2) tree<3>(y, force);
        else
            crew_.each((n_ + ROWS_IN_TASK - 1) / ROWS_IN_TASK, [&](int64_t t, int) {
                list_sums(y, stride_, t * ROWS_IN_TASK, std::min(n_, (t + 1) * ROWS_IN_TASK), y, ones_.data(), stride_,
                          d_, dof_, Z_.data(), force);
            });
        double total = 0;
        for (int64_t i = 0; i < n_; ++i) total += Z_[size_t(i)] - 1.0;  // not with itself
        return std::max(total, 1e-30);
    }

  private:
    // By cost, in the time of one pair: all pairs; a tree, its cells listed and summed; a grid, its transforms, and
    // spreading and reading. The figures were measured. Few points are too far from each other for a grid to be exact.
    int chosen(const float *y) const {
        if (method_ == 1 || d_ > 3) return 1;
        if (method_ == 2) return 2;
        const double n = double(n_), pairs = n * n, cells = 180.0 * n * std::log2(n + 1.0);
        if (d_ <= 2 && dof_ == 1 && (method_ == 3 || n_ >= POINTS_FOR_GRID)) {
            const Grid::Size size = Grid::size(y, stride_, n_);
            if (size.rows < MOST_NODES / size.cols) {
                const double transforms = 190.0 * double(size.rows * size.cols) + 260.0 * n;
                if (method_ == 3 || transforms < std::min(pairs, cells)) return 3;
            }
        }
        return pairs < cells ? 1 : 2;
    }

    void grid(const float *y, float *force) {
        std::vector<float> both;  // of one axis: the second is 0
        float *target = force;
        if (d_ == 1) both.resize(size_t(2 * stride_)), target = both.data();
        grid_.repel(y, stride_, n_, Grid::size(y, stride_, n_), crew_, Z_.data(), target);
        for (int a = 0; a < d_; ++a) {  // forces add up to 0, those of the grid nearly
            double mean = 0;
            for (int64_t i = 0; i < n_; ++i) mean += double(target[a * stride_ + i]);
            mean /= double(n_);
            for (int64_t i = 0; i < n_; ++i) force[a * stride_ + i] = target[a * stride_ + i] - float(mean);
        }
    }

    template <int D>
    void tree(const float *y, float *force) {
        Tree<D> cells;
        cells.build(y, stride_, n_);
        tree_force_.resize(size_t(D * n_)), tree_Z_.resize(size_t(n_));
        struct List {
            std::vector<float> z[D], mass, packed;
        };
        std::vector<List> lists(size_t(crew_.places()));
        crew_.each(int64_t(cells.leaves.size()), [&](int64_t t, int who) {
            const auto &leaf = cells.nodes[size_t(cells.leaves[size_t(t)])];
            List &list = lists[size_t(who)];
            const int64_t size = whole_lanes(cells.list(leaf, angle_ * angle_, list.z, list.mass));
            list.mass.resize(size_t(size), 0.0f), list.packed.assign(size_t(D * size), 0.0f);
            for (int a = 0; a < D; ++a) std::copy(list.z[a].begin(), list.z[a].end(), list.packed.begin() + a * size);
            list_sums(cells.points.data(), n_, leaf.first, leaf.last, list.packed.data(), list.mass.data(), size, D,
                      dof_, tree_Z_.data(), tree_force_.data());
            for (int64_t s = leaf.first; s < leaf.last; ++s) {
                const int64_t i = cells.order[size_t(s)];
                Z_[size_t(i)] = tree_Z_[size_t(s)];
                for (int a = 0; a < D; ++a) force[a * stride_ + i] = tree_force_[size_t(a * n_ + s)];
            }
        });
    }
};

// KL(c P || Q) from the edges, c the exaggeration.
double divergence_of(const Edges &edges, const float *points, int d, int dof, double Z, double c, Crew &crew) {
    const int64_t n = edges.rows(), tasks = (n + ROWS_IN_TASK - 1) / ROWS_IN_TASK;
    std::vector<double> sums(static_cast<size_t>(tasks));
    const double power = 0.5 * (dof + 1), inverse = 1.0 / dof, shift = std::log(Z) + std::log(c);
    crew.each(tasks, [&](int64_t t, int) {
        double sum = 0;
        for (int64_t i = t * ROWS_IN_TASK; i < std::min(n, (t + 1) * ROWS_IN_TASK); ++i)
            for (int64_t e = edges.start.data()[i]; e < edges.start.data()[i + 1]; ++e) {
                const double p = double(edges.p.data()[e]);
                if (!(p > 0)) continue;
                double square = 0;
                for (int a = 0; a < d; ++a) {
                    const double gap =
                        double(points[i * d + a]) - double(points[int64_t(edges.other.data()[e]) * d + a]);
                    square += gap * gap;
                }
                sum += p * (std::log(p) + power * std::log1p(square * inverse) + shift);
            }
        sums[size_t(t)] = sum;
    });
    double total = 0;
    for (double sum : sums) total += sum;
    return total * c;
}

// Where the points are, as floats: axis by axis, and point by point.
struct Positions {
    std::vector<float> axes, points;
    int64_t stride;
    Positions(int64_t n, int64_t d)
        : axes(size_t(std::max<int64_t>(d, 2) * whole_lanes(n)), 0.0f), points(size_t(n * d)), stride(whole_lanes(n)) {}
    // Whether all are finite and near enough that squares are, too.
    bool copy(const double *y, int64_t n, int64_t d) {
        bool fits = true;
        for (int64_t i = 0; i < n; ++i)
            for (int64_t a = 0; a < d; ++a) {
                fits &= std::abs(y[i * d + a]) < 1e15;
                points[size_t(i * d + a)] = axes[size_t(a * stride + i)] = float(y[i * d + a]);
            }
        return fits;
    }
};

// Some steps of gradient descent; gives the divergence before the last, and the length of its gradient;
// NaN if the points fly apart.
std::tuple<double, double> descend(const Edges &edges, const State &state, const Plan &plan, Team &crew) {
    const int64_t n = int64_t(state.y.shape(0)), d = int64_t(state.y.shape(1));
    require(edges.rows() == n && edges.points == n, "descend: the neighbours of each point");
    require(plan.method != 2 || d <= 3, "descend: a tree has at most three axes");
    require(plan.method != 3 || (d <= 2 && plan.dof == 1), "descend: a grid has at most two axes, and dof 1");
    nb::gil_scoped_release unlocked;
    Positions at(n, d);
    Repulsion repulsion(n, int(d), plan.dof, plan.method, plan.angle, crew);
    std::vector<float> pull(size_t(d * at.stride)), push(size_t(d * at.stride));
    const int64_t tasks = (n + ROWS_IN_TASK - 1) / ROWS_IN_TASK;
    std::vector<double> norms(static_cast<size_t>(tasks));
    double *y = state.y.data(), *velocity = state.velocity.data(), *gains = state.gains.data();
    const double factor = 2.0 * (plan.dof + 1.0) / plan.dof;
    double kl = 0, norm = 0;
    for (int64_t step = 0; step < plan.steps; ++step) {
        if (!at.copy(y, n, d)) return {NAN, NAN};
        const double Z = repulsion(at.axes.data(), push.data());
        if (plan.measure && step + 1 == plan.steps)
            kl = divergence_of(edges, at.points.data(), int(d), plan.dof, Z, plan.exaggeration, crew);
        crew.each(tasks, [&](int64_t t, int) {
            const int64_t first = t * ROWS_IN_TASK, last = std::min(n, first + ROWS_IN_TASK);
            attract_rows(edges.start.data(), edges.other.data(), edges.p.data(), at.points.data(), at.points.data(),
                         int(d), 1.0f / float(plan.dof), first, last, pull.data(), at.stride);
            double sum = 0;
            for (int64_t i = first; i < last; ++i)
                for (int64_t a = 0; a < d; ++a) {
                    const int64_t j = i * d + a;
                    const double slope = factor * (plan.exaggeration * double(pull[size_t(a * at.stride + i)]) -
                                                   double(push[size_t(a * at.stride + i)]) / Z);
                    gains[j] = velocity[j] * slope < 0.0 ? gains[j] + 0.2 : std::max(gains[j] * 0.8, 0.01);
                    velocity[j] = plan.momentum * velocity[j] - plan.rate * gains[j] * slope;
                    y[j] += velocity[j];
                    sum += gains[j] * slope * gains[j] * slope;
                }
            norms[size_t(t)] = sum;
        });
        norm = 0;
        for (double sum : norms) norm += sum;
    }
    return {kl, std::sqrt(norm)};
}

// ------------------------------------------------------------------ new points among those that stay

struct Fixed {
    const float *axes, *ones;  // (d, stride), (stride,)
    int64_t stride;
    int d, dof;
};

// KL of one new point's neighbours up to a constant, and its gradient:
//     f(y) = sum_j p_j (v + 1) / 2 ln(1 + |y - y_j|^2 / v) + ln sum_j w(y - y_j)
HOT double pull_and_push(const Fixed &fixed, const int32_t *other, const float *p, int64_t k, const double *y,
                         double *slope) {
    float here[MOST_AXES], push[MOST_AXES];
    double Z = 0, value = 0;
    const int d = fixed.d;
    const double inverse = 1.0 / fixed.dof, power = 0.5 * (fixed.dof + 1.0);
    for (int a = 0; a < d; ++a) here[a] = float(y[a]), slope[a] = 0;
    list_sums(here, 1, 0, 1, fixed.axes, fixed.ones, fixed.stride, d, fixed.dof, &Z, push);
    for (int64_t e = 0; e < k; ++e) {
        double square = 0, apart[MOST_AXES];
        for (int a = 0; a < d; ++a) {
            apart[a] = y[a] - double(fixed.axes[a * fixed.stride + other[e]]);
            square += apart[a] * apart[a];
        }
        value += double(p[e]) * power * std::log1p(square * inverse);
        const double u = double(p[e]) / (1.0 + square * inverse);
        for (int a = 0; a < d; ++a) slope[a] += u * apart[a];
    }
    Z = std::max(Z, 1e-300);
    for (int a = 0; a < d; ++a) slope[a] = 2 * power * inverse * (slope[a] - double(push[a]) / Z);
    return value + std::log(Z);
}

// The best of its likeliest neighbours' places and of their mean, then downhill: a step that goes up is halved.
void place_one(const Fixed &fixed, const int32_t *other, const float *p, int64_t k, double *y) {
    constexpr int STARTS = 3, EVALUATIONS = 100;
    const int d = fixed.d;
    double best = INFINITY, slope[MOST_AXES], trial[MOST_AXES], fresh[MOST_AXES];
    for (int start = 0; start <= std::min<int64_t>(STARTS, k); ++start) {
        double at[MOST_AXES] = {0};
        if (start == 0)
            for (int64_t e = 0; e < k; ++e)
                for (int a = 0; a < d; ++a) at[a] += double(p[e]) * double(fixed.axes[a * fixed.stride + other[e]]);
        else
            for (int a = 0; a < d; ++a) at[a] = double(fixed.axes[a * fixed.stride + other[start - 1]]);
        const double value = pull_and_push(fixed, other, p, k, at, fresh);
        if (value < best) best = value, std::copy(at, at + d, y), std::copy(fresh, fresh + d, slope);
    }
    double rate = 0.5;
    for (int step = 0; step < EVALUATIONS; ++step) {
        double moved = 0, size = 1;
        for (int a = 0; a < d; ++a) {
            trial[a] = y[a] - rate * slope[a];
            moved += rate * slope[a] * rate * slope[a], size += y[a] * y[a];
        }
        if (!(moved > 1e-14 * size)) return;
        const double value = pull_and_push(fixed, other, p, k, trial, fresh);
        if (value < best) {
            best = value, rate *= 1.5;
            std::copy(trial, trial + d, y), std::copy(fresh, fresh + d, slope);
        } else {
            rate *= 0.4;
        }
    }
}

// Places for new rows among points that stay where they are; each by itself, so that others change nothing. The
// neighbours of a row are in the order of their probability, which adds up to 1.
void place(const Edges &edges, In2<double> y, int32_t dof, InOut2<double> placed, Team &crew) {
    const int64_t n = int64_t(y.shape(0)), d = int64_t(y.shape(1)), rows = edges.rows();
    require(n >= 1 && d >= 1 && d <= MOST_AXES && dof >= 1 && dof <= MOST_AXES, "place: points with 1 to 64 axes");
    require(edges.points == n && length(placed) == rows && int64_t(placed.shape(1)) == d,
            "place: neighbours among the points, and a place for each row");
    nb::gil_scoped_release unlocked;
    Positions at(n, d);
    std::vector<float> ones(size_t(at.stride), 0.0f);
    std::fill(ones.begin(), ones.begin() + n, 1.0f);
    require(at.copy(y.data(), n, d), "place: finite points");
    const Fixed fixed{at.axes.data(), ones.data(), at.stride, int(d), dof};
    crew.each((rows + PLACES_IN_TASK - 1) / PLACES_IN_TASK, [&](int64_t t, int) {
        for (int64_t i = t * PLACES_IN_TASK; i < std::min(rows, (t + 1) * PLACES_IN_TASK); ++i) {
            const int64_t e = edges.start.data()[i];
            place_one(fixed, edges.other.data() + e, edges.p.data() + e, edges.start.data()[i + 1] - e,
                      placed.data() + i * d);
        }
    });
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    nb::class_<Team>(m, "Crew")
        .def(nb::init<int>(), nb::arg("places"))
        .def("help", &Team::help, nb::call_guard<nb::gil_scoped_release>())
        .def("close", &Team::close);
    record<Edges>(m, "Edges", field("start", &Edges::start), field("other", &Edges::other), field("p", &Edges::p),
                  field("points", &Edges::points));
    record<State>(m, "State", field("y", &State::y), field("velocity", &State::velocity),
                  field("gains", &State::gains));
    record<Plan>(m, "Plan", field("method", &Plan::method), field("angle", &Plan::angle),
                 field("exaggeration", &Plan::exaggeration), field("momentum", &Plan::momentum),
                 field("rate", &Plan::rate), field("steps", &Plan::steps), field("dof", &Plan::dof),
                 field("measure", &Plan::measure));
    define(m, "probabilities", &probabilities, "distance", "start", "perplexity", "p", "crew");
    define(m, "place", &place, "edges", "y", "dof", "placed", "crew");
    define(m, "descend", &descend, "edges", "state", "plan", "crew");
}
