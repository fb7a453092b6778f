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
  std::shared_ptr<const Tensors> list;  ///< TensorFlow's lists of tensors, in loops
  int64_t variable = kNone;             ///< a handle of a variable

  static TfValue of(Tensor tensor) { return {std::move(tensor), nullptr, kNone}; }
  static TfValue of_list(Tensors items) {
    return {{}, std::make_shared<const Tensors>(std::move(items)), kNone};
  }
  static TfValue handle(int64_t variable) { return {{}, nullptr, variable}; }

  static constexpr int64_t kNone = -1;
  /// Something that cannot be used here (a table, an iterator).
  static constexpr int64_t kForeign = -2;
};
using TfValues = std::vector<TfValue>;

/// Where a graph finds its variables.
struct TfVariableSource {
  std::function<Tensor(int64_t variable)> read;
  /// The variable of this name; TfValue::kForeign where there is none.
  std::function<int64_t(const std::string& name)> find;
};

/// Name of the variable that a node of a main graph is; empty for other nodes.
std::string variable_name(const io::TfNode& node);

/// Computes values of TensorFlow graphs with ops. What does not depend on arguments or variables
/// (shapes, axes) is computed at once, also while a trace is open: so shapes are plain numbers, and
/// loops of a known length are unrolled.
class TfInterpreter {
 public:
  /// More nodes in one call than any model has that can be compiled.
  static constexpr int64_t kMaxSteps = 1'000'000;

  /// Model and variables must outlive the interpreter.
  TfInterpreter(const io::TfSavedModel& model, const TfVariableSource& variables,
                int64_t max_steps = kMaxSteps)
      : model_(model), variables_(variables), steps_left_(max_steps) {}

  /// Throws NotImplementedError that names the node for ops that Antler does not have, IOError for
  /// a graph that is none.
  TfValues call(const std::string& function, const TfValues& arguments);
  /// Values of the main graph ("node:0"), whose placeholders have the values of `feeds`.
  TfValues fetch(const std::vector<std::string>& values,
                 const std::unordered_map<std::string, TfValue>& feeds);

 private:
  using Index = std::unordered_map<std::string_view, size_t>;
  class Body;
  const Index& index_of(const std::vector<io::TfNode>& nodes);
  void count_step(const io::TfNode& node);

  const io::TfSavedModel& model_;
  const TfVariableSource& variables_;
  std::map<const void*, Index> indices_;  // by the nodes' address
  int depth_ = 0;
  int64_t steps_left_;
};

}  // namespace antler::saving
