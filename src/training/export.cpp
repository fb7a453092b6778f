#include "antler/training/export.h"

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/ir/tracer.h"
#include "antler/ops/nn/attention.h"
#include "saving/export/lowering.h"
#include "saving/export/onnx_sink.h"
#include "saving/export/saved_model_sink.h"
#include "training/model_store.h"

namespace antler {
namespace {

/// The graph of predict() for this batch size.
ir::Graph trace_predict(const Model& model, int64_t batch) {
  const ops::WholeAttentionScope any_batch;
  ir::Tracer tracer;
  Tensors inputs;
  for (const Tensor& placeholder : model.inputs().flatten()) {
    std::vector<int64_t> sizes = placeholder.shape().dims();
    if (!sizes.empty() && sizes[0] == Shape::kUnknown) sizes[0] = batch;
    const Shape shape(sizes);
    if (!shape.is_known()) {
      throw ValueError(
          "export_model: only the batch size of inputs may be unknown. Received: an input of `{}` "
          "of "
          "shape {}",
          model.name(), placeholder.shape());
    }
    inputs.push_back(tracer.input({placeholder.dtype(), shape}));
  }
  Model copy = model;
  const Nest outputs = copy(model.inputs().pack(inputs), {.training = false});
  return ir::prune(tracer.finish(outputs.flatten()).graph);
}

/// Appends "_1", "_2", ... to repeated names.
std::vector<std::string> unique_names(std::vector<std::string> names) {
  for (size_t i = 0; i < names.size(); ++i) {
    int count = 0;
    for (size_t j = 0; j < i; ++j) count += names[j] == names[i] ? 1 : 0;
    if (count > 0) names[i] += "_" + std::to_string(count);
  }
  return names;
}

}  // namespace

void export_model(const Model& model, const std::string& path, const ExportOptions& options) {
  training::require_built(model, "exporting");
  if (model.inputs().is_none()) {
    throw ValueError(
        "export_model: `{}` has no inputs of known shapes. Only functional and sequential models "
        "can "
        "be exported.",
        model.name());
  }
  if (options.batch_size && *options.batch_size < 1) {
    throw ValueError("export_model: `batch_size` must be positive. Received: {}",
                     *options.batch_size);
  }
  std::string format = options.format;
  if (format.empty()) format = path.ends_with(".onnx") ? "onnx" : "tf_saved_model";
  const auto trace = [&](int64_t batch) { return trace_predict(model, batch); };
  const saving::BatchGraph graph = options.batch_size
                                       ? saving::BatchGraph(trace, *options.batch_size)
                                       : saving::BatchGraph(trace);
  const std::vector<std::string> inputs = unique_names(model.input_names());
  std::vector<std::string> outputs = unique_names(model.output_names());
  if (format == "onnx") {
    // In ONNX, inputs and outputs share one namespace.
    for (std::string& name : outputs) {
      for (const std::string& input : inputs) {
        if (name == input) name += "_output";
      }
    }
    saving::OnnxSink sink(model.name());
    lower(graph, inputs, outputs, sink);
    write_file_atomically(path, sink.model());
  } else if (format == "tf_saved_model") {
    saving::SavedModelSink sink;
    lower(graph, inputs, outputs, sink);
    sink.save(path, model);
  } else {
    throw ValueError(
        "export_model: `format` must be \"onnx\" or \"tf_saved_model\". Received: \"{}\".", format);
  }
}

}  // namespace antler
