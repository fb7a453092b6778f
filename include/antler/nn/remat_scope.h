#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "antler/core/none.h"

namespace antler {

/// Options of RematScope.
struct RematScopeOptions {
  /// - "full": every layer computes its intermediate values again;
  /// - "activations": only the activation functions of layers are computed again;
  /// - "larger_than": layers whose outputs have more than `output_size_threshold` elements;
  /// - "list_of_layers": layers with a name in `layer_names`;
  /// - None: no layer, which disables the enclosing scope.
  std::optional<std::string> mode = "full";
  int64_t output_size_threshold = 1024;       ///< elements, the batch included
  std::vector<std::string> layer_names = {};  ///< for "list_of_layers"
};

/// keras.RematScope: layers that are created during its lifetime do not keep intermediate values
/// for the gradient, but compute them again, as with remat(). The C++ scope replaces Python's
/// `with`. Throws ValueError for an unknown mode.
///
///     const RematScope scope({.mode = "larger_than", .output_size_threshold = 1 << 16});
///     auto model = load_model("model.keras");
class RematScope {
 public:
  explicit RematScope(const RematScopeOptions& options = {});
  ~RematScope();
  RematScope(const RematScope&) = delete;
  RematScope& operator=(const RematScope&) = delete;
  /// The options of the innermost scope of this thread; null without one, or if it has no mode.
  static std::shared_ptr<const RematScopeOptions> current();
};

}  // namespace antler
