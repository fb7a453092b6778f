#include "antler/training/export.h"

#include <algorithm>

#include "antler/base/error.h"
#include "antler/ir/tracer.h"
#include "antler/ops/nn/attention.h"
#include "bindings.h"
#include "casters.h"
#include "saving/export/saved_model_archive.h"

namespace antler::python {
namespace {

using Inputs = std::vector<std::pair<DType, Shape>>;
using saving::CallTree;

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

/// The nesting of lists, tuples and dictionaries; any other object is a leaf.
CallTree tree_of(nb::handle object) {
  const bool is_list = nb::isinstance<nb::list>(object);
  if (is_list || nb::isinstance<nb::tuple>(object)) {
    CallTree tree{is_list ? CallTree::Kind::list : CallTree::Kind::tuple};
    for (const nb::handle item : object) tree.items.emplace_back("", tree_of(item));
    return tree;
  }
  if (!nb::isinstance<nb::dict>(object)) return {};
  CallTree tree{CallTree::Kind::dict};
  for (const auto& [key, value] : nb::borrow<nb::dict>(object))
    tree.items.emplace_back(nb::cast<std::string>(key), tree_of(value));
  std::ranges::sort(tree.items, {}, &std::pair<std::string, CallTree>::first);
  return tree;
}

void bind_archive(nb::module_& m) {
  using nb::literals::operator""_a;
  nb::class_<saving::SavedModelArchive>(m, "SavedModelArchive", "Writes a SavedModel.")
      .def(nb::init<>())
      .def(
          "add_endpoint",
          [](saving::SavedModelArchive& self, const std::string& name,
             const std::function<Tensors(const Tensors&)>& function, const Inputs& inputs,
             const std::vector<std::string>& parameters, const nb::object& input_tree,
             const std::vector<std::string>& input_names, const nb::object& output_tree,
             const std::vector<std::string>& output_names) {
            const ops::WholeAttentionScope any_batch;
            self.add_endpoint({name, parameters, tree_of(input_tree), input_names,
                               tree_of(output_tree), output_names},
                              saving::BatchGraph([&](int64_t batch) {
                                return trace_for_batch(function, inputs, batch);
                              }));
          },
          "name"_a, "function"_a, "inputs"_a, "parameters"_a, "input_tree"_a, "input_names"_a,
          "output_tree"_a.none(), "output_names"_a,
          "Adds a function of tensors. `inputs` are dtypes and shapes; the trees describe how "
          "arguments and results are nested.")
      .def("add_variables", &saving::SavedModelArchive::add_variables, "name"_a, "variables"_a)
      .def("save", &saving::SavedModelArchive::save, "path"_a);
}

}  // namespace

void bind_export(nb::module_& m) {
  using nb::literals::operator""_a;
  m.def(
      "export_onnx",
      [](const std::function<Tensors(const Tensors&)>& function, const Inputs& inputs,
         const std::vector<std::string>& input_names, const std::vector<std::string>& output_names,
         const std::string& name, const std::string& path) {
        export_function([&](int64_t batch) { return trace_for_batch(function, inputs, batch); },
                        {name, input_names, output_names}, path, {.format = "onnx"});
      },
      "function"_a, "inputs"_a, "input_names"_a, "output_names"_a, "name"_a, "path"_a,
      "Writes a function of tensors as an ONNX file.");
  bind_archive(m);
}

}  // namespace antler::python
