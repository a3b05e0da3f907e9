// What compilers and processors differ in, in one place. The other native files are C++17 and what GCC and clang share
// on every platform: vectors of numbers, always_inline, __builtin_prefetch, __builtin_popcountll, __restrict.
//
//     HOT, STEPWISE       compiled once per instruction set and chosen at run time; never for the build machine alone
//     INLINE              inlined into each version of a HOT function, so that it is compiled for its instructions
//     INDEPENDENT         before a loop whose steps do not depend on each other, whatever its pointers say
//     high_product(a, b)  the upper half of the 128 bits of a * b
//     has_bmi2()          whether this processor gathers bits by a mask (pext)
//     pause()             tells the processor that a loop waits
//
// Where functions cannot be compiled for several instruction sets (clang, other processors), the platform's own is
// used. tools/check_portable.py reads all files as clang does on macOS, Windows and WebAssembly.
#pragma once
#include <cstdint>

#if !defined(__GNUC__) && !defined(__clang__)
#error "Assay's native code uses vectors of numbers as GCC and clang have them: on Windows, build with clang-cl."
#endif

#if defined(__x86_64__)
#include <immintrin.h>
#if defined(_WIN32)
#include <intrin.h>
#endif
#endif

#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) && !defined(ASSAY_SANITIZE)
#define HOT __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#define STEPWISE __attribute__((target_clones("default", "arch=x86-64-v3")))  // vectors of four numbers at most
#else
#define HOT
#define STEPWISE
#endif

#define INLINED __attribute__((always_inline))  // behind a lambda: compiled for the instruction set of its surroundings
#define INLINE INLINED inline

#if defined(__clang__)
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace assay {

inline std::uint64_t high_product(std::uint64_t a, std::uint64_t b) {
    return std::uint64_t((unsigned __int128)(a)*b >> 64);
}

#if defined(__x86_64__)
inline bool has_bmi2() {
#if defined(_WIN32)  // its libraries lack what __builtin_cpu_supports asks
    static const bool has = [] {
        int registers[4];
        __cpuidex(registers, 7, 0);
        return (registers[1] >> 8 & 1) != 0;
    }();
#else
    static const bool has = __builtin_cpu_supports("bmi2");
#endif
    return has;
}
inline void pause() { _mm_pause(); }
#else
inline bool has_bmi2() { return false; }
inline void pause() {}
#endif

}  // namespace assay
