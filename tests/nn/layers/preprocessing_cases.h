#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/base/json.h"
#include "antler/core/tensor.h"

namespace antler::test {

/// A preprocessing layer and a call of it. These layers are not in the general table because they
/// have no gradients to compare, and some take strings.
struct PreprocessingCase {
  std::string class_name;
  Json config;
  Tensor input = {};    ///< undefined: the layer takes strings
  Shape output = {};    ///< in training
  bool random = false;  ///< two calls differ
};
std::vector<PreprocessingCase> preprocessing_cases();
/// Prints the class in the names of tests.
void PrintTo(const PreprocessingCase& c, std::ostream* out);

}  // namespace antler::test
