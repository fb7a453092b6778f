# Language, optimization, warnings and sanitizers of all targets.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  if(PROJECT_IS_TOP_LEVEL)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Release or Debug" FORCE)
  else()
    # Only if Antler is the main project: another project chooses its own build type.
    set(CMAKE_BUILD_TYPE Release)
  endif()
endif()
# No -march=native: binaries run on every CPU of the architecture; kernels detect CPU features at run time.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
# Debug builds are for sanitizers, with asserts and line numbers. Building them takes longer than running them, so they are
# not optimized, except for src/ops, src/runtime and the runtime's tests.
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g1 -fno-omit-frame-pointer")

find_program(ANTLER_CCACHE ccache)
mark_as_advanced(ANTLER_CCACHE)
if(ANTLER_CCACHE AND PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${ANTLER_CCACHE})
endif()

# Every program links the static libraries: mold does it in a seventh of the time of GNU ld.
find_program(ANTLER_MOLD mold)
mark_as_advanced(ANTLER_MOLD)
if(ANTLER_MOLD AND PROJECT_IS_TOP_LEVEL)
  add_link_options(-fuse-ld=mold)
endif()

# Compile flags of all Antler targets; they are not passed on to consumers.
add_library(antler_flags INTERFACE)
target_compile_options(antler_flags INTERFACE -Wall -Wextra)
# clang warns about libstdc++'s own stable_sort, which uses a deprecated function.
target_compile_options(antler_flags INTERFACE $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>)
# A batch of sources fills gcc's heap again and again: with a larger one, less of the time goes to garbage collection.
if(ANTLER_UNITY)
  target_compile_options(antler_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=1048576>)
endif()
if(ANTLER_STRICT)
  target_compile_options(antler_flags INTERFACE -Wconversion -Werror)
endif()

# Sanitizers apply to the whole program.
if(ANTLER_SANITIZE)
  add_compile_options(-fsanitize=${ANTLER_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${ANTLER_SANITIZE})
  add_compile_definitions(ANTLER_SANITIZED)
  # Kernels that are generated at run time lack the type that clang's check reads before the code of a function.
  if(ANTLER_SANITIZE MATCHES "undefined" AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    add_compile_options(-fno-sanitize=function -fsanitize-ignorelist=${PROJECT_SOURCE_DIR}/tools/ubsan.ignore)
  endif()
endif()

# libFuzzer's conventional macro: readers do not verify checksums.
if(ANTLER_BUILD_FUZZERS)
  add_compile_definitions(FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION)
endif()
