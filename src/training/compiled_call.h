#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "antler/nn/functional_graph.h"
#include "antler/runtime/function.h"

namespace antler::training {

/// Runs eager calls of a functional model as compiled programs, cached by input signature, training
/// mode, and the layers' variables, policies and trainable flags. Thread-safe.
///
/// A call is compiled only if the difference cannot be observed: all layers are built in, none adds
/// losses, no tape is active, and no masks go in or out. Other calls run layer by layer.
class CompiledCall {
 public:
  /// `graph` must outlive this.
  explicit CompiledCall(const FunctionalGraph& graph);

  /// The outputs; nullopt if the call must run layer by layer.
  std::optional<Nest> run(const Nest& inputs, const CallOptions& options);

 private:
  bool can_compile(const Nest& inputs, const CallOptions& options) const;
  /// Cache key: everything that a program depends on besides its inputs.
  std::string key_of(bool training) const;
  Function function_for(bool training);

  const FunctionalGraph& graph_;
  std::vector<LayerPtr> layers_;  // including sublayers; empty if the model cannot be compiled
  std::mutex mutex_;
  std::unordered_map<std::string, Function> functions_;
  std::atomic<int> failures_ = 0;
};

}  // namespace antler::training
