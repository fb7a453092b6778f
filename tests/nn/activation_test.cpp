#include "antler/nn/activation.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/nn/activations.h"
#include "antler/nn/layers.h"
#include "antler/ops/nn/activations.h"
#include "antler/ops/numpy/elementwise.h"

namespace antler {
namespace {

// Keras 3.15.1 on the values below.
const std::vector<std::pair<std::string, std::vector<double>>> kExpected = {
    {"glu", {-1.2832851, -0.75, 0.26423913, 0.74931675}},
    {"mish",
     {-0.072591737, -0.2980997, -0.27649471, 0, 0.20800136, 0.61001837, 1.943959, 6.999989}},
    {"tanh",
     {-0.99932921, -0.90514821, -0.635149, 0, 0.29131261, 0.635149, 0.96402758, 0.99999833}},
    {"elu", {-0.98168439, -0.77686983, -0.52763343, 0, 0.30000001, 0.75, 2, 7}},
    {"tanh_shrink",
     {-3.0006709, -0.59485179, -0.114851, 0, 0.0086874068, 0.114851, 1.0359724, 6.0000019}},
    {"hard_tanh", {-1, -1, -0.75, 0, 0.30000001, 0.75, 1, 1}},
    {"relu", {0, 0, 0, 0, 0.30000001, 0.75, 2, 7}},
    {"hard_shrink", {-4, -1.5, -0.75, 0, 0, 0.75, 2, 7}},
    {"log_softmax",
     {-4.5387201, -2.0387204, -1.2887204, -0.53872037, -6.7098503, -6.2598505, -5.0098505,
      -0.0098505821}},
    {"sparsemax", {0, 0, 0.125, 0.875, 0, 0, 0, 1}},
    {"softsign",
     {-0.80000001, -0.60000002, -0.42857143, 0, 0.23076925, 0.42857143, 0.66666669, 0.875}},
    {"sigmoid",
     {0.01798621, 0.18242553, 0.32082129, 0.5, 0.57444251, 0.67917871, 0.88079703, 0.999089}},
    {"softplus",
     {0.018149929, 0.20141329, 0.38687101, 0.69314718, 0.85435528, 1.136871, 2.1269281, 7.0009112}},
    {"soft_shrink", {-3.5, -1, -0.25, 0, 0, 0.25, 1.5, 6.5}},
    {"exponential",
     {0.018315639, 0.22313017, 0.47236654, 1, 1.3498588, 2.1170001, 7.3890562, 1096.6332}},
    {"sparse_plus", {0, 0, 0.015625, 0.25, 0.42249995, 0.765625, 2, 7}},
    {"hard_sigmoid", {0, 0.25, 0.375, 0.5, 0.55000001, 0.625, 0.83333337, 1}},
    {"celu", {-0.98168439, -0.77686983, -0.52763343, 0, 0.30000001, 0.75, 2, 7}},
    {"silu",
     {-0.07194484, -0.27363831, -0.24061596, 0, 0.17233276, 0.50938404, 1.7615941, 6.9936228}},
    {"log_sigmoid",
     {-4.0181499, -1.7014133, -1.136871, -0.69314718, -0.55435526, -0.38687101, -0.126928,
      -0.00091146649}},
    {"selu", {-1.7258987, -1.3658143, -0.92763197, 0, 0.31521031, 0.78802574, 2.101402, 7.354907}},
    {"squareplus", {0.23606801, 0.5, 0.69300044, 1, 1.1611874, 1.4430004, 2.4142137, 7.1400547}},
    {"sparse_sigmoid", {0, 0, 0.125, 0.5, 0.64999998, 0.875, 1, 1}},
    {"gelu", {-0.00012668503, -0.10021083, -0.16997053, 0, 0.18537343, 0.58002949, 1.9544997, 7}},
    {"hard_silu", {-0, -0.375, -0.28125, 0, 0.16500001, 0.46875, 1.6666667, 7}},
    {"relu6", {0, 0, 0, 0, 0.30000001, 0.75, 2, 6}},
    {"leaky_relu", {-0.80000001, -0.30000001, -0.15000001, 0, 0.30000001, 0.75, 2, 7}},
    {"linear", {-4, -1.5, -0.75, 0, 0.30000001, 0.75, 2, 7}},
    {"softmax",
     {0.010687074, 0.13019522, 0.27562323, 0.58349442, 0.0012188465, 0.0019115314, 0.0066718999,
      0.99019778}},
    {"swish",
     {-0.07194484, -0.27363831, -0.24061596, 0, 0.17233276, 0.50938404, 1.7615941, 6.9936228}},
    {"hard_swish", {-0, -0.375, -0.28125, 0, 0.16500001, 0.46875, 1.6666667, 7}},
};

TEST(Activations, EveryNameGivesKerassValues) {
  const Tensor x = Tensor::of<float>({-4, -1.5, -0.75, 0, 0.3, 0.75, 2, 7}, {2, 4});
  for (const auto& [name, expected] : kExpected) {
    const std::vector<double> y = ActivationFunction(name)(x).to_doubles();
    ASSERT_EQ(y.size(), expected.size()) << name;
    for (size_t i = 0; i < y.size(); ++i) {
      EXPECT_NEAR(y[i], expected[i], 2e-6 * std::max(1.0, std::abs(expected[i])))
          << name << ", element " << i;
    }
  }
}

TEST(Activations, FieldTypeTakesNamesAndFunctions) {
  EXPECT_FALSE(ActivationFunction().given());
  EXPECT_EQ(ActivationFunction().name(), "linear");
  // As keras.activations.serialize(keras.activations.get("swish")).
  EXPECT_EQ(ActivationFunction("swish").name(), "silu");
  EXPECT_EQ(ActivationFunction("hard_swish").name(), "hard_silu");
  EXPECT_THROW(ActivationFunction("no_such"), ValueError);
  const Dense doubled(2, {.activation = [](const Tensor& x) { return x + x; }});
  const Tensor one = Tensor::full(DType::float32, {1}, 1);
  const ActivationFunction f = [](const Tensor& x) { return x + x; };
  EXPECT_EQ(f(one).item(), 2);
  activations::register_activation("tests>triple", [](const Tensor& x) { return x + x + x; });
  EXPECT_EQ(ActivationFunction("tests>triple")(one).item(), 3);
}

TEST(Activations, FunctionsOfKerasHaveTheirNames) {
  // As keras.activations.serialize(keras.activations.gelu).
  const ActivationFunction gelu = activations::gelu;
  EXPECT_EQ(gelu.name(), "gelu");
  EXPECT_EQ(ActivationFunction(activations::swish).name(), "silu");
  EXPECT_EQ(ActivationFunction(activations::softmax).name(), "softmax");
  EXPECT_EQ(ActivationFunction(activations::relu).name(), "relu");
  EXPECT_EQ(ActivationFunction(ops::tanh).name(), "tanh");
  EXPECT_EQ(ActivationFunction(ops::log_softmax).name(), "log_softmax");
  const Tensor x = Tensor::of<float>({-1.5, 0.3});
  EXPECT_EQ(gelu(x).to_doubles(), activations::gelu(x).to_doubles());
  EXPECT_EQ(Dense(2, {.activation = activations::leaky_relu}).get_config()["activation"],
            "leaky_relu");
  EXPECT_EQ(ActivationFunction(ops::square).name(), "function");
  // Its default is another than the activation's.
  EXPECT_THROW(ActivationFunction{ops::gelu}, ValueError);
}

TEST(Activations, ParametersOfRelu) {
  const Tensor x = Tensor::of<float>({-2, 0.2, 1, 9});
  EXPECT_EQ(activations::relu(x, 0, 6).to_doubles(), (std::vector<double>{0, 0.2F, 1, 6}));
  EXPECT_EQ(activations::relu(x, 0.5).to_doubles(), (std::vector<double>{-1, 0.2F, 1, 9}));
  EXPECT_EQ(activations::relu(x, 0, -1, 0.5).to_doubles(), (std::vector<double>{0, 0, 1, 9}));
  EXPECT_THROW(activations::glu(Tensor::zeros(DType::float32, {3})), ValueError);
}

// Figures of Keras 3.15.1: a value at the threshold is not above it.
TEST(Relu, IsZeroAtItsThreshold) {
  const Tensor x = {0.5, 1.0, 1.5};
  EXPECT_EQ(activations::relu(x, 0, -1, 1).to_doubles(), (std::vector<double>{0, 0, 1.5}));
  EXPECT_EQ(activations::relu(x, 0.5, -1, 1).to_doubles(), (std::vector<double>{-0.25, 0, 1.5}));
}

}  // namespace
}  // namespace antler
