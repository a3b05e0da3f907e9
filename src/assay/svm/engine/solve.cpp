// One dual problem of a kernel machine: steps of two multipliers (assay/machines/pair_steps.hpp), the last digits by an
// active set (assay/machines/active_set.hpp), and `settle`, which does all of it for a small problem.
#include "assay/machines/active_set.hpp"

using namespace assay;
using namespace assay::machines;

namespace {

// ------------------------------------------------------------------ steps

template <class T, class S>
int64_t steps(In2<T> K,  // in      (N, N)
              std::optional<In1<int64_t>> places,  // in      (n,) rows and columns of K that count; None for all
              In1<double> diagonal,  // in      (n,)
              const Bounds &bounds,  // m variables, m is n or 2 n
              double tol, int64_t most,
              InOut1<double> alpha,  // in/out  (m,)
              InOut1<S> G,  // in/out  (n,)
              InOut1<double> base,  // in/out  (m,)
              InOut1<double> gap) {  // out     (1,)
    const int64_t n = length(diagonal), m = length(bounds.sign), N = int64_t(K.shape(0));
    require(int64_t(K.shape(1)) == N && n > 0 && (m == n || m == 2 * n), "steps: sizes");
    require(places ? length(*places) == n && within(*places, 0, N) : N == n, "steps: places");
    require(length(alpha) == m && length(G) == n && length(base) == m && length(gap) == 1, "steps: variables");
    nb::gil_scoped_release unlocked;
    KernelRows<T> matrix(K.data(), n, N, data_or_null(places));
    Problem<T, S> p{n,
                    m,
                    0,
                    n,
                    matrix,
                    diagonal.data(),
                    bounds.sign.data(),
                    bounds.upper.data(),
                    bounds.ridge.data(),
                    alpha.data(),
                    G.data(),
                    base.data(),
                    bounds.constraint,
                    {},
                    {}};
    p.begin();
    return steps_in(p, tol, most, gap.data());
}

template <class T>
void subtract_rows(In2<T> rows,  // in      (slots, width)
                   In1<int64_t> places,  // in      (k,) which of them
                   In1<double> coef,  // in      (k,)
                   int64_t first, int64_t last,
                   InOut1<double> G) {  // in/out  (<= width,)
    require(length(places) == length(coef) && within(places, 0, int64_t(rows.shape(0))), "subtract_rows: places");
    require(0 <= first && last <= length(G) && length(G) <= int64_t(rows.shape(1)), "subtract_rows: columns");
    nb::gil_scoped_release unlocked;
    subtract_in(rows.data(), int64_t(rows.shape(1)), places.data(), coef.data(), length(coef), first, last, G.data());
}

// Rows of `width` values become rows of those in the columns `kept`, close together at the front of their memory.
template <class T>
void squeeze(int64_t rows, int64_t width,
             In1<int64_t> kept,  // in      ascending
             InOut1<T> values) {  // in/out  at least rows x width
    const int64_t less = length(kept);
    require(rows >= 0 && width >= 0 && sized(rows, width, "squeeze: sizes") <= length(values), "squeeze: sizes");
    require(less <= width && within(kept, 0, width), "squeeze: columns");
    for (int64_t t = 1; t < less; ++t) require(kept.data()[t - 1] < kept.data()[t], "squeeze: columns ascend");
    nb::gil_scoped_release unlocked;
    const int64_t *from = kept.data();
    for (int64_t r = 0; r < rows; ++r) {  // nothing is written before it was read
        const T *old = values.data() + r * width;
        T *to = values.data() + r * less;
        for (int64_t t = 0; t < less; ++t) to[t] = old[from[t]];
    }
}

// ------------------------------------------------------------------ the last digits

struct StoredProgram {
    In2<double> values;  // (slots, width) rows of the kernel matrix, or of one that it is a part of
    In1<int64_t> slot;  // (n,) where each training row stands; -1 if it does not
    std::optional<In1<int64_t>> columns;  // (n,) where each stands in a row; None: in their order
    In1<double> sign, linear, upper, ridge;  // (m,); the sign is -1 or 1
    In1<double> constants;  // (groups,) the sums of s a
    int64_t constraint;

    int64_t n() const { return length(slot); }
    int64_t m() const { return length(sign); }
    int64_t groups() const { return constraint == NONE ? 0 : constraint == SUM ? 1 : 2; }
    void check() const {
        require(n() > 0 && (m() == n() || m() == 2 * n()), "Program: sizes");
        require(length(linear) == m() && length(upper) == m() && length(ridge) == m(), "Program: sizes of variables");
        require(constraint >= SUM && constraint <= NONE && length(constants) == groups(), "Program: constraint");
        require(within(slot, -1, int64_t(values.shape(0))), "Program: rows of the matrix");
        require(columns ? length(*columns) == n() && within(*columns, 0, int64_t(values.shape(1)))
                        : int64_t(values.shape(1)) >= n(),
                "Program: columns of the matrix");
    }
    KernelRows<double> rows() const {
        return {values.data(), n(), int64_t(values.shape(1)), data_or_null(columns), slot.data()};
    }
    Program in(KernelRows<double> &rows) const {
        return {rows, m(), sign.data(), linear.data(), upper.data(), ridge.data(), constants.data(), constraint};
    }
    bool complete(const int8_t *state) const {
        KernelRows<double> known = rows();
        return machines::complete(in(known), state);
    }
};

double assemble(const StoredProgram &p, In1<double> alpha, In1<int8_t> state,
                InOut2<double> system,  // out  (f + g, f + g)
                InOut1<double> wanted) {  // out  (f + g,)
    const int64_t m = p.m(), g = p.groups(), size = length(wanted);
    require(length(alpha) == m && length(state) == m && p.complete(state.data()), "assemble: variables");
    const std::vector<int64_t> at = free_variables(state.data(), m);
    const int64_t f = int64_t(at.size());
    require(size == f + g && int64_t(system.shape(0)) == size && int64_t(system.shape(1)) == size, "assemble: system");
    nb::gil_scoped_release unlocked;
    KernelRows<double> rows = p.rows();
    return write_system(p.in(rows), alpha.data(), at, system.data(), wanted.data());
}

int64_t advance(const StoredProgram &p,
                In1<double> answer,  // in      (f + g,) the solution of (1)
                double root,
                InOut1<double> alpha,  // in/out  (m,)
                InOut1<int8_t> state,  // in/out  (m,)
                InOut1<double> F,  // out     (m,) if the outcome is DONE
                InOut2<double> levels) {  // out     (3, g) likewise
    const int64_t m = p.m(), g = p.groups();
    require(length(alpha) == m && length(state) == m && length(F) == m && p.complete(state.data()),
            "advance: variables");
    require(int64_t(levels.shape(0)) == 3 && int64_t(levels.shape(1)) == g, "advance: levels");
    const std::vector<int64_t> at = free_variables(state.data(), m);
    require(length(answer) == int64_t(at.size()) + g, "advance: answer");
    nb::gil_scoped_release unlocked;
    KernelRows<double> rows = p.rows();
    return go_on(p.in(rows), at, answer.data(), root, alpha.data(), state.data(), F.data(), levels.data());
}

int64_t finish(const StoredProgram &p, int64_t rounds,
               InOut1<double> alpha,  // in/out  (m,)
               InOut1<int8_t> state,  // in/out  (m,)
               InOut1<double> F,  // out     (m,) if the outcome is DONE
               InOut2<double> levels) {  // out     (3, g) likewise
    const int64_t m = p.m(), g = p.groups();
    require(length(alpha) == m && length(state) == m && length(F) == m && p.complete(state.data()),
            "finish: variables");
    require(int64_t(levels.shape(0)) == 3 && int64_t(levels.shape(1)) == g, "finish: levels");
    nb::gil_scoped_release unlocked;
    KernelRows<double> rows = p.rows();
    return finish_in(p.in(rows), rounds, alpha.data(), state.data(), F.data(), levels.data());
}

// ------------------------------------------------------------------ all of it

struct Limits {
    double tol;
    int64_t steps;  // of one problem
    int64_t values;  // kernel values that the last digits may look at
    int64_t spans;  // operations that the spans of a problem may take; 0 for none
    int64_t work;  // values gone through after which no further problem is begun
    void check() const {
        require(tol > 0 && steps >= 0 && values >= 0 && spans >= 0 && work >= 0, "Limits: at least 0");
    }
};

// Problems of one kernel matrix, one after the other.
struct Several {
    In1<int64_t> starts;  // (P + 1,) where the training rows of each begin
    std::optional<In1<int64_t>> places;  // their rows and columns in the matrix, or the segments of each; None for all
    In1<int64_t> place_starts;  // (P + 1,) where the places of each begin
    In1<int64_t> computed;  // (P,) rows that may be computed

    int64_t count() const { return length(starts) - 1; }
    void check() const {
        require(count() >= 1 && length(place_starts) == count() + 1 && length(computed) == count(), "Several: sizes");
        require(places || count() == 1, "Several: places");
        require(starts.data()[0] == 0 && place_starts.data()[0] == 0, "Several: starts");
        for (int64_t p = 0; p < count(); ++p)
            require(starts.data()[p] < starts.data()[p + 1] && place_starts.data()[p] <= place_starts.data()[p + 1] &&
                        computed.data()[p] >= 0,
                    "Several: starts");
        require(!places || place_starts.data()[count()] == length(*places), "Several: places");
    }
};

// What is left to do: nothing; the last digits; more steps, from where these ended; all of it, nothing was begun.
enum Settled { FINISHED, CONVERGED, OPEN, UNTOUCHED };

// One problem: its numbers are parts of those of all.
struct Single {
    KernelRows<double> &rows;
    int64_t m, constraint, computed;
    const double *diagonal, *sign, *upper, *ridge, *linear;
    double *alpha, *G, *base, *gradient, *levels, *summary, *span;
};

// The squared distances of the images of the support vectors to those of the free ones (see assay.svm.span), by the
// factor U'U = K_FF + c 11' + ridge: of the columns of the identity and of K_FB, forward substitution gives U'^-1 I,
// whose columns' squares add up to the diagonal of the inverse, and the images of the bounded vectors.
constexpr double JITTER = 1e-10;  // share of the mean diagonal that is added to it: copies of a row have one image

INLINE bool spans_in(const Single &p, int64_t most) {
    const int64_t n = p.rows.n, m = p.m;
    std::vector<int64_t> free, bounded;
    for (int64_t i = 0; i < m; ++i)
        if (p.alpha[i] > 0) (p.alpha[i] < p.upper[i] ? free : bounded).push_back(i);
    const int64_t f = int64_t(free.size()), b = int64_t(bounded.size()), width = f + 1 + b;
    if (m != n || f > FEW_FREE || (f && width > most / (f * f))) return false;
    std::fill(p.span, p.span + n, 0.0);
    if (!f) {  // nothing to lean on
        for (const int64_t i : bounded) p.span[i] = std::max(p.diagonal[i], 0.0);
        return true;
    }
    const bool bias = p.constraint != NONE;
    std::vector<double> U(size_t(f * f)), R(size_t(f * width), 0.0);
    double scale = 0;
    for (int64_t j = 0; j < f; ++j) scale += p.diagonal[free[size_t(j)]] / double(f);
    scale = std::max(scale, std::numeric_limits<double>::min());
    const double shift = bias ? scale : 0.0;
    for (int64_t j = 0; j < f; ++j) {
        const double *row = p.rows.row(free[size_t(j)]);
        double *to = R.data() + j * width;
        for (int64_t k = 0; k < f; ++k) U[size_t(j * f + k)] = row[free[size_t(k)]] + shift;
        U[size_t(j * f + j)] += p.ridge[free[size_t(j)]] + JITTER * scale;
        to[j] = to[f] = 1;
        for (int64_t k = 0; k < b; ++k) to[f + 1 + k] = row[bounded[size_t(k)]] + shift;
    }
    if (!factored(U.data(), f, LEAST_PIVOT)) return false;
    for (int64_t k = 0; k < f; ++k) {
        double *row = R.data() + k * width;
        const double *factor = U.data() + k * f, share = 1 / factor[k];
        for (int64_t t = 0; t <= k; ++t) row[t] *= share;
        for (int64_t t = f; t < width; ++t) row[t] *= share;
        for (int64_t i = k + 1; i < f; ++i) {
            double *to = R.data() + i * width;
            const double by = factor[i];
            for (int64_t t = 0; t <= k; ++t) to[t] -= by * row[t];
            for (int64_t t = f; t < width; ++t) to[t] -= by * row[t];
        }
    }
    std::vector<double> squares(size_t(width), 0.0), along(size_t(width), 0.0);  // of columns, and times the ones
    for (int64_t k = 0; k < f; ++k) {
        const double *row = R.data() + k * width, one = row[f];
        for (int64_t t = 0; t < width; ++t) squares[size_t(t)] += row[t] * row[t], along[size_t(t)] += one * row[t];
    }
    const double total = squares[size_t(f)];
    for (int64_t j = 0; j < f; ++j) {
        const int64_t i = free[size_t(j)];
        double precision = squares[size_t(j)];
        if (bias) precision -= along[size_t(j)] * along[size_t(j)] / total;
        p.span[i] = f == 1 && bias ? p.diagonal[i] + p.ridge[i]  // no other vector holds the bias
                                   : 1 / std::max(precision, std::numeric_limits<double>::min());
    }
    for (int64_t k = 0; k < b; ++k) {
        const int64_t i = bounded[size_t(k)];
        const double less = 1 - along[size_t(f + 1 + k)];
        p.span[i] =
            std::max(p.diagonal[i] + shift - squares[size_t(f + 1 + k)] + (bias ? less * less / total : 0), 0.0);
    }
    return true;
}
HOT static bool spans(const Single &p, int64_t most) { return spans_in(p, most); }

int64_t settled(const Single &p, const Limits &limits) {
    KernelRows<double> &rows = p.rows;
    const int64_t n = rows.n, m = p.m;
    const double *sign = p.sign, *upper = p.upper, *ridge = p.ridge, *linear = p.linear;
    double *alpha = p.alpha, *summary = p.summary;
    std::vector<double> beta(size_t(n), 0.0);
    int64_t begun = 0;
    double constants[2] = {0, 0};
    for (int64_t i = 0; i < m; ++i) {
        beta[size_t(i % n)] += sign[i] * alpha[i];
        p.base[i] = -sign[i] * (linear[i] + ridge[i] * alpha[i]);
        constants[p.constraint == EACH_SIGN && sign[i] < 0] += sign[i] * alpha[i];
        begun += alpha[i] != 0;
    }
    std::fill(p.G, p.G + n, 0.0);
    summary[0] = std::numeric_limits<double>::infinity(), summary[1] = summary[2] = 0;
    p.span[0] = std::numeric_limits<double>::quiet_NaN();
    if (rows.source && 2 * begun > n) return UNTOUCHED;
    for (int64_t r = 0; r < n && begun; ++r)
        if (beta[size_t(r)] != 0) {
            const double *row = rows.row(r), b = beta[size_t(r)];
            for (int64_t t = 0; t < n; ++t) p.G[t] -= b * row[t];
        }
    Problem<double> problem{n,     m,     0,   p.computed, rows,         p.diagonal, sign, upper,
                            ridge, alpha, p.G, p.base,     p.constraint, {},         {}};
    problem.begin();
    summary[1] = double(steps_in(problem, limits.tol, limits.steps, summary));
    summary[2] = double(rows.computed);
    double largest = 0, squares = 0;
    for (int64_t r = 0; r < n; ++r) largest = std::max(largest, std::abs(p.diagonal[r]));
    int64_t used = 0;
    std::fill(beta.begin(), beta.end(), 0.0);
    for (int64_t i = 0; i < m; ++i) beta[size_t(i % n)] += sign[i] * alpha[i], used += alpha[i] != 0;
    for (const double b : beta) squares += b * b;
    if (!(summary[0] < limits.tol) || !(largest * std::sqrt(squares) * 1.2e-15 < 0.1 * limits.tol)) return OPEN;
    if (used * n > limits.values) return CONVERGED;
    std::vector<int8_t> state(size_t(m), 0);
    for (int64_t i = 0; i < m; ++i) state[size_t(i)] = alpha[i] <= 0 ? LOW : alpha[i] >= upper[i] ? HIGH : FREE;
    std::vector<double> exact(alpha, alpha + m);
    const Program program{rows, m, sign, linear, upper, ridge, constants, p.constraint};
    if (finish_in(program, MOST_ROUNDS, exact.data(), state.data(), p.gradient, p.levels) != DONE) return CONVERGED;
    std::copy(exact.begin(), exact.end(), alpha);
    summary[3] = 0;
    for (int64_t i = 0; i < m; ++i) {
        p.gradient[i] *= -sign[i];
        summary[3] += 0.5 * alpha[i] * (p.gradient[i] + linear[i]);
    }
    if (limits.spans && !spans(p, limits.spans)) p.span[0] = std::numeric_limits<double>::quiet_NaN();
    return FINISHED;
}

// Problems from `begin` on, until all are settled or the work is enough for one call; the first that was not looked at.
int64_t settle(std::optional<In2<double>> K,  // in      (N, N), or None
               std::optional<Source> source,  // what computes rows, if there is no K
               const Several &parts, int64_t begin,
               const Bounds &bounds,  // M variables, of all problems: as many as training rows, or twice as many
               In2<double> terms,  // in      (2, M) the linear terms; the diagonal of the matrix, of each training row
               const Limits &limits,
               InOut1<double> alpha,  // in/out  (M,) the start, and the solution
               InOut2<double> pulls,  // out     (4, M) G, base, the gradient if finished, squared spans if computed
               InOut2<double> levels,  // out     (3 P, g) if finished: the least, middle and largest offset
               InOut2<double> summary,  // out     (P, 4) gap, steps, rows computed, the objective if finished
               InOut1<int64_t> outcome) {  // out     (P,) how far each was settled
    const int64_t P = parts.count(), M = length(bounds.sign), rows_of_all = parts.starts.data()[P];
    const int64_t each = M == 2 * rows_of_all ? 2 : 1;
    const int64_t groups = bounds.constraint == NONE ? 0 : bounds.constraint == SUM ? 1 : 2;
    require(M == each * rows_of_all && bool(K) != bool(source) && 0 <= begin && begin < P, "settle: sizes");
    require(terms.shape(0) == 2 && int64_t(terms.shape(1)) == M && length(alpha) == M && pulls.shape(0) == 4 &&
                int64_t(pulls.shape(1)) == M && length(outcome) == P,
            "settle: variables");
    require(int64_t(levels.shape(0)) == 3 * P && int64_t(levels.shape(1)) == groups && int64_t(summary.shape(0)) == P &&
                summary.shape(1) == 4,
            "settle: results");
    const int64_t N = K ? int64_t(K->shape(0)) : 0, *places = data_or_null(parts.places);
    if (K) {
        require(int64_t(K->shape(1)) == N, "settle: the matrix");
        require(!places || within(*parts.places, 0, N), "settle: places");
        require(places || N == rows_of_all, "settle: places");
        for (int64_t p = 0; places && p <= P; ++p)
            require(parts.starts.data()[p] == parts.place_starts.data()[p], "settle: places of a problem");
    }
    if (source && places) require(within(*parts.places, 0, length(source->first)), "settle: segments");
    for (int64_t p = 0; source && p < P; ++p) {
        int64_t n = 0;
        const int64_t first = places ? parts.place_starts.data()[p] : 0;
        const int64_t last = places ? parts.place_starts.data()[p + 1] : length(source->first);
        for (int64_t k = first; k < last; ++k) n += source->size(places ? places[k] : k);
        require(n == parts.starts.data()[p + 1] - parts.starts.data()[p], "settle: rows of the source");
    }
    nb::gil_scoped_release unlocked;
    int64_t work = 0, p = begin;
    for (; p < P && work <= limits.work; ++p) {
        const int64_t start = parts.starts.data()[p], n = parts.starts.data()[p + 1] - start, at = each * start;
        const int64_t *own = places ? places + parts.place_starts.data()[p] : nullptr;
        const int64_t count = places ? parts.place_starts.data()[p + 1] - parts.place_starts.data()[p]
                                     : (source ? length(source->first) : 0);
        KernelRows<double> rows =
            K ? KernelRows<double>(K->data(), n, N, own) : KernelRows<double>(*source, own, count);
        const auto line = [&](int64_t k) { return pulls.data() + k * M + at; };
        const Single one{rows,
                         each * n,
                         bounds.constraint,
                         parts.computed.data()[p],
                         terms.data() + M + start,
                         bounds.sign.data() + at,
                         bounds.upper.data() + at,
                         bounds.ridge.data() + at,
                         terms.data() + at,
                         alpha.data() + at,
                         line(0),
                         line(1),
                         line(2),
                         levels.data() + p * 3 * groups,
                         summary.data() + p * 4,
                         line(3)};
        outcome.data()[p] = settled(one, limits);
        const int64_t columns = source ? int64_t(source->A.shape(1)) : 0;
        work += n * (int64_t(one.summary[1]) + rows.computed * (1 + columns / 4) + 100);
    }
    return p;
}

template <class T>
void define_for(nb::module_ &m) {
    define(m, "steps", &steps<T, double>, "K", "places", "diagonal", "bounds", "tol", "most", "alpha", "G", "base",
           "gap");
    define(m, "subtract_rows", &subtract_rows<T>, "rows", "places", "coef", "first", "last", "G");
    define(m, "squeeze", &squeeze<T>, "rows", "width", "kept", "values");
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    record<Bounds>(m, "Bounds", field("sign", &Bounds::sign), field("upper", &Bounds::upper),
                   field("ridge", &Bounds::ridge), field("constraint", &Bounds::constraint));
    record<StoredProgram>(m, "Program", field("values", &StoredProgram::values), field("slot", &StoredProgram::slot),
                          field("columns", &StoredProgram::columns), field("sign", &StoredProgram::sign),
                          field("linear", &StoredProgram::linear), field("upper", &StoredProgram::upper),
                          field("ridge", &StoredProgram::ridge), field("constants", &StoredProgram::constants),
                          field("constraint", &StoredProgram::constraint));
    record<Source>(m, "Source", field("kind", &Source::kind), field("degree", &Source::degree),
                   field("gamma", &Source::gamma), field("coef0", &Source::coef0), field("A", &Source::A),
                   field("half_a", &Source::half_a), field("panels", &Source::panels), field("half_b", &Source::half_b),
                   field("first", &Source::first), field("last", &Source::last), field("panel", &Source::panel));
    record<Limits>(m, "Limits", field("tol", &Limits::tol), field("steps", &Limits::steps),
                   field("values", &Limits::values), field("spans", &Limits::spans), field("work", &Limits::work));
    record<Several>(m, "Several", field("starts", &Several::starts), field("places", &Several::places),
                    field("place_starts", &Several::place_starts), field("computed", &Several::computed));
    define_for<float>(m);
    define_for<double>(m);
    define(m, "steps", &steps<float, float>, "K", "places", "diagonal", "bounds", "tol", "most", "alpha", "G", "base",
           "gap");
    define(m, "assemble", &assemble, "program", "alpha", "state", "system", "wanted");
    define(m, "advance", &advance, "program", "answer", "root", "alpha", "state", "F", "levels");
    define(m, "finish", &finish, "program", "rounds", "alpha", "state", "F", "levels");
    define(m, "settle", &settle, "K", "source", "parts", "begin", "bounds", "terms", "limits", "alpha", "pulls",
           "levels", "summary", "outcome");
}
