// A plug-in of a version of the interface that is too old.
#include "pjrt/c_api.h"

extern "C" const antler::pjrt::c_api::Api* GetPjrtApi() {  // NOLINT(readability-identifier-naming)
  static const antler::pjrt::c_api::Api api = {.size = sizeof(api),
                                               .extensions = nullptr,
                                               .version = {sizeof(api.version), nullptr, 0, 3},
                                               .functions = {nullptr}};
  return &api;
}
