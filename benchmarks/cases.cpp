#include "cases.h"

#include <array>

namespace antler::bench {
namespace {

Model dense_stack(const std::vector<int64_t>& widths) {
  const Tensor inputs = Input({widths[0]});
  Tensor x = inputs;
  for (size_t i = 1; i + 1 < widths.size(); ++i) x = Dense(widths[i], {.activation = "relu"})(x);
  return Model(inputs, Dense(widths.back())(x));
}

Model mlp() { return dense_stack({784, 512, 512, 10}); }
Model mlp_tiny() { return dense_stack({784, 64, 64, 10}); }

Model layers100() {
  std::vector<int64_t> widths(101, 8);
  widths.push_back(10);
  return dense_stack(widths);
}

Model cnn() {
  const Tensor inputs = Input({28, 28, 1});
  Tensor x = Conv2D(32, {3, 3}, {.activation = "relu"})(inputs);
  x = MaxPooling2D({.pool_size = {2, 2}})(x);
  x = Conv2D(64, {3, 3}, {.activation = "relu"})(x);
  x = MaxPooling2D({.pool_size = {2, 2}})(x);
  x = Dropout(0.5)(Flatten()(x));
  return Model(inputs, Dense(10)(x));
}

OptimizerSpec adam() { return optimizers::Adam({.learning_rate = 1e-3}); }
OptimizerSpec sgd() { return optimizers::SGD({.learning_rate = 1e-2}); }

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"mlp", 64, 920, 20, mlp, adam, {784}},
      {"mlp128", 128, 460, 20, mlp, adam, {784}},
      {"mlp_tiny", 64, 920, 20, mlp_tiny, sgd, {784}},
      {"cnn", 128, 100, 20, cnn, adam, {28, 28, 1}},
      {"layers100", 1, 1000, 100, layers100, sgd, {8}},
  };
  return all;
}

}  // namespace

const Case* find_case(const std::string& name) {
  for (const Case& c : cases()) {
    if (c.name == name) return &c;
  }
  return nullptr;
}

std::vector<std::string> case_names() {
  std::vector<std::string> names = {"walkthrough"};
  for (const Case& c : cases()) names.push_back(c.name);
  return names;
}

Data make_data(const Case& c, int64_t samples) {
  Shape shape = c.sample;
  std::vector<int64_t> dims = {samples};
  dims.insert(dims.end(), shape.begin(), shape.end());
  Data data{Tensor::empty(DType::float32, Shape(dims)), Tensor::empty(DType::int32, {samples})};
  uint64_t state = 1234;
  const auto next = [&state] {  // a 64-bit linear congruential generator, upper half
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<uint32_t>(state >> 32);
  };
  float* x = data.x.mutable_data<float>();
  for (int64_t i = 0; i < data.x.size(); ++i) x[i] = static_cast<float>(next() >> 8) * 0x1p-24F;
  int32_t* y = data.y.mutable_data<int32_t>();
  for (int64_t i = 0; i < samples; ++i) y[i] = static_cast<int32_t>(next() % 10);
  return data;
}

}  // namespace antler::bench
