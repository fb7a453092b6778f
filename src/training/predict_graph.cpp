#include "training/predict_graph.h"

#include <utility>

#include "antler/base/error.h"
#include "antler/ir/tracer.h"
#include "antler/ops/nn/attention.h"
#include "training/model_store.h"

namespace antler::training {

void require_exportable(const Model& model) {
  require_built(model, "exporting");
  if (!model.inputs().empty()) return;
  throw ValueError(
      "`{}` has no inputs of known shapes. Only functional and sequential models can be exported.",
      model.name());
}

ir::Graph trace_predict(const Model& model, int64_t batch) {
  const ops::WholeAttentionScope any_batch;
  ir::Tracer tracer;
  Tensors inputs;
  for (const Tensor& placeholder : model.inputs()) {
    std::vector<int64_t> sizes = placeholder.shape().dims();
    if (!sizes.empty() && sizes[0] == Shape::kUnknown) sizes[0] = batch;
    const Shape shape(sizes);
    if (!shape.is_known()) {
      throw ValueError(
          "Only the batch size of inputs may be unknown in an exported model. Received: an input "
          "of `{}` of shape {}",
          model.name(), placeholder.shape());
    }
    inputs.push_back(tracer.input({placeholder.dtype(), shape}));
  }
  Model copy = model;
  const Nest outputs = copy(model.input().pack(inputs), {.training = false});
  return ir::prune(tracer.finish(outputs.flatten()).graph);
}

}  // namespace antler::training
