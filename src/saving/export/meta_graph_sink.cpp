#include "saving/export/meta_graph_sink.h"

#include "antler/base/error.h"
#include "antler/core/string_handles.h"
#include "saving/export/tf_attributes.h"

namespace antler::saving {

MetaGraphSink::MetaGraphSink(const std::vector<std::pair<TfGraphVariable, Variable>>& variables)
    : TfSink(/*has_strings=*/true) {
  for (const auto& [node, variable] : variables) {
    variables_.push_back(node);
    by_id_[variable.id()] = node;
  }
  add_variables(graph(), variables_);
  add_saver(graph(), variables_);
}

int64_t MetaGraphSink::type_of(DType dtype) const {
  return dtype == kStringDType ? io::kTfString : io::tf_data_type(dtype);
}

TfPlace MetaGraphSink::parse_examples(const std::string& placeholder, int64_t batch,
                                      const std::vector<ParsedFeature>& features) {
  const Dims dims = batch < 0 ? Dims{{1, 1}} : Dims{{batch, 0}};
  const std::string examples = graph().node(
      "Placeholder", {}, attrs().string_type("dtype").shape("shape", dims), placeholder);
  const auto strings = [&](const std::vector<std::string>& values, const char* name) {
    return graph().node("Const", {},
                        attrs().string_type("dtype").tensor("value", StringTensor(values)),
                        std::string("ParseExample/") + name);
  };
  std::vector<std::string> names;
  std::vector<DType> dtypes;
  std::vector<Dims> shapes;
  for (const ParsedFeature& feature : features) {
    if (feature.dtype != DType::float32 && feature.dtype != DType::int64) {
      throw ValueError("The feature '{}' has dtype {}; tf.Examples have float32 and int64 only.",
                       feature.name, dtype_name(feature.dtype));
    }
    names.push_back(feature.name);
    dtypes.push_back(feature.dtype);
    Dims shape;
    for (const int64_t size : feature.shape) shape.push_back({size, 0});
    shapes.push_back(shape);
  }
  std::vector<std::string> inputs = {examples, strings({}, "names"), strings({}, "sparse_keys"),
                                     strings(names, "dense_keys"), strings({}, "ragged_keys")};
  for (const ParsedFeature& feature : features) {
    // No default value: an example without the feature is an error.
    inputs.push_back(graph().node(
        "Const", {}, attrs().type("dtype", feature.dtype).zeros("value", feature.dtype, Shape{0}),
        "ParseExample/" + feature.name + "/default"));
  }
  const std::string node = graph().node("ParseExampleV2", inputs,
                                        attrs()
                                            .types("Tdense", dtypes)
                                            .integer("num_sparse", 0)
                                            .types("sparse_types", {})
                                            .types("ragged_value_types", {})
                                            .types("ragged_split_types", {})
                                            .shapes("dense_shapes", shapes),
                                        "ParseExample/ParseExampleV2");
  for (size_t i = 0; i < features.size(); ++i) {
    parsed_[features[i].name] = {i == 0 ? node : format("{}:{}", node, i), features[i].dtype};
  }
  return {examples, io::kTfString, dims};
}

SinkValue MetaGraphSink::input(const std::string& name, DType dtype, const Dims& dims) {
  SinkValue x;
  if (const auto parsed = parsed_.find(name); parsed != parsed_.end()) {
    x = parsed->second;
  } else if (const auto value = defaults_.find(name); value != defaults_.end()) {
    x = node("PlaceholderWithDefault", {constant(value->second)}, dtype,
             attrs().type("dtype", dtype).shape("shape", dims), name);
  } else {
    x = node("Placeholder", {}, dtype, attrs().type("dtype", dtype).shape("shape", dims), name);
  }
  note_input(x, dims);
  inputs_[name] = {x.name, type_of(dtype), dims};
  return x;
}

SinkValue MetaGraphSink::variable(const Variable& variable) {
  const auto found = by_id_.find(variable.id());
  // Local variables are not saved: their initial values are part of the graph.
  if (found == by_id_.end()) return GraphSink::variable(variable);
  return {read_of_variable(found->second), variable.dtype()};
}

SinkValue MetaGraphSink::weight(const std::string& /*name*/, const Tensor& value) {
  return constant(value);
}

void MetaGraphSink::output(const std::string& name, const SinkValue& x, const Dims& dims) {
  outputs_[name] = {x.name, type_of(x.dtype), dims};
}

io::WireWriter MetaGraphSink::meta_graph(const std::vector<std::string>& tags,
                                         const io::WireWriter& signatures) const {
  return meta_graph_def(graph(), tags, saver_def({}), variable_collections(variables_), signatures);
}

}  // namespace antler::saving
