#include "antler/nn/activations.h"

#include <mutex>
#include <vector>

#include "antler/base/error.h"
#include "antler/nn/registered_names.h"
#include "antler/ops/nn/activations.h"
#include "antler/ops/numpy/elementwise.h"
#include "base/did_you_mean.h"
#include "nn/cached_logits.h"
#include "nn/fields.h"
#include "nn/remat_call.h"

namespace antler {
namespace {

struct Entry {
  const char* name;
  Tensor (*function)(const Tensor&);
  const char* alias_of = nullptr;  ///< the name that Keras writes to configurations
};

/// The activations with names, with Keras's defaults.
constexpr Entry kActivations[] = {
    {"linear", activations::linear},
    {"relu", [](const Tensor& x) { return ops::relu(x); }},
    {"relu6", activations::relu6},
    {"leaky_relu", [](const Tensor& x) { return activations::leaky_relu(x); }},
    {"elu", [](const Tensor& x) { return activations::elu(x); }},
    {"selu", activations::selu},
    {"celu", [](const Tensor& x) { return activations::celu(x); }},
    {"gelu", [](const Tensor& x) { return activations::gelu(x); }},
    {"glu", [](const Tensor& x) { return activations::glu(x); }},
    {"silu", activations::silu},
    {"swish", activations::swish, "silu"},
    {"mish", activations::mish},
    {"sigmoid", activations::sigmoid},
    {"hard_sigmoid", activations::hard_sigmoid},
    {"hard_silu", activations::hard_silu},
    {"hard_swish", activations::hard_swish, "hard_silu"},
    {"log_sigmoid", activations::log_sigmoid},
    {"sparse_sigmoid", activations::sparse_sigmoid},
    {"tanh", activations::tanh},
    {"hard_tanh", activations::hard_tanh},
    {"tanh_shrink", activations::tanh_shrink},
    {"hard_shrink", [](const Tensor& x) { return activations::hard_shrink(x); }},
    {"soft_shrink", [](const Tensor& x) { return activations::soft_shrink(x); }},
    {"exponential", activations::exponential},
    {"softmax", [](const Tensor& x) { return activations::softmax(x); }},
    {"log_softmax", [](const Tensor& x) { return activations::log_softmax(x); }},
    {"sparsemax", [](const Tensor& x) { return activations::sparsemax(x); }},
    {"softplus", activations::softplus},
    {"softsign", activations::softsign},
    {"squareplus", [](const Tensor& x) { return activations::squareplus(x); }},
    {"sparse_plus", activations::sparse_plus},
};

using AnyFunction = void (*)();

template <class... Parameters>
AnyFunction any(Tensor (*function)(const Tensor&, Parameters...)) {
  return reinterpret_cast<AnyFunction>(function);
}
// For functions that also take their arguments by name.
AnyFunction any(Tensor (*function)(const Tensor&, int64_t)) {
  return reinterpret_cast<AnyFunction>(function);
}
AnyFunction any(Tensor (*function)(const Tensor&, double)) {
  return reinterpret_cast<AnyFunction>(function);
}
AnyFunction any(Tensor (*function)(const Tensor&, double, double, double)) {
  return reinterpret_cast<AnyFunction>(function);
}

/// Keras's name of a function; null if it has none. ops::gelu is missing because its default
/// differs from that of the activation.
const char* name_of(AnyFunction function) {
  struct Known {
    AnyFunction function;
    const char* name;
  };
  static const Known kFunctions[] = {
      {any(activations::relu), "relu"},
      {any(activations::leaky_relu), "leaky_relu"},
      {any(activations::elu), "elu"},
      {any(activations::celu), "celu"},
      {any(activations::gelu), "gelu"},
      {any(activations::softmax), "softmax"},
      {any(activations::log_softmax), "log_softmax"},
      {any(ops::glu), "glu"},
      {any(ops::hard_shrink), "hard_shrink"},
      {any(ops::hard_swish), "hard_silu"},
      {any(ops::hard_tanh), "hard_tanh"},
      {any(ops::soft_shrink), "soft_shrink"},
      {any(ops::sparse_plus), "sparse_plus"},
      {any(ops::sparse_sigmoid), "sparse_sigmoid"},
      {any(ops::sparsemax), "sparsemax"},
      {any(ops::squareplus), "squareplus"},
      {any(ops::swish), "silu"},
      {any(ops::tanh_shrink), "tanh_shrink"},
      {any(ops::leaky_relu), "leaky_relu"},
      {any(ops::elu), "elu"},
      {any(ops::celu), "celu"},
      {any(ops::softmax), "softmax"},
      {any(ops::log_softmax), "log_softmax"},
      {any(ops::relu), "relu"},
      {any(ops::relu6), "relu6"},
      {any(ops::selu), "selu"},
      {any(ops::silu), "silu"},
      {any(ops::mish), "mish"},
      {any(ops::sigmoid), "sigmoid"},
      {any(ops::hard_sigmoid), "hard_sigmoid"},
      {any(ops::hard_silu), "hard_silu"},
      {any(ops::log_sigmoid), "log_sigmoid"},
      {any(ops::tanh), "tanh"},
      {any(ops::exp), "exponential"},
      {any(ops::softplus), "softplus"},
      {any(ops::softsign), "softsign"},
  };
  for (const Entry& entry : kActivations) {
    if (any(entry.function) == function) return entry.name;
  }
  for (const Known& known : kFunctions) {
    if (known.function == function) return known.name;
  }
  return nullptr;
}

std::mutex g_activations_mutex;
std::vector<ActivationFunction>& custom() {
  static std::vector<ActivationFunction> instance;
  return instance;
}

}  // namespace

ActivationFunction::ActivationFunction(const char* name) : ActivationFunction(std::string(name)) {}
ActivationFunction::ActivationFunction(const std::string& name) { *this = activations::get(name); }

ActivationFunction::ActivationFunction(Tensor (*function)(const Tensor&))
    : name_("function"), function_(function) {
  if (const char* const name = name_of(any(function))) {
    *this = activations::get(name);
    return;
  }
  const std::lock_guard lock(g_activations_mutex);
  for (const ActivationFunction& f : custom()) {
    const auto* const registered = f.function_.target<Tensor (*)(const Tensor&)>();
    if (registered != nullptr && *registered == function) name_ = f.name();
  }
}

Tensor ActivationFunction::operator()(const Tensor& x) const {
  if (!function_) return x;
  if (!RematCall::recomputes_activations()) return function_(x);
  const RematRegion region;
  return function_(x);
}

ActivationFunction ActivationFunction::with_parameters(AnyFunction function) {
  const char* const name = name_of(function);
  if (name == nullptr) {
    throw ValueError(
        "An activation is a function of one tensor. To use a function with more parameters, pass "
        "a lambda: [](const Tensor& x) { return ops::elu(x, 0.5); }.");
  }
  return activations::get(name);
}

namespace activations {

std::vector<std::string> registered_activations() {
  std::vector<std::string> names;
  for (const Entry& entry : kActivations) names.emplace_back(entry.name);
  const std::lock_guard lock(g_activations_mutex);
  for (const ActivationFunction& function : custom()) names.push_back(function.name());
  return names;
}

ActivationFunction get(const std::string& name) {
  {
    const std::lock_guard lock(g_activations_mutex);
    for (const ActivationFunction& f : custom()) {
      if (f.name() == name) return f;
    }
  }
  for (const Entry& entry : kActivations) {
    if (name == entry.name) {
      return {entry.alias_of != nullptr ? entry.alias_of : entry.name, entry.function};
    }
  }
  throw ValueError("Could not interpret activation function identifier: {}.{}", name,
                   suggest_names(name, "activations", registered_activations()));
}

Json serialize(const ActivationFunction& activation) {
  Json json;
  write_field(json, activation);
  return json;
}

ActivationFunction deserialize(const Json& json) {
  ActivationFunction activation;
  try {
    read_field(json, activation);
  } catch (const TypeError&) {
    throw ValueError("Could not interpret activation function identifier: {}", json.dump());
  }
  return activation;
}

void register_activation(const std::string& name, ActivationFunction::Function function) {
  const std::lock_guard lock(g_activations_mutex);
  custom().emplace_back(name, std::move(function));
}

Tensor relu(const Tensor& x, double negative_slope, double max_value, double threshold) {
  if (threshold == 0) {
    Tensor y = negative_slope == 0 ? ops::relu(x) : ops::leaky_relu(x, negative_slope);
    return max_value < 0 ? y : ops::minimum(y, Tensor(max_value));
  }
  Tensor above = max_value < 0 ? x : ops::minimum(x, Tensor(max_value));
  const Tensor below =
      negative_slope == 0 ? Tensor(0.0) : (x - Tensor(threshold)) * Tensor(negative_slope);
  return ops::where(ops::less_equal(x, Tensor(threshold)), below, above);
}

Tensor linear(const Tensor& x) { return x; }
Tensor exponential(const Tensor& x) { return ops::exp(x); }
Tensor relu6(const Tensor& x) { return ops::relu6(x); }
Tensor leaky_relu(const Tensor& x, double negative_slope) {
  return ops::leaky_relu(x, negative_slope);
}
Tensor elu(const Tensor& x, double alpha) { return ops::elu(x, alpha); }
Tensor selu(const Tensor& x) { return ops::selu(x); }
Tensor celu(const Tensor& x, double alpha) { return ops::celu(x, alpha); }
Tensor gelu(const Tensor& x, GeluOptions options) {
  return ops::gelu(x, {.approximate = options.approximate});
}
Tensor silu(const Tensor& x) { return ops::silu(x); }
Tensor swish(const Tensor& x) { return silu(x); }
Tensor mish(const Tensor& x) { return ops::mish(x); }
Tensor sigmoid(const Tensor& x) { return with_cached_logits(ops::sigmoid(x), x); }
Tensor hard_sigmoid(const Tensor& x) { return ops::hard_sigmoid(x); }
Tensor hard_silu(const Tensor& x) { return ops::hard_silu(x); }
Tensor hard_swish(const Tensor& x) { return hard_silu(x); }
Tensor log_sigmoid(const Tensor& x) { return ops::log_sigmoid(x); }
Tensor log_softmax(const Tensor& x, int64_t axis) { return ops::log_softmax(x, axis); }
Tensor tanh(const Tensor& x) { return ops::tanh(x); }
Tensor softplus(const Tensor& x) { return ops::softplus(x); }
Tensor softsign(const Tensor& x) { return ops::softsign(x); }

Tensor softmax(const Tensor& x, int64_t axis) {
  return with_cached_logits(ops::softmax(x, axis), x);
}

}  // namespace activations
}  // namespace antler
