#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "antler/base/json.h"
#include "antler/nn/dtype_policy.h"

namespace antler {

/// Keras's DTypePolicyMap: policies of layers by their paths ("encoder/dense"). Given to a layer as
/// policy(), which the layers inside of it take over; each looks its own path up when it is built.
class DTypePolicyMap {
 public:
  /// Without a default policy: the global one.
  explicit DTypePolicyMap(std::optional<DTypePolicy> default_policy = {});

  /// Adds a policy for a path or a regular expression (ECMAScript) of whole paths. Throws
  /// ValueError when the key is there.
  void set(const std::string& key, const DTypePolicy& policy);
  /// Takes the key's policy away, if there is one.
  void erase(const std::string& key);
  bool contains(const std::string& key) const;
  size_t size() const { return policies_.size(); }
  /// The policy of a path: that of the key, of the one expression that matches, or the default.
  /// Throws ValueError when several match.
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
