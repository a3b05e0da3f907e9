// Products of matrices by SciPy's BLAS, reached through the capsules of scipy.linalg.cython_blas, or by our own where
// it does not use what the processor has.
#pragma once
#include <string>

#include "assay/array.hpp"
#include "assay/network/products.hpp"

namespace assay {

template <class T>
using Gemm = void (*)(char *, char *, int *, int *, int *, T *, T *, int *, T *, int *, T *, T *, int *);

template <class T> Gemm<T> scipy_gemm(const char *name) {
    nb::object table = nb::module_::import_("scipy.linalg.cython_blas").attr("__pyx_capi__");
    nb::object capsule = table[name];
    const char *signature = PyCapsule_GetName(capsule.ptr());
    require(signature && std::string(signature).rfind("void (char *, char *, int *, int *, int *,", 0) == 0,
            "networks: SciPy's BLAS has another signature than expected");
    return reinterpret_cast<Gemm<T>>(PyCapsule_GetPointer(capsule.ptr(), signature));
}
template <class T> Gemm<T> gemm();
template <> inline Gemm<double> gemm<double>() {
    static const auto kept = scipy_gemm<double>("dgemm");
    return kept;
}
template <> inline Gemm<float> gemm<float>() {
    static const auto kept = scipy_gemm<float>("sgemm");
    return kept;
}

template <class T> struct Strided {  // a matrix whose rows begin `step` numbers after each other
    T *at;
    int64_t step;
};

// C (m, n) = A (m, k) B (k, n) + beta C, row by row; A or B transposed where said, stored as before that.
template <class T>
void multiply(Gemm<T> g, bool ta, bool tb, int64_t m, int64_t n, int64_t k, Strided<const T> A, Strided<const T> B,
              T beta, Strided<T> C) {
    if (m == 0 || n == 0) return;
    if (has_wide_products() && (beta == T(0) || beta == T(1)))
        return wide_product<T>(ta, tb, m, n, k, A.at, A.step, B.at, B.step, beta == T(1), C.at, C.step);
    char left = tb ? 'T' : 'N', right = ta ? 'T' : 'N';
    int M = int(n), N = int(m), K = int(k), lda = int(B.step), ldb = int(A.step), ldc = int(C.step);
    T one = 1;
    g(&left, &right, &M, &N, &K, &one, const_cast<T *>(B.at), &lda, const_cast<T *>(A.at), &ldb, &beta, C.at, &ldc);
}
template <class T>
void multiply(Gemm<T> g, bool ta, bool tb, int64_t m, int64_t n, int64_t k, const T *A, const T *B, T beta, T *C) {
    multiply<T>(g, ta, tb, m, n, k, {A, ta ? m : k}, {B, tb ? k : n}, beta, {C, n});
}

}  // namespace assay
