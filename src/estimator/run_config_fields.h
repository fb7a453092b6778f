#pragma once

#include <optional>
#include <string>

#include "antler/estimator/run_config.h"

/// The arguments of RunConfig by their names.
namespace antler::estimator {

/// Whether RunConfigOptions has an argument of this name that a ParamValue can hold; sets it then.
/// Throws TypeError for a value of another type.
bool set_field(RunConfigOptions& options, const std::string& name, const ParamValue& value);
/// Throws ValueError: the argument cannot be replaced. Lists those that can.
[[noreturn]] void refuse_field(const std::string& name);

/// None for no value.
template <class T>
Settable<T> settable(const std::optional<T>& value) {
  return value ? Settable<T>(*value) : Settable<T>(None);
}

}  // namespace antler::estimator
