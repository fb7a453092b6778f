#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "antler/base/json.h"
#include "antler/nn/dtype_policy.h"

namespace antler {

/// Keras's DTypePolicyMap: policies by the paths of layers ("encoder/dense"). A layer takes it as
/// policy() and passes it to the layers inside it; each looks up its own path when it is built.
class DTypePolicyMap {
 public:
  /// `default_policy` not given: the global policy.
  explicit DTypePolicyMap(std::optional<DTypePolicy> default_policy = {});

  /// Adds a policy for a path, or for a regular expression (ECMAScript) that matches whole paths.
  /// Throws ValueError if the key exists.
  void set(const std::string& key, const DTypePolicy& policy);
  /// Removes the policy of a key, if there is one.
  void erase(const std::string& key);
  bool contains(const std::string& key) const;
  size_t size() const { return policies_.size(); }
  /// The policy of the key that equals the path, else of the only regular expression that matches
  /// it, else the default policy. Throws ValueError if several expressions match.
  DTypePolicy at(const std::string& path) const;
  DTypePolicy default_policy() const;

  /// This map as a policy: the default policy until a layer is built.
  DTypePolicy policy() const;
  /// Keras's form.
  Json serialize() const;
  static DTypePolicyMap deserialize(const Json& json);

 private:
  std::optional<DTypePolicy> default_policy_;
  std::vector<std::pair<std::string, DTypePolicy>> policies_;
};

}  // namespace antler
