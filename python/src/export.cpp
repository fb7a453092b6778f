#include "antler/training/export.h"

#include "antler/base/error.h"
#include "antler/ir/tracer.h"
#include "bindings.h"
#include "casters.h"

namespace antler::python {
namespace {

using Inputs = std::vector<std::pair<DType, Shape>>;

/// The graph of a Python function of tensors. Unknown first dimensions are the batch size.
ir::Graph trace_for_batch(const std::function<Tensors(const Tensors&)>& function,
                          const Inputs& inputs, int64_t batch) {
  ir::Tracer tracer;
  Tensors arguments;
  for (const auto& [dtype, shape] : inputs) {
    std::vector<int64_t> sizes = shape.dims();
    if (!sizes.empty() && sizes[0] == Shape::kUnknown) sizes[0] = batch;
    const Shape known(sizes);
    if (!known.is_known())
      throw ValueError(
          "Only the batch size of inputs may be unknown in an exported model. Received: an input "
          "of shape {}",
          shape);
    arguments.push_back(tracer.input({dtype, known}));
  }
  return ir::prune(tracer.finish(function(arguments)).graph);
}

}  // namespace

void bind_export(nb::module_& m) {
  using namespace nb::literals;
  m.def(
      "export_function",
      [](const std::function<Tensors(const Tensors&)>& function, const Inputs& inputs,
         const std::vector<std::string>& input_names, const std::vector<std::string>& output_names,
         const std::string& name, const std::string& path, const std::string& format) {
        export_function([&](int64_t batch) { return trace_for_batch(function, inputs, batch); },
                        {name, input_names, output_names}, path, {.format = format});
      },
      "function"_a, "inputs"_a, "input_names"_a, "output_names"_a, "name"_a, "path"_a, "format"_a,
      "Writes what a function of tensors computes as \"onnx\" or \"tf_saved_model\".");
}

}  // namespace antler::python
