#include "antler/training/export.h"

#include <utility>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/ops/nn/attention.h"
#include "saving/export/lowering.h"
#include "saving/export/onnx_sink.h"
#include "saving/export/saved_model_sink.h"
#include "training/model_store.h"
#include "training/predict_graph.h"

namespace antler {
namespace {

/// Appends "_1", "_2", ... to repeated names.
std::vector<std::string> unique_names(std::vector<std::string> names) {
  for (size_t i = 0; i < names.size(); ++i) {
    int count = 0;
    for (size_t j = 0; j < i; ++j) count += names[j] == names[i] ? 1 : 0;
    if (count > 0) names[i] += "_" + std::to_string(count);
  }
  return names;
}

void export_graphs(const std::function<ir::Graph(int64_t batch)>& trace, ExportNames names,
                   const std::string& path, const ExportOptions& options, const Layer* weights) {
  if (options.batch_size && *options.batch_size < 1) {
    throw ValueError("export: `batch_size` must be positive. Received: {}", *options.batch_size);
  }
  std::string format = options.format;
  if (format.empty()) format = path.ends_with(".onnx") ? "onnx" : "tf_saved_model";
  const saving::BatchGraph graph = options.batch_size
                                       ? saving::BatchGraph(trace, *options.batch_size)
                                       : saving::BatchGraph(trace);
  const std::vector<std::string> inputs = unique_names(std::move(names.inputs));
  std::vector<std::string> outputs = unique_names(std::move(names.outputs));
  if (format == "onnx") {
    // In ONNX, inputs and outputs share one namespace.
    for (std::string& name : outputs) {
      for (const std::string& input : inputs) {
        if (name == input) name += "_output";
      }
    }
    saving::OnnxSink sink(names.graph);
    lower(graph, inputs, outputs, sink);
    write_file_atomically(path, sink.model());
  } else if (format == "tf_saved_model") {
    saving::SavedModelSink sink;
    lower(graph, inputs, outputs, sink);
    sink.save(path, weights);
  } else {
    throw ValueError("export: `format` must be \"onnx\" or \"tf_saved_model\". Received: \"{}\".",
                     format);
  }
}

}  // namespace

void export_model(const Model& model, const std::string& path, const ExportOptions& options) {
  training::require_exportable(model);
  export_graphs([&](int64_t batch) { return training::trace_predict(model, batch); },
                {model.name(), model.input_names(), model.output_names()}, path, options, &model);
}

void export_function(const std::function<ir::Graph(int64_t batch)>& trace, ExportNames names,
                     const std::string& path, const ExportOptions& options) {
  const ops::WholeAttentionScope any_batch;
  export_graphs(trace, std::move(names), path, options, nullptr);
}

}  // namespace antler
