#pragma once

/// ANTLER_CLONES: function multiversioning. Compiles a function once per vector extension; the
/// dynamic loader picks the version for the CPU (ifunc). For hot loops that the compiler
/// vectorizes. The loop must be in the function itself or in functions inlined into it
/// (ANTLER_INLINE), not in an OpenMP region or lambda, which are compiled for the baseline.
///
/// Off under sanitizers, which start after ifuncs are resolved, and for other compilers and CPUs.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(ANTLER_SANITIZED)
#define ANTLER_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define ANTLER_CLONES
#endif

#define ANTLER_INLINE inline __attribute__((always_inline))
