// Products of columns: every term of a polynomial is one column times a term of one degree less.
//
//     z_0 = 1,    z_t = x_f z_s        s: the term t without its first factor f
//
// Terms that share their first factor stand side by side, and so do the terms that they are made of: a run (source,
// length, column) makes `length` new terms, z[next ...] = x[column] z[source ...]. Runs follow each other; `width`
// terms are made and the last `keep` of them, or the first one and the last keep - 1, are handed out.
//
// Sparse rows: the terms of degree r with factors c_1 <= ... <= c_r, numbered as they come in the dense table. Of those
// that share the first i - 1 factors, B_m(v) of degree m = r - i + 1 more have only factors from v on, so the term is
//
//     number = sum_i B_m(from_i) - B_m(c_i),      from_1 = 0, from_i = c_{i-1} (or the next one: no column twice)
//
// Checked by the caller: runs stay below what is made so far, columns of a row increase and lie below the table's
// width. Twins in NumPy: tests/prepare/test_polynomial_features.py.
#include "assay/array.hpp"
#include "assay/edge.hpp"

#include <algorithm>
#include <vector>

using namespace assay;

namespace {

struct Runs {
    const int64_t *source, *length, *column;
    int64_t count;
};

template <class T>
static inline void fill_row(const T *x, Runs runs, T *z) {
    z[0] = T(1);
    int64_t next = 1;
    for (int64_t s = 0; s < runs.count; ++s) {
        const T *from = z + runs.source[s];
        T *to = z + next;
        const T factor = x[runs.column[s]];
        const int64_t m = runs.length[s];
        INDEPENDENT
        for (int64_t k = 0; k < m; ++k) to[k] = factor * from[k];  // z[next:] = x[f] * z[source:]
        next += m;
    }
}

template <class T>
static inline void by_rows(View2<const T> X, Runs runs, int64_t width, bool bias, View2<T> out, T *z) {
    const int64_t n = X.rows(), keep = out.cols();
    for (int64_t i = 0; i < n; ++i) {
        T *o = out.row(i);
        if (keep == width) {
            fill_row(X.row(i), runs, o);
            continue;
        }
        fill_row(X.row(i), runs, z);
        if (bias) *o++ = T(1);
        std::copy(z + width - (keep - bias), z + width, o);
    }
}

// The same with out column after column: a block of rows is turned, and then the factor is a column, too.
template <class T>
static inline void by_columns(View2<const T> X, Runs runs, int64_t width, bool bias, View2<T> out, int64_t begin,
                              int64_t end, T *x, T *z, int64_t block) {
    const int64_t d = X.cols(), keep = out.rows(), first = width - (keep - bias);
    for (int64_t a = begin; a < end; a += block) {
        const int64_t m = std::min(block, end - a);
        for (int64_t i = 0; i < m; ++i)
            for (int64_t j = 0; j < d; ++j) x[j * block + i] = X.row(a + i)[j];
        auto place = [&](int64_t t) {  // what is not handed out is made in z
            if (t == 0 && bias) return out.row(0) + a;
            return t >= first ? out.row(t - first + bias) + a : z + t * block;
        };
        std::fill_n(place(0), m, T(1));
        int64_t next = 1;
        for (int64_t s = 0; s < runs.count; ++s) {
            const T *factor = x + runs.column[s] * block;
            for (int64_t k = 0; k < runs.length[s]; ++k, ++next) {
                const T *from = place(runs.source[s] + k);
                T *to = place(next);
                INDEPENDENT
                for (int64_t i = 0; i < m; ++i) to[i] = factor[i] * from[i];
            }
        }
    }
}

HOT void rows_f64(View2<const double> X, Runs r, int64_t w, bool b, View2<double> o, double *z) {
    by_rows(X, r, w, b, o, z);
}
HOT void rows_f32(View2<const float> X, Runs r, int64_t w, bool b, View2<float> o, float *z) {
    by_rows(X, r, w, b, o, z);
}
HOT void columns_f64(View2<const double> X, Runs r, int64_t w, bool b, View2<double> o, int64_t begin, int64_t end,
                     double *x, double *z, int64_t m) {
    by_columns(X, r, w, b, o, begin, end, x, z, m);
}
HOT void columns_f32(View2<const float> X, Runs r, int64_t w, bool b, View2<float> o, int64_t begin, int64_t end,
                     float *x, float *z, int64_t m) {
    by_columns(X, r, w, b, o, begin, end, x, z, m);
}

Runs checked(const In1<int64_t> &source, const In1<int64_t> &length, const In1<int64_t> &column, int64_t d,
             int64_t width) {
    require(source.shape(0) == length.shape(0) && column.shape(0) == length.shape(0),
            "polynomial: runs of three numbers");
    int64_t next = 1;
    for (size_t s = 0; s < length.shape(0); ++s) {
        const int64_t from = source.data()[s], m = length.data()[s], f = column.data()[s];
        require(m >= 0 && from >= 0 && from <= next - m && f >= 0 && f < d, "polynomial: a run of terms not made yet");
        next += m;
    }
    require(next == width, "polynomial: the runs make another number of terms");
    return {source.data(), length.data(), column.data(), int64_t(length.shape(0))};
}

template <class T, auto run>
void dense_rows(In2<T> X,  // in   (n, d)
                In1<int64_t> source, In1<int64_t> length, In1<int64_t> column, int64_t width, bool bias,
                InOut2<T> out) {  // out  (n, keep)
    const Runs runs = checked(source, length, column, X.shape(1), width);
    require(out.shape(0) == X.shape(0) && int64_t(out.shape(1)) >= bias && int64_t(out.shape(1)) <= width,
            "polynomial: out has another shape");
    nb::gil_scoped_release unlocked;
    std::vector<T> z(int64_t(out.shape(1)) == width ? 0 : width);
    run(view(X), runs, width, bias, view(out), z.data());
}

template <class T, auto run>
void dense_columns(In2<T> X,  // in   (n, d)
                   In1<int64_t> source, In1<int64_t> length, In1<int64_t> column, int64_t width, bool bias,
                   InOut2<T> out,  // out  (keep, n)
                   int64_t begin, int64_t end) {  // rows of X to turn into columns of out
    const Runs runs = checked(source, length, column, X.shape(1), width);
    const int64_t keep = out.shape(0);
    require(out.shape(1) == X.shape(0) && keep >= bias && keep <= width && begin >= 0 && begin <= end &&
                end <= int64_t(X.shape(0)),
            "polynomial: out has another shape");
    nb::gil_scoped_release unlocked;
    const int64_t block = 2040;
    std::vector<T> x(X.shape(1) * block), z((width - keep + 1) * block);
    run(view(X), runs, width, bias, view(out), begin, end, x.data(), z.data(), block);
}

// One row of a sparse matrix, from a factor on; depth first, so that the numbers of the terms increase.
template <class T, class I>
struct Walk {
    const int64_t *index;
    const T *value;
    int64_t count, d;
    const int64_t *at, *past;  // (degree + 1, d) B_m(c) and B_m(the first column that may follow c)
    bool distinct;
    T *data;
    I *column;
    int64_t next;

    void go(int64_t start, int64_t left, int64_t base, T product) {  // base: number so far + B_left(from)
        const int64_t *row = at + left * d;
        for (int64_t k = start; k < count; ++k) {
            const int64_t c = index[k], here = base - row[c];
            const T z = product * value[k];
            if (left == 1) {
                data[next] = z;
                column[next++] = I(here);
            } else {
                go(k + distinct, left - 1, here + past[(left - 1) * d + c], z);
            }
        }
    }
};

// Entries of the table's columns, and for each row as many places as it has terms.
void check_places(const In1<int64_t> &indptr, const In1<int64_t> &index, int64_t low, int64_t high, bool distinct,
                  bool bias, int64_t d, const In1<int64_t> &place) {
    const int64_t n = assay::length(indptr) - 1, origin = indptr.data()[0];
    require(0 <= low && high < 64 && origin >= 0 && within(index, 0, d),
            "polynomial: columns or degrees that are not there");
    bool fits = true;
    for (int64_t i = 0; i < n; ++i) {
        const int64_t m = indptr.data()[i + 1] - indptr.data()[i];
        fits &= m >= 0 && indptr.data()[i + 1] - origin <= assay::length(index);
        double terms = bias;  // C(m, r) of distinct columns, C(m + r - 1, r) of any
        for (int64_t r = std::max<int64_t>(low, 1); r <= high; ++r) {
            double of_degree = 1;
            for (int64_t k = 0; k < r; ++k) of_degree *= double(distinct ? m - k : m + k) / double(k + 1);
            terms += std::max(0.0, of_degree);
        }
        fits &= double(place.data()[i + 1] - place.data()[i]) >= std::round(terms);
    }
    require(fits, "polynomial: rows with more terms than places");
}

// Which terms are made: of degrees low to high, of columns that differ if `distinct`, and the constant if `bias`.
struct Degrees {
    int64_t low, high;
    bool distinct, bias;
};

template <class T, class I>
void sparse_rows(In1<int64_t> indptr, In1<int64_t> index, In1<T> value, const Degrees &degrees, In2<int64_t> at,
                 In2<int64_t> past,  // in   (high + 1, d)
                 In1<int64_t> base,  // in   (high + 1,) number of the first term of degree m, plus B_m(0)
                 In1<int64_t> place,  // in   (n + 1,) where the new rows begin
                 InOut1<T> data, InOut1<I> column) {
    const auto &[low, high, distinct, bias] = degrees;
    const int64_t n = int64_t(indptr.shape(0)) - 1, total = data.shape(0), d = at.shape(1);
    require(n >= 0 && int64_t(place.shape(0)) == n + 1 && column.shape(0) == data.shape(0) &&
                index.shape(0) == value.shape(0) && int64_t(at.shape(0)) == high + 1 && past.shape(0) == at.shape(0) &&
                past.shape(1) == at.shape(1) && int64_t(base.shape(0)) == high + 1 &&
                place.data()[n] - place.data()[0] == total,
            "polynomial: sparse rows and their places do not fit");
    check_places(indptr, index, low, high, distinct, bias, d, place);
    nb::gil_scoped_release unlocked;
    const int64_t origin = indptr.data()[0], goal = place.data()[0];
    for (int64_t i = 0; i < n; ++i) {
        const int64_t a = indptr.data()[i] - origin, b = indptr.data()[i + 1] - origin;
        Walk<T, I> walk{index.data() + a, value.data() + a,      b - a,    d,
                        at.data(),        past.data(),           distinct, data.data(),
                        column.data(),    place.data()[i] - goal};
        if (bias) {
            walk.data[walk.next] = T(1);
            walk.column[walk.next++] = 0;
        }
        for (int64_t r = std::max<int64_t>(low, 1); r <= high; ++r) walk.go(0, r, base.data()[r], T(1));
    }
}

}  // namespace

NB_MODULE(ASSAY_MODULE, m) {
    record<Degrees>(m, "Degrees", field("low", &Degrees::low), field("high", &Degrees::high),
                    field("distinct", &Degrees::distinct), field("bias", &Degrees::bias));
    define(m, "dense_rows", &dense_rows<double, rows_f64>, "X", "source", "length", "column", "width", "bias", "out");
    define(m, "dense_rows", &dense_rows<float, rows_f32>, "X", "source", "length", "column", "width", "bias", "out");
    define(m, "dense_columns", &dense_columns<double, columns_f64>, "X", "source", "length", "column", "width", "bias",
           "out", "begin", "end");
    define(m, "dense_columns", &dense_columns<float, columns_f32>, "X", "source", "length", "column", "width", "bias",
           "out", "begin", "end");
    define(m, "sparse_rows", &sparse_rows<double, int32_t>, "indptr", "index", "value", "degrees", "at", "past", "base",
           "place", "data", "column");
    define(m, "sparse_rows", &sparse_rows<double, int64_t>, "indptr", "index", "value", "degrees", "at", "past", "base",
           "place", "data", "column");
    define(m, "sparse_rows", &sparse_rows<float, int32_t>, "indptr", "index", "value", "degrees", "at", "past", "base",
           "place", "data", "column");
    define(m, "sparse_rows", &sparse_rows<float, int64_t>, "indptr", "index", "value", "degrees", "at", "past", "base",
           "place", "data", "column");
}
