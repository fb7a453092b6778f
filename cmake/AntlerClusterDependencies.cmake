# The system packages of antler::cluster alone, for the build and for find_package(antler COMPONENTS cluster).
find_package(Protobuf REQUIRED)
find_package(Gloo REQUIRED CONFIG)
# Debian's grpc++ has no CMake package, and its pkg-config file names every library that it links itself.
find_library(ANTLER_GRPC_LIBRARY grpc++ REQUIRED)
find_library(ANTLER_GRPC_CORE_LIBRARY grpc REQUIRED)
find_library(ANTLER_GPR_LIBRARY gpr REQUIRED)
# Inline functions of grpc++ call it.
find_library(ANTLER_ABSL_LIBRARY absl_synchronization REQUIRED)
find_path(ANTLER_GRPC_INCLUDE_DIR grpcpp/grpcpp.h REQUIRED)
mark_as_advanced(ANTLER_GRPC_LIBRARY ANTLER_GRPC_CORE_LIBRARY ANTLER_GPR_LIBRARY ANTLER_ABSL_LIBRARY
  ANTLER_GRPC_INCLUDE_DIR)
if(NOT TARGET antler_grpc)
  add_library(antler_grpc INTERFACE IMPORTED)
  target_include_directories(antler_grpc SYSTEM INTERFACE ${ANTLER_GRPC_INCLUDE_DIR})
  target_link_libraries(antler_grpc INTERFACE ${ANTLER_GRPC_LIBRARY} ${ANTLER_GRPC_CORE_LIBRARY} ${ANTLER_GPR_LIBRARY}
    ${ANTLER_ABSL_LIBRARY})
endif()
