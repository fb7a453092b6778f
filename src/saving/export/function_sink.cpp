#include "saving/export/function_sink.h"

#include "saving/export/tf_attributes.h"

namespace antler::saving {

SinkValue FunctionSink::input(const std::string& name, DType dtype, const Dims& dims) {
  const int64_t type = io::tf_data_type(dtype);
  function_.inputs.push_back({name, type, dims});
  SinkValue x{def_.argument(type, dims), dtype};
  note_input(x, dims);
  return x;
}

const std::string& FunctionSink::handle_of(const Variable& variable) {
  const auto [place, is_new] = handles_.try_emplace(variable.id());
  if (is_new) {
    place->second = def_.handle(variable);
    function_.variables.push_back(variable);
  }
  return place->second;
}

SinkValue FunctionSink::variable(const Variable& variable) {
  const auto [read, is_new] = reads_.try_emplace(variable.id());
  if (is_new) {
    read->second = node("ReadVariableOp", {{handle_of(variable), variable.dtype()}},
                        variable.dtype(), attrs().type("dtype", variable.dtype()));
  }
  return read->second;
}

void FunctionSink::assign(const Variable& variable, const SinkValue& value) {
  std::vector<std::string> inputs = {handle_of(variable), value.name};
  // Assign after the read: the function computes with the old value.
  if (const auto read = reads_.find(variable.id()); read != reads_.end())
    inputs.push_back("^" + read->second.name);
  def_.effect(graph().node("AssignVariableOp", inputs, attrs().type("dtype", variable.dtype())));
}

SinkValue FunctionSink::weight(const std::string& /*name*/, const Tensor& value) {
  return constant(value);
}

void FunctionSink::output(const std::string& name, const SinkValue& x, const Dims& dims) {
  const int64_t type = io::tf_data_type(x.dtype);
  function_.outputs.push_back({name, type, dims});
  def_.result(node("Identity", {x}, x.dtype, attrs().type("T", x.dtype)).name, type);
}

TfAttributes call_attributes(const TfFunction& function) {
  std::vector<int64_t> in;
  std::vector<int64_t> out;
  for (const TfPort& port : function.inputs) in.push_back(port.type);
  in.insert(in.end(), function.variables.size(), io::kTfResource);
  for (const TfPort& port : function.outputs) out.push_back(port.type);
  return TfAttributes()
      .type_numbers("Tin", in)
      .type_numbers("Tout", out)
      .function("f", function.name);
}

}  // namespace antler::saving
