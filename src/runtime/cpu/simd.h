#pragma once

/// ANTLER_CLONES before a function compiles it once per vector extension; the loader picks the
/// version for the CPU at hand. For hot loops that the compiler vectorises: binaries stay portable.
/// Loops must stand in the function itself or in what is inlined into it (ANTLER_INLINE), not in
/// the body of an OpenMP region or of a lambda, which keep the baseline.
///
/// Sanitizers start before the loader's choice is possible, other compilers and CPUs have one
/// version.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define ANTLER_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define ANTLER_CLONES
#endif

#define ANTLER_INLINE inline __attribute__((always_inline))
