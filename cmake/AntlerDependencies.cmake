# The system packages that the libraries link, for the build and for the installed antler-config.cmake. Which library uses
# which is in src/<folder>/CMakeLists.txt.
find_package(Threads REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(ZLIB REQUIRED)
find_package(PNG REQUIRED)
find_package(JPEG REQUIRED)
# Optional: downloads data sets.
find_package(CURL QUIET)
find_package(PkgConfig REQUIRED)
pkg_check_modules(LIBZIP REQUIRED IMPORTED_TARGET libzip)
# Prefer the serial library.
pkg_search_module(HDF5 REQUIRED IMPORTED_TARGET hdf5-serial hdf5)
# Debian installs each version of LLVM in its own prefix.
find_package(LLVM 19.1 REQUIRED CONFIG HINTS /usr/lib/llvm-19)

# oneDNN's CMake package requires OpenCL headers, which only its GPU interface needs.
find_library(ANTLER_DNNL_LIBRARY dnnl REQUIRED)
find_path(ANTLER_DNNL_INCLUDE_DIR oneapi/dnnl/dnnl.hpp REQUIRED)
mark_as_advanced(ANTLER_DNNL_LIBRARY ANTLER_DNNL_INCLUDE_DIR)
if(NOT TARGET antler_dnnl)
  add_library(antler_dnnl INTERFACE IMPORTED)
  target_include_directories(antler_dnnl SYSTEM INTERFACE ${ANTLER_DNNL_INCLUDE_DIR})
  target_link_libraries(antler_dnnl INTERFACE ${ANTLER_DNNL_LIBRARY})
endif()

# The shared libLLVM and its headers.
if(NOT TARGET antler_llvm)
  add_library(antler_llvm INTERFACE IMPORTED)
  target_include_directories(antler_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
  target_link_libraries(antler_llvm INTERFACE LLVM)
endif()
