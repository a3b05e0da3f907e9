// k-means: the nearest centre of each row, with bounds that spare most of the distances (Hamerly 2010; Ding et al.
// 2015).
//
//     u_i >= |x_i - c_a(i)|,     l_ig <= |x_i - c_k| for all k in group g but a(i)
//
// After the centres have moved by p_k, u_i grows by p_a(i) and l_ig falls by the largest p_k of the group. As long as
// u_i < max(s_a(i), min_g l_ig), with s half the way to the next centre, the row stays where it is, and is not looked
// at. Else u_i is computed, and then the groups whose bound is below it. Distances are computed from differences, eight
// centres at a time; among equal ones the first wins, as in the plain rule.
//
// Twin in NumPy: tests/distances/test_lloyd.py, move_by_the_book.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "assay/array.hpp"
#include "assay/edge.hpp"

using namespace assay;

namespace {

constexpr int64_t WIDTH = 8;  // centres in one vector
constexpr int64_t PANEL = 16;  // centres whose distances are computed together
constexpr double UP = 1.0 + 4e-16, DOWN = 1.0 - 4e-16;  // bounds stay bounds when they are rounded
constexpr double NEVER = std::numeric_limits<double>::infinity();
typedef double Wide __attribute__((vector_size(64), aligned(64)));
typedef int64_t Places __attribute__((vector_size(64)));

// The centres in panels of 16, one coordinate of all of them after the other; those that fill up are infinitely far.
class Panels {
    std::vector<double> room;
    double *first;
    int64_t K, d;

  public:
    const int64_t count;
    Panels(const double *centers, int64_t K, int64_t d)
        : room(((K + PANEL - 1) / PANEL) * PANEL * d + WIDTH), K(K), d(d), count((K + PANEL - 1) / PANEL) {
        first = room.data();
        while (reinterpret_cast<uintptr_t>(first) % 64) ++first;
        for (int64_t k = 0; k < count * PANEL; ++k)
            for (int64_t j = 0; j < d; ++j)
                first[(k / PANEL * d + j) * PANEL + k % PANEL] = k < K ? centers[k * d + j] : NEVER;
    }
    const double *panel(int64_t g) const { return first + g * d * PANEL; }
    bool both(int64_t g) const { return K > g * PANEL + WIDTH; }
};

// Squared distances of x from the centres of a panel, of which the second half may be empty.
INLINE void distances(const double *x, const double *panel, int64_t d, bool both, Wide &first, Wide &second) {
    Wide a = {}, b = {}, e = {}, f = {};
    const Wide *c = reinterpret_cast<const Wide *>(panel);
    int64_t j = 0;
    if (!both) {
        for (; j + 2 <= d; j += 2, c += 4) {
            const Wide s = x[j] - c[0], t = x[j + 1] - c[2];
            a += s * s;
            e += t * t;
        }
        if (j < d) {
            const Wide s = x[j] - c[0];
            a += s * s;
        }
        first = a + e;
        second = a * 0 + NEVER;
        return;
    }
    for (; j + 2 <= d; j += 2, c += 4) {
        const Wide s = x[j] - c[0], t = x[j] - c[1], u = x[j + 1] - c[2], v = x[j + 1] - c[3];
        a += s * s;
        b += t * t;
        e += u * u;
        f += v * v;
    }
    if (j < d) {
        const Wide s = x[j] - c[0], t = x[j] - c[1];
        a += s * s;
        b += t * t;
    }
    first = a + e;
    second = b + f;
}

struct Near {
    double first, second;  // squared
    int64_t at;
};

// The nearest centre and the second smallest distance among panels from..to.
INLINE Near nearest_of(const Panels &panels, int64_t from, int64_t to, const double *x, int64_t d) {
    Wide best = {}, next = {}, v, u;
    Places where = {};
    best += NEVER;
    next += NEVER;
    for (int64_t g = from; g < to; ++g) {
        distances(x, panels.panel(g), d, panels.both(g), v, u);
        const Places nearer = v < best;
        const Wide loser = nearer ? best : v;
        next = loser < next ? loser : next;
        best = nearer ? v : best;
        where = nearer ? Places{} + 2 * g : where;
        const Places second = u < best;
        const Wide beaten = second ? best : u;
        next = beaten < next ? beaten : next;
        best = second ? u : best;
        where = second ? Places{} + (2 * g + 1) : where;
    }
    Near near{NEVER, NEVER, from * PANEL};
    for (int64_t r = 0; r < WIDTH; ++r) {
        const int64_t k = where[r] * WIDTH + r;
        const bool nearer = best[r] < near.first || (best[r] == near.first && k < near.at);
        const double loser = nearer ? near.first : best[r];
        near.second = loser < near.second ? loser : near.second;
        near.second = next[r] < near.second ? next[r] : near.second;
        near.first = nearer ? best[r] : near.first;
        near.at = nearer ? k : near.at;
    }
    return near;
}

INLINE double apart_squared(const double *x, const double *c, int64_t d) {
    double s[4] = {};
    int64_t j = 0;
    for (; j + 4 <= d; j += 4)
        for (int64_t r = 0; r < 4; ++r) {
            const double gap = x[j + r] - c[j + r];
            s[r] += gap * gap;
        }
    for (; j < d; ++j) {
        const double gap = x[j] - c[j];
        s[0] += gap * gap;
    }
    return (s[0] + s[1]) + (s[2] + s[3]);
}

struct Bounds {
    double *upper, *lower;
    int64_t groups, wide;  // panels of a group
};

INLINE void shift_sums(const double *x, double weight, int64_t from, int64_t to, int64_t d, double *counts,
                       double *sums) {
    if (from >= 0) {
        counts[from] -= weight;
        for (int64_t j = 0; j < d; ++j) sums[from * d + j] -= weight * x[j];
    }
    counts[to] += weight;
    for (int64_t j = 0; j < d; ++j) sums[to * d + j] += weight * x[j];
}

// The same for eight rows at once, beside each other in T (d, 8), and all centres, four at a time.
struct EightNear {
    Wide first, second;
    Places at;
};
INLINE EightNear nearest_of_eight(const Wide *T, const double *centers, int64_t K, int64_t d) {
    EightNear near{};
    near.first += NEVER;
    near.second += NEVER;
    const auto compare = [&near](const Wide &v, int64_t k) __attribute__((always_inline)) {
        const Places nearer = v < near.first;
        const Wide loser = nearer ? near.first : v;
        near.second = loser < near.second ? loser : near.second;
        near.first = nearer ? v : near.first;
        near.at = nearer ? Places{} + k : near.at;
    };
    int64_t k = 0;
    for (; k + 4 <= K; k += 4) {
        const double *c0 = centers + k * d, *c1 = c0 + d, *c2 = c1 + d, *c3 = c2 + d;
        Wide n0 = {}, n1 = {}, n2 = {}, n3 = {};
        for (int64_t j = 0; j < d; ++j) {
            const Wide g0 = T[j] - c0[j], g1 = T[j] - c1[j], g2 = T[j] - c2[j], g3 = T[j] - c3[j];
            n0 += g0 * g0;
            n1 += g1 * g1;
            n2 += g2 * g2;
            n3 += g3 * g3;
        }
        compare(n0, k);
        compare(n1, k + 1);
        compare(n2, k + 2);
        compare(n3, k + 3);
    }
    for (; k < K; ++k) {
        const double *c = centers + k * d;
        Wide norm = {};
        for (int64_t j = 0; j < d; ++j) {
            const Wide gap = T[j] - c[j];
            norm += gap * gap;
        }
        compare(norm, k);
    }
    return near;
}
INLINE void turn_eight(View2<const double> X, const int64_t *rows, int64_t d, Wide *T) {
    const double *x[WIDTH];
    for (int64_t r = 0; r < WIDTH; ++r) x[r] = X.row(rows[r]);
    for (int64_t j = 0; j < d; ++j) T[j] = Wide{x[0][j], x[1][j], x[2][j], x[3][j], x[4][j], x[5][j], x[6][j], x[7][j]};
}
INLINE void turn_eight(View2<const double> X, int64_t start, int64_t d, Wide *T) {
    const double *x = X.row(start);
    for (int64_t j = 0; j < d; ++j)
        T[j] = Wide{x[j], x[d + j], x[2 * d + j], x[3 * d + j], x[4 * d + j], x[5 * d + j], x[6 * d + j], x[7 * d + j]};
}

// Few centres: one bound for all others. Of some rows at a time those in doubt are picked out, and measured; those that
// stay in doubt are compared with all centres, eight rows at once.
constexpr int64_t SOME = 512;
constexpr int64_t AHEAD = 12;  // rows that are asked of memory before they are measured

INLINE void ask_for(const double *x, int64_t d) {
    for (int64_t j = 0; j < d; j += WIDTH) __builtin_prefetch(x + j);
}

HOT int64_t move_eights(View2<const double> X, const double *w, const double *centers, int64_t K, const double *shift,
                        const double *apart, int32_t *labels, double *upper, double *lower, double *counts,
                        double *sums) {
    const int64_t n = X.rows(), d = X.cols();
    const Panels panels(centers, K, d);
    std::vector<double> room(d * WIDTH + WIDTH);
    double *turned = room.data();
    while (reinterpret_cast<uintptr_t>(turned) % 64) ++turned;
    Wide *T = reinterpret_cast<Wide *>(turned);
    double fall = 0.0;
    for (int64_t k = 0; k < K; ++k) fall = shift[k] > fall ? shift[k] : fall;
    int64_t changed = 0, open = 0, doubtful[SOME], left[SOME + WIDTH];
    const auto settle = [&](int64_t i, double first, double second, int64_t at) __attribute__((always_inline)) {
        upper[i] = std::sqrt(first);
        lower[i] = std::sqrt(second) * DOWN;
        if (at == labels[i]) return;
        ++changed;
        shift_sums(X.row(i), w ? w[i] : 1.0, labels[i], at, d, counts, sums);
        labels[i] = int32_t(at);
    };
    for (int64_t start = 0; start < n; start += SOME) {
        const int64_t end = std::min(start + SOME, n);
        int64_t count = 0;
        for (int64_t i = start; i < end; ++i) {
            const int64_t at = labels[i] < 0 ? 0 : labels[i];
            lower[i] = (lower[i] - fall) * DOWN;
            upper[i] = (upper[i] + shift[at]) * UP;
            doubtful[count] = i;
            count += labels[i] < 0 || !(upper[i] < (lower[i] > apart[at] ? lower[i] : apart[at]));
        }
        for (int64_t c = 0; c < count; ++c) {
            const int64_t i = doubtful[c], at = labels[i];
            if (c + AHEAD < count) ask_for(X.row(doubtful[c + AHEAD]), d);
            left[open++] = i;
            if (at < 0) continue;
            upper[i] = std::sqrt(apart_squared(X.row(i), centers + at * d, d));
            open -= upper[i] * UP < (lower[i] > apart[at] ? lower[i] : apart[at]);
        }
        int64_t c = 0;
        for (; c + WIDTH <= open; c += WIDTH) {
            turn_eight(X, left + c, d, T);
            const EightNear near = nearest_of_eight(T, centers, K, d);
            for (int64_t r = 0; r < WIDTH; ++r) settle(left[c + r], near.first[r], near.second[r], near.at[r]);
        }
        std::copy(left + c, left + open, left);  // for the next
        open -= c;
    }
    for (int64_t c = 0; c < open; ++c) {
        const Near near = nearest_of(panels, 0, panels.count, X.row(left[c]), d);
        settle(left[c], near.first, near.second, near.at);
    }
    return changed;
}

HOT int64_t move_rows(View2<const double> X, const double *w, const double *centers, int64_t K, const double *shift,
                      const double *apart, int32_t *labels, Bounds bounds, double *counts, double *sums) {
    const int64_t n = X.rows(), d = X.cols(), G = bounds.groups;
    const Panels panels(centers, K, d);
    std::vector<double> fall(G, 0.0);
    for (int64_t k = 0; k < K; ++k) {
        double &most = fall[k / (PANEL * bounds.wide)];
        most = shift[k] > most ? shift[k] : most;
    }
    int64_t changed = 0;
    for (int64_t i = 0; i < n; ++i) {
        const double *x = X.row(i);
        double *lower = bounds.lower + i * G;
        const int32_t before = labels[i];
        int64_t at = before;
        double upper = NEVER;
        if (before < 0) std::fill_n(lower, G, 0.0);
        else {
            double least = NEVER;
            for (int64_t g = 0; g < G; ++g) {
                lower[g] = (lower[g] - fall[g]) * DOWN;
                least = lower[g] < least ? lower[g] : least;
            }
            const double limit = least > apart[at] ? least : apart[at];
            upper = (bounds.upper[i] + shift[at]) * UP;
            bounds.upper[i] = upper;
            if (upper < limit) continue;
            upper = std::sqrt(apart_squared(x, centers + at * d, d));
            bounds.upper[i] = upper;
            if (upper * UP < limit) continue;
        }
        double own = before < 0 ? NEVER : upper;  // the distance of the centre that the row had
        for (int64_t g = 0; g < G; ++g) {
            if (before >= 0 && lower[g] > upper) continue;
            const int64_t from = g * bounds.wide, to = std::min(from + bounds.wide, panels.count);
            const Near near = nearest_of(panels, from, to, x, d);
            const double first = std::sqrt(near.first);
            const bool nearer = first < upper || (first == upper && near.at < at) || at < 0;
            if (near.at == at) lower[g] = std::sqrt(near.second) * DOWN, upper = first;
            else if (nearer) {  // the one before becomes a bound of its group
                if (at >= 0) {
                    double &bound = lower[at / (PANEL * bounds.wide)];
                    const int64_t home = at / (PANEL * bounds.wide);
                    const double gap = (at == before ? own : upper) * DOWN;
                    if (home != g) bound = gap < bound ? gap : bound;
                }
                lower[g] = std::sqrt(near.second) * DOWN;
                upper = first, at = near.at;
            } else {
                double bound = first;
                lower[g] = bound * DOWN;
            }
        }
        bounds.upper[i] = upper;
        if (at != before) {
            ++changed;
            labels[i] = int32_t(at);
            shift_sums(x, w ? w[i] : 1.0, before, at, d, counts, sums);
        }
    }
    return changed;
}

HOT double label_rows(View2<const double> X, const double *w, const double *centers, int64_t K, int32_t *labels,
                      double *counts, double *sums, double *gaps) {
    const int64_t n = X.rows(), d = X.cols();
    const Panels panels(centers, K, d);
    std::vector<double> room(d * WIDTH + WIDTH);
    double *turned = room.data(), loss = 0.0;
    while (reinterpret_cast<uintptr_t>(turned) % 64) ++turned;
    Wide *T = reinterpret_cast<Wide *>(turned);
    const auto settle = [&](int64_t i, double first, int64_t at) __attribute__((always_inline)) {
        const double weight = w ? w[i] : 1.0;
        labels[i] = int32_t(at);
        loss += weight * first;
        if (gaps) gaps[i] = first;
        if (counts) shift_sums(X.row(i), weight, -1, at, d, counts, sums);
    };
    int64_t i = 0;
    for (; i + WIDTH <= n; i += WIDTH) {
        turn_eight(X, i, d, T);
        const EightNear near = nearest_of_eight(T, centers, K, d);
        for (int64_t r = 0; r < WIDTH; ++r) settle(i + r, near.first[r], near.at[r]);
    }
    for (; i < n; ++i) {
        const Near near = nearest_of(panels, 0, panels.count, X.row(i), d);
        settle(i, near.first, near.at);
    }
    return loss;
}

HOT void write_half_gaps(const double *centers, int64_t K, int64_t d, double *out) {
    std::fill_n(out, K, K > 1 ? NEVER : 0.0);
    for (int64_t k = 1; k < K; ++k)
        for (int64_t c = 0; c < k; ++c) {
            const double gap = apart_squared(centers + k * d, centers + c * d, d);
            out[k] = gap < out[k] ? gap : out[k];
            out[c] = gap < out[c] ? gap : out[c];
        }
    const double share = 0.5 * (1.0 - 1e-14 - 2e-16 * double(d));  // less than rounding may add
    for (int64_t k = 0; k < K; ++k) out[k] = std::sqrt(out[k]) * share;
}

HOT void try_rows(View2<const double> X, const double *w, const int64_t *rows, int64_t tries, const double *closest,
                  double *out, double *potential) {
    const int64_t n = X.rows(), d = X.cols();
    std::vector<double> chosen(tries * d), room((d + tries + 1) * WIDTH);
    for (int64_t t = 0; t < tries; ++t) std::copy_n(X.row(rows[t]), d, chosen.data() + t * d);
    double *turned = room.data();
    while (reinterpret_cast<uintptr_t>(turned) % 64) ++turned;
    Wide *T = reinterpret_cast<Wide *>(turned), *total = T + d;
    for (int64_t t = 0; t < tries; ++t) total[t] = Wide{};
    int64_t i = 0;
    for (; i + WIDTH <= n; i += WIDTH) {
        turn_eight(X, i, d, T);
        Wide most, weight;
        for (int64_t r = 0; r < WIDTH; ++r) most[r] = closest ? closest[i + r] : NEVER;
        for (int64_t r = 0; r < WIDTH; ++r) weight[r] = w ? w[i + r] : 1.0;
        const auto settle = [&](int64_t t, const Wide &apart) __attribute__((always_inline)) {
            const Wide v = apart < most ? apart : most;
            double *place = out + t * n + i;
            for (int64_t r = 0; r < WIDTH; ++r) place[r] = v[r];
            total[t] += weight * v;
        };
        int64_t t = 0;
        for (; t + 2 <= tries; t += 2) {
            const double *a = chosen.data() + t * d, *b = a + d;
            Wide p = {}, q = {};
            for (int64_t j = 0; j < d; ++j) {
                const Wide g = T[j] - a[j], h = T[j] - b[j];
                p += g * g;
                q += h * h;
            }
            settle(t, p);
            settle(t + 1, q);
        }
        if (t < tries) {
            const double *a = chosen.data() + t * d;
            Wide p = {};
            for (int64_t j = 0; j < d; ++j) {
                const Wide g = T[j] - a[j];
                p += g * g;
            }
            settle(t, p);
        }
    }
    for (int64_t t = 0; t < tries; ++t) {
        potential[t] = 0.0;
        for (int64_t r = 0; r < WIDTH; ++r) potential[t] += total[t][r];
        for (int64_t k = i; k < n; ++k) {
            double v = 0.0;
            for (int64_t j = 0; j < d; ++j) {
                const double gap = X.row(k)[j] - chosen[t * d + j];
                v += gap * gap;
            }
            v = closest && closest[k] < v ? closest[k] : v;
            out[t * n + k] = v;
            potential[t] += (w ? w[k] : 1.0) * v;
        }
    }
}

// Rows in single precision, sixteen beside each other: what is not nearer by more than its rounding is not looked at.
constexpr int64_t STRIP = 16;
typedef float Singles __attribute__((vector_size(64), aligned(4), may_alias));
typedef int32_t Marks __attribute__((vector_size(64)));

HOT void write_strips(View2<const double> X, const double *origin, double share, float *strips) {
    const int64_t n = X.rows(), d = X.cols();
    for (int64_t start = 0; start < n; start += STRIP, strips += STRIP * d)
        for (int64_t r = 0; r < STRIP; ++r) {
            const double *x = X.row(start + r < n ? start + r : start);
            for (int64_t j = 0; j < d; ++j) strips[j * STRIP + r] = float((x[j] - origin[j]) * share);
        }
}

// In strips, above the distance of whatever is less than sqrt(square) away: u = 2^-24 twice for each of both rows.
struct Limits {
    double share, rounding;
    Limits(double share, int64_t d) : share(share), rounding(1.0 + 2.0 * double(d + 8) * 0x1p-24) {}
    float of(double square) const {
        const double apart = std::sqrt(square) * share + 4.0 * 0x1p-24;
        return float(apart * apart * rounding);
    }
};
HOT void write_limits(const double *closest, int64_t n, const Limits &limits, float *out) {
    for (int64_t i = 0; i < n; ++i) out[i] = limits.of(closest[i]);
}

// Whether sixteen numbers are below others, a bit each.
INLINE uint32_t bits_below(const Singles &p, const Singles &most) {
    constexpr Marks BITS = {1 << 0, 1 << 1, 1 << 2,  1 << 3,  1 << 4,  1 << 5,  1 << 6,  1 << 7,
                            1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15};
    const Marks marks = (p < most) & BITS;
    int32_t all = 0;
    for (int64_t r = 0; r < STRIP; ++r) all |= marks[r];
    return uint32_t(all);
}

// What a candidate seed is worth: in single precision, how much nearer all rows come; and which rows those are.
struct Worth {
    double gain = 0.0;
    int64_t count = 0;
    std::vector<uint32_t> bits;  // of the rows of each strip
};

// C candidates, of which the coordinates stand one after the other.
template <int C>
INLINE void worth_of(const float *strips, const float *limit, const float *weight, int64_t from, int64_t to, int64_t d,
                     const float *chosen, Worth *worth) {
    Singles gains[C] = {};
    for (int64_t s = from; s < to; ++s) {
        const Singles *x = reinterpret_cast<const Singles *>(strips + s * STRIP * d);
        const Singles most = *reinterpret_cast<const Singles *>(limit + s * STRIP);
        Singles sums[C] = {};
        for (int64_t j = 0; j < d; ++j) {
            const Singles v = x[j];
            for (int t = 0; t < C; ++t) {
                const Singles g = v - chosen[t * d + j];
                sums[t] += g * g;
            }
        }
        for (int t = 0; t < C; ++t) {
            const uint32_t bits = bits_below(sums[t], most);
            worth[t].bits[s] = bits;
            worth[t].count += __builtin_popcount(bits);
            Singles nearer = sums[t] < most ? most - sums[t] : Singles{};
            if (weight) nearer *= *reinterpret_cast<const Singles *>(weight + s * STRIP);
            gains[t] += nearer;
        }
    }
    for (int t = 0; t < C; ++t)
        for (int64_t r = 0; r < STRIP; ++r) worth[t].gain += double(gains[t][r]);
}
constexpr int64_t STRIPS_A_TIME = 64;  // whose gains are added in single precision
HOT void all_worth(const float *strips, const float *limit, const float *weight, int64_t count, int64_t d,
                   const float *chosen, int64_t tries, Worth *worth) {
    for (int64_t from = 0; from < count; from += STRIPS_A_TIME) {
        const int64_t to = std::min(from + STRIPS_A_TIME, count);
        int64_t t = 0;
        for (; t + 4 <= tries; t += 4) worth_of<4>(strips, limit, weight, from, to, d, chosen + t * d, worth + t);
        for (; t + 2 <= tries; t += 2) worth_of<2>(strips, limit, weight, from, to, d, chosen + t * d, worth + t);
        if (t < tries) worth_of<1>(strips, limit, weight, from, to, d, chosen + t * d, worth + t);
    }
}

// The rows that come nearer to the candidate in truth, their squared distances, and what that is worth.
HOT double measure(View2<const double> X, const double *w, const double *closest, int64_t row, const Worth &worth,
                   int32_t *places, double *distances, int64_t &count) {
    const int64_t n = X.rows(), d = X.cols();
    int64_t near = 0;
    for (int64_t s = 0; s < int64_t(worth.bits.size()); ++s) {
        const int64_t start = s * STRIP, m = std::min(STRIP, n - start);  // the last strip is filled up
        for (uint32_t left = worth.bits[s] & ((1u << m) - 1u); left; left &= left - 1)
            places[near++] = int32_t(start + __builtin_ctz(left));
    }
    double gain = 0.0;
    count = 0;
    for (int64_t c = 0; c < near; ++c) {
        const int64_t i = places[c];
        if (c + AHEAD < near) ask_for(X.row(places[c + AHEAD]), d);
        const double v = apart_squared(X.row(i), X.row(row), d);
        if (!(v < closest[i])) continue;
        gain += (w ? w[i] : 1.0) * (closest[i] - v);
        places[count] = int32_t(i);
        distances[count++] = v;
    }
    return gain;
}

bool fit(const In2<double> &X, const In2<double> &centers) {
    return length(centers) > 0 && length(centers) < (int64_t(1) << 30) && X.shape(1) > 0 &&
           X.shape(1) == centers.shape(1);
}

int64_t move(In2<double> X,  // in      (n, d)
             In1<double> w,  // in      (n,) or (0,): ones
             In2<double> centers,  // in      (K, d)
             In1<double> shift,  // in      (K,)     how far each has moved
             In1<double> apart,  // in      (K,)     half the way to the next centre, or 0
             InOut1<int32_t> labels,  // in/out  (n,)     -1: none yet
             InOut1<double> upper,  // in/out  (n,)
             InOut2<double> lower,  // in/out  (n, G)   groups of as many panels of 16 centres each
             InOut1<double> counts,  // in/out  (K,)     by what the rows that change add and take away
             InOut2<double> sums) {  // in/out  (K, d)
    const int64_t n = X.shape(0), d = X.shape(1), K = length(centers), panels = (K + PANEL - 1) / PANEL;
    const int64_t G = lower.shape(1);
    require(fit(X, centers) && weighs(w, n) && length(shift) == K && length(apart) == K && length(labels) == n &&
                length(upper) == n && length(lower) == n && length(counts) == K && length(sums) == K &&
                int64_t(sums.shape(1)) == d,
            "move: centres, labels, bounds and sums must fit the rows");
    require(G > 0 && G <= panels && (panels + (panels + G - 1) / G - 1) / ((panels + G - 1) / G) == G,
            "move: groups of equally many panels of centres");
    require(within(labels, -1, K), "move: labels must be numbers of centres, or -1");
    nb::gil_scoped_release unlocked;
    if (G == 1)
        return move_eights(view(X), w.size() ? w.data() : nullptr, centers.data(), K, shift.data(), apart.data(),
                           labels.data(), upper.data(), lower.data(), counts.data(), sums.data());
    return move_rows(view(X), w.size() ? w.data() : nullptr, centers.data(), K, shift.data(), apart.data(),
                     labels.data(), Bounds{upper.data(), lower.data(), G, (panels + G - 1) / G}, counts.data(),
                     sums.data());
}

void half_gaps(In2<double> centers,  // in   (K, d)
               InOut1<double> out) {  // out  (K,) half the distance to the nearest other one, or a little less
    const int64_t K = length(centers);
    require(K > 0 && length(out) == K, "half_gaps: a number for each centre");
    nb::gil_scoped_release unlocked;
    write_half_gaps(centers.data(), K, centers.shape(1), out.data());
}

double label(In2<double> X,  // in      (n, d)
             In1<double> w,  // in      (n,) or (0,): ones
             In2<double> centers,  // in      (K, d)
             InOut1<int32_t> labels,  // out     (n,)
             InOut1<double> counts,  // in/out  (K,) or (0,)
             InOut2<double> sums,  // in/out  (K, d) or (0, d)
             InOut1<double> gaps) {  // out     (n,) squared distances, or (0,)
    const int64_t n = X.shape(0), d = X.shape(1), K = length(centers);
    require(fit(X, centers) && weighs(w, n) && length(labels) == n && weighs(gaps, n) &&
                (length(counts) == K || counts.size() == 0) && length(sums) == length(counts) &&
                int64_t(sums.shape(1)) == d,
            "label: centres, labels and sums must fit the rows");
    nb::gil_scoped_release unlocked;
    return label_rows(view(X), w.size() ? w.data() : nullptr, centers.data(), K, labels.data(),
                      counts.size() ? counts.data() : nullptr, sums.data(), gaps.size() ? gaps.data() : nullptr);
}

void try_seeds(In2<double> X,  // in      (n, d)
               In1<double> w,  // in      (n,) or (0,): ones
               In1<int64_t> rows,  // in      (t,)     candidates
               In1<double> closest,  // in      (n,) squared distance of the nearest seed, or (0,): none yet
               InOut2<double> out,  // out     (t, n)   the same with each candidate
               InOut1<double> potential) {  // out     (t,)     their sums
    const int64_t n = X.shape(0), t = length(rows);
    require(n > 0 && X.shape(1) > 0 && t > 0 && weighs(w, n) && weighs(closest, n) && length(out) == t &&
                int64_t(out.shape(1)) == n && length(potential) == t && within(rows, 0, n),
            "try_seeds: candidates and distances must fit the rows");
    nb::gil_scoped_release unlocked;
    try_rows(view(X), w.size() ? w.data() : nullptr, rows.data(), t, closest.size() ? closest.data() : nullptr,
             out.data(), potential.data());
}

int64_t strips_of(int64_t n) { return (n + STRIP - 1) / STRIP; }

void strips(In2<double> X,  // in   (n, d)
            In1<double> origin,  // in   (d,)
            In1<double> closest,  // in   (n,) squared distance of the nearest seed
            double share,  // of 1, that a distance of 1 is in the strips
            InOut2<float> out,  // out  (ceil(n / 16), 16 d)  (x - origin) share, sixteen rows beside each other
            InOut1<float> limit) {  // out  (16 ceil(n / 16),)  above the distance in them of whatever is nearer
    const int64_t n = X.shape(0), d = X.shape(1), m = strips_of(n);
    require(n > 0 && d > 0 && length(origin) == d && length(closest) == n && length(out) == m &&
                int64_t(out.shape(1)) == STRIP * d && length(limit) == STRIP * m,
            "strips: the origin, the strips and limits must fit the rows");
    nb::gil_scoped_release unlocked;
    write_strips(view(X), origin.data(), share, out.data());
    write_limits(closest.data(), n, Limits(share, d), limit.data());
    std::fill(limit.data() + n, limit.data() + STRIP * m, 0.0f);
}

int64_t best_seed(In2<double> X,  // in      (n, d)
                  In1<double> w,  // in      (n,) or (0,): ones
                  In2<float> strips,  // in      as ``strips`` writes them
                  In1<float> weight,  // in      (16 ceil(n / 16),) w as a share of the largest, or (0,): ones
                  double share,  // in      of 1, that a distance of 1 is in the strips
                  double doubt,  // in      by how much the gain of a row in single precision may be wrong
                  In1<int64_t> rows,  // in      (t,)     candidates
                  InOut1<float> limit,  // in/out  (16 ceil(n / 16),)
                  InOut1<double> closest,  // in/out  (n,)     of the best, which is a seed from now on
                  InOut1<int32_t> places,  // room    (n,)
                  InOut1<double> distances) {  // room    (n,)
    const int64_t n = X.shape(0), d = X.shape(1), t = length(rows), m = strips_of(n);
    require(n > 0 && n <= INT32_MAX - STRIP && d > 0 && t > 0 && weighs(w, n) && length(strips) == m &&
                int64_t(strips.shape(1)) == STRIP * d && weighs(weight, STRIP * m) && length(limit) == STRIP * m &&
                length(closest) == n && within(rows, 0, n) && length(places) == n && length(distances) == n,
            "best_seed: strips, limits, candidates and what they change must fit the rows");
    const int64_t *row = rows.data();
    nb::gil_scoped_release unlocked;
    std::vector<float> chosen(t * d);
    for (int64_t c = 0; c < t; ++c)
        for (int64_t j = 0; j < d; ++j)
            chosen[c * d + j] = strips.data()[row[c] / STRIP * STRIP * d + j * STRIP + row[c] % STRIP];
    std::vector<Worth> worth(t);
    for (Worth &one : worth) one.bits.resize(m);
    all_worth(strips.data(), limit.data(), weight.size() ? weight.data() : nullptr, m, d, chosen.data(), t,
              worth.data());
    const auto wrong = [&](const Worth &one) { return doubt * double(one.count) + 1e-4 * one.gain; };
    double sure = -NEVER;
    for (const Worth &one : worth) sure = std::max(sure, one.gain - wrong(one));
    int64_t best = -1, measured = -1, count = 0;
    double gain = -1.0;
    const auto look = [&](int64_t c) {
        measured = c;
        return measure(view(X), w.size() ? w.data() : nullptr, closest.data(), row[c], worth[c], places.data(),
                       distances.data(), count);
    };
    for (int64_t c = 0; c < t; ++c) {  // those that may be the best, mostly one
        if (worth[c].gain + wrong(worth[c]) < sure) continue;
        const double g = look(c);
        if (g > gain) gain = g, best = c;
    }
    require(best >= 0, "best_seed: rows and limits must be numbers");
    if (measured != best) look(best);
    const Limits limits(share, d);
    for (int64_t c = 0; c < count; ++c) {
        closest.data()[places.data()[c]] = distances.data()[c];
        limit.data()[places.data()[c]] = limits.of(distances.data()[c]);
    }
    return best;
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    define(m, "move", &move, "X", "w", "centers", "shift", "apart", "labels", "upper", "lower", "counts", "sums");
    define(m, "half_gaps", &half_gaps, "centers", "out");
    define(m, "label", &label, "X", "w", "centers", "labels", "counts", "sums", "gaps");
    define(m, "try_seeds", &try_seeds, "X", "w", "rows", "closest", "out", "potential");
    define(m, "strips", &strips, "X", "origin", "closest", "share", "out", "limit");
    define(m, "best_seed", &best_seed, "X", "w", "strips", "weight", "share", "doubt", "rows", "limit", "closest",
           "places", "distances");
}
