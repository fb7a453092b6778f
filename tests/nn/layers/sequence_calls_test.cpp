// Recurrent, attention and wrapper layers with the arguments of their calls, against Keras's
// figures in tests/data/sequence_layer_calls.json.
#include <cmath>
#include <fstream>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "antler/autodiff/gradient_tape.h"
#include "antler/base/error.h"
#include "antler/ir/emit.h"
#include "antler/ir/tracer.h"
#include "antler/nn/functional_graph.h"
#include "antler/nn/layers.h"
#include "antler/nn/mask.h"
#include "antler/nn/registry.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/reductions.h"
#include "nn/layers/layer_harness.h"
#include "support/paths.h"

namespace antler::test {
namespace {

struct SequenceCase {
  std::string id;
  Json json;
};

void PrintTo(const SequenceCase& c, std::ostream* out) { *out << c.id; }

std::vector<SequenceCase> sequence_cases() {
  std::ifstream file(test::data_dir() / "sequence_layer_calls.json");
  const Json json = Json::parse(file);
  std::vector<SequenceCase> cases;
  for (const Json& item : json["cases"]) cases.push_back({item["id"], item});
  return cases;
}

Shape shape_of(const Json& json) { return Shape(json.get<std::vector<int64_t>>()); }

Tensor array(const Json& json) {
  std::vector<float> values;
  for (const Json& v : json["values"]) values.push_back(v.get<float>());
  return ops::cast(Tensor::of<float>(values, shape_of(json["shape"])),
                   parse_dtype(json["dtype"].get<std::string>()));
}

/// The tensors of a call: its inputs, with their masks, then the float tensors of the arguments.
struct Call {
  Tensors inputs;
  Tensors slots;
};

/// An argument; its slots are taken from `slots` in order.
Nest tree(const Json& json, const Tensors& slots, size_t& next) {
  if (json.is_null()) return Tensor();
  if (json.is_object() && json.contains("slot")) return slots[next++];
  if (json.is_object()) return array(json);
  std::vector<Nest> list;
  for (const Json& item : json) list.push_back(tree(item, slots, next));
  return Nest(std::move(list));
}

CallOptions options_of(const Json& json, const Tensors& slots) {
  CallOptions options;
  options.training = json["training"].get<bool>();
  size_t next = 0;
  for (const auto& [name, value] : json["arguments"].items()) {
    if (value.is_boolean()) {
      options.set(name, value.get<bool>());
    } else {
      options.set(name, tree(value, slots, next));
    }
  }
  return options;
}

void collect_slots(const Json& json, Tensors& slots, size_t& index) {
  if (json.is_object() && json.contains("slot")) {
    slots.push_back(keras_input(index++, shape_of(json["slot"]), DType::float32));
  } else if (json.is_array()) {
    for (const Json& item : json) collect_slots(item, slots, index);
  }
}

Call make_call(const Json& json) {
  Call call;
  size_t index = 0;
  for (const Json& shape : json["inputs"]) {
    call.inputs.push_back(keras_input(index++, shape_of(shape), DType::float32));
  }
  for (const auto& [name, value] : json["arguments"].items()) {
    collect_slots(value, call.slots, index);
  }
  return call;
}

Tensors with_masks(const Json& json, Tensors inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!json["masks"][i].is_null())
      inputs[i] = with_keras_mask(inputs[i], array(json["masks"][i]));
  }
  return inputs;
}

Nest as_sequence_arguments(const Tensors& inputs) {
  return inputs.size() == 1 ? Nest(inputs[0]) : Nest(inputs);
}

Tensors joined(Tensors a, const Tensors& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

void expect_values(const Tensor& actual, const Json& expected, const std::string& what) {
  ASSERT_TRUE(actual.defined()) << what;
  const std::vector<double> x = actual.to_doubles();
  ASSERT_EQ(x.size(), expected.size()) << what;
  for (size_t i = 0; i < x.size(); ++i) {
    const auto y = expected[i].get<double>();
    ASSERT_NEAR(x[i], y, 2e-5 * std::max(1.0, std::abs(y))) << what << ", element " << i;
  }
}

void expect_outputs(const Json& json, const Tensors& outputs, size_t from,
                    const std::string& what) {
  const Json& expected = json["outputs"];
  ASSERT_LE(from + outputs.size(), expected.size()) << what;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const std::string name = what + ", output " + std::to_string(i);
    EXPECT_EQ(outputs[i].shape(), shape_of(expected[from + i]["shape"])) << name;
    EXPECT_EQ(outputs[i].dtype(), DType::float32) << name;
    expect_values(outputs[i], expected[from + i]["values"], name);
  }
}

LayerPtr make_layer(const Json& json) {
  const LayerPtr layer = layer_from_config(json["class_name"], json["config"]);
  std::vector<Shape> shapes;
  for (const Json& shape : json["inputs"]) shapes.push_back(shape_of(shape));
  layer->ensure_built(shapes);
  const Variables weights = layer->weights();
  for (size_t k = 0; k < weights.size(); ++k) {
    weights[k].assign(keras_weight(k, weights[k].shape(), weights[k].name() == "moving_variance"));
  }
  return layer;
}

/// Outputs, then gradients by trainable weights, inputs and slots.
struct Results {
  Nest outputs;
  Tensors gradients;
};

Results call_with_gradients(const Json& json, const LayerPtr& layer, const Call& call) {
  GradientTape tape;
  Tensors sources;
  for (const Variable& v : layer->trainable_variables()) sources.push_back(v.value());
  for (const Tensor& x : joined(call.inputs, call.slots)) {
    tape.watch(x);
    sources.push_back(x);
  }
  const Tensors inputs = with_masks(json, call.inputs);
  Results results;
  results.outputs = (*layer)(as_sequence_arguments(inputs), options_of(json, call.slots));
  Tensor loss;
  for (const Tensor& y : results.outputs.flatten()) {
    const Tensor part = ops::mean(ops::square(y));
    loss = loss.defined() ? loss + part : part;
  }
  results.gradients =
      tape.gradient(loss, sources, {.unconnected_gradients = UnconnectedGradients::zero});
  return results;
}

void expect_gradients(const Json& json, const Tensors& gradients, const std::string& what) {
  ASSERT_EQ(gradients.size(), json["gradients"].size()) << what;
  for (size_t i = 0; i < gradients.size(); ++i) {
    expect_values(gradients[i], json["gradients"][i], what + ", gradient " + std::to_string(i));
  }
}

class SequenceCalls : public testing::TestWithParam<SequenceCase> {};

TEST_P(SequenceCalls, WeightsAndConfiguration) {
  const Json& json = GetParam().json;
  const LayerPtr layer = make_layer(json);
  const Variables weights = layer->weights();
  ASSERT_EQ(weights.size(), json["weights"].size());
  for (size_t i = 0; i < weights.size(); ++i) {
    EXPECT_EQ(weights[i].path(), layer->name() + "/" + json["weights"][i][0].get<std::string>());
    EXPECT_EQ(weights[i].shape(), shape_of(json["weights"][i][1]));
  }
  const Json config = layer->get_config();
  for (const auto& [key, value] : json["config"].items()) {
    if (key == "activity_regularizer" && value.is_null()) continue;
    EXPECT_TRUE(config.contains(key)) << key;
    if (value.is_number() || value.is_boolean() || value.is_string()) {
      EXPECT_EQ(config[key], value) << key;
    }
  }
  EXPECT_EQ(layer_from_config(layer->class_name(), config)->get_config().dump(), config.dump());
  Json wrong = config;
  wrong["no_such_option"] = 1;
  EXPECT_THROW(layer_from_config(layer->class_name(), wrong), ValueError);
}

TEST_P(SequenceCalls, ValuesAndGradients) {
  const Json& json = GetParam().json;
  const LayerPtr layer = make_layer(json);
  const Call call = make_call(json);
  if (json["calls"] != 1) {  // a stateful layer keeps its state between calls
    const auto all_calls = [&](const std::string& what) {
      size_t from = 0;
      for (int i = 0; i < json["calls"].get<int>(); ++i) {
        const Nest out = (*layer)(as_sequence_arguments(with_masks(json, call.inputs)),
                                  options_of(json, call.slots));
        expect_outputs(json, out.flatten(), from, what);
        from += out.flatten().size();
      }
      EXPECT_EQ(from, json["outputs"].size());
    };
    all_calls("first time");
    reset_states(*layer);
    all_calls("after reset_states()");
    return;
  }
  const Results results = call_with_gradients(json, layer, call);
  const Tensors outputs = results.outputs.flatten();
  ASSERT_EQ(outputs.size(), json["outputs"].size());
  expect_outputs(json, outputs, 0, "call");
  expect_gradients(json, results.gradients, "call");
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Tensor mask = keras_mask(outputs[i]);
    ASSERT_EQ(mask.defined(), !json["out_masks"][i].is_null()) << "mask of output " << i;
    if (mask.defined()) expect_values(mask, json["out_masks"][i]["values"], "mask");
  }
  const Variables state = layer->non_trainable_variables();
  for (size_t i = 0; i < json["state"].size() && i < state.size(); ++i) {
    if (is_floating(state[i].dtype())) {
      expect_values(state[i].stored(), json["state"][i], state[i].path());
    }
  }
}

// The whole call with its gradients as one graph, run op by op.
TEST_P(SequenceCalls, Traced) {
  const Json& json = GetParam().json;
  if (json["calls"] != 1) return;
  const LayerPtr layer = make_layer(json);
  const Call call = make_call(json);
  const Tensors values = joined(call.inputs, call.slots);
  ir::Tracer tracer;
  Call symbols;
  for (const Tensor& x : call.inputs) symbols.inputs.push_back(tracer.input(x.spec()));
  for (const Tensor& x : call.slots) symbols.slots.push_back(tracer.input(x.spec()));
  const Results results = call_with_gradients(json, layer, symbols);
  const Tensors outputs = results.outputs.flatten();
  ir::Tracer::Result traced = tracer.finish(joined(outputs, results.gradients));
  ir::verify(traced.graph);
  const Tensors got = ir::interpret(traced.graph, values, ir::reference_executor());
  const auto split = got.begin() + static_cast<std::ptrdiff_t>(outputs.size());
  expect_outputs(json, Tensors(got.begin(), split), 0, "traced");
  expect_gradients(json, Tensors(split, got.end()), "traced");
}

// On placeholders whose batch is not known (a stateful layer must know it).
TEST_P(SequenceCalls, FunctionalGraph) {
  const Json& json = GetParam().json;
  const LayerPtr layer = make_layer(json);
  const Call call = make_call(json);
  const bool stateful = json["calls"] != 1;
  const bool fixed = stateful || json["arguments"].dump().find("values") != std::string::npos;
  Tensors placeholders;
  for (const Tensor& x : joined(call.inputs, call.slots)) {
    InputOptions options;
    if (fixed) options.batch_size = x.dim(0);
    placeholders.push_back(Input(Shape(x.shape().begin() + 1, x.shape().end()), options));
  }
  const auto inputs_end = placeholders.begin() + static_cast<std::ptrdiff_t>(call.inputs.size());
  const Nest output = (*layer)(as_sequence_arguments(Tensors(placeholders.begin(), inputs_end)),
                               options_of(json, Tensors(inputs_end, placeholders.end())));
  const Tensors outputs = output.flatten();
  for (size_t i = 0; i < outputs.size(); ++i) {
    Shape expected = shape_of(json["outputs"][i]["shape"]);
    if (!fixed) expected[0] = Shape::kUnknown;
    EXPECT_EQ(outputs[i].shape(), expected) << "output " << i;
  }
  const FunctionalGraph graph(as_sequence_arguments(placeholders), output);
  const Tensors results =
      graph.run(as_sequence_arguments(joined(with_masks(json, call.inputs), call.slots))).flatten();
  expect_outputs(json, results, 0, "graph");
}

INSTANTIATE_TEST_SUITE_P(Layers, SequenceCalls, testing::ValuesIn(sequence_cases()),
                         [](const auto& info) { return info.param.id; });

}  // namespace
}  // namespace antler::test
