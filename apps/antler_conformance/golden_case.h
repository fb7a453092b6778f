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

/// One folder of the reference set: what was done, the arrays that went in, and those that came
/// out.
struct GoldenCase {
  std::string id;
  std::string kind;
  std::filesystem::path folder;
  Json json = {};
  std::map<std::string, Tensor> arrays = {};
  /// Prefix of a second accepted answer; its arrays take the place of those without it.
  std::string alternative = {};
  /// Names of the results that were looked at.
  mutable std::set<std::string> compared = {};

  bool has(const std::string& name) const { return arrays.contains(name); }
  /// An input. Throws KeyError when there is no such array.
  const Tensor& array(const std::string& name) const;
  /// A result, of the alternative where it has one.
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

/// The cases of a set, in the order of its index.json, or, without one, of the sorted folders.
/// Throws NotFoundError.
std::vector<CaseEntry> list_cases(const std::filesystem::path& root);
/// Reads a case with its arrays.
GoldenCase load_case(const CaseEntry& entry);

/// A JSON file. Throws NotFoundError; ValueError where it is none.
Json read_json(const std::filesystem::path& path);
/// A number, or one of the texts "NaN", "Infinity", "-Infinity"; booleans are 0 and 1.
double number(const Json& value);
/// Whether `value` is what number() takes.
bool is_number(const Json& value);

}  // namespace antler::conformance
