#include "antler/training/saving.h"

#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/base/logging.h"
#include "antler/io/hdf5.h"
#include "antler/io/zip.h"
#include "antler/nn/layers.h"
#include "antler/nn/layers/input.h"
#include "antler/nn/metrics.h"
#include "antler/nn/optimizers.h"
#include "antler/nn/registry.h"
#include "antler/ops/ops.h"
#include "antler/training/sequential.h"
#include "saving/match.h"

namespace antler {
namespace {

namespace fs = std::filesystem;

class Saving : public testing::Test {
 protected:
  Saving()
      : folder_(fs::temp_directory_path() /
                (std::string("antler_saving_") +
                 testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~Saving() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

 private:
  fs::path folder_;
};

Tensor scaled_ramp(const Shape& shape, double scale = 0.1) {
  std::vector<float> values(static_cast<size_t>(shape.num_elements()));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(scale * static_cast<double>(i % 13) - 0.5);
  }
  return Tensor::of(values, shape);
}

void expect_equal(const Nest& a, const Nest& b) {
  ASSERT_EQ(a.structure(), b.structure());
  const Tensors x = a.flatten();
  const Tensors y = b.flatten();
  for (size_t i = 0; i < x.size(); ++i) EXPECT_EQ(x[i].to_doubles(), y[i].to_doubles());
}

Sequential small() {
  return Sequential({Input({4}), Dense(5, {.activation = "relu", .name = "hidden"}),
                     BatchNormalization(), Dropout(0.25), Dense(2, {.name = "out"})},
                    "small");
}

TEST_F(Saving, SequentialRoundTrip) {
  Sequential model = small();
  model.save(path("m.keras"));
  Model loaded = load_model(path("m.keras"));
  EXPECT_EQ(loaded.name(), "small");
  EXPECT_EQ(loaded.class_name(), "Sequential");
  EXPECT_EQ(loaded.get_config(), model.get_config());
  expect_equal(loaded(scaled_ramp({3, 4})), model(scaled_ramp({3, 4})));
  // Written again, it is the same.
  loaded.save(path("again.keras"));
  EXPECT_EQ(io::ZipReader::open(path("again.keras")).read("config.json"),
            io::ZipReader::open(path("m.keras")).read("config.json"));
}

/// As Keras has it: without it, Keras builds the layers only when the model is called.
TEST_F(Saving, LayersOfASequentialKnowTheShapesTheyWereBuiltWith) {
  const Json layers = small().get_config()["layers"];
  ASSERT_GE(layers.size(), 2U);
  EXPECT_FALSE(layers[0].contains("build_config")) << layers[0];
  EXPECT_EQ(layers[1]["build_config"], Json::parse(R"({"input_shape": [null, 4]})"));
  const Json later = Sequential({Dense(3)}).get_config()["layers"];
  EXPECT_FALSE(later.at(0).contains("build_config")) << later;
}

/// Two inputs, a layer that is called twice, a model inside of the model, a dictionary of outputs.
Model complicated() {
  const Tensor a = Input({4}, {.name = "a"});
  const Tensor b = Input({4}, {.name = "b"});
  Dense shared(3, {.activation = "tanh", .name = "shared"});
  const Tensor inner_in = Input({3}, {.name = "inner_in"});
  Model inner(inner_in, Dense(3, {.name = "inside"})(inner_in), "inner");
  const Tensor left = shared(a);
  const Tensor right = shared(b);
  const Tensor sum = Add({.name = "sum"})({inner(left), inner(right)});
  return Model({a, b}, Nest::dict({{"y", Dense(1, {.name = "y"})(sum)}, {"left", left}}),
               "complicated");
}

TEST_F(Saving, FunctionalGraphRoundTrip) {
  Model model = complicated();
  model.save(path("m.keras"));
  Model loaded = load_model(path("m.keras"));
  EXPECT_EQ(loaded.get_config(), model.get_config());
  const Nest x = {scaled_ramp({2, 4}), scaled_ramp({2, 4}, 0.3)};
  expect_equal(loaded(x), model(x));
  EXPECT_EQ(loaded.weights().size(), 6U);
}

TEST_F(Saving, ArchitectureAlone) {
  Model model = complicated();
  Model made = model_from_json(model.to_json());
  EXPECT_EQ(made.get_config(), model.get_config());
  made.set_weights(model.get_weights());
  const Nest x = {scaled_ramp({2, 4}), scaled_ramp({2, 4}, 0.3)};
  expect_equal(made(x), model(x));
  EXPECT_THROW(model_from_json("{"), ValueError);
  Model clone = clone_model(model);
  EXPECT_FALSE(clone.weights()[0] == model.weights()[0]);
}

TEST_F(Saving, ACallWithTrainingFalseIsKept) {
  const Tensor x = Input({4});
  const Tensor frozen = BatchNormalization({.name = "frozen"})(x, {.training = false});
  Model model(x, Dense(1)(frozen));
  for (Model m : {model, model_from_json(model.to_json())}) {
    m.compile("sgd", "mse");
    m.fit(scaled_ramp({8, 4}, 3), scaled_ramp({8, 1}), {.verbose = 0});
    EXPECT_EQ(m.get_layer("frozen")->get_weights()[2].to_doubles(), std::vector<double>(4, 0.0));
  }
}

/// Keras 3 writes the default of Dropout's call, false, where nobody gave a value.
TEST_F(Saving, ADefaultOfTrainingThatKerasWritesDoesNotSwitchDropoutOff) {
  const Tensor x = Input({64});
  Model model(x, Dropout(0.5)(x, {.training = false}));
  ASSERT_NE(model.to_json().find("\"training\":false"), std::string::npos) << model.to_json();
  Model loaded = model_from_json(model.to_json());
  const Tensor ones = ops::ones({1, 64});
  EXPECT_NE(loaded(ones, {.training = true}).to_doubles(), ones.to_doubles());
  EXPECT_EQ(loaded(ones, {.training = false}).to_doubles(), ones.to_doubles());
}

TEST_F(Saving, WeightsGoByOrderNotByName) {
  Sequential model = small();
  model.save_weights(path("w.weights.h5"));
  Sequential renamed({Input({4}), Dense(5, {.activation = "relu"}), BatchNormalization(),
                      Dropout(0.25), Dense(2)});
  renamed.load_weights(path("w.weights.h5"));
  expect_equal(renamed(scaled_ramp({3, 4})), model(scaled_ramp({3, 4})));
}

TEST_F(Saving, WeightsThatDoNotFitChangeNothing) {
  Sequential model = small();
  model.save_weights(path("w.weights.h5"));
  Sequential wider({Input({4}), Dense(5), BatchNormalization(), Dense(7, {.name = "wide"})});
  const Tensors before = wider.get_weights();
  try {
    wider.load_weights(path("w.weights.h5"));
    FAIL() << "no exception";
  } catch (const ValueError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("wide"), std::string::npos) << text;
    EXPECT_NE(text.find("(5, 7)"), std::string::npos) << text;
  }
  const Tensors after = wider.get_weights();
  for (size_t i = 0; i < before.size(); ++i)
    EXPECT_EQ(before[i].to_doubles(), after[i].to_doubles());
  wider.load_weights(path("w.weights.h5"), {.skip_mismatch = true});
  EXPECT_EQ(wider.get_weights()[0].to_doubles(), model.get_weights()[0].to_doubles());
}

TEST_F(Saving, AnOptimizerBeforeItsFirstStepHasNoSlots) {
  const Variable kernel(Tensor::zeros(DType::float32, {2, 3}));
  optimizers::Adam adam;
  adam.build({kernel});
  testing::internal::CaptureStderr();
  saving::load_optimizer_state(
      adam, {Tensor::full(DType::int64, {}, 0), Tensor::full(DType::float32, {}, 0.25)});
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(adam.learning_rate().item(), 0.25);
  // With steps made, slots are missing.
  testing::internal::CaptureStderr();
  saving::load_optimizer_state(
      adam, {Tensor::full(DType::int64, {}, 3), Tensor::full(DType::float32, {}, 0.5)});
  EXPECT_NE(testing::internal::GetCapturedStderr().find("received 2 variables"), std::string::npos);
  EXPECT_EQ(adam.learning_rate().item(), 0.25);
}

TEST_F(Saving, TrainingGoesOnWhereItWas) {
  const Tensor x = scaled_ramp({16, 4});
  const Tensor y = scaled_ramp({16, 2}, 0.2);
  const auto make = [] {
    return Sequential({Input({4}), Dense(3, {.activation = "tanh"}), Dense(2)});
  };
  Sequential straight = make();
  straight.save_weights(path("start.weights.h5"));
  Sequential first = make();
  first.load_weights(path("start.weights.h5"));
  for (Sequential* model : {&straight, &first}) {
    model->compile({.optimizer = optimizers::Adam({.learning_rate = 0.01}),
                    .loss = "mse",
                    .metrics = {"mae"}});
  }
  FitOptions options;
  options.verbose = 0;
  options.shuffle = false;
  options.epochs = 2;
  first.fit(x, y, options);
  first.save(path("half.keras"));
  Model second = load_model(path("half.keras"));
  EXPECT_TRUE(second.compiled());
  EXPECT_EQ(second.optimizer().iterations().stored().item(), 2);
  second.fit(x, y, options);
  EXPECT_TRUE(second.history().history.contains("mae"));
  options.epochs = 4;
  straight.fit(x, y, options);
  const Tensors a = straight.get_weights();
  const Tensors b = second.get_weights();
  for (size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a[i].to_doubles(), b[i].to_doubles());
  EXPECT_FALSE(load_model(path("half.keras"), {.compile = false}).compiled());
}

class Scaled : public LayerBase<Scaled> {
 public:
  explicit Scaled(double factor, const LayerOptions& options = {})
      : LayerBase("Scaled", options), factor_(factor) {}
  Tensor call(const Tensor& x, const CallOptions&) override { return x * factor_; }
  Json get_config() const override {
    Json config = Layer::get_config();
    config["factor"] = factor_;
    return config;
  }

 private:
  double factor_;
};

TEST_F(Saving, MetricObjectsOfSeveralOutputsKeepTheirNames) {
  const Tensor input = Input({2});
  const auto out = [&](const char* name) { return Dense(1, {.name = name})(input); };
  Model model(input, {out("a"), out("b")});
  model.compile({.optimizer = "sgd",
                 .loss = "mse",
                 .metrics = {{metrics::MeanAbsoluteError()}, {metrics::MeanAbsoluteError()}}});
  const Tensor x = ops::ones({4, 2});
  const Tensor y = ops::ones({4, 1});
  const Logs before = model.evaluate(x, {y, y}, {.verbose = 0});
  model.save(path("model.keras"));
  const Logs after = load_model(path("model.keras")).evaluate(x, {y, y}, {.verbose = 0});
  std::vector<std::string> names;
  std::vector<std::string> loaded;
  for (const auto& [name, value] : before) names.push_back(name);
  for (const auto& [name, value] : after) loaded.push_back(name);
  EXPECT_EQ(loaded, names);
}

TEST_F(Saving, ClassesOfYourOwn) {
  Sequential model({Input({4}), Scaled(3, {.name = "scaled"}), Dense(2)});
  model.save(path("m.keras"));
  EXPECT_THROW(load_model(path("m.keras")), TypeError);
  const LayerFactory make = [](const Json& config) {
    return Scaled(config.at("factor").get<double>(), {.name = config.at("name").get<std::string>()})
        .share();
  };
  Model loaded = load_model(path("m.keras"), {.custom_objects = {{"Scaled", make}}});
  expect_equal(loaded(scaled_ramp({3, 4})), model(scaled_ramp({3, 4})));
  EXPECT_THROW(load_model(path("m.keras")), TypeError);  // known for that one call
}

Tensor double_error(const Tensor& y_true, const Tensor& y_pred) {
  return 2.0 * ops::mean(ops::abs(y_true - y_pred), -1);
}

// As Keras writes the compile arguments of a model whose loss and metric are functions.
TEST_F(Saving, FunctionsOfYourOwn) {
  const Json function = {{"module", "builtins"},
                         {"class_name", "function"},
                         {"config", "double_error"},
                         {"registered_name", "function"}};
  const Json config = {{"optimizer", "sgd"}, {"loss", function}, {"metrics", {function, "mae"}}};
  Sequential model({Input({4}), Dense(2)});
  const auto evaluate = [&] {
    return model.evaluate(scaled_ramp({3, 4}), ops::ones({3, 2}), kw::verbose = 0);
  };
  model.compile_from_config(config);
  EXPECT_THROW(evaluate(), ValueError);  // not known
  {
    const CustomObjectScope scope({{"double_error", double_error}});
    model.compile_from_config(config);
  }
  EXPECT_EQ(model.get_compile_config().at("loss"), "double_error");
  const HostLogs logs = evaluate();
  EXPECT_NEAR(logs.at("loss"), 2 * logs.at("mae"), 1e-6);
  EXPECT_NEAR(logs.at("double_error"), logs.at("loss"), 1e-6);
}

TEST_F(Saving, FilesThatAreNoModels) {
  EXPECT_THROW(load_model(path("none.keras")), ValueError);
  write_file_atomically(path("text.keras"), "hello");
  EXPECT_THROW(load_model(path("text.keras")), ValueError);
  io::save_zip(path("empty.keras"), {{"metadata.json", "{}"}});
  EXPECT_THROW(load_model(path("empty.keras")), ValueError);
  Sequential model = small();
  EXPECT_THROW(model.save(path("m.zip")), ValueError);
  EXPECT_THROW(model.save(path("nowhere/m.keras")), NotFoundError);
  EXPECT_THROW(model.save_weights(path("w.h5x")), ValueError);
  EXPECT_THROW(model.load_weights(path("w.weights.h5")), NotFoundError);
  model.save(path("m.keras"));
  EXPECT_THROW(model.save(path("m.keras"), {.overwrite = false}), ValueError);
  Sequential unbuilt({Dense(2)});
  EXPECT_THROW(unbuilt.save(path("u.keras")), ValueError);
}

TEST_F(Saving, DamagedWeightsAreRefused) {
  Sequential model = small();
  model.save(path("m.keras"));
  const io::ZipReader archive = io::ZipReader::open(path("m.keras"));
  const std::string weights = archive.read("model.weights.h5");
  io::save_zip(path("cut.keras"), {{"metadata.json", archive.read("metadata.json")},
                                   {"config.json", archive.read("config.json")},
                                   {"model.weights.h5", weights.substr(0, weights.size() / 2)}});
  EXPECT_THROW(load_model(path("cut.keras")), Error);
}

TEST_F(Saving, WholeModelInTheOlderHdf5Layout) {
  Model model = complicated();
  model.compile({.optimizer = "adam", .loss = "mse"});
  const Nest x = {scaled_ramp({2, 4}), scaled_ramp({2, 4}, 0.3)};
  FitOptions options;
  options.verbose = 0;
  model.fit(x, Nest::dict({{"y", scaled_ramp({2, 1})}, {"left", scaled_ramp({2, 3})}}), options);
  model.save(path("m.h5"));
  Model loaded = load_model(path("m.h5"));
  expect_equal(loaded(x), model(x));
  const Variables was = model.optimizer().variables();
  const Variables now = loaded.optimizer().variables();
  ASSERT_EQ(was.size(), now.size());
  for (size_t i = 0; i < was.size(); ++i) {
    EXPECT_EQ(was[i].stored().to_doubles(), now[i].stored().to_doubles()) << was[i].path();
  }
  // As tf_keras reads it: classes without modules, nodes as lists of [layer, node, tensor].
  const io::Hdf5Reader file = io::Hdf5Reader::open(path("m.h5"));
  const Json object = Json::parse(file.string_attribute("", "model_config").value());
  EXPECT_EQ(object["class_name"], "Functional");
  EXPECT_FALSE(object.contains("module"));
  const Json& shared = object["config"]["layers"].at(2);
  EXPECT_EQ(shared["class_name"], "Dense");
  EXPECT_EQ(shared["config"]["dtype"], "float32");
  // Its initializers refuse arguments that Keras 3 added.
  EXPECT_FALSE(shared["config"]["kernel_initializer"]["config"].contains("input_axes"));
  EXPECT_EQ(shared["inbound_nodes"], Json::parse(R"([[["a", 0, 0, {}]], [["b", 0, 0, {}]]])"));
  EXPECT_EQ(file.string_list_attribute("model_weights", "layer_names")->size(), 6U);
  EXPECT_EQ(Json::parse(file.string_attribute("", "training_config").value())["loss"],
            "mean_squared_error");
}

// Checked with Keras 3.15.1 and tf_keras 2.21: load_model(path, compile=False) of both gives the
// same predictions.
TEST_F(Saving, OlderHdf5LayoutHasModelsInModels) {
  Sequential left({Input({4}), Dense(3), BatchNormalization(), Dense(4)}, "left");
  const Tensor in = Input({4});
  Model right(in, Dense(4)(in), "right");
  const Tensor a = Input({4}, {.name = "a"});
  const Tensor b = Input({4}, {.name = "b"});
  const Tensor once = right(left(a));
  const Tensor sum = Add({.name = "sum"})(Nest({once, left(b)})).tensor();
  Model model(Nest({a, b}), Nest({sum, right(sum), left(once)}));
  model.save(path("m.h5"));
  const Nest x = {scaled_ramp({2, 4}), scaled_ramp({2, 4}, 0.3)};
  expect_equal(load_model(path("m.h5"))(x), model(x));
  // tf_keras counts an inner model's calls from 1, Keras 3 from 0: each stands there twice.
  const io::Hdf5Reader file = io::Hdf5Reader::open(path("m.h5"));
  const Json config = Json::parse(file.string_attribute("", "model_config").value())["config"];
  for (const Json& layer : config["layers"]) {
    if (layer["name"] == "left") {
      EXPECT_EQ(layer["inbound_nodes"],
                Json::parse(R"([[["a", 0, 0, {}]], [["a", 0, 0, {}]], [["b", 0, 0, {}]],
                                [["b", 0, 0, {}]], [["right", 1, 0, {}]], [["right", 1, 0, {}]]])"));
    }
    if (layer["name"] == "sum") {
      EXPECT_EQ(layer["inbound_nodes"],
                Json::parse(R"([[["right", 1, 0, {}], ["left", 3, 0, {}]]])"));
    }
  }
  EXPECT_EQ(config["output_layers"],
            Json::parse(R"([["sum", 0, 0], ["right", 3, 0], ["left", 5, 0]])"));
}

TEST_F(Saving, OlderHdf5LayoutHasTheOtherNameOfGroupQueryAttention) {
  const Tensor in = Input({6, 8});
  const Tensor out = GroupQueryAttention(4, 4, 2)({in, in});
  Model model(in, out);
  model.save(path("m.h5"));
  const io::Hdf5Reader file = io::Hdf5Reader::open(path("m.h5"));
  const Json object = Json::parse(file.string_attribute("", "model_config").value());
  EXPECT_EQ(object["config"]["layers"].at(1)["class_name"], "GroupedQueryAttention");
  expect_equal(load_model(path("m.h5"))(scaled_ramp({2, 6, 8})), model(scaled_ramp({2, 6, 8})));
  model.save(path("m.keras"));
  EXPECT_NE(
      io::ZipReader::open(path("m.keras")).read("config.json").find("\"GroupQueryAttention\""),
      std::string::npos);
}

TEST_F(Saving, OlderWeightsGoByNameWhereAsked) {
  Sequential model = small();
  model.save_weights(path("w.h5"));
  Sequential other({Input({4}), Dense(7, {.name = "first"}), Dense(7, {.name = "hidden"}),
                    Dense(3, {.name = "out"})});
  EXPECT_THROW(other.load_weights(path("w.h5")), ValueError);
  EXPECT_THROW(other.load_weights(path("w.h5"), {.by_name = true}), ValueError);
  const Tensors before = other.get_weights();
  other.load_weights(path("w.h5"), {.skip_mismatch = true, .by_name = true});
  const Tensors after = other.get_weights();
  for (size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(before[i].to_doubles(), after[i].to_doubles()) << i;
  }
  Sequential longer({Input({4}), Dense(5, {.name = "hidden"}), Dense(5, {.name = "new"}),
                     Dense(2, {.name = "out"})});
  longer.load_weights(path("w.h5"), {.by_name = true});
  EXPECT_EQ(longer.get_weights()[0].to_doubles(), model.get_weights()[0].to_doubles());
  EXPECT_EQ(longer.get_weights()[4].to_doubles(), model.get_weights()[6].to_doubles());
  model.save_weights(path("w.weights.h5"));
  EXPECT_THROW(longer.load_weights(path("w.weights.h5"), {.by_name = true}), ValueError);
}

TEST_F(Saving, RandomLayersGoOnWhereTheyWere) {
  Sequential model({Input({64}), Dropout(0.5), GaussianNoise(0.3)});
  const Tensor x = Tensor::full(DType::float32, {2, 64}, 1.0);
  model(x, {.training = true});
  model.save(path("m.keras"));
  model.save_weights(path("w.weights.h5"));
  Model loaded = load_model(path("m.keras"));
  Sequential again({Input({64}), Dropout(0.5), GaussianNoise(0.3)});
  again.load_weights(path("w.weights.h5"));
  const Nest expected = model(x, {.training = true});
  expect_equal(loaded(x, {.training = true}), expected);
  expect_equal(again(x, {.training = true}), expected);
}

TEST_F(Saving, OperationsOnPlaceholdersAreKerass) {
  const Tensor a = Input({4, 6}, {.name = "a"});
  const Tensor h = Dense(6, {.name = "h"})(a);
  const Tensor gate = ops::sigmoid(h * 2.0 - 0.5) / (1 + ops::exp(-h));
  const Tensor mixed = ops::where(ops::greater(gate, 0.3), ops::maximum(h, 0), ops::square(h));
  const Tensor both = ops::concatenate({mixed, ops::softmax(h)}, -1);
  const Tensor turned = ops::transpose(both, {0, 2, 1});
  const Tensor mean = ops::mean(both, {1});
  Model model(a, Dense(2, {.name = "y"})(ops::reshape(turned, {-1, 48}) *
                                         ops::tanh(ops::concatenate({mean, mean, mean, mean}, 1))));
  model.save(path("m.keras"));
  const Json config = Json::parse(io::ZipReader::open(path("m.keras")).read("config.json"));
  for (const Json& layer : config["config"]["layers"]) {
    if (layer["class_name"] == "Softmax") {
      EXPECT_EQ(layer["module"], "keras.src.ops.nn");
      EXPECT_EQ(layer["registered_name"], "Softmax");
    }
  }
  Model loaded = load_model(path("m.keras"));
  const Tensor x = scaled_ramp({3, 4, 6});
  const std::vector<double> expected = model(x).to_doubles();
  const std::vector<double> got = loaded(x).to_doubles();
  ASSERT_EQ(got.size(), expected.size());
  // A sum of products may be taken in another order.
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 1e-6);
  const Tensor ints = Input({4}, {.dtype = "int32"});
  Model shifted(ints, ops::left_shift(ints, 1));
  shifted.save(path("shifted.keras"));
  const Tensor numbers = Tensor::of<int32_t>({1, 2, 3, 4}, {1, 4});
  EXPECT_EQ(load_model(path("shifted.keras"))(numbers).to_doubles(),
            (std::vector<double>{2, 4, 6, 8}));
  const Tensor floats = Input({4});
  Model odd(floats, ops::digamma(floats));
  EXPECT_THROW(odd.save(path("odd.keras")), NotImplementedError);
}

/// As in Keras 3.15, operations are named after their classes and counted together with layers.
TEST_F(Saving, OperationsOnPlaceholdersAreNamedAsKerass) {
  clear_session();
  const Tensor x = Input({4}, {.name = "x"});
  const Tensor y = ops::where(ops::greater(x, 1), -(x * 2.0 - 0.5) / 3.0, ops::absolute(x));
  const Tensor z = Multiply()({y, ops::maximum(ops::flip(x, {1}), 0) * 2.0});
  Model model(x, ops::sum(z, {1}));
  const Json layers = model.get_config()["layers"];
  std::vector<std::string> names;
  for (const Json& layer : layers) names.push_back(layer["name"]);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"absolute", "flip", "greater", "maximum", "multiply",
                                             "multiply_1", "multiply_2", "negative", "subtract",
                                             "sum", "true_divide", "where", "x"}));
}

TEST_F(Saving, GroupsFollowTheTreeOfObjects) {
  Model model = complicated();
  model.save_weights(path("w.weights.h5"));
  const io::Hdf5Reader file = io::Hdf5Reader::open(path("w.weights.h5"));
  EXPECT_EQ(file.children("layers"),
            (std::vector<std::string>{"add", "dense", "dense_1", "functional", "input_layer",
                                      "input_layer_1"}));
  EXPECT_EQ(file.read("layers/functional/layers/dense/vars/0").shape(), Shape({3, 3}));
  EXPECT_EQ(file.string_attribute("layers/dense/vars", "name"), "shared");
}

TEST(CompileConfig, FunctionsAreFusedWhereKerasHadNoXla) {
  Sequential model({Input({3}), Dense(2)});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  Json config = model.get_compile_config();
  config["jit_compile"] = false;
  model.compile_from_config(config);
  EXPECT_TRUE(model.jit_compile());
}

TEST_F(Saving, LoadingAttentionDoesNotWarnOfItsProjections) {
  const Tensor x = Input({3, 4});
  const Nest y = MultiHeadAttention(2, 2)(Nest{x, x});
  const Tensor z = GroupQueryAttention(2, 4, 2)(Nest{x, x}).tensor();
  Model(x, Nest{y, Nest(z)}).save(path("attention.keras"));
  std::string warnings;
  logging::set_warning_sink([&](std::string_view text) { warnings += text; });
  load_model(path("attention.keras"));
  logging::set_warning_sink({});
  EXPECT_EQ(warnings, "");
}

}  // namespace
}  // namespace antler
