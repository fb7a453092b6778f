#include "antler/estimator/session_run_hook.h"

#include "antler/base/error.h"
#include "base/strings.h"

namespace antler::estimator {

const Tensor& SessionRunValues::at(const std::string& name) const {
  for (const auto& [key, value] : results) {
    if (key == name) return value;
  }
  throw KeyError("The run has no value '{}'. It has: {}.", name,
                 join(results, ", ", [](const auto& item) { return item.first; }));
}

}  // namespace antler::estimator
