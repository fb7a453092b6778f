// Keras's alternative names of functions and objects. The tables have the results of keras 3.15 and
// tf_keras 2.21 for them (`keras.losses.get(name)` and so on).
#include "antler/nn/aliases.h"

#include <map>
#include <type_traits>

#include <numeric>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/nn/activations.h"
#include "antler/nn/compile_types.h"
#include "antler/nn/layers.h"
#include "antler/nn/losses.h"
#include "antler/nn/metrics.h"
#include "antler/nn/smart_resize.h"
#include "antler/ops/core.h"
#include "antler/ops/nn/activations.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/manipulation.h"

namespace antler {
namespace {

const Tensor& targets() {
  static const Tensor t = Tensor::of<float>({0, 1, 0, 1, 0, 0}, {2, 3});
  return t;
}
const Tensor& predictions() {
  static const Tensor t = Tensor::of<float>({0.1F, 0.7F, 0.2F, 0.5F, 0.3F, 0.2F}, {2, 3});
  return t;
}

TEST(Aliases, OfLossesByName) {
  const std::map<std::string, std::string> classes = {
      {"mse", "MeanSquaredError"},
      {"MSE", "MeanSquaredError"},
      {"mae", "MeanAbsoluteError"},
      {"MAE", "MeanAbsoluteError"},
      {"mape", "MeanAbsolutePercentageError"},
      {"MAPE", "MeanAbsolutePercentageError"},
      {"msle", "MeanSquaredLogarithmicError"},
      {"MSLE", "MeanSquaredLogarithmicError"},
      {"kld", "KLDivergence"},
      {"KLD", "KLDivergence"},
      {"kullback_leibler_divergence", "KLDivergence"},
      {"logcosh", "LogCosh"},
  };
  for (const auto& [name, class_name] : classes) {
    EXPECT_EQ(losses::get(name).impl().class_name(), class_name) << name;
    EXPECT_EQ(metrics::get(name)->name(), name);
  }
}

/// A function given as a loss or metric is the object of its name, as in Keras.
TEST(Aliases, OfLossFunctions) {
  const std::vector<std::pair<losses::Function, std::string>> functions = {
      {losses::mse, "mean_squared_error"},
      {losses::MSE, "mean_squared_error"},
      {losses::mae, "mean_absolute_error"},
      {losses::MAE, "mean_absolute_error"},
      {losses::mape, "mean_absolute_percentage_error"},
      {losses::MAPE, "mean_absolute_percentage_error"},
      {losses::msle, "mean_squared_logarithmic_error"},
      {losses::MSLE, "mean_squared_logarithmic_error"},
      {losses::kld, "kl_divergence"},
      {losses::KLD, "kl_divergence"},
      {losses::kullback_leibler_divergence, "kl_divergence"},
      {losses::logcosh, "log_cosh"},
      {losses::hinge, "hinge"},
      {metrics::squared_hinge, "squared_hinge"},
      {metrics::categorical_hinge, "categorical_hinge"},
      {metrics::poisson, "poisson"},
  };
  for (const auto& [function, name] : functions) {
    EXPECT_EQ(losses::from_function("<lambda>", function).name(), name);
    EXPECT_EQ(metrics::from_function("<lambda>", function)->name(), name);
    EXPECT_EQ(function(targets(), predictions()).to_doubles(),
              losses::get(name).call(targets(), predictions()).to_doubles())
        << name;
  }
  EXPECT_EQ(LossSpec(losses::mae).resolve().impl().class_name(), "MeanAbsoluteError");
  EXPECT_EQ(MetricSpec(metrics::MSE).resolve()->name(), "mean_squared_error");
  EXPECT_EQ(MetricSpec(metrics::categorical_accuracy).resolve()->name(), "categorical_accuracy");
  const auto own = [](const Tensor& y_true, const Tensor&) { return y_true; };
  EXPECT_EQ(LossSpec(own).resolve().name(), "<lambda>");
  EXPECT_EQ(losses::from_function("mine", losses::mse).name(), "mine");
}

template <class A, class B>
constexpr bool kSame = std::is_same_v<A, B>;

TEST(Aliases, OfInitializersRegularizersConstraintsLayers) {
  static_assert(kSame<initializers::glorot_uniform, initializers::GlorotUniform>);
  static_assert(kSame<initializers::OrthogonalInitializer, initializers::Orthogonal>);
  static_assert(kSame<regularizers::l1_l2, regularizers::L1L2>);
  static_assert(kSame<constraints::radial_constraint, constraints::RadialConstraint>);
  static_assert(kSame<GroupedQueryAttention, GroupQueryAttention>);
  static_assert(kSame<AbstractRNNCell, RNNCell>);
  for (const char* name :
       {"constant", "glorot_normal", "he_uniform", "IdentityInitializer", "identity",
        "lecun_normal", "ones", "OrthogonalInitializer", "random_normal", "stft",
        "truncated_normal", "variance_scaling", "zeros"}) {
    EXPECT_TRUE(initializers::get(name).given()) << name;
  }
  for (const char* name : {"l1", "l2", "l1_l2", "l1l2", "orthogonal_regularizer"}) {
    EXPECT_TRUE(regularizers::get(name).given()) << name;
  }
  for (const char* name :
       {"max_norm", "min_max_norm", "non_neg", "unit_norm", "radial_constraint"}) {
    EXPECT_TRUE(constraints::get(name).given()) << name;
  }
}

TEST(Activations, AreFunctionsToo) {
  const std::map<std::string, Tensor (*)(const Tensor&)> functions = {
      {"relu6", activations::relu6},
      {"leaky_relu", [](const Tensor& x) { return activations::leaky_relu(x); }},
      {"elu", [](const Tensor& x) { return activations::elu(x); }},
      {"selu", activations::selu},
      {"celu", [](const Tensor& x) { return activations::celu(x); }},
      {"gelu", [](const Tensor& x) { return activations::gelu(x); }},
      {"silu", activations::silu},
      {"swish", activations::swish},
      {"mish", activations::mish},
      {"sigmoid", activations::sigmoid},
      {"hard_sigmoid", activations::hard_sigmoid},
      {"hard_silu", activations::hard_silu},
      {"hard_swish", activations::hard_swish},
      {"log_sigmoid", activations::log_sigmoid},
      {"log_softmax", [](const Tensor& x) { return activations::log_softmax(x); }},
      {"tanh", activations::tanh},
      {"softplus", activations::softplus},
      {"softsign", activations::softsign},
  };
  for (const auto& [name, function] : functions) {
    EXPECT_EQ(function(predictions()).to_doubles(),
              activations::get(name)(predictions()).to_doubles())
        << name;
    // Keras's configurations have the function's own name.
    const std::string own = name == "swish" ? "silu" : name == "hard_swish" ? "hard_silu" : name;
    EXPECT_EQ(activations::serialize(activations::get(name)), own);
    EXPECT_EQ(activations::deserialize(name).name(), own);
  }
  // Keras's exact gelu, where that of keras.ops is the approximate one.
  EXPECT_NE(activations::gelu(predictions()).to_doubles(), ops::gelu(predictions()).to_doubles());
  EXPECT_EQ(activations::deserialize(nullptr).name(), "linear");
  EXPECT_THROW(activations::deserialize(3), ValueError);
  EXPECT_THROW(activations::deserialize("no_such"), ValueError);
}

/// The results of keras.preprocessing.image.smart_resize.
TEST(SmartResize, CutsBeforeItResizes) {
  std::vector<float> values;
  values.reserve(30);
  for (int i = 0; i < 30; ++i) values.push_back(static_cast<float>(i * 7 % 11));
  const Tensor x = Tensor::of(values, {5, 3, 2});
  EXPECT_EQ(utils::smart_resize(x, {2, 2}).to_doubles(),
            (std::vector<double>{7.1875, 5.25, 3.4375, 3.5625, 6.25, 2.25, 2.5, 6.75}));
  const Tensor near = utils::smart_resize(ops::cast(x, DType::uint8), {4, 2}, "nearest");
  EXPECT_EQ(near.dtype(), DType::uint8);
  EXPECT_EQ(near.to_doubles(),
            (std::vector<double>{0, 7, 3, 10, 9, 5, 1, 8, 5, 1, 8, 4, 3, 10, 6, 2}));
  EXPECT_EQ(utils::smart_resize(ops::expand_dims(x, 0), {1, 4}).to_doubles(),
            (std::vector<double>{7, 3, 8.875, 4.875, 7, 7.125, 2, 9}));
  std::vector<float> ramp(24);
  std::iota(ramp.begin(), ramp.end(), 0.0F);
  const std::vector<double> y =
      utils::smart_resize(Tensor::of(ramp, {2, 4, 3}), {3, 3}).to_doubles();
  const std::vector<double> first = {3, 4, 5, 4.5, 5.5, 6.5, 6};
  for (size_t i = 0; i < first.size(); ++i) EXPECT_NEAR(y.at(i), first[i], 1e-5) << i;
  EXPECT_THROW(utils::smart_resize(ops::ones({2, 2}), {2, 2}), ValueError);
}

}  // namespace
}  // namespace antler
