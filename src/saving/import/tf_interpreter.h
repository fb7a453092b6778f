#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "antler/core/tensor.h"
#include "io/tf_graph.h"

namespace antler::saving {

/// What an edge of a TensorFlow graph carries.
struct TfValue {
  Tensor tensor;
  std::shared_ptr<const Tensors> list;  ///< a list of tensors, used in loops
  int64_t variable = kNone;             ///< the handle of a variable

  static TfValue of(Tensor tensor) { return {std::move(tensor), nullptr, kNone}; }
  static TfValue of_list(Tensors items) {
    return {{}, std::make_shared<const Tensors>(std::move(items)), kNone};
  }
  static TfValue handle(int64_t variable) { return {{}, nullptr, variable}; }

  static constexpr int64_t kNone = -1;
  /// A resource that Antler does not have (a table, an iterator).
  static constexpr int64_t kForeign = -2;
};
using TfValues = std::vector<TfValue>;

/// Access to the variables of a graph.
struct TfVariableSource {
  std::function<Tensor(int64_t variable)> read;
  /// The variable of this name; TfValue::kForeign if there is none.
  std::function<int64_t(const std::string& name)> find;
};

/// Name of the variable that a node of the main graph refers to; empty for other nodes.
std::string variable_name(const io::TfNode& node);

/// Computes values of TensorFlow graphs with ops. Values that do not depend on arguments or
/// variables (shapes, axes) are computed eagerly even while tracing. Shapes are therefore known,
/// and loops of a known length are unrolled.
class TfInterpreter {
 public:
  /// The maximum number of nodes computed in one call; larger models could not be compiled.
  static constexpr int64_t kMaxSteps = 1'000'000;

  /// Model and variables must outlive the interpreter.
  TfInterpreter(const io::TfSavedModel& model, const TfVariableSource& variables,
                int64_t max_steps = kMaxSteps)
      : model_(model), variables_(variables), steps_left_(max_steps) {}

  /// Throws a NotImplementedError that names the node for ops that Antler does not have, IOError
  /// for an invalid graph.
  TfValues call(const std::string& function, const TfValues& arguments);
  /// Values ("node:0") of the main graph. `feeds` are the values of its placeholders.
  TfValues fetch(const std::vector<std::string>& values,
                 const std::unordered_map<std::string, TfValue>& feeds);

 private:
  using Index = std::unordered_map<std::string_view, size_t>;
  class Body;
  const Index& index_of(const std::vector<io::TfNode>& nodes);
  void count_step(const io::TfNode& node);

  const io::TfSavedModel& model_;
  const TfVariableSource& variables_;
  std::map<const void*, Index> indices_;  // by address of the node list
  int depth_ = 0;
  int64_t steps_left_;
};

}  // namespace antler::saving
