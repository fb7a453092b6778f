# The system packages that only antler::cluster needs, for the build and for find_package(antler COMPONENTS cluster).
# Include it after AntlerDependencies.cmake. Programs that link the shared library need none of them.
if(antler_SHARED)
  return()
endif()
find_dependency(Protobuf)
find_dependency(Gloo CONFIG)
# Debian's grpc++ has no CMake package, and its pkg-config file names every library that it links itself.
find_library(ANTLER_GRPC_LIBRARY grpc++ ${antler_required})
find_library(ANTLER_GRPC_CORE_LIBRARY grpc ${antler_required})
find_library(ANTLER_GPR_LIBRARY gpr ${antler_required})
# Inline functions of grpc++ call this library.
find_library(ANTLER_ABSL_LIBRARY absl_synchronization ${antler_required})
find_path(ANTLER_GRPC_INCLUDE_DIR grpcpp/grpcpp.h ${antler_required})
mark_as_advanced(ANTLER_GRPC_LIBRARY ANTLER_GRPC_CORE_LIBRARY ANTLER_GPR_LIBRARY ANTLER_ABSL_LIBRARY
  ANTLER_GRPC_INCLUDE_DIR)
foreach(found ANTLER_GRPC_LIBRARY ANTLER_GRPC_CORE_LIBRARY ANTLER_GPR_LIBRARY ANTLER_ABSL_LIBRARY ANTLER_GRPC_INCLUDE_DIR)
  if(NOT ${found})
    set(antler_FOUND FALSE)
    set(antler_NOT_FOUND_MESSAGE "antler's component cluster needs gRPC: ${found} is not set.")
    return()
  endif()
endforeach()
if(NOT TARGET antler_grpc)
  add_library(antler_grpc INTERFACE IMPORTED)
  target_include_directories(antler_grpc SYSTEM INTERFACE ${ANTLER_GRPC_INCLUDE_DIR})
  target_link_libraries(antler_grpc INTERFACE ${ANTLER_GRPC_LIBRARY} ${ANTLER_GRPC_CORE_LIBRARY} ${ANTLER_GPR_LIBRARY}
    ${ANTLER_ABSL_LIBRARY})
endif()
