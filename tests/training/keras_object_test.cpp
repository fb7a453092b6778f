#include "antler/training/keras_object.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/nn/layers.h"
#include "antler/nn/losses.h"
#include "antler/nn/metrics.h"
#include "antler/nn/optimizers.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/training/saving.h"
#include "antler/training/sequential.h"

namespace antler {
namespace {

template <class T>
T object_of(const Json& config) {
  const KerasObject object = deserialize_keras_object(config);
  EXPECT_TRUE(std::holds_alternative<T>(object)) << config.dump();
  return std::get<T>(object);
}

TEST(KerasObjects, ComeBackAsWhatTheyWere) {
  const Json dense = serialize_keras_object(Dense(3, {.activation = "relu", .name = "d"}));
  EXPECT_EQ(dense["module"], "keras.layers");
  EXPECT_EQ(serialize_keras_object(*object_of<LayerPtr>(dense)), dense);
  const Json model = serialize_keras_object(Sequential({Input({4}), Dense(2)}, "s"));
  EXPECT_EQ(serialize_keras_object(*object_of<LayerPtr>(model)), model);
  const Json loss = serialize_keras_object(losses::Huber({.delta = 2}));
  EXPECT_EQ(serialize_keras_object(object_of<Loss>(loss)), loss);
  // One class name in two modules.
  const Json metric = serialize_keras_object(metrics::Poisson());
  EXPECT_EQ(object_of<MetricPtr>(metric)->class_name(), "Poisson");
  EXPECT_EQ(object_of<Loss>(serialize_keras_object(losses::Poisson())).name(), "poisson");
  const Json optimizer = serialize_keras_object(optimizers::Adam({.learning_rate = 0.5}));
  EXPECT_EQ(serialize_keras_object(*object_of<OptimizerPtr>(optimizer)), optimizer);
  const Json schedule = serialize_keras_object(optimizers::schedules::CosineDecay(0.1, 10));
  EXPECT_EQ(schedule["module"], "keras.optimizers.schedules");
  EXPECT_EQ(serialize_keras_object(object_of<LearningRateSchedule>(schedule)), schedule);
  const Json initializer = serialize_keras_object(Initializer(initializers::Constant(2)));
  EXPECT_EQ(serialize_keras_object(object_of<Initializer>(initializer)), initializer);
  const Json regularizer = serialize_keras_object(Regularizer(regularizers::L2(0.5)));
  EXPECT_EQ(serialize_keras_object(object_of<Regularizer>(regularizer)), regularizer);
  const Json constraint = serialize_keras_object(Constraint(constraints::MaxNorm()));
  EXPECT_EQ(serialize_keras_object(object_of<Constraint>(constraint)), constraint);
  const Json policy = serialize_keras_object(DTypePolicy("mixed_float16"));
  EXPECT_EQ(object_of<DTypePolicy>(policy).name, "mixed_float16");
  // As keras.saving.serialize_keras_object(keras.activations.relu).
  const Json relu = serialize_keras_object(ActivationFunction("relu"));
  EXPECT_EQ(relu, Json::parse(R"({"module":"builtins","class_name":"function","config":"relu",
                                  "registered_name":"function"})"));
  EXPECT_EQ(object_of<ActivationFunction>(relu).name(), "relu");
  EXPECT_TRUE(std::holds_alternative<std::monostate>(deserialize_keras_object(nullptr)));
}

TEST(KerasObjects, ThatAreNotKnown) {
  const auto object = [](const char* module, const char* name) {
    return Json{{"module", module}, {"class_name", name}, {"config", Json::object()}};
  };
  EXPECT_THROW(deserialize_keras_object({{"config", 1}}), TypeError);
  EXPECT_THROW(deserialize_keras_object(Json{{"class_name", "Dense"}, {"config", {{"units", 2}}}}),
               TypeError);
  EXPECT_THROW(deserialize_keras_object(object("keras.nope", "Nope")), TypeError);
  EXPECT_THROW(deserialize_keras_object(object("keras.layers", "Nope")), ValueError);
  for (const char* python : {"JaxLayer", "FlaxLayer", "TorchModuleWrapper"}) {
    try {
      deserialize_keras_object(object("keras.layers", python));
      FAIL() << python;
    } catch (const ValueError& error) {
      EXPECT_NE(std::string(error.what()).find("Python code"), std::string::npos) << error.what();
    }
  }
}

/// A class of the user's own.
class Twice : public LayerBase<Twice> {
 public:
  Twice() : LayerBase("Twice") {}
  Tensor call(const Tensor& x, const CallOptions&) override { return x + x; }
  static Twice from_config(const Json&) { return {}; }
};

TEST(RegisteredNames, OfACustomClass) {
  EXPECT_EQ(get_registered_name(Twice()), "Twice");
  EXPECT_FALSE(get_registered_object("Twice"));
  const CustomObjects given = {{"Twice", [](const Json&) { return Twice().share(); }}};
  EXPECT_TRUE(get_registered_object("Twice", given));
  {
    const custom_object_scope scope(given);
    EXPECT_EQ(get_custom_objects().front().first, "Twice");
  }
  register_keras_serializable<Twice>("tests");
  EXPECT_EQ(get_registered_name(Twice()), "tests>Twice");
  EXPECT_TRUE(get_registered_object("tests>Twice"));
  const Json config = serialize_keras_object(Twice());
  EXPECT_EQ(config["registered_name"], "tests>Twice");
  EXPECT_EQ(object_of<LayerPtr>(config)->class_name(), "Twice");
}

TEST(KerasUtils, PlaceholdersAndDtypes) {
  const Tensor a = Input({3});
  const Tensor b = Input({3});
  const Tensor sum = Add()({Dense(3)(a), Dense(3)(b)});
  EXPECT_TRUE(is_keras_tensor(sum));
  EXPECT_FALSE(is_keras_tensor(Tensor(1.0)));
  EXPECT_EQ(get_source_inputs(sum).size(), 2U);
  EXPECT_EQ(get_source_inputs(a).size(), 1U);
  EXPECT_THROW(get_source_inputs(Tensor(1.0)), TypeError);
  EXPECT_EQ(standardize_dtype("int"), "int64");
  EXPECT_EQ(standardize_dtype("bfloat16"), "bfloat16");
  EXPECT_EQ(standardize_dtype("string"), "string");
  EXPECT_THROW(standardize_dtype("float"), ValueError);
  EXPECT_THROW(model_from_yaml("a"), RuntimeError);
}

}  // namespace
}  // namespace antler
