// Every layer of tests/data/layer_calls.json: the general check, then Keras's figures.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "antler/nn/random_seed.h"
#include "antler/nn/registry.h"
#include "nn/layers/layer_harness.h"
#include "nn/layers/preprocessing_cases.h"

namespace antler::test {
namespace {

class KerasCalls : public testing::TestWithParam<KerasCase> {};

TEST_P(KerasCalls, LayerIsSound) {
  const KerasCase& c = GetParam();
  set_random_seed(
      1);  // the weights, and with them the error of differences, are the same each time
  check_layer(layer_from_config(c.class_name, c.config), c.inputs, c.check);
}

TEST_P(KerasCalls, ValuesAndGradients) { check_against_keras(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Layers, KerasCalls, testing::ValuesIn(keras_cases()),
                         [](const auto& info) { return info.param.id; });

TEST(KerasCallsList, EveryRegisteredLayerHasACase) {
  const std::vector<KerasCase> cases = keras_cases();
  std::set<std::string> elsewhere;
  for (const PreprocessingCase& c : preprocessing_cases()) elsewhere.insert(c.class_name);
  for (const std::string& name : registered_layers()) {
    if (name == "InputLayer") continue;         // computes nothing
    if (name.starts_with("Dynamic")) continue;  // learn while they are called
    if (name == "DenseFeatures" || name == "SequenceFeatures") continue;  // take dictionaries
    if (name == "Lambda") continue;                     // does what its function does
    if (name.find('>') != std::string::npos) continue;  // a class of another test
    if (has_sequence_case(name)) continue;
    if (elsewhere.contains(name)) continue;
    EXPECT_TRUE(std::any_of(cases.begin(), cases.end(), [&](const KerasCase& c) {
      return c.class_name == name;
    })) << name;
  }
}

}  // namespace
}  // namespace antler::test
