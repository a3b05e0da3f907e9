// Counting the bits of many words, where the processor takes eight words at once.
//
//     COUNTS_BITS         compiled for such processors; called only where has_bit_counts() says so
//
// Elsewhere, and where functions cannot be compiled for one processor alone, the plain loop is used.
#pragma once
#include "assay/compiler.hpp"

#if defined(__x86_64__) && !defined(_WIN32) && !defined(ASSAY_SANITIZE)
#define COUNTS_BITS __attribute__((target("avx512f,avx512vpopcntdq")))
#else
#define COUNTS_BITS
#endif

namespace assay {

inline bool has_bit_counts() {
#if defined(__x86_64__) && !defined(_WIN32) && !defined(ASSAY_SANITIZE)
    static const bool has = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vpopcntdq");
    return has;
#else
    return false;
#endif
}

}  // namespace assay
