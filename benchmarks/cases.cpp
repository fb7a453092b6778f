#include "cases.h"

#include <algorithm>

#include "estimators.h"
#include "models.h"

namespace antler::bench {
namespace {

OptimizerSpec adam() { return optimizers::Adam({.learning_rate = 1e-3}); }
OptimizerSpec sgd() { return optimizers::SGD({.learning_rate = 1e-2}); }
OptimizerSpec momentum() { return optimizers::SGD({.learning_rate = 1e-2, .momentum = 0.9}); }

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"mlp", 64, 920, 20, mlp, adam, {784}},
      {"mlp128", 128, 460, 20, mlp, adam, {784}},
      {"mlp_tiny", 64, 920, 20, mlp_tiny, sgd, {784}},
      {"cnn", 128, 100, 20, cnn, adam, {28, 28, 1}},
      {"resnet20", 128, 20, 20, resnet20, momentum, {32, 32, 3}},
      {"lstm", 32, 20, 20, lstm, adam, {200}, Task::classify_sequence, 20000},
      {"gpt1", 32, 10, 10, gpt1, adam, {80}, Task::predict_tokens, 20000},
      {"gpt4", 32, 10, 10, gpt4, adam, {128}, Task::predict_tokens, 8000},
      {"layers100", 1, 1000, 100, layers100, sgd, {8}},
  };
  return all;
}

/// The upper half of a 64-bit linear congruential generator.
class Numbers {
 public:
  uint32_t next() {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<uint32_t>(state_ >> 32);
  }
  Tensor integers(const Shape& shape, int64_t end) {
    Tensor out = Tensor::empty(DType::int32, shape);
    auto* values = out.mutable_data<int32_t>();
    std::generate_n(values, out.size(),
                    [&] { return static_cast<int32_t>(next() % static_cast<uint32_t>(end)); });
    return out;
  }
  Tensor uniform(const Shape& shape) {
    Tensor out = Tensor::empty(DType::float32, shape);
    std::generate_n(out.mutable_data<float>(), out.size(),
                    [&] { return static_cast<float>(next() >> 8) * 0x1p-24F; });
    return out;
  }

 private:
  uint64_t state_ = 1234;
};

}  // namespace

const Case* find_case(const std::string& name) {
  for (const Case& c : cases()) {
    if (c.name == name) return &c;
  }
  return nullptr;
}

std::vector<std::string> case_names() {
  std::vector<std::string> names = {"walkthrough", "predict", "limits", "all_reduce",
                                    "coordinator"};
  for (const Case& c : cases()) names.push_back(c.name);
  for (const std::string& name : estimator_case_names()) names.push_back(name);
  return names;
}

CompileArguments compile_arguments(const Case& c) {
  CompileArguments options;
  options.optimizer = c.optimizer();
  if (c.task == Task::classify_sequence) {
    options.loss = "binary_crossentropy";
  } else {
    options.loss = losses::SparseCategoricalCrossentropy({.from_logits = true});
  }
  if (c.task != Task::predict_tokens) options.metrics = {"accuracy"};
  return options;
}

Data make_data(const Case& c, int64_t samples) {
  std::vector<int64_t> dims = {samples};
  dims.insert(dims.end(), c.sample.begin(), c.sample.end());
  Numbers numbers;
  const Shape shape(dims);
  const Tensor x =
      c.vocabulary > 0 ? numbers.integers(shape, c.vocabulary) : numbers.uniform(shape);
  switch (c.task) {
    case Task::predict_tokens:
      return {x, numbers.integers(shape, c.vocabulary)};
    case Task::classify_sequence:
      return {x, ops::cast(numbers.integers({samples, 1}, 2), DType::float32)};
    case Task::classify:
      break;
  }
  return {x, numbers.integers({samples}, 10)};
}

}  // namespace antler::bench
