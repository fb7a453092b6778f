# `cmake --install` and find_package(antler): libraries, headers, the command, and the package files.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/antler)
install(TARGETS antler ${ANTLER_LIBRARY_TARGETS} EXPORT antler-targets)
install(DIRECTORY include/antler TYPE INCLUDE)
install(EXPORT antler-targets NAMESPACE antler:: DESTINATION ${package_dir})
configure_package_config_file(cmake/antler-config.cmake.in ${PROJECT_BINARY_DIR}/antler-config.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/antler-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/antler-config.cmake ${PROJECT_BINARY_DIR}/antler-config-version.cmake
  cmake/AntlerDependencies.cmake DESTINATION ${package_dir})
if(TARGET antler_app)
  install(TARGETS antler_app)
endif()
