// Programs that a Keras user might write without having read a header must compile and run at the
// first try. The names of both libraries are in scope, as in most first programs.
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <utility>
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
  model.compile(optimizers::SGD(0.1), "mse", {.jit_compile = true});
  model.compile("rmsprop");
  EXPECT_EQ(model.optimizer().class_name(), "RMSprop");
  model.compile(optimizers::Adam(0.1), kw::metrics = {"mae"}, kw::loss = "mse");
  const Logs logs = model.evaluate(ops::ones({2, 4}), ops::ones({2, 1}), {.verbose = 0});
  EXPECT_GT(logs.at("mae"), 0);
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

  const Tensor words = Input({1}, {.dtype = "string", .name = "words"});
  const Tensor stars = Input({1}, {.name = "stars"});
  const Tensor both = layers::concatenate({ops::cast(vectorize(words), "float32"), stars});
  Model table({{"words", words}, {"stars", stars}}, Dense(1)(both));
  table.compile("sgd", "mse");
  table.fit({{"words", texts}, {"stars", vector<float>{5, 1, 4, 2}}}, labels, kw::verbose = 0);
  const StringTensor film(vector<string>{"good film"});
  EXPECT_EQ(table.predict({{"words", film}, {"stars", vector<float>{3}}}, kw::verbose = 0).shape(),
            Shape({1, 1}));
  EXPECT_EQ(ops::expand_dims(film, -1).shape(), Shape({1, 1}));

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

TEST(FirstPrograms, SchedulesWithTheRateByPosition) {
  using namespace optimizers::schedules;  // NOLINT(google-build-using-namespace)
  const auto config = [](const LearningRateSchedule& schedule) {
    return schedule.impl().get_config().dump();
  };
  EXPECT_EQ(
      config(ExponentialDecay(0.1, {.decay_steps = 10, .decay_rate = 0.9, .staircase = true})),
      config(ExponentialDecay(0.1, 10, 0.9, {.staircase = true})));
  EXPECT_EQ(config(CosineDecay(0.1, {.decay_steps = 10})), config(CosineDecay(0.1, 10)));
  EXPECT_EQ(config(PolynomialDecay(0.1, {.decay_steps = 10, .power = 2})),
            config(PolynomialDecay(0.1, 10, {.power = 2})));
  EXPECT_THROW(CosineDecay(0.1, {.initial_learning_rate = 0.2, .decay_steps = 10}), TypeError);
  EXPECT_THROW(CosineDecay({.decay_steps = 10}), TypeError);
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

data::Coroutine<Batch> three_batches() {
  const Tensor x = ops::ones({2, 4});
  const Tensor y = ops::ones({2, 1});
  for (int i = 0; i < 3; ++i) co_yield {x, y};
}

TEST(FirstPrograms, DatasetsAndGeneratorsAsTheyAre) {
  const Tensor x = random::normal({8, 4}, {.seed = 1});
  const data::Dataset batches = data::Dataset::from_tensor_slices(x, ops::ones({8, 1})).batch(4);
  Sequential model({Input({4}), Dense(1)});
  model.compile("sgd", "mse");
  const History history =
      model.fit(batches, kw::validation_data = batches, kw::epochs = 2, kw::verbose = 0);
  EXPECT_EQ(history.history.at("val_loss").size(), 2U);
  EXPECT_EQ(model.fit(batches, {.verbose = 0, .validation_data = batches}).history.size(), 2U);
  model.fit(three_batches(), kw::verbose = 0);
  EXPECT_EQ(model.train_counter(), 3);
  model.fit(x, ops::ones({8, 1}), kw::verbose = 0,
            kw::validation_data = {x, vector<float>(8, 1.0F)});
}

TEST(FirstPrograms, ArgumentsAsKerasUsersPassThem) {
  const Tensor image = Input({.shape = {8, 8, 1}, .batch_size = 4, .name = "image"});
  EXPECT_EQ(image.shape(), Shape({4, 8, 8, 1}));
  EXPECT_EQ(Input({.shape = {4}}).shape(), Shape({-1, 4}));
  EXPECT_EQ(Input({}).shape(), Shape({-1}));
  Sequential model(
      {Input({.shape = {4}, .dtype = "float32"}), Dense(8, "relu"), Dense(1, string("tanh"))});
  EXPECT_EQ(model.layers()[0]->get_config().at("activation"), "relu");
  EXPECT_EQ(model.layers()[1]->get_config().at("activation"), "tanh");
  const vector<vector<int>> sequences = {{1}, {2, 3}};
  EXPECT_EQ(preprocessing::sequence::pad_sequences(sequences).shape(), Shape({2, 2}));
}

TEST(FirstPrograms, SequencesByValue) {
  const Tensor series = ops::reshape(ops::cast(ops::arange(20), "float32"), {20, 1});
  preprocessing::sequence::TimeseriesGenerator generator(series, series, 4, {.batch_size = 8});
  EXPECT_EQ(generator.size(), 2);
  Sequential model({Input({4, 1}), Flatten(), Dense(1)});
  model.compile("sgd", "mse");
  model.fit(generator, kw::verbose = 0);
  EXPECT_EQ(model.train_counter(), 2);
}

TEST(FirstPrograms, FunctionsAsGenerators) {
  const Tensor x = ops::ones({2, 4});
  const Tensor y = ops::ones({2, 1});
  Sequential model({Input({4}), Dense(1)});
  model.compile("sgd", "mse");
  model.fit([&] { return Batch{x, y}; }, kw::steps_per_epoch = 3, kw::verbose = 0);
  EXPECT_EQ(model.train_counter(), 3);
  model.fit([&] { return pair(x, y); }, kw::steps_per_epoch = 2, kw::verbose = 0);
  EXPECT_EQ(model.train_counter(), 2);
  int left = 4;
  model.fit(
      [&]() -> optional<Batch> {
        if (left-- == 0) return nullopt;
        return Batch{x, y};
      },
      kw::verbose = 0);
  EXPECT_EQ(model.train_counter(), 4);
}

TEST(FirstPrograms, ArgumentsThatKerasDoesNotRequire) {
  const Tensor row = {1.0, 2.0};
  EXPECT_EQ(ops::linspace(0.0, 1.0, {.num = 3}).to_vector<float>(),
            (std::vector<float>{0, 0.5F, 1}));
  EXPECT_EQ(ops::cumsum(ops::ones({2, 2})).to_vector<float>(), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(ops::round(Tensor{1.26, -12.0}, 1).to_vector<float>(), (std::vector<float>{1.3F, -12}));
  EXPECT_EQ(ops::round(Tensor{1.26, -12.0}, -1).to_vector<float>(), (std::vector<float>{0, -10}));
  const Tensor numbers = ops::round(Tensor::of<int32_t>({14, 15, -25}), -1);
  EXPECT_EQ(numbers.to_vector<int32_t>(), (std::vector<int32_t>{10, 20, -20}));
  EXPECT_EQ(random::normal({2}, 0.0, 1.0, "float16").dtype(), DType::float16);
  EXPECT_EQ(random::randint({2}, 0, 3, "int64", 7).dtype(), DType::int64);
  const Tensor words(std::vector<std::string>{"a", "b"}, {2, 1});
  EXPECT_EQ(words.shape(), Shape({2, 1}));
  EXPECT_THROW(Tensor(std::vector<std::string>{"a", "b"}, {3}), ValueError);
  EXPECT_EQ(
      Dense(2, {.dtype = mixed_precision::Policy("mixed_bfloat16")})(ops::ones({1, 1})).dtype(),
      DType::bfloat16);
}

TEST(FirstPrograms, DatasetsOfDatasetsAndFunctions) {
  using data::Dataset;
  std::vector<int> sums;
  for (const auto& [a, b] : Dataset::zip(Dataset::range(3), Dataset::range(10, 12))) {
    sums.push_back(int(a + b));
  }
  EXPECT_EQ(sums, (std::vector<int>{10, 12}));
  const auto counted =
      Dataset::from_generator([n = 0]() mutable -> std::optional<std::pair<Tensor, Tensor>> {
        if (n == 3) return std::nullopt;
        ++n;
        return std::pair<Tensor, Tensor>(n, 2 * n);
      });
  for (int pass = 0; pass < 2; ++pass) {
    int count = 0;
    for (const auto& [x, y] : counted) {
      EXPECT_EQ(int(y), 2 * int(x));
      ++count;
    }
    EXPECT_EQ(count, 3);
  }
}

TEST(FirstPrograms, CompiledFunctionsMayReturnNothing) {
  metrics::Mean mean;
  const auto add = tf::function([&](const Tensor& x) { mean.update_state(x); });
  const auto add_difference =
      tf::function([&](const Tensor& x, const Tensor& y) { mean.update_state(x - y); });
  add(Tensor(2.0));
  add(Tensor(4.0));
  add_difference(Tensor(9.0), Tensor(3.0));
  EXPECT_EQ(float(mean.result()), 4);
}

TEST(FirstPrograms, LayersOfSeveralInputsTakeTensors) {
  struct Difference : LayerBase<Difference> {
    Tensor call(const Tensors& inputs) override { return inputs[0] - inputs[1]; }
  };
  const Tensor a = Input({1}), b = Input({1});
  Model model({a, b}, Difference()({a, b}));
  const Tensor three = {{3.0}}, one = {{1.0}};
  EXPECT_EQ(float(Difference()({three, one})), 2);
  EXPECT_EQ(float(model({three, one})), 2);
  EXPECT_THROW(Dense(1)({three, one}), ValueError);
}

TEST(FirstPrograms, InputsAndOutputsOfAModelAreLists) {
  const Tensor a = Input({2}, {.name = "a"});
  const Tensor b = Input({3}, {.name = "b"});
  const Model two({a, b}, {Dense(4)(a), Dense(5)(b)});
  vector<Shape> shapes;
  for (const auto& input : two.inputs()) shapes.push_back(input.shape());
  EXPECT_EQ(shapes, (vector<Shape>{{-1, 2}, {-1, 3}}));
  EXPECT_EQ(two.outputs().size(), 2U);

  // A list of one output is that output.
  const Model listed({a}, Tensors{Dense(4)(a)});
  EXPECT_EQ(listed.output().shape(), Shape({-1, 4}));
  EXPECT_EQ(listed.input().shape(), Shape({-1, 2}));
  const Model again(listed.inputs(), listed.outputs());
  EXPECT_EQ(again(ops::ones({3, 2})).shape(), Shape({3, 4}));
  EXPECT_EQ(again.predict(ops::ones({3, 2}), kw::verbose = 0).shape(), Shape({3, 4}));
  EXPECT_TRUE(Model().inputs().empty());
}

}  // namespace
