include_guard()

# antler_unity_build(<target> [<batch size>]): compiles its sources in batches of 64 if ANTLER_UNITY is set. Tests, which have
# precompiled headers and many names of their own, use smaller ones. ANTLER_UNITY_EXCEPT ("cluster;nn;tests_nn") excludes folders,
# for developers who edit there.
function(antler_unity_build target)
  set(batch 64)
  if(ARGC GREATER 1)
    set(batch ${ARGV1})
  endif()
  string(REGEX REPLACE "^antler_" "" folder ${target})
  if(ANTLER_UNITY AND NOT folder IN_LIST ANTLER_UNITY_EXCEPT)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${batch})
    # gcc treats the .cpp files in a batch as headers, and warns about members whose types are in anonymous namespaces.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()

# antler_not_optimized(<target>): for tests and examples, which spend their time in the libraries. With ANTLER_UNITY, where a whole
# build must be fast, the target compiles in half the time.
function(antler_not_optimized target)
  if(ANTLER_UNITY)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O0>)
  endif()
endfunction()

# antler_shared_library(<target>): the common settings of shared libraries. The binary interface may change with every version,
# so the soname contains the whole version. Names outside namespace antler are not exported.
function(antler_shared_library target)
  set(exports ${PROJECT_SOURCE_DIR}/cmake/exports.map)
  target_link_options(${target} PRIVATE LINKER:--version-script=${exports})
  # The runtime of a sanitizer is in the program only.
  if(NOT ANTLER_SANITIZE)
    target_link_options(${target} PRIVATE LINKER:--no-undefined)
  endif()
  set_target_properties(${target} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION}
    LINK_DEPENDS ${exports} INSTALL_RPATH $ORIGIN INSTALL_RPATH_USE_LINK_PATH ON)
endfunction()

# antler_library(<folder> [COMPONENT] [DEPS <targets>] [PRIVATE_DEPS <targets>] [SOURCES <files>])
#
# The library of a folder in src/: target antler_<folder>, alias antler::<folder>. DEPS are used by its headers and sources,
# PRIVATE_DEPS only by its sources. SOURCES defaults to all .cpp files of the folder; without any, the library is
# header-only. Ops, layers and passes are registered in explicit lists, not by static initializers, because a linker drops
# unreferenced objects of static libraries.
#
# With BUILD_SHARED_LIBS each COMPONENT is a separate shared library, and the other folders are object libraries, which are
# linked into libantler.so. src/CMakeLists.txt makes all their aliases refer to it.
function(antler_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "COMPONENT" "" "DEPS;PRIVATE_DEPS;SOURCES")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "antler_library(${name}): unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_SOURCES)
    file(GLOB_RECURSE arg_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  endif()

  set(target antler_${name})
  set(kind STATIC)
  if(BUILD_SHARED_LIBS AND arg_COMPONENT)
    set(kind SHARED)
  elseif(BUILD_SHARED_LIBS)
    set(kind OBJECT)
    list(TRANSFORM arg_DEPS REPLACE "^antler::" "antler_")
    list(TRANSFORM arg_PRIVATE_DEPS REPLACE "^antler::" "antler_")
  endif()
  if(arg_SOURCES)
    add_library(${target} ${kind} ${arg_SOURCES})
    set(scope PUBLIC)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:antler_flags> ${arg_PRIVATE_DEPS})
    antler_unity_build(${target})
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_compile_features(${target} ${scope} cxx_std_20)
  target_include_directories(${target} ${scope}
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
  target_link_libraries(${target} ${scope} ${arg_DEPS})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  if(kind STREQUAL "SHARED")
    antler_shared_library(${target})
  endif()
  if(NOT kind STREQUAL "OBJECT")
    add_library(antler::${name} ALIAS ${target})
  endif()
endfunction()

# antler_executable(<target> SOURCES <files> [DEPS <targets>] [NAME <file name>] [FOLDER <below build/bin>])
function(antler_executable target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "NAME;FOLDER" "SOURCES;DEPS")
  add_executable(${target} ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE antler_flags ${arg_DEPS})
  if(arg_NAME)
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${arg_NAME})
  endif()
  if(arg_FOLDER)
    set_target_properties(${target} PROPERTIES
      RUNTIME_OUTPUT_DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${arg_FOLDER})
  endif()
endfunction()

# antler_embed(<target> FILE <file> FUNCTION <name> NAMESPACE <namespace> HEADER <header>): a function of the target returns
# the bytes of the file as std::string_view; the header declares it.
function(antler_embed target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FILE;FUNCTION;NAMESPACE;HEADER" "")
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${arg_FUNCTION}.cpp)
  set(script ${PROJECT_SOURCE_DIR}/cmake/embed_file.cmake)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DINPUT=${arg_FILE} -DOUTPUT=${output} -DNAME=${arg_FUNCTION} -DNAMESPACE=${arg_NAMESPACE}
      -DHEADER=${arg_HEADER} -P ${script}
    DEPENDS ${arg_FILE} ${script} VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
