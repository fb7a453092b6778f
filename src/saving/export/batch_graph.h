#pragma once

#include <functional>

#include "antler/ir/graph.h"
#include "saving/export/graph_sink.h"

namespace antler::saving {

/// A constant of a graph: `value`, multiplied by the batch size if `batch_power` is 1, or divided
/// by it if `batch_power` is -1 (for example, the factor of a mean over the batch).
struct BatchConstant {
  Tensor value;
  int batch_power = 0;
};

/// A graph traced for two batch sizes, which shows which dimensions depend on the batch size.
class BatchGraph {
 public:
  static constexpr int64_t kFirst = 2;
  static constexpr int64_t kSecond = 3;
  /// Traces the graph for a batch size.
  using Trace = std::function<ir::Graph(int64_t batch)>;

  /// Throws NotImplementedError if the two traces have different ops.
  explicit BatchGraph(const Trace& trace);
  /// For one batch size only: no dimension is dynamic.
  BatchGraph(const Trace& trace, int64_t batch);
  BatchGraph(ir::Graph first, ir::Graph second);

  const ir::Graph& graph() const { return first_; }
  Dims dims(ir::ValueId value) const;
  /// An attribute that is a list of dimensions.
  Dims attr(size_t node, const char* name) const;
  /// The same for an attribute that must not depend on the batch size.
  std::vector<int64_t> fixed_attr(size_t node, const char* name) const;
  /// The value of a constant node. Along dimensions that grow with the batch it must repeat one
  /// element; the result has size 1 there. Throws NotImplementedError if it does not repeat, or if
  /// the values of the two traces are neither equal nor a multiple or a fraction of the batch size.
  BatchConstant constant(size_t node) const;
  /// A region of a node.
  BatchGraph region(size_t node, size_t index) const;

 private:
  Dims dims_of(const std::vector<int64_t>& a, const std::vector<int64_t>& b,
               const std::string& what) const;

  ir::Graph first_;
  ir::Graph second_;
};

}  // namespace antler::saving
