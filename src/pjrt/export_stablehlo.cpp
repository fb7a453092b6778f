#include "antler/pjrt/export_stablehlo.h"

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "pjrt/lowering/families.h"
#include "pjrt/lowering/lowering.h"
#include "training/predict_graph.h"

namespace antler {

void export_stablehlo(const Model& model, const std::string& path,
                      const ExportStableHloOptions& options) {
  training::require_exportable(model);
  if (options.batch_size < 1) {
    throw ValueError("export_stablehlo: `batch_size` must be positive. Received: {}",
                     options.batch_size);
  }
  std::string module;
  try {
    const ir::Graph graph = pjrt::prepare(training::trace_predict(model, options.batch_size));
    module = pjrt::lower_constants(graph, model.name());
  } catch (const pjrt::Unsupported& unsupported) {
    throw NotImplementedError("export_stablehlo: `{}` cannot be exported: {}.", model.name(),
                              unsupported.what);
  }
  write_file_atomically(path, module);
}

}  // namespace antler
