#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "antler/autodiff/gradient_tape.h"
#include "antler/estimator/graph.h"
#include "antler/nn/registry.h"
#include "estimator/value_check.h"

namespace antler::estimator {

/// A variable of a graph.
struct GraphVariable {
  Variable variable;
  Collection collection = Collection::global;
  std::string name = {};  ///< of get_variable(); empty: the variable's path
  /// Found by name when the model_fn is traced again, or made outside of it; otherwise found by
  /// order.
  bool by_name = false;
};

/// A summary that SummarySaverHook writes.
struct GraphSummary {
  enum class Kind : uint8_t { scalar, histogram };
  Kind kind = Kind::scalar;
  std::string tag;
  std::string fetch;  ///< name of the tensor
};

/// A graph input that hooks may feed.
struct Feedable {
  std::string name;
  Tensor value;   ///< unless another one is fed
  Tensor symbol;  ///< of the current trace
};

/// The state that Graph refers to. Variables, summaries, feedables and checks are those of the
/// first trace; each trace replaces the others.
struct GraphState {
  std::vector<GraphVariable> variables;
  std::vector<GraphSummary> summaries;
  std::vector<Feedable> feedables;
  std::vector<ValueCheck> checks;
  /// Named tensors of the current trace, in order.
  std::vector<std::pair<std::string, Tensor>> tensors;
  std::map<std::string, size_t> tensor_index;

  bool is_retrace = false;
  size_t next_variable = 0;  ///< of those that are found by order
  size_t next_summary = 0;   ///< of a trace that repeats the first one
  size_t next_check = 0;     ///< number of the next value check of this trace
  GradientTape* tape = nullptr;
  bool loss_is_sum = false;          ///< the last of estimator::losses was reduced by a sum
  bool averages_gradients = false;   ///< an optimizer took the mean over the replicas
  bool has_cross_shard_sum = false;  ///< tpu::CrossShardOptimizer combined gradients
};

/// During its lifetime, this thread builds the graph: it is Graph::current(), records its
/// variables, and numbers names from zero.
class GraphScope final : public VariableCreator {
 public:
  /// For a graph that was traced: what is made now is added to it.
  explicit GraphScope(const Graph& graph);
  /// `is_retrace`: for a graph that was traced before. Its variables are then those of the first
  /// trace.
  GraphScope(const Graph& graph, bool is_retrace);
  ~GraphScope() override;
  GraphScope(const GraphScope&) = delete;
  GraphScope& operator=(const GraphScope&) = delete;

  Variable existing(const Tensor& initial, const VariableOptions& options) override;
  void created(const Variable& variable) override;

 private:
  std::shared_ptr<GraphState> state_;
  std::shared_ptr<GraphState> outer_;
  std::string outer_scope_;
  Collection outer_collection_;
  VariableCreator* outer_creator_;
  NameCounters counters_;
};

/// The name of a variable in checkpoints.
const std::string& name_of(const GraphVariable& entry);
/// Adds a variable that was made outside of the graph and is used in it.
void adopt_variable(GraphState& state, const Variable& variable);
/// Keeps variables, such as those of a metric, out of checkpoints.
void make_local(GraphState& state, const Variables& variables);
/// Does the same for the copies of variables in single replicas: checkpoints contain the combined
/// value.
void make_replica_copies_local(GraphState& state);
/// The tag of a summary, as TensorFlow makes it from the name of an op: characters that are not
/// allowed become "_", and a name that the graph has already gets "_1", "_2", ...
std::string unique_tag(const GraphState& state, const std::string& name);
/// Gives variables with equal names different ones ("NAME_1", ...), in the order of their creation.
void make_names_unique(GraphState& state);

}  // namespace antler::estimator
