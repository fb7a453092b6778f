#pragma once

#include <map>
#include <string>

#include "golden_case.h"

namespace antler::conformance {

/// The names of metrics that compile() gets by class name. Keras 2 and Antler report them by their
/// own names, Keras 3 by the class name.
class MetricNames {
 public:
  /// Notes the class names among the metrics of compile().
  void note(const Json& metrics);
  /// Replaces Keras 3's names in keys and lists by ours.
  Json ours_in(const Json& json) const;
  std::string in_keras3(const std::string& key) const;

 private:
  std::map<std::string, std::string> own_;  ///< by class name
};

}  // namespace antler::conformance
