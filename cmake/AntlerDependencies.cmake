# The system packages that the libraries link, for the build and for the installed antler-config.cmake. Which library uses
# which is in src/<folder>/CMakeLists.txt. A missing one ends a build, and find_package(antler REQUIRED); without REQUIRED
# it leaves antler_FOUND false.
include(CMakeFindDependencyMacro)
set(antler_required)
if(antler_FIND_REQUIRED)
  set(antler_required REQUIRED)
endif()
set(antler_quiet)
if(antler_FIND_QUIETLY)
  set(antler_quiet QUIET)
endif()

find_dependency(Threads)
find_dependency(OpenMP COMPONENTS CXX)
find_dependency(fmt)
find_dependency(nlohmann_json)
find_dependency(ZLIB)
find_dependency(PNG)
find_dependency(JPEG)
# Optional: downloads data sets.
find_package(CURL QUIET)
find_dependency(PkgConfig)
pkg_check_modules(LIBZIP ${antler_required} ${antler_quiet} IMPORTED_TARGET libzip)
# Prefer the serial library.
pkg_search_module(HDF5 ${antler_required} ${antler_quiet} IMPORTED_TARGET hdf5-serial hdf5)
# Debian installs each version of LLVM in its own prefix.
find_dependency(LLVM 19.1 CONFIG HINTS /usr/lib/llvm-19)

# oneDNN's CMake package requires OpenCL headers, which only its GPU interface needs.
find_library(ANTLER_DNNL_LIBRARY dnnl ${antler_required})
find_path(ANTLER_DNNL_INCLUDE_DIR oneapi/dnnl/dnnl.hpp ${antler_required})
mark_as_advanced(ANTLER_DNNL_LIBRARY ANTLER_DNNL_INCLUDE_DIR)
foreach(found LIBZIP_FOUND HDF5_FOUND ANTLER_DNNL_LIBRARY ANTLER_DNNL_INCLUDE_DIR)
  if(NOT ${found})
    set(antler_FOUND FALSE)
    set(antler_NOT_FOUND_MESSAGE "antler needs libzip, HDF5 and oneDNN: ${found} is not set.")
    return()
  endif()
endforeach()
if(NOT TARGET antler_dnnl)
  add_library(antler_dnnl INTERFACE IMPORTED)
  target_include_directories(antler_dnnl SYSTEM INTERFACE ${ANTLER_DNNL_INCLUDE_DIR})
  target_link_libraries(antler_dnnl INTERFACE ${ANTLER_DNNL_LIBRARY})
endif()

# LLVM's headers and the shared libLLVM. A program or module with the property ANTLER_STATIC_LLVM gets LLVM's archives.
if(NOT TARGET antler_llvm)
  llvm_map_components_to_libnames(archives OrcJIT Passes native)
  add_library(antler_llvm INTERFACE IMPORTED)
  target_include_directories(antler_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
  target_link_libraries(antler_llvm INTERFACE "$<IF:$<BOOL:$<TARGET_PROPERTY:ANTLER_STATIC_LLVM>>,${archives},LLVM>")
endif()
