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

TEST(FirstPrograms, OperatorsOfPython) {
  const Tensor x = ops::arange(6);
  EXPECT_EQ((x % 4).to_doubles(), (vector<double>{0, 1, 2, 3, 0, 1}));
  EXPECT_EQ((7 % (x + 1)).to_doubles(), (vector<double>{0, 1, 1, 3, 2, 1}));
  EXPECT_EQ(((x > 1) & ~(x == 3)).to_doubles(), (vector<double>{0, 0, 1, 0, 1, 1}));
  EXPECT_EQ(((x < 1) | (x > 4)).to_doubles(), (vector<double>{1, 0, 0, 0, 0, 1}));
  EXPECT_EQ((x ^ 1).to_doubles(), (vector<double>{1, 0, 3, 2, 5, 4}));
  const data::Dataset even =
      data::Dataset::range(5).filter([](const Tensor& v) { return v % 2 == 0; });
  int64_t total = 0;
  for (const Nest& v : even) total += v.tensor().item<int64_t>();
  EXPECT_EQ(total, 6);
}

TEST(FirstPrograms, OperandsOneByOne) {
  const Tensor x = ops::reshape(ops::arange(6), {2, 3});
  EXPECT_EQ(ops::einsum("ij,kj->ik", x, x).to_doubles(), (vector<double>{5, 14, 14, 50}));
  EXPECT_EQ(ops::einsum("ij->ji", x).shape(), Shape({3, 2}));
  EXPECT_EQ(ops::meshgrid(ops::arange(2), ops::arange(3))[0].shape(), Shape({3, 2}));
}

class EpochCounter : public Callback {
 public:
  void on_epoch_end(int epoch, const Logs& logs) override {
    epochs.push_back(epoch);
    losses.push_back(logs.at("loss"));
  }
  void on_train_batch_end(int batch, const Logs&) override { last_batch = batch; }
  vector<int> epochs;
  vector<double> losses;
  int last_batch = -1;
};

TEST(FirstPrograms, HooksWithPlainNumbers) {
  Sequential model({Input({4}), Dense(1)});
  model.compile("sgd", "mse");
  const auto counter = make_shared<EpochCounter>();
  const Tensor x = ops::ones({6, 4});
  model.fit(x, ops::ones({6, 1}), kw::epochs = 2, kw::batch_size = 2, kw::verbose = 0,
            kw::callbacks = {counter, callbacks::LearningRateScheduler(
                                          [](int epoch) { return 0.1 / (epoch + 1); })});
  EXPECT_EQ(counter->epochs, (vector<int>{0, 1}));
  EXPECT_EQ(counter->last_batch, 2);
  EXPECT_EQ(counter->losses.size(), 2U);
}

TEST(FirstPrograms, RowsOfAPrediction) {
  Sequential model({Input({2}), Dense(3)});
  const Tensor x = random::normal({5, 2}, {.seed = 1});
  const Nest all = model.predict(x, kw::verbose = 0);
  EXPECT_EQ(all[Slice(2)].to_doubles(), all.tensor()[Slice(0, 2)].to_doubles());
  EXPECT_EQ(all[Slice(3, None)].shape(), Shape({2, 3}));

  const auto p = model.predict(x, kw::verbose = 0);
  const vector<float> values = p.to_vector<float>();
  EXPECT_EQ(p[1].shape(), Shape({3}));
  EXPECT_EQ(float(p[1][2]), values[5]);
  EXPECT_EQ((float(p[{-1, 0}])), values[12]);
  EXPECT_EQ(p[-1].tensor().to_doubles(), p[Slice(-1, None)].to_doubles());
  EXPECT_THROW((void)p[5], IndexError);
  EXPECT_EQ(model.predict_on_batch(x)[4].tensor().to_doubles(), p[4].tensor().to_doubles());
}

TEST(FirstPrograms, OutputsOfAPrediction) {
  const Tensor x = Input({2});
  Model model(x, {Dense(1)(x), Dense(3)(x)});
  const auto p = model.predict(ops::ones({4, 2}), kw::verbose = 0);
  EXPECT_EQ(p[0].shape(), Shape({4, 1}));
  EXPECT_EQ(p[-1].shape(), Shape({4, 3}));
  EXPECT_EQ(p[1][3].shape(), Shape({3}));
  EXPECT_THROW((void)p[2], IndexError);
  EXPECT_THROW((void)p[-3], IndexError);
  EXPECT_THROW((void)p.to_vector<float>(), TypeError);
  const auto [one, three] = p;
  EXPECT_EQ(one.shape(), Shape({4, 1}));
  EXPECT_EQ(three.shape(), Shape({4, 3}));
}

TEST(FirstPrograms, NumbersInBracesTakeADtype) {
  const Tensor x = Tensor({{1, 2}, {3, 4}}, "float32");
  EXPECT_EQ(x.dtype(), DType::float32);
  EXPECT_EQ(x.shape(), Shape({2, 2}));
  EXPECT_EQ(x.to_doubles(), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(Tensor({{1.0}}, DType::int64).dtype(), DType::int64);
  // A shape is still a shape.
  EXPECT_EQ(Tensor(std::vector<int>{1, 2, 3, 4}, {2, 2}).shape(), Shape({2, 2}));
  EXPECT_EQ(ops::image::extract_patches(ops::ones({1, 4, 4, 1}), 2).shape(), Shape({1, 2, 2, 4}));
}

TEST(FirstPrograms, NumbersInBracesAreArrays) {
  const Tensor integers = {{1, 2, 3}, {4, 5, 6}};
  EXPECT_EQ(integers.spec(), (TensorSpec{DType::int32, {2, 3}}));
  EXPECT_EQ(Tensor({{1.5}, {-2}, {0.5}}).spec(), (TensorSpec{DType::float32, {3, 1}}));
  EXPECT_EQ(Tensor({0, 2, 1}).to_doubles(), (vector<double>{0, 2, 1}));
  EXPECT_EQ(Tensor(2.0).shape(), Shape({}));
  EXPECT_EQ((Tensor{{{1}, {2}}, {{3}, {4}}}).shape(), Shape({2, 2, 1}));
  EXPECT_THROW((void)Tensor({{1, 2}, {3}}), ValueError);
  EXPECT_EQ(ops::one_hot({0, 2}, 3).to_doubles(), (vector<double>{1, 0, 0, 0, 0, 1}));
  EXPECT_EQ(ops::full({2}, 7).spec(), (TensorSpec{DType::float32, {2}}));
}

TEST(FirstPrograms, VectorsAreTensors) {
  const vector<float> values = {0, 1, 2, 3, 4, 5};
  EXPECT_EQ(ops::reshape(values, {3, -1}).shape(), Shape({3, 2}));
  EXPECT_EQ((Tensor(values, {2, 3})[{1, 0}].item()), 3);
  EXPECT_THROW((void)Tensor(values, {4, 2}), ValueError);
  const Tensor rows = vector<vector<double>>{{1, 2}, {3, 4}};
  EXPECT_EQ(rows.spec(), (TensorSpec{DType::float64, {2, 2}}));
  const Tensor labels = vector<int>{1, 0};
  EXPECT_EQ(labels.dtype(), DType::int32);

  Sequential model({Input({2}), Dense(1)});
  model.compile("sgd", "mse");
  const auto weighted =
      model.evaluate(rows, labels, kw::sample_weight = vector<float>{1, 0}, kw::verbose = 0);
  EXPECT_NE(weighted.at("loss"), model.evaluate(rows, labels, kw::verbose = 0).at("loss"));
  model.fit(rows, labels, kw::sample_weight = vector<float>{1, 2}, kw::verbose = 0);
}

TEST(FirstPrograms, PairsAreNamedWithoutUnpack) {
  const Tensor x = ops::ones({4, 2});
  const data::Dataset dataset = data::Dataset::from_tensor_slices(x, ops::arange(4)).batch(2);
  int batches = 0;
  for (const auto& [features, labels] : dataset) {
    EXPECT_EQ(features.shape(), Shape({2, 2}));
    EXPECT_EQ(labels.shape(), Shape({2}));
    ++batches;
  }
  EXPECT_EQ(batches, 2);
  const auto name_two = [](const auto& values) {
    const auto& [a, b] = values;
    return pair(a, b);
  };
  EXPECT_THROW(name_two(Nest{x, x, x}), ValueError);

  Sequential model({Input({2}), Dense(1)});
  model.compile("sgd", "mse", kw::metrics = {"mae"});
  const auto [loss, mae] = model.evaluate(x, ops::ones({4, 1}), kw::verbose = 0);
  EXPECT_NEAR(loss, mae * mae, 1e-5);
  try {
    name_two(HostLogs{{"loss", 1.0}, {"mae", 2.0}, {"mse", 3.0}});
    FAIL() << "three values have two names";
  } catch (const ValueError& error) {
    EXPECT_NE(string(error.what()).find("unpack<3>()"), string::npos) << error.what();
  }
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

class Penalty : public RegularizerImpl {
 public:
  Tensor call(const Tensor& x) const override { return 0.5 * ops::sum(ops::square(x)); }
};
class Halves : public InitializerImpl {
 public:
  Tensor call(const Shape& shape, DType dtype) const override {
    return ops::full(shape, 0.5, dtype);
  }
};

TEST(FirstPrograms, OwnRegularizersAndInitializers) {
  Dense dense(2, {.kernel_initializer = Halves(), .kernel_regularizer = Penalty()});
  dense(ops::ones({1, 4}));
  EXPECT_EQ(float(dense.losses().at(0)), 1.0F);
  EXPECT_EQ(Regularizer(Penalty()).impl().class_name(), "Penalty");
  EXPECT_THROW((void)dense.get_config(), NotImplementedError);

  Dense threes(2, {.kernel_initializer = [](const Shape& shape, DType dtype) {
                 return ops::full(shape, 3, dtype);
               }});
  threes(ops::ones({1, 4}));
  EXPECT_EQ(threes.get_weights()[0].to_doubles(), vector<double>(8, 3.0));
}

class Scale : public LayerBase<Scale> {
 public:
  void build(const Shape& input_shape) override {
    factor_ = add_weight(
        {.shape = {input_shape[-1]}, .initializer = "ones", .trainable = true, .name = "factor"});
    offset_ = add_weight({.shape = {input_shape[-1]}, .initializer = "zeros"});
  }
  Tensor call(const Tensor& x) override { return x * factor_ + offset_; }

 private:
  Variable factor_, offset_;
};

TEST(FirstPrograms, ObjectsOfOwnClassesAreCalled) {
  struct Halved : LossImpl {
    Halved() : LossImpl("halved") {}
    Tensor call(const Tensor& y_true, const Tensor& y_pred) const override {
      return ops::mean(ops::abs(y_true - y_pred), -1) / 2.0;
    }
  };
  struct Linear : LearningRateScheduleImpl {
    Tensor call(const Tensor& step) const override { return 0.5 * ops::cast(step, "float32"); }
  };
  const Tensor two = {{2.0}}, four = {{4.0}};
  EXPECT_EQ(float(Halved()(two, four)), 1);
  EXPECT_EQ(Loss(Halved()).name(), "halved");
  EXPECT_EQ(float(Linear()(3)), 1.5F);
  Sequential model({Input({1}), Dense(1)});
  model.compile("sgd", Halved());
  EXPECT_EQ(model.predict(two).shape(), Shape({1, 1}));
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

static_assert(!is_constructible_v<Callback, const callbacks::TerminateOnNaN&>);
static_assert(is_copy_constructible_v<callbacks::TerminateOnNaN>);

TEST(FirstPrograms, WeightsInTheOrderOfKeras) {
  Scale scale;
  scale(ops::ones({2, 3}));
  EXPECT_EQ(scale.weights()[0].name(), "factor");
  EXPECT_EQ(scale.weights()[1].name(), "variable");
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

class LossHistory : public Callback {
 public:
  void on_train_batch_end(int, const Logs& logs) override { losses.push_back(logs.at("loss")); }
  std::vector<double> losses;
};

TEST(FirstPrograms, CallbacksInVariablesAreUsedThemselves) {
  Sequential model({Input({2}), Dense(1)});
  model.compile("sgd", "mse");
  const Tensor x = ops::ones({8, 2});
  const Tensor y = ops::zeros({8, 1});
  LossHistory history;
  callbacks::EarlyStopping stopping({.monitor = "loss"});
  model.fit(x, y, kw::batch_size = 2, kw::verbose = 0, kw::callbacks = {history, stopping});
  EXPECT_EQ(history.losses.size(), 4U);
  EXPECT_TRUE(stopping.best());
  // A constant is copied, a copy is another callback.
  const LossHistory constant = history;
  model.fit(x, y, kw::batch_size = 2, kw::verbose = 0, kw::callbacks = {constant});
  EXPECT_EQ(constant.losses.size(), 4U);
  EXPECT_EQ(history.losses.size(), 4U);
}

TEST(FirstPrograms, CallbacksThatAreGoneAreErrors) {
  Sequential model({Input({2}), Dense(1)});
  model.compile("sgd", "mse");
  Callbacks list;
  {
    LossHistory history;
    list.push_back(history);
    list.push_back(std::move(history));
  }
  EXPECT_THROW(model.fit(ops::ones({8, 2}), ops::zeros({8, 1}), kw::callbacks = list),
               RuntimeError);
}

class BuiltLater : public LayerBase<BuiltLater> {
 public:
  void build(const Shape&) override {
    conv_ = track("conv", Conv2D(2, 3));
    head_ = track("head", Dense(1));
  }
  Tensor call(const Tensor& x) override { return head_(ops::mean(conv_(x), {1, 2})); }

 private:
  Conv2D conv_;
  Dense head_;
};

TEST(FirstPrograms, LayersAreDeclaredAndAssignedLater) {
  Sequential model({Input({5, 5, 1}), BuiltLater()});
  EXPECT_EQ(model.count_params(), 2 * 9 + 2 + 2 + 1);
  // It takes no name from the layers that come after it.
  clear_session();
  Dense dense;
  EXPECT_EQ(Dense(1).name(), "dense");
  EXPECT_THROW(dense(ops::ones({1, 2})), TypeError);
  EXPECT_THROW(Sequential({Input({2}), dense}), TypeError);
  dense = Dense(3);
  EXPECT_EQ(dense(ops::ones({1, 2})).shape(), Shape({1, 3}));
}

TEST(FirstPrograms, StepsOnBatchesTakeKeywords) {
  Sequential model({Input({2}), Dense(1)});
  model.compile("sgd", "mse");
  const Tensor x = ops::ones({4, 2});
  const Tensor y = ops::zeros({4, 1});
  const HostLogs logs = model.train_on_batch(x, y, kw::return_dict = true);
  const HostLogs weighted = model.test_on_batch(x, y, kw::sample_weight = ops::zeros({4}));
  EXPECT_GE(logs.at("loss"), 0);
  EXPECT_EQ(weighted.at("loss"), 0);
}

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
