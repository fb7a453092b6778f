#pragma once

#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/nn/layer.h"

/// How layers are tested: one check of a layer, and a table of cases that Keras computed.
namespace antler::test {

/// Expectations for one layer, in addition to those for all layers.
struct LayerCheck {
  std::vector<std::pair<std::string, Shape>> weights = {};  ///< names and shapes, in order
  Shape output_shape = {};                                  ///< for the given inputs
  bool deterministic = true;                                ///< two calls give the same values
  bool half = true;                                         ///< works under mixed_bfloat16
};

/// Checks a fresh layer on inputs:
///  - the configuration makes an equal layer, and unknown keys are refused;
///  - on placeholders without a batch size, it gives shape and dtype of the real output;
///  - a functional graph of it, a traced call and a compiled one give the result of a direct call;
///  - a layer made from its configuration and its saved weights gives the same;
///  - the gradient along a direction equals a difference quotient in float64;
///  - weights have these names and shapes, and paths below the layer's name;
///  - every trainable weight has a finite gradient;
///  - under mixed_bfloat16 the output is bfloat16 and the weights are float32.
void check_layer(const LayerPtr& layer, const Tensors& inputs, const LayerCheck& check);

/// One call that Keras computed; see tools/layer_calls.py.
struct KerasCase {
  std::string id;
  std::string class_name;
  Json config;
  Tensors inputs;
  bool training = false;
  Tensor mask;  ///< undefined: none
  LayerCheck check;
  std::vector<double> output;
  std::vector<std::vector<double>> state;      ///< non-trainable variables after the call
  std::vector<std::vector<double>> gradients;  ///< by trainable weights, then by inputs
};
/// How GoogleTest prints a case.
void PrintTo(const KerasCase& c, std::ostream* out);
/// The cases of tests/data/layer_calls.json.
std::vector<KerasCase> keras_cases();
/// Whether tests/data/sequence_layer_calls.json has a layer of this class, perhaps in another.
bool has_sequence_case(const std::string& class_name);
/// Compares the layer of a case with Keras: configuration, output, state, gradients.
void check_against_keras(const KerasCase& c);

/// The input number `index` of such a case.
Tensor keras_input(size_t index, const Shape& shape, DType dtype);
/// The weight number `index` of such a case.
Tensor keras_weight(size_t index, const Shape& shape, bool variance);

}  // namespace antler::test
