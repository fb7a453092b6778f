#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/base/json.h"
#include "antler/core/tensor.h"

/// Cases that real Keras computed: what was done, the arrays that went in, and those that came out.
namespace antler::golden {

struct Case {
  std::string id;
  Json json;
  std::map<std::string, Tensor> arrays;

  /// Throws std::out_of_range with the name when there is no such array.
  const Tensor& array(const std::string& name) const;
  bool has(const std::string& name) const { return arrays.contains(name); }
  /// Whether `name` is a result.
  bool expects(const std::string& name) const;
};

/// The few cases that ship with the sources: tests/data/golden_<kind>.json.
std::vector<Case> packed_cases(const std::string& kind);
/// All cases of a kind from the large reference set; empty where it is not there.
std::vector<Case> shared_cases(const std::string& kind);

/// Fails the running test unless every element is within the case's tolerance of the expected
/// array.
void expect_close(const Case& c, const std::string& name, const Tensor& got);

/// Runs one case; false means that its class is not there.
using Runner = std::function<bool(const Case&)>;
/// Runs all cases, prints what was skipped, and returns how many ran.
size_t run_cases(const std::vector<Case>& cases, const Runner& runner);

}  // namespace antler::golden
