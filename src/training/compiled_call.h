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

/// Calls of a functional model outside of any trace, as programs: one for each kind of call
/// (training or not, which variables, policies and trainable flags the layers have) and each
/// signature of inputs. Thread-safe.
///
/// Only what nobody can tell from a call layer by layer is compiled: all layers are the library's
/// own and none of them adds losses, no tape looks on, no masks go in or out. run() leaves all
/// other calls to FunctionalGraph::run().
class CompiledCall {
 public:
  /// `graph` must outlive this.
  explicit CompiledCall(const FunctionalGraph& graph);

  /// The outputs, or nothing where the call has to go layer by layer.
  std::optional<Nest> run(const Nest& inputs, const CallOptions& options);

 private:
  bool can_compile(const Nest& inputs, const CallOptions& options) const;
  /// What a program depends on besides its inputs.
  std::string key_of(bool training) const;
  Function function_for(bool training);

  const FunctionalGraph& graph_;
  std::vector<LayerPtr> layers_;  // with those inside of others; empty: not to be compiled
  std::mutex mutex_;
  std::unordered_map<std::string, Function> functions_;
  std::atomic<int> failures_ = 0;
};

}  // namespace antler::training
