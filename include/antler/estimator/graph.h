#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "antler/core/tensor.h"
#include "antler/core/variable.h"
#include "antler/nn/initializer.h"
#include "antler/nn/regularizer.h"

/// TensorFlow's Estimators: the user writes a `model_fn` and an `input_fn`, and the library does
/// the rest (checkpoints, hooks, summaries, exports, many steps per call).
namespace antler::estimator {

/// Whether checkpoints contain a variable.
enum class Collection : uint8_t {
  global,  ///< saved: weights, slots, the global step
  local,   ///< not saved: the state of metrics
};

/// Options of get_variable().
struct GetVariableOptions {
  Shape shape = {};  ///< of the values; {}: a scalar
  DType dtype = DType::float32;
  Initializer initializer = {};  ///< not given: "glorot_uniform", zeros for integers and bools
  Regularizer regularizer = {};  ///< its penalty joins Graph::regularization_losses()
  bool trainable = true;
  Collection collection = Collection::global;  ///< whether it is saved
  /// When and how the replicas of a distribution strategy agree on it.
  VariableSynchronization synchronization = VariableSynchronization::automatic;
  VariableAggregation aggregation = VariableAggregation::none;  ///< of replicas' updates
};

struct GraphState;

/// The graph that a call of a model_fn builds: its variables by the names of TensorFlow's scopes,
/// its named tensors, its summaries. A handle.
///
/// The library makes one for each call of train, evaluate, predict and export, and traces model_fn
/// in it. For a batch of another shape, model_fn is traced again in the same graph; the k-th
/// variable that it makes is then the k-th variable of the first trace.
class Graph {
 public:
  Graph();
  /// The graph in which this thread traces a model_fn. Throws RuntimeError outside of a model_fn.
  static Graph current();
  static bool has_current();

  /// All variables of the collection, by name in the order of their creation. Layers' weights are
  /// named by their path ("dense/kernel"), slots by their variable's ("dense/kernel/Adam").
  std::vector<std::pair<std::string, Variable>> variables(
      Collection collection = Collection::global) const;
  /// The trainable variables of Collection::global.
  Variables trainable_variables() const;
  /// Undefined if there is no variable of this name.
  Variable find(const std::string& name) const;
  /// The int64 scalar "global_step", created on first use.
  Variable global_step() const;
  /// The penalties of the regularizers of get_variable() and of layers, in the current trace.
  Tensors regularization_losses() const;

  /// Gives a tensor of the current trace a name by which hooks fetch it. Names must be unique.
  void name_tensor(const std::string& name, const Tensor& tensor) const;
  /// The names, in order.
  std::vector<std::string> tensor_names() const;
  /// The name by which a tensor of the trace can be fetched. Gives it one if it has none.
  std::string fetch_name(const Tensor& tensor) const;

  const std::shared_ptr<GraphState>& state() const { return state_; }
  friend bool operator==(const Graph& a, const Graph& b) { return a.state_ == b.state_; }

 private:
  explicit Graph(std::shared_ptr<GraphState> state) : state_(std::move(state)) {}
  friend class GraphScope;
  std::shared_ptr<GraphState> state_;
};

/// The variable `name` in the open scopes (NamedScope), created on first use
/// (tf.compat.v1.get_variable). Throws ValueError if it exists with another shape or dtype, or if
/// there is no graph.
Variable get_variable(const std::string& name, const GetVariableOptions& options);
/// The same with an initial value. A template, so that braces are always options.
template <std::convertible_to<Tensor> T>
Variable get_variable(const std::string& name, const T& initial, bool trainable = true,
                      Collection collection = Collection::global) {
  const Tensor& value = initial;  // converted here unless it is already a tensor
  return get_variable(name, {.shape = value.shape(),
                             .dtype = value.dtype(),
                             .initializer = [value](const Shape&, DType) { return value; },
                             .trainable = trainable,
                             .collection = collection});
}

/// During its lifetime, prefixes the names of get_variable() with "NAME/"
/// (tf.compat.v1.variable_scope).
class NamedScope {
 public:
  explicit NamedScope(const std::string& name);
  ~NamedScope();
  NamedScope(const NamedScope&) = delete;
  NamedScope& operator=(const NamedScope&) = delete;
  /// The open scopes: "a/b", or "".
  static std::string path();

 private:
  std::string previous_;
};

/// "NAME", or "NAME_1", "NAME_2", ... if the name is already taken in the current graph. For the
/// scopes of layers, optimizers and metrics.
std::string unique_scope_name(const std::string& name);

/// The global step of the current graph.
inline Variable get_global_step() { return Graph::current().global_step(); }

/// The tensor, with a name by which hooks fetch it (tf.identity(x, name)).
Tensor identity(const Tensor& tensor, const std::string& name);

/// A scalar that is `value` unless a hook feeds another value under this name.
Tensor placeholder_with_default(double value, const std::string& name,
                                DType dtype = DType::float32);

/// d loss / d variable for each variable, in the current trace of model_fn; undefined if the loss
/// does not depend on it.
Tensors gradients(const Tensor& loss, const Variables& variables);

namespace summary {
/// Adds a scalar to the summaries that SummarySaverHook writes (tf.compat.v1.summary.scalar).
void scalar(const std::string& tag, const Tensor& value);
/// The same for a histogram of the elements.
void histogram(const std::string& tag, const Tensor& values);
}  // namespace summary

}  // namespace antler::estimator
