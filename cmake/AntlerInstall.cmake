# Files for `cmake --install`, find_package(antler), pkg-config and CPack. Component `command` is for users of the program,
# `development` for users of the library, `cluster`, `estimator` and `pjrt` for those of antler::cluster and so on, `mpi`
# for programs that mpirun starts.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# antler_install_licences(<component> <Debian package>): what the package may be used for, and what it contains of others.
function(antler_install_licences component package)
  install(FILES LICENSE cmake/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component})
endfunction()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/antler)
install(TARGETS antler ${ANTLER_LIBRARY_TARGETS} EXPORT antler-targets COMPONENT development)
install(DIRECTORY include/antler TYPE INCLUDE COMPONENT development PATTERN cluster EXCLUDE
  PATTERN estimator EXCLUDE PATTERN pjrt EXCLUDE)
install(EXPORT antler-targets NAMESPACE antler:: DESTINATION ${package_dir} COMPONENT development)
configure_package_config_file(cmake/antler-config.cmake.in ${PROJECT_BINARY_DIR}/antler-config.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/antler-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/antler-config.cmake ${PROJECT_BINARY_DIR}/antler-config-version.cmake
  cmake/AntlerDependencies.cmake DESTINATION ${package_dir} COMPONENT development)
antler_install_licences(development libantler-dev)

if(ANTLER_BUILD_ESTIMATOR)
  install(TARGETS antler_estimator EXPORT antler-estimator-targets COMPONENT estimator)
  install(DIRECTORY include/antler/estimator DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/antler COMPONENT estimator)
  install(EXPORT antler-estimator-targets NAMESPACE antler:: DESTINATION ${package_dir} COMPONENT estimator)
  antler_install_licences(estimator libantler-estimator-dev)
endif()

if(ANTLER_BUILD_PJRT)
  install(TARGETS antler_pjrt EXPORT antler-pjrt-targets COMPONENT pjrt)
  install(DIRECTORY include/antler/pjrt DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/antler COMPONENT pjrt)
  install(EXPORT antler-pjrt-targets NAMESPACE antler:: DESTINATION ${package_dir} COMPONENT pjrt)
endif()

if(ANTLER_BUILD_CLUSTER)
  install(TARGETS antler_cluster EXPORT antler-cluster-targets COMPONENT cluster)
  if(TARGET antler_server_app)
    install(TARGETS antler_server_app antler_worker_app COMPONENT cluster)
  endif()
  install(DIRECTORY include/antler/cluster DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/antler COMPONENT cluster)
  install(EXPORT antler-cluster-targets NAMESPACE antler:: DESTINATION ${package_dir} COMPONENT cluster)
  install(FILES cmake/AntlerClusterDependencies.cmake DESTINATION ${package_dir} COMPONENT cluster)
  antler_install_licences(cluster libantler-cluster-dev)
endif()
if(TARGET antler_mpi)
  install(TARGETS antler_mpi LIBRARY COMPONENT mpi)
  antler_install_licences(mpi libantler-mpi)
endif()

# The libraries are static, so pkg-config must list all dependencies. The file is written at install time, because the
# prefix is not known before.
set(ANTLER_PC_LIBRARIES)
foreach(target IN LISTS ANTLER_LIBRARY_TARGETS)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    list(PREPEND ANTLER_PC_LIBRARIES -l${target})
  endif()
endforeach()
# Some of the libraries depend on each other.
list(PREPEND ANTLER_PC_LIBRARIES -Wl,--start-group)
list(APPEND ANTLER_PC_LIBRARIES -Wl,--end-group -L${LLVM_LIBRARY_DIR} -lLLVM -ldnnl -lfmt ${OpenMP_CXX_FLAGS} -lpng
  -ljpeg -lz -lpthread)
foreach(package LIBZIP HDF5)
  list(APPEND ANTLER_PC_LIBRARIES ${${package}_LDFLAGS})
endforeach()
if(CURL_FOUND)
  list(APPEND ANTLER_PC_LIBRARIES -lcurl)
endif()
list(JOIN ANTLER_PC_LIBRARIES " " ANTLER_PC_LIBRARIES)
set(pc_settings)
foreach(name PROJECT_DESCRIPTION PROJECT_VERSION CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR ANTLER_PC_LIBRARIES)
  string(APPEND pc_settings "set(${name} [==[${${name}}]==])\n")
endforeach()
install(CODE "${pc_settings}
  configure_file([==[${PROJECT_SOURCE_DIR}/cmake/antler.pc.in]==] [==[${PROJECT_BINARY_DIR}/antler.pc]==] @ONLY)"
  COMPONENT development)
install(FILES ${PROJECT_BINARY_DIR}/antler.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

if(TARGET antler_app)
  install(TARGETS antler_app COMPONENT command)
  antler_install_licences(command antler)
  # The program prints its own completion script.
  set(completion ${PROJECT_BINARY_DIR}/completion/antler)
  add_custom_command(OUTPUT ${completion} COMMAND antler_app completion bash > ${completion} DEPENDS antler_app VERBATIM)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/completion)
  if(NOT ANTLER_SANITIZE)
    add_custom_target(antler_completion ALL DEPENDS ${completion})
    install(FILES ${completion} DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT command)
  endif()
endif()

# `cpack` in the build directory: the Debian packages antler (the command), libantler-dev and one for each
# component.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME antler)
set(CPACK_PACKAGE_CONTACT "The Antler authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL command development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME antler)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION science)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SUGGESTS graphviz)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libantler-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
# The programs of examples/ read their arguments with CLI11.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_RECOMMENDS libcli11-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "libdnnl-dev, llvm-19-dev, libfmt-dev, nlohmann-json3-dev, libzip-dev, zlib1g-dev, libpng-dev, libjpeg62-turbo-dev, \
libhdf5-dev, libcurl4-openssl-dev, pkg-config")
if(ANTLER_BUILD_ESTIMATOR)
  list(APPEND CPACK_COMPONENTS_ALL estimator)
  set(CPACK_DEBIAN_ESTIMATOR_PACKAGE_NAME libantler-estimator-dev)
  set(CPACK_DEBIAN_ESTIMATOR_PACKAGE_SECTION libdevel)
  set(CPACK_DEBIAN_ESTIMATOR_PACKAGE_DEPENDS "libantler-dev (= ${PROJECT_VERSION})")
endif()
if(ANTLER_BUILD_PJRT)
  list(APPEND CPACK_COMPONENTS_ALL pjrt)
  set(CPACK_DEBIAN_PJRT_PACKAGE_NAME libantler-pjrt-dev)
  set(CPACK_DEBIAN_PJRT_PACKAGE_SECTION libdevel)
  set(CPACK_DEBIAN_PJRT_PACKAGE_DEPENDS "libantler-dev (= ${PROJECT_VERSION})")
endif()
if(ANTLER_BUILD_CLUSTER)
  list(APPEND CPACK_COMPONENTS_ALL cluster)
  set(CPACK_DEBIAN_CLUSTER_PACKAGE_NAME libantler-cluster-dev)
  set(CPACK_DEBIAN_CLUSTER_PACKAGE_SECTION libdevel)
  set(CPACK_DEBIAN_CLUSTER_PACKAGE_DEPENDS
    "libantler-dev (= ${PROJECT_VERSION}), libgrpc++-dev, libprotobuf-dev, protobuf-compiler, libgloo-dev")
endif()
if(TARGET antler_mpi)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
  set(CPACK_DEBIAN_MPI_PACKAGE_NAME libantler-mpi)
  set(CPACK_DEBIAN_MPI_PACKAGE_SECTION libs)
  set(CPACK_DEBIAN_MPI_PACKAGE_SHLIBDEPS ON)
endif()
include(CPack)
