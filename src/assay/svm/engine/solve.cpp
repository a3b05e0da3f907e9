// One dual problem of a kernel machine: steps of two multipliers (assay/machines/pair_steps.hpp), the last digits by an
// active set (assay/machines/active_set.hpp), and `settle`, which does all of it for a small problem.
#include "assay/machines/active_set.hpp"

using namespace assay;
using namespace assay::machines;

namespace {

// ------------------------------------------------------------------ steps

template <class T>
int64_t steps(In2<T> K,  // in      (N, N)
              std::optional<In1<int64_t>> places,  // in      (n,) rows and columns of K that count; None for all
              In1<double> diagonal,  // in      (n,)
              const Bounds &bounds,  // m variables, m is n or 2 n
              double tol, int64_t most,
              InOut1<double> alpha,  // in/out  (m,)
              InOut1<double> G,  // in/out  (n,)
              InOut1<double> base,  // in/out  (m,)
              InOut1<double> gap) {  // out     (1,)
    const int64_t n = length(diagonal), m = length(bounds.sign), N = int64_t(K.shape(0));
    require(int64_t(K.shape(1)) == N && n > 0 && (m == n || m == 2 * n), "steps: sizes");
    require(places ? length(*places) == n && within(*places, 0, N) : N == n, "steps: places");
    require(length(alpha) == m && length(G) == n && length(base) == m && length(gap) == 1, "steps: variables");
    nb::gil_scoped_release unlocked;
    KernelRows<T> matrix(K.data(), n, N, data_or_null(places));
    Problem<T> p{n,
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
    int64_t steps, computed,
        values;  // steps; rows that may be computed; kernel values that the last digits may look at
    void check() const { require(tol > 0 && steps >= 0 && computed >= 0 && values >= 0, "Limits: at least 0"); }
};

// What is left to do: nothing; the last digits; more steps, from where these ended; all of it, nothing was begun.
enum Settled { FINISHED, CONVERGED, OPEN, UNTOUCHED };

int64_t settled(KernelRows<double> &rows, In1<double> diagonal, const Bounds &bounds, const double *linear,
                const Limits &limits, double *alpha, double *G, double *base, double *gradient, double *levels,
                double *summary) {
    const int64_t n = rows.n, m = length(bounds.sign);
    const double *sign = bounds.sign.data(), *upper = bounds.upper.data(), *ridge = bounds.ridge.data();
    std::vector<double> beta(size_t(n), 0.0);
    int64_t begun = 0;
    double constants[2] = {0, 0};
    for (int64_t i = 0; i < m; ++i) {
        beta[size_t(i % n)] += sign[i] * alpha[i];
        base[i] = -sign[i] * (linear[i] + ridge[i] * alpha[i]);
        constants[bounds.constraint == EACH_SIGN && sign[i] < 0] += sign[i] * alpha[i];
        begun += alpha[i] != 0;
    }
    std::fill(G, G + n, 0.0);
    summary[0] = std::numeric_limits<double>::infinity(), summary[1] = summary[2] = 0;
    if (rows.source && 2 * begun > n) return UNTOUCHED;
    for (int64_t r = 0; r < n && begun; ++r)
        if (beta[size_t(r)] != 0) {
            const double *row = rows.row(r), b = beta[size_t(r)];
            for (int64_t t = 0; t < n; ++t) G[t] -= b * row[t];
        }
    Problem<double> problem{
        n, m, 0, limits.computed, rows, diagonal.data(), sign, upper, ridge, alpha, G, base, bounds.constraint, {}, {}};
    problem.begin();
    summary[1] = double(steps_in(problem, limits.tol, limits.steps, summary));
    summary[2] = double(rows.computed);
    double largest = 0, squares = 0;
    for (int64_t r = 0; r < n; ++r) largest = std::max(largest, std::abs(diagonal.data()[r]));
    int64_t used = 0;
    std::fill(beta.begin(), beta.end(), 0.0);
    for (int64_t i = 0; i < m; ++i) beta[size_t(i % n)] += sign[i] * alpha[i], used += alpha[i] != 0;
    for (const double b : beta) squares += b * b;
    if (!(summary[0] < limits.tol) || !(largest * std::sqrt(squares) * 1.2e-15 < 0.1 * limits.tol)) return OPEN;
    if (used * n > limits.values) return CONVERGED;
    std::vector<int8_t> state(size_t(m), 0);
    for (int64_t i = 0; i < m; ++i) state[size_t(i)] = alpha[i] <= 0 ? LOW : alpha[i] >= upper[i] ? HIGH : FREE;
    std::vector<double> exact(alpha, alpha + m);
    const Program program{rows, m, sign, linear, upper, ridge, constants, bounds.constraint};
    if (finish_in(program, MOST_ROUNDS, exact.data(), state.data(), gradient, levels) != DONE) return CONVERGED;
    std::copy(exact.begin(), exact.end(), alpha);
    summary[3] = 0;
    for (int64_t i = 0; i < m; ++i) {
        gradient[i] *= -sign[i];
        summary[3] += 0.5 * alpha[i] * (gradient[i] + linear[i]);
    }
    return FINISHED;
}

int64_t settle(
    std::optional<In2<double>> K,  // in      (N, N), or None
    std::optional<In1<int64_t>> places,  // in      (n,) rows and columns of K that count, or segments; None for all
    std::optional<Source> source,  // what computes rows, if there is no K
    In1<double> diagonal,  // in      (n,)
    const Bounds &bounds,  // m variables, m is n or 2 n
    In1<double> linear,  // in      (m,)
    const Limits &limits,
    InOut1<double> alpha,  // in/out  (m,) the start, and the solution
    InOut2<double> pulls,  // out     (3, m) G (n values), base, and the gradient if finished
    InOut2<double> levels,  // out     (3, g) if finished: the least, middle and largest offset
    InOut1<double> summary) {  // out     (4,) gap, steps, rows computed, the objective if finished
    const int64_t n = length(diagonal), m = length(bounds.sign);
    const int64_t groups = bounds.constraint == NONE ? 0 : bounds.constraint == SUM ? 1 : 2;
    require(n > 0 && (m == n || m == 2 * n) && bool(K) != bool(source), "settle: sizes");
    if (K) {
        const int64_t N = int64_t(K->shape(0));
        require(int64_t(K->shape(1)) == N, "settle: the matrix");
        require(places ? length(*places) == n && within(*places, 0, N) : N == n, "settle: places");
    }
    if (source && places) require(within(*places, 0, length(source->first)), "settle: segments");
    require(length(linear) == m && length(alpha) == m && pulls.shape(0) == 3 && int64_t(pulls.shape(1)) == m &&
                length(summary) == 4 && levels.shape(0) == 3 && int64_t(levels.shape(1)) == groups,
            "settle: variables");
    KernelRows<double> rows =
        K ? KernelRows<double>(K->data(), n, int64_t(K->shape(0)), data_or_null(places))
          : KernelRows<double>(*source, data_or_null(places), places ? length(*places) : length(source->first));
    require(rows.n == n, "settle: rows of the source");
    nb::gil_scoped_release unlocked;
    return settled(rows, diagonal, bounds, linear.data(), limits, alpha.data(), pulls.data(), pulls.data() + m,
                   pulls.data() + 2 * m, levels.data(), summary.data());
}

template <class T>
void define_for(nb::module_ &m) {
    define(m, "steps", &steps<T>, "K", "places", "diagonal", "bounds", "tol", "most", "alpha", "G", "base", "gap");
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
                   field("computed", &Limits::computed), field("values", &Limits::values));
    define_for<float>(m);
    define_for<double>(m);
    define(m, "assemble", &assemble, "program", "alpha", "state", "system", "wanted");
    define(m, "advance", &advance, "program", "answer", "root", "alpha", "state", "F", "levels");
    define(m, "finish", &finish, "program", "rounds", "alpha", "state", "F", "levels");
    define(m, "settle", &settle, "K", "places", "source", "diagonal", "bounds", "linear", "limits", "alpha", "pulls",
           "levels", "summary");
}
