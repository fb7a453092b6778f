#include "nn/layers/layer_harness.h"

#include <cmath>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "antler/autodiff/gradient_tape.h"
#include "antler/base/error.h"
#include "antler/ir/emit.h"
#include "antler/ir/tracer.h"
#include "antler/nn/functional_graph.h"
#include "antler/nn/layers/input.h"
#include "antler/nn/registry.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/reductions.h"
#include "antler/runtime/function.h"
#include "support/paths.h"

namespace antler::test {
namespace {

Nest as_arguments(const Tensors& inputs) {
  return inputs.size() == 1 ? Nest(inputs[0]) : Nest(inputs);
}

void expect_equal(const Tensor& a, const Tensor& b, double tolerance, const std::string& what) {
  ASSERT_EQ(a.shape(), b.shape()) << what;
  ASSERT_EQ(a.dtype(), b.dtype()) << what;
  const std::vector<double> x = a.to_doubles();
  const std::vector<double> y = b.to_doubles();
  for (size_t i = 0; i < x.size(); ++i) {
    ASSERT_NEAR(x[i], y[i], tolerance * std::max(1.0, std::abs(y[i]))) << what << ", element " << i;
  }
}

void expect_values(const Tensor& actual, const std::vector<double>& expected,
                   const std::string& what) {
  ASSERT_TRUE(actual.defined()) << what;
  const std::vector<double> x = actual.to_doubles();
  ASSERT_EQ(x.size(), expected.size()) << what;
  for (size_t i = 0; i < x.size(); ++i) {
    ASSERT_NEAR(x[i], expected[i], 2e-5 * std::max(1.0, std::abs(expected[i])))
        << what << ", element " << i;
  }
}

LayerPtr remade(const Layer& layer) {
  return layer_from_config(layer.class_name(), layer.get_config());
}

void check_config(const Layer& layer) {
  const Json config = layer.get_config();
  EXPECT_EQ(remade(layer)->get_config().dump(), config.dump());
  Json wrong = config;
  wrong["no_such_option"] = 1;
  EXPECT_THROW(layer_from_config(layer.class_name(), wrong), ValueError);
}

/// The layer on placeholders whose batch is not known.
void check_graph(const LayerPtr& layer, const Tensors& inputs, const Tensor& direct, bool compare) {
  Tensors placeholders;
  for (const Tensor& x : inputs) {
    placeholders.push_back(
        Input(Shape(x.shape().begin() + 1, x.shape().end()), {.dtype = dtype_name(x.dtype())}));
  }
  const Tensor output = (*layer)(as_arguments(placeholders)).tensor();
  Shape expected = direct.shape();
  expected[0] = Shape::kUnknown;
  EXPECT_EQ(output.shape(), expected);
  EXPECT_EQ(output.dtype(), direct.dtype());
  if (!compare) return;
  const FunctionalGraph graph(as_arguments(placeholders), output);
  expect_equal(graph.run(as_arguments(inputs)).tensor(), direct, 0, "functional graph");
}

void check_traced(const LayerPtr& layer, const Tensors& inputs, const Tensor& direct) {
  ir::Tracer tracer;
  Tensors symbols;
  for (const Tensor& x : inputs) symbols.push_back(tracer.input(x.spec()));
  const Tensor output = (*layer)(as_arguments(symbols)).tensor();
  ir::Tracer::Result traced = tracer.finish(Tensors{output});
  ir::verify(traced.graph);
  const Tensors values = ir::interpret(traced.graph, inputs, ir::reference_executor());
  expect_equal(values[0], direct, 1e-5, "traced call");
}

/// The layer in a compiled program.
void check_compiled(const LayerPtr& layer, const Tensors& inputs, const Tensor& direct) {
  const Function compiled = tf::function(
      [&](const Tensors& xs) -> Tensors { return {(*layer)(as_arguments(xs)).tensor()}; });
  expect_equal(compiled(Nest(inputs)).flatten()[0], direct, 2e-5, "compiled call");
}

/// A layer's saved state restores an equal layer.
void check_saving(const LayerPtr& layer, const Tensors& inputs, const Tensor& direct,
                  bool compare) {
  const LayerPtr other = remade(*layer);
  std::vector<Shape> shapes;
  for (const Tensor& x : inputs) shapes.push_back(x.shape());
  other->ensure_built(shapes);
  const Variables from = layer->weights();
  const Variables to = other->weights();
  ASSERT_EQ(from.size(), to.size());
  const bool alone = layer->sublayers().empty();
  if (alone) other->load_own_variables(layer->save_own_variables());
  if (!alone) other->set_weights(layer->get_weights());
  if (compare) {
    expect_equal((*other)(as_arguments(inputs)).tensor(), direct, 1e-6, "call of what was saved");
  }
}

/// Sets the dtype of a layer, and of those inside, in a configuration.
void set_dtype(Json& config, const char* dtype) {
  if (!config.is_structured()) return;
  if (config.is_object() && config.contains("dtype")) config["dtype"] = dtype;
  for (Json& item : config) set_dtype(item, dtype);
}

/// The gradient along one direction against a difference, in float64. Inputs are moved off the
/// values at which functions have corners.
void check_differences(const Layer& layer, const Tensors& inputs) {
  Json config = layer.get_config();
  set_dtype(config, "float64");
  const LayerPtr wide = layer_from_config(layer.class_name(), config);
  const auto wave = [](const Shape& shape, double frequency, double amplitude) {
    const Tensor t = Tensor::empty(DType::float64, shape);
    for (int64_t j = 0; j < shape.num_elements(); ++j) {
      t.mutable_data<double>()[j] = amplitude * std::sin(frequency * static_cast<double>(j) + 0.3);
    }
    return t;
  };
  Tensors at;
  for (const Tensor& x : inputs) {
    at.push_back(is_floating(x.dtype()) ? ops::cast(x, DType::float64) + wave(x.shape(), 1.7, 0.013)
                                        : x);
  }
  const auto loss = [&] { return ops::mean(ops::square((*wide)(as_arguments(at)).tensor())); };
  loss();
  const Variables variables = wide->trainable_variables();
  for (const Variable& v : variables) {
    v.assign(v.value() + ops::cast(wave(v.shape(), 2.3, 0.017), v.dtype()));
  }
  GradientTape tape;
  for (const Tensor& x : at) {
    if (is_floating(x.dtype())) tape.watch(x);
  }
  Tensors sources;
  for (const Tensor& x : at) {
    if (is_floating(x.dtype())) sources.push_back(x);
  }
  const size_t inputs_moved = sources.size();
  for (const Variable& v : variables) sources.push_back(v.stored());
  if (sources.empty()) return;
  const Tensors gradients =
      tape.gradient(loss(), sources, {.unconnected_gradients = UnconnectedGradients::zero});
  double slope = 0;
  Tensors directions;
  for (size_t i = 0; i < sources.size(); ++i) {
    directions.push_back(wave(sources[i].shape(), 0.9, 1));
    slope += ops::sum(ops::cast(gradients[i], DType::float64) * directions[i]).item();
  }
  const Tensors start = sources;
  const double step = 1e-4;
  const auto moved = [&](double by) {
    for (size_t i = 0; i < start.size(); ++i) {
      const Tensor value = ops::cast(start[i] + directions[i] * Tensor(by), start[i].dtype());
      if (i < inputs_moved) {
        at[i] = value;  // inputs are all floating or all integers
      } else {
        variables[i - inputs_moved].assign(value);
      }
    }
    return loss().item();
  };
  const double difference = (moved(step) - moved(-step)) / (2 * step);
  EXPECT_NEAR(slope, difference, 2e-4 * std::max(1.0, std::abs(slope)))
      << "gradient by differences";
}

void check_weights(const Layer& layer, const LayerCheck& check) {
  const Variables weights = layer.weights();
  ASSERT_EQ(weights.size(), check.weights.size());
  for (size_t i = 0; i < weights.size(); ++i) {
    EXPECT_EQ(weights[i].name(), check.weights[i].first);
    EXPECT_EQ(weights[i].shape(), check.weights[i].second);
    EXPECT_TRUE(weights[i].path().starts_with(layer.name() + "/")) << weights[i].path();
    EXPECT_TRUE(weights[i].path().ends_with("/" + check.weights[i].first)) << weights[i].path();
  }
}

void check_gradients_exist(const LayerPtr& layer, const Tensors& inputs) {
  GradientTape tape;
  const Tensor loss =
      ops::mean(ops::square((*layer)(as_arguments(inputs), {.training = true}).tensor()));
  const Variables variables = layer->trainable_variables();
  const Tensors gradients = tape.gradient(loss, variables);
  for (size_t i = 0; i < variables.size(); ++i) {
    ASSERT_TRUE(gradients[i].defined()) << variables[i].path();
    EXPECT_EQ(gradients[i].shape(), variables[i].shape()) << variables[i].path();
    for (double g : gradients[i].to_doubles()) EXPECT_TRUE(std::isfinite(g)) << variables[i].path();
  }
}

void check_half(const Layer& layer, const Tensors& inputs) {
  Json config = layer.get_config();
  config["dtype"] = "mixed_bfloat16";
  const LayerPtr half = layer_from_config(layer.class_name(), config);
  const Tensor output = (*half)(as_arguments(inputs)).tensor();
  EXPECT_EQ(output.dtype(), DType::bfloat16);
  for (const Variable& v : half->weights()) EXPECT_EQ(v.dtype(), DType::float32) << v.path();
}

Tensor formula(const Shape& shape, int64_t a, int64_t b, int64_t modulus, double offset,
               double scale) {
  std::vector<float> values(static_cast<size_t>(shape.num_elements()));
  for (size_t j = 0; j < values.size(); ++j) {
    values[j] = static_cast<float>(
        (static_cast<double>((a * static_cast<int64_t>(j) + b) % modulus) - offset) / scale);
  }
  return Tensor::of<float>(values, shape);
}

Tensor keras_mask_of(const Shape& shape) {
  const Tensor mask = Tensor::empty(DType::boolean, shape);
  for (int64_t j = 0; j < shape.num_elements(); ++j) mask.mutable_data<bool>()[j] = j % 3 != 1;
  return mask;
}

/// A configuration without the entries that Keras adds for built layers.
Json without_build_config(const Json& json) {
  Json result = json;
  if (!json.is_structured()) return result;
  if (json.is_object()) result.erase("build_config");
  for (Json& item : result) item = without_build_config(item);
  return result;
}

}  // namespace

void check_layer(const LayerPtr& layer, const Tensors& inputs, const LayerCheck& check) {
  check_config(*layer);
  const Tensor direct = (*layer)(as_arguments(inputs)).tensor();
  EXPECT_EQ(direct.shape(), check.output_shape);
  EXPECT_TRUE(layer->built());
  check_weights(*layer, check);
  check_graph(layer, inputs, direct, check.deterministic);
  check_graph(remade(*layer), inputs, direct, false);  // built on placeholders
  if (check.deterministic) check_traced(layer, inputs, direct);
  if (check.deterministic) check_compiled(layer, inputs, direct);
  check_saving(layer, inputs, direct, check.deterministic);
  if (check.deterministic) check_differences(*layer, inputs);
  check_gradients_exist(layer, inputs);
  if (check.half) check_half(*layer, inputs);
}

Tensor keras_input(size_t index, const Shape& shape, DType dtype) {
  const auto k = static_cast<int64_t>(index);
  if (is_integer(dtype)) return ops::cast(formula(shape, 5, 3 + k, 4, 0, 1), dtype);
  return formula(shape, 5, 3 + k, 13, 6, 5);
}

Tensor keras_weight(size_t index, const Shape& shape, bool variance) {
  const Tensor value = formula(shape, 7, 3 * static_cast<int64_t>(index), 11, 5, 10);
  return variance ? value + Tensor(1.0) : value;
}

void PrintTo(const KerasCase& c, std::ostream* out) { *out << c.id; }

std::vector<KerasCase> keras_cases() {
  std::vector<KerasCase> cases;
  Json items;
  for (const char* name : {"layer_calls.json", "keras2_layer_calls.json"}) {
    std::ifstream file(test::data_dir() / name);
    const Json json = Json::parse(file);
    for (const Json& item : json["cases"]) items.push_back(item);
  }
  for (const Json& item : items) {
    KerasCase c;
    c.id = item["id"];
    c.class_name = item["class_name"];
    c.config = item["config"];
    const DType dtype = parse_dtype(item["input_dtype"].get<std::string>());
    for (const Json& shape : item["inputs"]) {
      c.inputs.push_back(
          keras_input(c.inputs.size(), Shape(shape.get<std::vector<int64_t>>()), dtype));
    }
    c.training = item["training"];
    if (item["mask"].is_array()) {
      c.mask = keras_mask_of(Shape(item["mask"].get<std::vector<int64_t>>()));
    }
    for (const Json& weight : item["weights"]) {
      c.check.weights.emplace_back(weight[0].get<std::string>(),
                                   Shape(weight[1].get<std::vector<int64_t>>()));
    }
    c.check.output_shape = Shape(item["output_shape"].get<std::vector<int64_t>>());
    c.output = item["output"].get<std::vector<double>>();
    c.state = item["state"].get<std::vector<std::vector<double>>>();
    c.gradients = item["gradients"].get<std::vector<std::vector<double>>>();
    cases.push_back(std::move(c));
  }
  return cases;
}

bool has_sequence_case(const std::string& class_name) {
  std::ifstream file(test::data_dir() / "sequence_layer_calls.json");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  return text.find("\"class_name\":\"" + class_name + "\"") != std::string::npos;
}

void check_against_keras(const KerasCase& c) {
  const LayerPtr layer = layer_from_config(c.class_name, c.config);
  std::vector<Shape> shapes;
  for (const Tensor& x : c.inputs) shapes.push_back(x.shape());
  layer->ensure_built(shapes);
  const Variables weights = layer->weights();
  ASSERT_EQ(weights.size(), c.check.weights.size());
  for (size_t k = 0; k < weights.size(); ++k) {
    const std::string& name = weights[k].name();
    const bool positive =
        name == "moving_variance" || name == "moving_stddev" || name == "renorm_stddev";
    weights[k].assign(keras_weight(k, weights[k].shape(), positive));
  }

  GradientTape tape;
  Tensors sources;
  for (const Tensor& x : c.inputs) {
    if (!is_floating(x.dtype())) continue;
    tape.watch(x);
    sources.push_back(x);
  }
  EXPECT_EQ(layer->get_config(), without_build_config(c.config));
  const Tensor output =
      (*layer)(as_arguments(c.inputs), {.training = c.training, .mask = c.mask}).tensor();
  const Tensor loss = ops::mean(ops::square(output));
  const Variables trainable = layer->trainable_variables();
  for (size_t i = trainable.size(); i-- > 0;)
    sources.insert(sources.begin(), trainable[i].stored());
  const Tensors gradients =
      tape.gradient(loss, sources, {.unconnected_gradients = UnconnectedGradients::zero});

  EXPECT_EQ(output.shape(), c.check.output_shape);
  expect_values(output, c.output, "output");
  ASSERT_EQ(gradients.size(), c.gradients.size());
  for (size_t i = 0; i < gradients.size(); ++i) {
    expect_values(gradients[i], c.gradients[i], "gradient " + std::to_string(i));
  }
  const Variables state = layer->non_trainable_variables();
  for (size_t i = 0; i < c.state.size() && i < state.size(); ++i) {
    if (is_floating(state[i].dtype()))
      expect_values(state[i].stored(), c.state[i], state[i].path());
  }
}

}  // namespace antler::test
