#pragma once

#include <optional>
#include <string>

#include "antler/estimator/run_config.h"

/// The arguments of RunConfig by name.
namespace antler::estimator {

/// Whether RunConfigOptions has an argument of this name that a ParamValue can hold. If so, sets
/// it. Throws TypeError for a value of another type.
bool set_field(RunConfigOptions& options, const std::string& name, const ParamValue& value);
/// Throws ValueError because the argument cannot be replaced, and lists those that can.
[[noreturn]] void refuse_field(const std::string& name);

/// None if there is no value.
template <class T>
Settable<T> settable(const std::optional<T>& value) {
  return value ? Settable<T>(*value) : Settable<T>(None);
}

}  // namespace antler::estimator
