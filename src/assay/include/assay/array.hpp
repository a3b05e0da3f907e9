// What native code sees of the world: plain contiguous arrays, and nothing of Python.
//
//     In1<T>, In2<T>        read only          InOut1<T>, InOut2<T>   may be written
//     a.size(), a.rows(), a.cols(), a[i], a.row(i), a.data()
//
// nanobind refuses any other dtype, dimension or layout before the native code runs.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "assay/compiler.hpp"

namespace nb = nanobind;
using std::int32_t;
using std::int64_t;
using std::uint8_t;

namespace assay {

template <class T>
class View1 {
    T *data_;
    int64_t n_;

  public:
    View1(T *data, int64_t n) : data_(data), n_(n) {}
    int64_t size() const { return n_; }
    T *data() const { return data_; }
    T &operator[](int64_t i) const { return data_[i]; }
};

template <class T>
class View2 {
    T *data_;
    int64_t n_, d_;

  public:
    View2(T *data, int64_t n, int64_t d) : data_(data), n_(n), d_(d) {}
    int64_t rows() const { return n_; }
    int64_t cols() const { return d_; }
    T *data() const { return data_; }
    T *row(int64_t i) const { return data_ + i * d_; }
};

template <class T> using Array1 = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T> using Array2 = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T> using In1 = Array1<const T>;
template <class T> using In2 = Array2<const T>;
template <class T> using InOut1 = Array1<T>;
template <class T> using InOut2 = Array2<T>;

template <class T> View1<T> view(const Array1<T> &a) { return {a.data(), int64_t(a.shape(0))}; }
template <class T> View2<T> view(const Array2<T> &a) { return {a.data(), int64_t(a.shape(0)), int64_t(a.shape(1))}; }

// Every native function asks these before it reads or writes by an index that came with the call, whoever called it:
// arrays may come from a model, and so perhaps from a stranger's file. A ValueError instead of a wild read.
inline void require(bool fits, const char *what) {
    if (!fits) throw std::invalid_argument(what);
}

// How long an array is, as a signed number.
template <class A> int64_t length(const A &a) { return int64_t(a.shape(0)); }

// The least and the most of n > 0 whole numbers, in their own type, so that the compiler takes several at once. Those
// of indices are compiled for several instruction sets: a check then costs no more than reading its array.
template <class T> struct Extremes {
    T least, most;
};
template <class T>
INLINE Extremes<T> plain_extremes(const T *a, int64_t n) {
    T least = a[0], most = a[0];
    for (int64_t i = 1; i < n; ++i) least = a[i] < least ? a[i] : least, most = a[i] > most ? a[i] : most;
    return {least, most};
}
template <class T> Extremes<T> extremes(const T *a, int64_t n) { return plain_extremes(a, n); }
[[maybe_unused]] HOT static Extremes<int32_t> extremes(const int32_t *a, int64_t n) { return plain_extremes(a, n); }
[[maybe_unused]] HOT static Extremes<int64_t> extremes(const int64_t *a, int64_t n) { return plain_extremes(a, n); }

// Whether low <= a[i] < high for all of n whole numbers.
template <class T>
bool within(const T *a, int64_t n, int64_t low, int64_t high) {
    static_assert(std::is_integral_v<T>, "within: whole numbers");
    if (n <= 0) return true;
    const auto [least, most] = extremes(a, n);
    if constexpr (std::is_unsigned_v<T>)
        return high > 0 && uint64_t(most) < uint64_t(high) && (low <= 0 || uint64_t(least) >= uint64_t(low));
    else return int64_t(least) >= low && int64_t(most) < high;
}
template <class T> bool within(const Array1<T> &a, int64_t low, int64_t high) {
    return within(a.data(), length(a), low, high);
}
template <class T> bool within(const Array2<T> &a, int64_t low, int64_t high) {
    return within(a.data(), int64_t(a.size()), low, high);
}

// Whether these are the places where n parts begin, one after the other, and the end of the last: from 0 on, rising,
// the end at most (or, if `whole`, exactly) at `size`.
template <class T>
bool shares_out(const Array1<T> &start, int64_t n, int64_t size, bool whole = false) {
    if (n < 0 || length(start) != n + 1 || start.data()[0] < 0) return false;
    bool fits = !whole || start.data()[0] == 0;
    for (int64_t i = 0; i < n; ++i) fits &= start.data()[i] <= start.data()[i + 1];
    return fits && (whole ? int64_t(start.data()[n]) == size : int64_t(start.data()[n]) <= size);
}

// Whether these are n rows of a sparse table of d columns.
template <class V, class I, class P>
bool are_rows(const Array1<V> &data, const Array1<I> &indices, const Array1<P> &indptr, int64_t n, int64_t d) {
    return length(data) == length(indices) && shares_out(indptr, n, length(indices)) && within(indices, 0, d);
}

// Whether there is one weight for each of n rows, or none at all, which means ones.
template <class T> bool weighs(const Array1<T> &w, int64_t n) { return w.size() == 0 || length(w) == n; }

// a * b, if that is a size that an array may have.
inline int64_t sized(int64_t a, int64_t b, const char *what) {
    require(a >= 0 && b >= 0 && (b == 0 || a <= (int64_t(1) << 48) / b), what);
    return a * b;
}

}  // namespace assay
