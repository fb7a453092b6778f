# Reads ANTLER_VERSION from include/antler/version.h, so that programs and packages have the same version.
set(ANTLER_VERSION)
foreach(part MAJOR MINOR PATCH)
  file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/../include/antler/version.h line REGEX "^#define ANTLER_VERSION_${part} [0-9]+$")
  string(REGEX MATCH "[0-9]+$" number "${line}")
  list(APPEND ANTLER_VERSION ${number})
endforeach()
list(JOIN ANTLER_VERSION . ANTLER_VERSION)
# Reconfigures the build when the version changes.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/../include/antler/version.h)
