#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/base/json.h"
#include "antler/core/tensor.h"

namespace antler::conformance {

/// A case in a folder of the reference set: its description, input arrays and output arrays.
struct GoldenCase {
  std::string id;
  std::string kind;
  std::filesystem::path folder;
  Json json = {};
  std::map<std::string, Tensor> arrays = {};
  /// The prefix of the arrays of an alternative result; they replace the arrays without the prefix.
  std::string alternative = {};
  /// Names of the results that were compared.
  mutable std::set<std::string> compared = {};

  bool has(const std::string& name) const { return arrays.contains(name); }
  /// An input. Throws KeyError if there is no such array.
  const Tensor& array(const std::string& name) const;
  /// An expected result, from the alternative if that has it.
  const Tensor& expected(const std::string& name) const;
  /// json["expected"].
  const Json& expectation() const { return json.at("expected"); }
  double rtol() const { return json.at("tolerance").at("rtol").get<double>(); }
  double atol() const { return json.at("tolerance").at("atol").get<double>(); }
};

/// An entry of the index of a set.
struct CaseEntry {
  std::string id;
  std::string kind;
  std::filesystem::path folder;
};

/// The cases of a set in the order of its index.json or, if there is none, sorted by id. Throws
/// NotFoundError.
std::vector<CaseEntry> list_cases(const std::filesystem::path& root);
/// Loads a case with its arrays.
GoldenCase load_case(const CaseEntry& entry);

/// Reads a JSON file. Throws NotFoundError, and ValueError for invalid JSON.
Json read_json(const std::filesystem::path& path);
/// A number or one of the strings "NaN", "Infinity", "-Infinity"; booleans are 0 and 1.
double number(const Json& value);
/// Whether number() accepts `value`.
bool is_number(const Json& value);

}  // namespace antler::conformance
