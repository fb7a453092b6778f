#pragma once

#include <string>
#include <utility>
#include <vector>

#include "antler/estimator/model_fn.h"
#include "antler/estimator/serving.h"
#include "estimator/export/signatures.h"
#include "estimator/model_trace.h"

namespace antler::estimator {

/// Arguments of ExportGraph.
struct ExportGraphOptions {
  ModelFn model_fn;
  ModeKeys mode = ModeKeys::predict;
  ServingInputReceiver receiver;
  Params params = {};
  RunConfig config = {};
};

/// The graph of a mode for the inputs of a serving receiver. Traces model_fn for two batch sizes to
/// find out what depends on the batch size.
class ExportGraph {
 public:
  /// Throws what model_fn throws; ValueError for a receiver whose tensors have unknown sizes in
  /// dimensions other than the first, for duplicate keys, and for invalid export outputs.
  explicit ExportGraph(const ExportGraphOptions& options);

  /// The graph with its variables, which have their initial values until they are restored.
  const Graph& graph() const { return trace_.graph(); }
  /// The MetaGraphDef message with these tags. Throws NotImplementedError for an op that cannot be
  /// exported.
  io::WireWriter meta_graph(const std::vector<std::string>& tags);

 private:
  ModelSpec call(const ModelFnArgs& args);
  void name_outputs(const EstimatorSpec& spec);
  Nest batch_of(int64_t rows) const;
  ir::Graph traced(int64_t rows);
  int64_t fixed_batch() const;
  std::vector<std::string> input_names() const;

  ExportGraphOptions options_;
  ModelTrace trace_;
  std::vector<std::pair<std::string, ServingPlaceholder>> traced_inputs_;
  std::vector<SignaturePlan> plans_;
  std::vector<std::string> output_names_;
};

}  // namespace antler::estimator
