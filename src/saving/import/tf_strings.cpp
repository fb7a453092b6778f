// TensorFlow's ops on strings, which Antler represents as handles.
#include <optional>
#include <string>
#include <vector>

#include "antler/base/error.h"
#include "antler/core/string_handles.h"
#include "antler/io/example.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/strings.h"
#include "io/tf_data_type.h"
#include "saving/import/tf_call.h"

namespace antler::saving {
namespace {

/// The dense features of serialized tf.Examples.
Tensors parse_examples(const TfCall& call) {
  constexpr size_t kSerialized = 0;
  constexpr size_t kDenseKeys = 3;
  constexpr size_t kFirstDefault = 5;
  const Tensor& serialized = call.in(kSerialized);
  if (!serialized.is_value()) {
    call.unsupported("tf.Examples are parsed outside of programs only");
  }
  if (call.integer("num_sparse", 0) != 0 || !call.list("ragged_value_types").empty()) {
    call.unsupported("it has sparse or ragged features");
  }
  const StringTensor keys = strings_of(call.in(kDenseKeys));
  const auto& attributes = call.node().attributes;
  const auto dense_types = attributes.find("Tdense");
  const auto dense_shapes = attributes.find("dense_shapes");
  const bool given = dense_types != attributes.end() && dense_shapes != attributes.end();
  if (!given || dense_types->second.types.size() != keys.values.size() ||
      dense_shapes->second.shapes.size() != keys.values.size()) {
    throw IOError("The SavedModel is damaged: the features of '{}' do not match.",
                  call.node().name);
  }
  const auto& types = dense_types->second.types;
  const auto& shapes = dense_shapes->second.shapes;
  io::FeatureSpecs specs;
  for (size_t i = 0; i < keys.values.size(); ++i) {
    const std::optional<DType> dtype = io::dtype_of_tf(types[i]);
    if (!dtype) call.unsupported("it has a feature of strings");
    const Tensor& value = call.in(kFirstDefault + i);
    specs.push_back({keys.values[i],
                     {.shape = shapes[i],
                      .dtype = *dtype,
                      .default_value = value.size() > 0 ? value : Tensor()}});
  }
  std::vector<Tensors> rows(specs.size());
  for (const std::string& bytes : strings_of(serialized).values) {
    const Nest row = io::decode_example(io::parse_example(bytes), specs);
    for (size_t i = 0; i < specs.size(); ++i) rows[i].push_back(row.at(specs[i].first).tensor());
  }
  Tensors features;
  for (size_t i = 0; i < specs.size(); ++i) {
    if (rows[i].empty()) {
      std::vector<int64_t> dims = specs[i].second.shape.dims();
      dims.insert(dims.begin(), 0);
      features.push_back(Tensor::zeros(specs[i].second.dtype, Shape(dims)));
    } else {
      features.push_back(serialized.rank() == 0 ? rows[i][0] : ops::stack(rows[i]));
    }
  }
  return features;
}

}  // namespace

void add_tf_strings(TfOps& table) {
  table["AsString"] = [](const TfCall& call) { return Tensors{ops::as_string(call.in(0))}; };
  table["ParseExampleV2"] = parse_examples;
}

}  // namespace antler::saving
