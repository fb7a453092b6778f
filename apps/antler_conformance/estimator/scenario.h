#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/estimator/estimator.h"
#include "check.h"
#include "golden_case.h"
#include "temporary_folder.h"

/// Cases of the kind `estimator`: models, inputs and hooks described by JSON, and a record of what
/// they did.
namespace antler::conformance::estimators {

namespace est = antler::estimator;

/// A running case: its folders, its estimators, and what its functions and hooks recorded.
class Scenario {
 public:
  explicit Scenario(const GoldenCase& golden);

  const GoldenCase& golden() const { return golden_; }
  /// The declaration `name` in the section "models", "inputs" or "receivers".
  const Json& declared(const char* section, const std::string& name) const;

  /// Replaces MODEL_DIR, TMP or LAST_EXPORT at the start by the folder's path.
  std::string path(const Json& text) const;
  /// The reverse, anywhere in the text.
  std::string portable(std::string text) const;
  /// A new file with this text.
  std::string file_with(const std::string& text);

  /// An array of the case for "@name", a float32 scalar for a number.
  Tensor array(const Json& value) const;

  /// Records [name, event, ...].
  void note(Json event) { trace_.push_back(std::move(event)); }
  /// What was recorded since the last call.
  Json take_trace() { return std::exchange(trace_, Json::array()); }

  void add_estimator(const std::string& name, est::Estimator estimator);
  const est::Estimator& estimator(const std::string& name) const;
  void set_last_export(const std::string& path) { last_export_ = path; }
  const std::string& last_export() const { return last_export_; }

  /// Adds a hook whose values are recorded after each call that succeeds.
  void watch(std::shared_ptr<est::FinalOpsHook> hook) { final_ops_.push_back(std::move(hook)); }
  void note_final_ops();
  void forget_final_ops() { final_ops_.clear(); }

 private:
  const GoldenCase& golden_;
  TemporaryFolder folder_;
  std::string model_dir_;
  std::string tmp_;
  std::string last_export_;
  int64_t files_ = 0;
  Json trace_ = Json::array();
  std::map<std::string, est::Estimator> estimators_;
  std::vector<std::shared_ptr<est::FinalOpsHook>> final_ops_;
};

/// The member, or null.
inline const Json& member(const Json& object, const std::string& key) {
  static const Json null;
  const auto found = object.find(key);
  return found == object.end() ? null : *found;
}

/// Whether two values are equal, objects in any order.
bool same(const Json& a, const Json& b);

/// A value that may be null.
template <class T>
std::optional<T> optional_of(const Json& value) {
  return value.is_null() ? std::optional<T>() : value.get<T>();
}

/// Reads a member if it exists; null resets the field.
template <class T>
void read_member(const Json& args, const char* key, std::optional<T>& field) {
  if (args.contains(key)) field = optional_of<T>(args[key]);
}
template <class T>
void read_member(const Json& args, const char* key, T& field) {
  if (args.contains(key) && !args[key].is_null()) field = args[key].get<T>();
}

/// Hyperparameters from a JSON object, and back.
est::Params params_of(const Json& object);
Json params_json(const est::Params& params);

}  // namespace antler::conformance::estimators
