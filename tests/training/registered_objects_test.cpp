// Custom classes of every kind come back from configurations and files.
#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "antler/antler.h"

namespace antler {
namespace {

class Shift : public LayerBase<Shift> {
 public:
  explicit Shift(double by, const LayerOptions& options = {}) : LayerBase(options), by_(by) {}
  Tensor call(const Tensor& x) override { return x + by_; }
  Json get_config() const override {
    Json config = Layer::get_config();
    config["by"] = by_;
    return config;
  }
  static Shift from_config(const Json& config) {
    return Shift(config.at("by").get<double>(), {.name = config.at("name").get<std::string>()});
  }

 private:
  double by_;
};

class Quartic : public LossImpl {
 public:
  using LossImpl::LossImpl;
  Tensor call(const Tensor& y_true, const Tensor& y_pred) const override {
    return ops::mean(ops::square(ops::square(y_true - y_pred)), {-1});
  }
  static Quartic from_config(const Json& config) {
    return Quartic({.reduction = config.value("reduction", "sum_over_batch_size"),
                    .name = config.value("name", "quartic")});
  }
};

class LargestError : public MetricBase<LargestError> {
 public:
  explicit LargestError(const std::string& name = "largest_error")
      : MetricBase(name), largest_(add_variable("largest", {})) {}
  void update_state(const Tensor& y_true, const Tensor& y_pred, const Tensor&) override {
    largest_.assign(ops::maximum(largest_.value(), ops::max(ops::absolute(y_true - y_pred))));
  }
  Nest result() const override { return largest_.value(); }
  MetricPtr fresh() const override { return std::make_shared<LargestError>(name()); }
  static LargestError from_config(const Json& config) {
    return LargestError(config.value("name", "largest_error"));
  }

 private:
  Variable largest_;
};

class Halving : public LearningRateScheduleImpl {
 public:
  Tensor call(const Tensor& step) const override {
    return ops::power(Tensor(0.5), ops::cast(step, DType::float32)) * 0.1;
  }
  Json get_config() const override { return Json::object(); }
  static Halving from_config(const Json&) { return {}; }
};

class Ramp : public InitializerImpl {
 public:
  Tensor call(const Shape& shape, DType dtype) const override {
    return ops::cast(ops::reshape(ops::arange(shape.num_elements()), shape), dtype);
  }
  std::string class_name() const override { return "Ramp"; }
  Json get_config() const override { return Json::object(); }
  static Ramp from_config(const Json&) { return {}; }
};

class Cubic : public RegularizerImpl {
 public:
  Tensor call(const Tensor& x) const override { return ops::sum(ops::absolute(x * x * x)); }
  std::string class_name() const override { return "Cubic"; }
  Json get_config() const override { return Json::object(); }
  static Cubic from_config(const Json&) { return {}; }
};

class Ceiling : public ConstraintImpl {
 public:
  Tensor call(const Tensor& w) const override { return ops::minimum(w, 1.5); }
  std::string class_name() const override { return "Ceiling"; }
  Json get_config() const override { return Json::object(); }
  static Ceiling from_config(const Json&) { return {}; }
};

void register_all() {
  static const bool once = [] {
    register_keras_serializable<Shift>("tests", "Shift");
    register_keras_serializable<Quartic>();
    register_keras_serializable<LargestError>();
    register_keras_serializable<Halving>();
    register_keras_serializable<Ramp>();
    register_keras_serializable<Cubic>();
    register_keras_serializable<Ceiling>();
    return true;
  }();
  (void)once;
}

TEST(RegisteredObjects, AreNamedByTheirPackage) {
  register_all();
  EXPECT_EQ(serialize_keras_object(Shift(1)).at("registered_name"), "tests>Shift");
  for (const Json& object :
       {serialize_keras_object(Loss(Quartic())), serialize_keras_object(Initializer(Ramp())),
        serialize_keras_object(Regularizer(Cubic())), serialize_keras_object(Constraint(Ceiling())),
        serialize_keras_object(LearningRateSchedule(Halving())),
        serialize_keras_object(LargestError())}) {
    EXPECT_TRUE(object.at("module").is_null()) << object;
    EXPECT_EQ(object.at("registered_name"), "Custom>" + object.at("class_name").get<std::string>());
    EXPECT_NO_THROW(deserialize_keras_object(object)) << object;
  }
}

TEST(RegisteredObjects, OfEachKindAreFoundByName) {
  register_all();
  EXPECT_EQ(losses::get("Quartic").impl().class_name(), "Quartic");
  EXPECT_EQ(metrics::get("LargestError")->class_name(), "LargestError");
  EXPECT_EQ(initializers::get("Ramp")({2, 2}).to_doubles(), (std::vector<double>{0, 1, 2, 3}));
  EXPECT_EQ(constraints::get("Ceiling")(Tensor(3.0)).item(), 1.5);
  EXPECT_EQ(regularizers::get("Custom>Cubic")(Tensor(2.0)).item(), 8);
  EXPECT_THROW(losses::get("Ramp"), ValueError);  // a class of another kind
}

TEST(RegisteredObjects, ComeBackFromAFile) {
  register_all();
  Sequential model({Input({2}),
                    Dense(3, {.kernel_initializer = Ramp(),
                              .kernel_regularizer = Cubic(),
                              .kernel_constraint = Ceiling()}),
                    Shift(0.5)});
  model.compile({.optimizer = optimizers::SGD({.learning_rate = Halving()}),
                 .loss = Quartic(),
                 .metrics = {LargestError()}});
  const Tensor x = Tensor::of<float>({1, 2, 3, 4}, {2, 2});
  const Tensor y = ops::ones({2, 3});
  model.fit(x, y, {.epochs = 1, .verbose = 0});
  const std::string path =
      (std::filesystem::temp_directory_path() / "antler_registered_objects.keras").string();
  model.save(path);
  Model loaded = load_model(path);
  EXPECT_EQ(loaded.predict(x).tensor().to_doubles(), model.predict(x).tensor().to_doubles());
  EXPECT_EQ(loaded.to_json(), model.to_json());
  const HostLogs before = model.evaluate(x, y, {.verbose = 0});
  const HostLogs after = loaded.evaluate(x, y, {.verbose = 0});
  EXPECT_EQ(after.at("loss"), before.at("loss"));
  EXPECT_EQ(after.at("largest_error"), before.at("largest_error"));
}

}  // namespace
}  // namespace antler
