include_guard()

# antler_in_batches(<target>): its sources are compiled eight at a time where a whole build is to be done soon.
function(antler_in_batches target)
  if(ANTLER_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
    # A class of a .cpp may hold what that file keeps to itself; in a batch the compiler takes the file for a header.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()

# antler_library(<folder> [DEPS <targets>] [PRIVATE_DEPS <targets>] [SOURCES <files>])
#
# The library of one folder below src/: target antler_<folder>, alias antler::<folder>. DEPS are what the folder's
# headers and code use (the include table of the architecture, or a package), PRIVATE_DEPS what only its code uses.
#
# Without SOURCES the folder's .cpp files are found by a glob that each build checks again: adding an op or a layer
# then touches one place fewer, and people who add files at the same time do not meet in a list. A folder without a
# .cpp is a header-only target. Objects reach each other through explicit lists (ops, layers, passes), never through
# static initialisers, so a static library loses nothing at the link.
function(antler_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "DEPS;PRIVATE_DEPS;SOURCES")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "antler_library(${name}): unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_SOURCES)
    file(GLOB_RECURSE arg_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  endif()

  set(target antler_${name})
  if(arg_SOURCES)
    add_library(${target} STATIC ${arg_SOURCES})
    set(scope PUBLIC)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:antler_flags> ${arg_PRIVATE_DEPS})
    antler_in_batches(${target})
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_compile_features(${target} ${scope} cxx_std_20)
  target_include_directories(${target} ${scope}
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
  target_link_libraries(${target} ${scope} ${arg_DEPS})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  add_library(antler::${name} ALIAS ${target})
endfunction()

# antler_executable(<target> SOURCES <files> [DEPS <targets>] [NAME <file name>] [FOLDER <below build/bin>])
#
# A program of the tree: an example, a test, the command line.
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
