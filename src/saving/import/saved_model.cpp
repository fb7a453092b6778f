#include "antler/saving/saved_model.h"

#include <unordered_map>
#include <utility>

#include "antler/base/error.h"
#include "antler/ops/core.h"
#include "base/strings.h"
#include "io/tf_data_type.h"
#include "saving/import/saved_model_reader.h"
#include "saving/import/tf_interpreter.h"

namespace antler {
namespace {

std::vector<SavedModelPort> ports_of(const std::map<std::string, io::TfPort>& ports) {
  std::vector<SavedModelPort> result;
  for (const auto& [name, port] : ports) {
    const std::string dtype = port.type == io::kTfString ? "string"
                              : port.dtype               ? std::string(dtype_name(*port.dtype))
                                                         : "other";
    result.push_back({name, dtype, port.shape});
  }
  return result;
}

}  // namespace

std::vector<SavedModelGraph> saved_model_graphs(const std::string& path) {
  std::vector<SavedModelGraph> graphs;
  for (const io::TfSavedModel& model : io::parse_meta_graphs(saving::read_saved_model_file(path))) {
    SavedModelGraph graph{.tags = model.tags, .signatures = {}};
    for (const auto& [name, signature] : model.signatures) {
      graph.signatures.push_back(
          {name, signature.method_name, ports_of(signature.inputs), ports_of(signature.outputs)});
    }
    graphs.push_back(std::move(graph));
  }
  return graphs;
}

struct SavedModelFunction::State {
  saving::SavedModelReader reader;
  io::TfSignature signature;
};

SavedModelFunction::SavedModelFunction(const std::string& path, const std::string& signature,
                                       const std::vector<std::string>& tags) {
  auto state = std::make_shared<State>();
  state->reader = saving::SavedModelReader::open(path, tags);
  const auto& signatures = state->reader.model().signatures;
  const auto found = signatures.find(signature);
  if (found == signatures.end()) {
    throw ValueError("The SavedModel '{}' has no signature '{}'. It has: {}.", path, signature,
                     join(signatures, ", ", [](const auto& entry) { return entry.first; }));
  }
  state->signature = found->second;
  state_ = std::move(state);
}

std::map<std::string, Tensor> SavedModelFunction::operator()(
    const std::map<std::string, Tensor>& inputs) const {
  const io::TfSignature& signature = state_->signature;
  std::unordered_map<std::string, saving::TfValue> feeds;
  for (const auto& [name, port] : signature.inputs) {
    const auto given = inputs.find(name);
    if (given == inputs.end()) throw ValueError("The signature needs the input '{}'.", name);
    const bool converts = port.dtype && *port.dtype != given->second.dtype();
    feeds[port.value.substr(0, port.value.rfind(':'))] =
        saving::TfValue::of(converts ? ops::cast(given->second, *port.dtype) : given->second);
  }
  for (const auto& [name, tensor] : inputs) {
    if (!signature.inputs.contains(name)) {
      throw ValueError("The signature has no input '{}'. It has: {}.", name,
                       join(signature.inputs, ", ", [](const auto& e) { return e.first; }));
    }
  }
  const saving::SavedModelReader& reader = state_->reader;
  const saving::TfVariableSource source = {
      .read = [&](int64_t i) { return reader.variables()[static_cast<size_t>(i)].value; },
      .find =
          [&](const std::string& name) {
            return reader.variable_named(name).value_or(saving::TfValue::kForeign);
          }};
  saving::TfInterpreter interpreter(reader.model(), source);
  std::vector<std::string> fetched;
  for (const auto& [name, port] : signature.outputs) fetched.push_back(port.value);
  const saving::TfValues values = interpreter.fetch(fetched, feeds);
  std::map<std::string, Tensor> outputs;
  size_t i = 0;
  for (const auto& [name, port] : signature.outputs) {
    const Tensor& value = values[i++].tensor;
    if (!value.defined()) throw NotImplementedError("The output '{}' is not a tensor.", name);
    outputs[name] = value;
  }
  return outputs;
}

}  // namespace antler
