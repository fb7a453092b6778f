// What somebody who knows Keras writes without having read a header: it compiles and runs at the
// first try. The names of both libraries are in scope, as in most first programs.
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "antler/antler.h"

using namespace std;     // NOLINT(google-build-using-namespace): that is the test
using namespace antler;  // NOLINT(google-build-using-namespace)

namespace {

TEST(FirstPrograms, NamesOfTheStandardLibraryStayUnambiguous) {
  EXPECT_DOUBLE_EQ(log(1.0), 0.0);
  function<double(double)> twice = [](double x) { return 2 * x; };
  const auto step = tf::function([](const Tensor& x, const Tensor& y) { return x + y; });
  EXPECT_EQ(float(step(Tensor(1.0), Tensor(2.0)).tensor()), 3.0F);
  const data::Dataset dataset = data::Dataset::range(3);
  EXPECT_EQ(twice(1), 2);
}

TEST(FirstPrograms, KeywordsInAnyOrder) {
  const Tensor x = random::normal({32, 4}, {.seed = 1});
  const Tensor y = ops::sum(x, 1, {.keepdims = true});
  Sequential model({Input({4}), Dense(1)});
  model.compile(kw::loss = "mse", kw::metrics = {"mae"}, kw::optimizer = optimizers::SGD(0.1));
  const History history = model.fit(
      x, y, kw::validation_data = {x, y}, kw::epochs = 2, kw::verbose = 0,
      kw::callbacks = {callbacks::EarlyStopping(string("val_loss"))}, kw::batch_size = 16);
  EXPECT_EQ(history.history.at("val_mae").size(), 2U);
  EXPECT_GT(model.evaluate(x, y, kw::verbose = 0).at("loss"), 0);
  EXPECT_EQ(model.predict(x, kw::batch_size = 8, kw::verbose = 0).shape(), Shape({32, 1}));
}

TEST(FirstPrograms, CompileByPosition) {
  Sequential model({Input({4}), Dense(1)});
  model.compile("sgd", "mse");
  EXPECT_EQ(model.optimizer().class_name(), "SGD");
  model.compile("adam", "mse", {.metrics = {"mae"}});
  EXPECT_EQ(model.optimizer().class_name(), "Adam");
  EXPECT_THROW(model.compile("adam", "mse", {.loss = "mae"}), TypeError);
}

TEST(FirstPrograms, PredictionsBoundToAReference) {
  Sequential model({Input({4}), Dense(1)});
  const Tensor& p = model.predict(ops::ones({3, 4}), {.verbose = 0});
  EXPECT_EQ(p.shape(), Shape({3, 1}));
  EXPECT_EQ(p.reshape({-1}).astype("int32").dtype(), DType::int32);
}

TEST(FirstPrograms, VectorsAsData) {
  const vector<string> texts = {"good movie", "bad movie", "great film", "awful film"};
  const vector<int> labels = {1, 0, 1, 0};
  layers::TextVectorization vectorize({.max_tokens = 100, .output_sequence_length = 4});
  vectorize.adapt(texts);
  Sequential model({Input({1}, {.dtype = "string"}), vectorize, Embedding(100, 8),
                    GlobalAveragePooling1D(), Dense(1, {.activation = "sigmoid"})});
  model.compile({.optimizer = "adam", .loss = "binary_crossentropy", .metrics = {"accuracy"}});
  model.fit(texts, labels, {.epochs = 2, .verbose = 0});
  EXPECT_EQ(model.predict(vector<string>{"good film"}, {.verbose = 0}).shape(), Shape({1, 1}));

  Sequential line({Input({1}), Dense(1)});
  line.compile("sgd", "mse");
  line.fit(vector<vector<float>>{{1}, {2}}, vector<float>{2, 4}, {.verbose = 0});
}

TEST(FirstPrograms, NoneForAnOption) {
  const DenseOptions dense{.activation = None, .kernel_regularizer = None};
  EXPECT_FALSE(dense.kernel_regularizer.given());
  const applications::MobileNetV2Options net{
      .input_shape = {96, 96, 3}, .weights = None, .pooling = "avg"};
  EXPECT_FALSE(net.weights.has_value());
  EXPECT_EQ(Input({None, 8}).shape(), Shape({-1, -1, 8}));
  const FitOptions fit{.batch_size = None, .steps_per_epoch = None};
  EXPECT_FALSE(fit.steps_per_epoch.has_value());
  const Tensor x = ops::reshape(ops::arange(6), {3, 2});
  EXPECT_EQ(x[Slice(1, None)].shape(), Shape({2, 2}));
  EXPECT_EQ((x[{Slice(2), None}].shape()), Shape({2, 1, 2}));
}

TEST(FirstPrograms, AModelThatIsASequential) {
  Sequential stack({Input({4}), Dense(1)});
  Model model = stack;
  model.compile(kw::optimizer = "sgd", kw::loss = "mse");
  const Tensor x = random::normal({8, 4}, {.seed = 1});
  model.fit(x, ops::ones({8, 1}), kw::verbose = 0);
  EXPECT_EQ(stack.weights()[0].value().to_doubles(), model.weights()[0].value().to_doubles());
  EXPECT_EQ(stack.predict(x, kw::verbose = 0).tensor().to_doubles(),
            model.predict(x, kw::verbose = 0).tensor().to_doubles());
  // What is added later is a part of both.
  stack.add(Dense(3));
  EXPECT_EQ(model(x).shape(), Shape({8, 3}));
}

TEST(FirstPrograms, SchedulesByName) {
  using namespace optimizers::schedules;  // NOLINT(google-build-using-namespace)
  const auto config = [](const LearningRateSchedule& schedule) {
    return schedule.impl().get_config().dump();
  };
  EXPECT_EQ(
      config(ExponentialDecay(
          {.initial_learning_rate = 0.1, .decay_steps = 10, .decay_rate = 0.9, .staircase = true})),
      config(ExponentialDecay(0.1, 10, 0.9, {.staircase = true})));
  EXPECT_EQ(config(InverseTimeDecay(
                {.initial_learning_rate = 0.1, .decay_steps = 10, .decay_rate = 0.9, .name = "d"})),
            config(InverseTimeDecay(0.1, 10, 0.9, {.name = "d"})));
  EXPECT_EQ(
      config(PolynomialDecay({.initial_learning_rate = 0.1,
                              .decay_steps = 10,
                              .end_learning_rate = 0.01,
                              .power = 2,
                              .cycle = true})),
      config(PolynomialDecay(0.1, 10, {.end_learning_rate = 0.01, .power = 2, .cycle = true})));
  EXPECT_EQ(config(CosineDecay({.initial_learning_rate = 0.1,
                                .decay_steps = 10,
                                .alpha = 0.2,
                                .warmup_target = 0.3,
                                .warmup_steps = 4})),
            config(CosineDecay(0.1, 10, {.alpha = 0.2, .warmup_target = 0.3, .warmup_steps = 4})));
  EXPECT_EQ(config(CosineDecayRestarts({.initial_learning_rate = 0.1,
                                        .first_decay_steps = 10,
                                        .t_mul = 3,
                                        .m_mul = 0.5,
                                        .alpha = 0.2})),
            config(CosineDecayRestarts(0.1, 10, {.t_mul = 3, .m_mul = 0.5, .alpha = 0.2})));
}

template <class Arguments>
concept NeedsNothing = requires {
  Arguments{};
};
// Leaving out the rates and steps does not compile.
static_assert(!NeedsNothing<optimizers::schedules::ExponentialDecayArguments>);
static_assert(!NeedsNothing<optimizers::schedules::CosineDecayArguments>);
static_assert(NeedsNothing<optimizers::schedules::CosineDecayOptions>);

TEST(FirstPrograms, PairsOfArraysAsADataset) {
  const Tensor x = ops::reshape(ops::arange(8), {4, 2});
  const Tensor y = ops::arange(4);
  int row = 0;
  for (const Nest& element : data::Dataset::from_tensor_slices(x, y)) {
    EXPECT_EQ(element[0].tensor().to_doubles(), (vector<double>{2.0 * row, 2.0 * row + 1}));
    EXPECT_EQ(element[1].tensor().item<int64_t>(), row);
    ++row;
  }
  EXPECT_EQ(row, 4);
  EXPECT_EQ((*data::Dataset::from_tensor_slices(x, y, y).begin()).size(), 3U);
  EXPECT_THROW(data::Dataset::from_tensor_slices(x, ops::arange(3)), ValueError);
}

TEST(FirstPrograms, RowsOfAPrediction) {
  Sequential model({Input({2}), Dense(1)});
  const Tensor x = random::normal({5, 2}, {.seed = 1});
  const Nest all = model.predict(x, kw::verbose = 0);
  EXPECT_EQ(all[Slice(2)].to_doubles(), all.tensor()[Slice(0, 2)].to_doubles());
  EXPECT_EQ(all[Slice(3, None)].shape(), Shape({2, 1}));
}

TEST(FirstPrograms, ResultsAreUnpackedWhereTheirNumberFits) {
  const HostLogs logs{{"loss", 2.0}, {"mae", 1.0}};
  const auto [loss, mae] = logs.unpack<2>();
  EXPECT_EQ(loss, 2);
  EXPECT_EQ(mae, 1);
  EXPECT_THROW((void)logs.unpack<1>(), ValueError);
  EXPECT_THROW((void)logs.unpack<3>(), ValueError);
}

class Regressor : public Model {
 public:
  Tensor call(const Tensor& x) override { return out_(hidden_(x)); }
  Logs train_step(const Batch& batch) override {
    GradientTape tape;
    const Tensor loss = compute_loss(batch.x, batch.y, (*this)(batch.x, {.training = true}));
    optimizer().apply_gradients(tape.gradient(loss, trainable_variables()), trainable_variables());
    return {{"loss", loss}};
  }

 private:
  Dense hidden_{8, {.activation = "relu"}};
  Dense out_{1};
};

TEST(FirstPrograms, MembersOfAModelAreTrainedWithoutTrack) {
  set_random_seed(1);
  const Tensor x = random::normal({64, 4}, {.seed = 1});
  const Tensor y = ops::sum(x, 1, {.keepdims = true});
  Regressor model;
  model.compile({.optimizer = optimizers::SGD(0.1), .loss = "mse"});
  const History history = model.fit(x, y, {.epochs = 5, .verbose = 0});
  EXPECT_EQ(model.trainable_variables().size(), 4U);
  EXPECT_LT(history.history.at("loss").back(), history.history.at("loss").front());
  const string path = testing::TempDir() + "regressor.weights.h5";
  model.save_weights(path);
  Regressor again;
  again.predict(x, {.verbose = 0});
  again.load_weights(path);
  EXPECT_EQ(again.predict(x, {.verbose = 0}).tensor().to_doubles(),
            model.predict(x, {.verbose = 0}).tensor().to_doubles());
}

// A subclass is not cut down to its base: `Model copy = regressor` does not compile.
static_assert(!is_constructible_v<Model, const Regressor&>);
static_assert(is_copy_constructible_v<Model> && is_copy_constructible_v<Regressor>);

}  // namespace
