// What a kernel sees of the world: plain contiguous arrays, and nothing of Python.
//
//     In1<T>, In2<T>        read only          InOut1<T>, InOut2<T>   may be written
//     a.size(), a.rows(), a.cols(), a[i], a.row(i), a.data()
//
// nanobind refuses any other dtype, dimension or layout before the kernel runs.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <stdexcept>

namespace nb = nanobind;
using std::int32_t;
using std::int64_t;
using std::uint8_t;

// Compiled once per instruction set and chosen at run time; never for the build machine alone.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(ASSAY_SANITIZE)
#define HOT __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define HOT
#endif

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

// For arrays that come from a model, and so perhaps from a stranger's file: a ValueError instead of a wild read.
inline void require(bool fits, const char *what) {
    if (!fits) throw std::invalid_argument(what);
}

}  // namespace assay
