#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "antler/nn/metrics/reduction.h"
#include "nn/config_fields.h"

namespace antler::metrics {

struct MeanMetricWrapper::Definition {
  std::string class_name;
  std::string name;
  DType dtype = default_float();
  Function function;
  Json config = Json::object();  ///< all options, under Keras's names
  std::string direction = {};
  Function mask = {};  ///< selects the values that count; by default all
};

inline std::string name_or(const std::string& name, const char* default_name) {
  return name.empty() ? default_name : name;
}

/// The Definition of a metric with these options.
template <class Definition, class Options>
Definition define(const char* class_name, const char* default_name, const Options& options,
                  const char* direction, const Function& function) {
  return {.class_name = class_name,
          .name = name_or(options.name, default_name),
          .dtype = options.dtype,
          .function = function,
          .config = config::write(options),
          .direction = direction};
}

}  // namespace antler::metrics
