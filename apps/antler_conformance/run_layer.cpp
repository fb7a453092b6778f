// Calls of a loaded model: outputs, masks, gradients, state.
#include <algorithm>
#include <cmath>

#include "antler/autodiff/gradient_tape.h"
#include "antler/nn/layers/recurrent.h"
#include "antler/nn/mask.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/reductions.h"
#include "antler/training/saving.h"
#include "evaluate.h"
#include "kinds.h"

namespace antler::conformance {
namespace {

/// The value of a weight that is not stored in the reference set but given by a formula.
Tensor weight_by_formula(const Variable& weight, uint32_t k) {
  const std::string& path = weight.path();
  const std::string name = path.substr(path.rfind('/') + 1);
  const Shape& shape = weight.shape();
  const auto n = static_cast<double>(shape.num_elements());
  const int rank = shape.rank();
  double scale = 0.2;
  double offset = 0;
  if (name == "moving_variance" || name == "variance") {
    scale = 0.5;
    offset = 1;
  } else if (name == "gamma") {
    offset = 1;
  } else if (rank > 1) {
    const bool depthwise = name == "depthwise_kernel" || (rank == 4 && shape.back() == 1);
    scale = std::sqrt(24 / (n / static_cast<double>(shape[depthwise ? rank - 2 : rank - 1])));
  }
  std::vector<float> values(static_cast<size_t>(shape.num_elements()));
  for (size_t j = 0; j < values.size(); ++j) {
    auto h = static_cast<uint32_t>(j) * 2654435761U + k * 40503U + 12345U;
    h ^= h >> 16;
    h *= 2246822519U;
    h ^= h >> 13;
    values[j] = static_cast<float>(offset + scale * (h / 4294967296.0 - 0.5));
  }
  const Tensor value = Tensor::of(values, shape);
  return weight.dtype() == DType::float32 ? value : ops::cast(value, weight.dtype());
}

Model load_layer_model(const GoldenCase& golden) {
  const Json& json = golden.json;
  if (!json.contains("weights_recipe")) {
    return load_model((golden.folder / json.at("model").get<std::string>()).string(),
                      {.compile = false});
  }
  if (json["weights_recipe"] != "formula") {
    throw Unsupported{format("the recipe of weights {}", json["weights_recipe"].dump())};
  }
  Model model =
      model_from_config(read_json(golden.folder / json.at("architecture").get<std::string>()));
  const Variables weights = model.weights();
  for (size_t k = 0; k < weights.size(); ++k) {
    if (is_floating(weights[k].dtype()))
      weights[k].store(weight_by_formula(weights[k], static_cast<uint32_t>(k)));
  }
  return model;
}

/// Compares path, shape, dtype and trainable of weights. An expected path may start with the name
/// of a nested model.
void check_weights(const GoldenCase& golden, Check& check, const Model& model) {
  const Variables weights = model.weights();
  const Json& expected = golden.json.at("weights");
  check.equal("number of weights", weights.size(), expected.size());
  for (size_t k = 0; k < weights.size() && k < expected.size(); ++k) {
    Json shape = Json::array();
    for (const int64_t d : weights[k].shape()) shape.push_back(d);
    const std::string where = format("weight {}", k);
    const std::string path = expected[k].at(0).get<std::string>();
    if (!path.ends_with("/" + weights[k].path())) {
      check.equal(where + " path", weights[k].path(), path);
    }
    check.equal(where + " shape", shape, expected[k].at(1));
    if (expected[k].size() < 4) continue;  // the weights are given by a formula
    check.equal(where + " dtype", dtype_name(weights[k].dtype()), expected[k].at(2));
    check.equal(where + " trainable", weights[k].trainable(), expected[k].at(3));
  }
}

/// Sum over floating outputs of mean(square(output)).
Tensor objective(const Nest& outputs) {
  Tensor sum;
  for (const Tensor& y : outputs.flatten()) {
    if (!y.defined() || !is_floating(y.dtype())) continue;
    const Tensor term = ops::mean(ops::square(ops::cast(y, DType::float32)));
    sum = sum.defined() ? sum + term : term;
  }
  return sum;
}

class Session {
 public:
  Session(const GoldenCase& golden, Check& check, Model& model)
      : golden_(golden), check_(check), model_(model) {}

  void call(size_t k, const Json& call) {
    const std::string prefix = format("c{}_", k);
    const Json& names = call.at("inputs");
    Tensors inputs;
    for (const Json& name : names) inputs.push_back(golden_.array(name.get<std::string>()));
    const bool gradients = call.value("gradients", false);
    const CallOptions options{.training = call.value("training", false)};
    const Nest results = evaluated([&](const Nest& x) { return compute(x, gradients, options); })(
        inputs.size() == 1 ? Nest(inputs[0]) : Nest(inputs));
    const auto [outputs, masks, of_weights, of_inputs, losses] = results.unpack<5>();
    check_outputs(k, prefix, outputs.flatten(), masks.flatten());
    if (gradients) check_gradients(prefix, names, of_weights.flatten(), of_inputs.flatten());
    check_state(prefix);
    if (golden_.has(prefix + "losses")) check_losses(prefix, losses.flatten());
  }

 private:
  /// Outputs, their masks, the gradients of the weights and of the inputs, and the losses.
  Nest compute(const Nest& x, bool gradients, const CallOptions& options) {
    const Tensors inputs = x.flatten();
    GradientTape tape({.persistent = true});
    for (const Tensor& input : inputs) {
      if (gradients && is_floating(input.dtype())) tape.watch(input);
    }
    const Nest outputs = model_(x, options);
    Tensors masks;
    for (const Tensor& y : outputs.flatten()) masks.push_back(keras_mask(y));
    Tensors of_weights;
    Tensors of_inputs;
    if (gradients) {
      const Tensor target = objective(outputs);
      of_weights = tape.gradient(target, model_.trainable_variables());
      for (const Tensor& input : inputs) {
        of_inputs.push_back(is_floating(input.dtype()) ? tape.gradient(target, input) : Tensor());
      }
    }
    return std::vector<Nest>{outputs, masks, of_weights, of_inputs, model_.losses()};
  }

  void check_outputs(size_t k, const std::string& prefix, const Tensors& leaves,
                     const Tensors& masks) {
    const Json& expected = golden_.expectation();
    if (expected.contains("calls") && expected["calls"].at(k).contains("output_dtypes")) {
      Json dtypes = Json::array();
      // NumPy has no bfloat16, so the reference set has float32 instead.
      for (const Tensor& y : leaves) {
        dtypes.push_back(dtype_name(y.dtype() == DType::bfloat16 ? DType::float32 : y.dtype()));
      }
      check_.equal(prefix + "output_dtypes", dtypes, expected["calls"][k]["output_dtypes"]);
    }
    for (size_t j = 0; j < leaves.size(); ++j) {
      const std::string out = format("{}out{}", prefix, j);
      const std::string mask = format("{}mask{}", prefix, j);
      if (golden_.has(out)) check_.array(out, leaves[j]);
      if (golden_.has(mask)) check_.array(mask, masks[j]);
    }
    check_.truth(prefix + "outputs", !golden_.has(format("{}out{}", prefix, leaves.size())),
                 "are fewer than expected");
  }

  void check_gradients(const std::string& prefix, const Json& names, const Tensors& of_weights,
                       const Tensors& of_inputs) {
    const auto compare = [&](const std::string& where, const Tensor& got) {
      if (!golden_.has(where)) return;
      const Tensor& want = golden_.expected(where);
      check_.arrays(where, got.defined() ? got : Tensor::zeros(want.dtype(), want.shape()), want);
    };
    for (size_t j = 0; j < of_weights.size(); ++j) {
      compare(format("{}grad_w{}", prefix, j), of_weights[j]);
    }
    for (size_t i = 0; i < of_inputs.size(); ++i) {
      if (is_floating(golden_.array(names[i].get<std::string>()).dtype()))
        compare(prefix + "grad_" + names[i].get<std::string>(), of_inputs[i]);
    }
  }

  void check_state(const std::string& prefix) {
    const auto compare = [&](const char* kind, const Variables& variables) {
      for (size_t j = 0; j < variables.size(); ++j) {
        const std::string name = format("{}{}{}", prefix, kind, j);
        if (golden_.has(name)) check_.array(name, variables[j].value());
      }
    };
    Variables frozen = model_.weights();
    std::erase_if(frozen, [](const Variable& v) { return v.trainable(); });
    compare("state", frozen);
    compare("weight", model_.trainable_variables());
  }

  void check_losses(const std::string& prefix, const Tensors& losses) {
    const Tensor& want = golden_.expected(prefix + "losses");
    check_.equal(prefix + "losses count", losses.size(), want.size());
    const std::vector<double> values = want.to_doubles();
    for (size_t i = 0; i < losses.size() && i < values.size(); ++i) {
      check_.value(format("{}losses[{}]", prefix, i), losses[i].item(), values[i]);
    }
  }

  const GoldenCase& golden_;
  Check& check_;
  Model& model_;
};

}  // namespace

void run_layer(const GoldenCase& golden, Check& check) {
  const Json& json = golden.json;
  if (json.contains("adapt")) return run_adapted_layer(golden, check);
  if (json.contains("string_inputs") || golden.expectation().contains("string_outputs")) {
    return run_text_layer(golden, check);
  }
  Model model = make_or_unsupported([&] { return load_layer_model(golden); });
  check_weights(golden, check, model);
  Session session(golden, check, model);
  const Json& calls = json.at("calls");
  for (size_t k = 0; k < calls.size(); ++k) {
    const std::string op = calls[k].at("op").get<std::string>();
    if (op == "call") {
      session.call(k, calls[k]);
    } else if (op == "reset_state") {
      reset_states(model);
    } else {
      throw Unsupported{format("the operation '{}'", op)};
    }
  }
}

}  // namespace antler::conformance
