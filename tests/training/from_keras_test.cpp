// The snippets of docs/from_keras.md, between lines of dashes, are compiled and run here.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include <nlohmann/json.hpp>

#include "antler/antler.h"
#include "support/paths.h"

namespace antler {
namespace from_keras {

// ---- layer
class Linear : public LayerBase<Linear> {
 public:
  explicit Linear(int64_t units = 32) : units_(units) {}
  void build(const Shape& input_shape) override {
    w_ = add_weight(kw::shape = {input_shape.back(), units_}, kw::name = "w");
    b_ = add_weight(kw::shape = {units_}, kw::initializer = "zeros", kw::name = "b");
  }
  Tensor call(const Tensor& x) override { return ops::matmul(x, w_) + b_; }

 private:
  int64_t units_;
  Variable w_, b_;
};
// ----

// ---- several inputs
class Sampling : public LayerBase<Sampling> {
 public:
  Nest call(const Nest& inputs) override {
    const auto& [z_mean, z_log_var] = inputs;
    const Tensor epsilon = random::normal(ops::shape(z_mean), kw::seed = seed_);
    return z_mean + ops::exp(0.5 * z_log_var) * epsilon;
  }

 private:
  random::SeedGenerator seed_{1337};
};
// ----

// ---- model
class Autoencoder : public Model {
 public:
  Tensor call(const Tensor& x) override { return decoder_(encoder_(x)); }
  Logs train_step(const Batch& batch) override {
    GradientTape tape;
    const Tensor y_pred = (*this)(batch.x, kw::training = true);
    const Tensor loss = ops::mean(ops::square(batch.x - y_pred));
    const Tensors gradients = tape.gradient(loss, trainable_variables());
    optimizer().apply(gradients, trainable_variables());
    loss_.update_state(loss);
    return {{"loss", loss_.result()}};
  }

 private:
  Dense encoder_ = track("encoder", Dense(2, kw::activation = "relu"));
  Dense decoder_ = track("decoder", Dense(4));
  metrics::Mean loss_ = track("loss", metrics::Mean("loss"));
};
// ----

// ---- metric
class TruePositives : public MetricBase<TruePositives> {
 public:
  explicit TruePositives(const std::string& name = "true_positives")
      : MetricBase(name), count_(add_variable("count", {})) {}
  void update_state(const Tensor& y_true, const Tensor& y_pred, const Tensor&) override {
    const Tensor both = ops::logical_and(y_true == 1, y_pred > 0.5);
    count_.assign_add(ops::sum(ops::cast(both, "float32")));
  }
  Nest result() const override { return count_.value(); }
  std::shared_ptr<Metric> fresh() const override { return std::make_shared<TruePositives>(name()); }

 private:
  Variable count_;
};
// ----

// ---- callback
class StopAt : public Callback {
 public:
  explicit StopAt(double loss) : loss_(loss) {}
  void on_epoch_end(int epoch, const Logs& logs) override {
    if (logs.at("loss") < loss_) model->set_stop_training(true);
    last_epoch = epoch;
  }
  int last_epoch = -1;

 private:
  double loss_;
};
// ----

namespace {

TEST(FromKeras, SequentialModel) {
  const Tensor x = random::normal({64, 4}, kw::seed = 1);
  const Tensor y = ops::sum(x, 1, kw::keepdims = true);
  // ---- sequential
  Sequential model({Input({4}), Dense(16, kw::activation = "relu"), Dropout(0.1), Dense(1)});
  model.compile(optimizers::Adam(0.01), "mse", kw::metrics = {"mae"});
  const History history =
      model.fit(x, y, kw::epochs = 2, kw::verbose = 0,
                kw::callbacks = {callbacks::EarlyStopping(kw::monitor = "loss")});
  const HostLogs scores = model.evaluate(x, y, kw::verbose = 0, kw::return_dict = true);
  const double mae = scores.at("mae");
  const auto [loss, same_mae] = scores;
  const Tensor y_pred = model.predict(x, kw::verbose = 0);
  // ----
  EXPECT_EQ(history.history.at("loss").size(), 2U);
  EXPECT_NEAR(mae, float(ops::mean(ops::absolute(y - y_pred))), 1e-5);
  EXPECT_EQ(same_mae, mae);
  EXPECT_EQ(loss, scores.at("loss"));
}

TEST(FromKeras, LayerOfSeveralInputs) {
  const Tensor mean = Input({3});
  const Tensor log_variance = Input({3});
  Model model(Nest{mean, log_variance}, Sampling()({mean, log_variance}));
  // With a variance near 0 the sample is the mean.
  const Tensor x = Tensor::of<float>({{1, 2, 3}, {4, 5, 6}});
  const Tensor z =
      model.predict({x, Tensor::full(DType::float32, {2, 3}, -60.0)}, kw::verbose = 0).tensor();
  EXPECT_LT(float(ops::max(ops::absolute(z - x))), 1e-5);
}

TEST(FromKeras, Keywords) {
  const Tensor x = random::normal({64, 4}, kw::seed = 1);
  const Tensor y = ops::sum(x, 1, kw::keepdims = true);
  Sequential model({Input({4}), Dense(1)});
  // ---- keywords
  model.compile("adam", "mse", kw::metrics = {"mae"});
  model.fit(x, y, kw::validation_data = {x, y}, kw::verbose = 0, kw::epochs = 2);
  // ----
  EXPECT_EQ(model.history().history.at("val_mae").size(), 2U);
}

TEST(FromKeras, ModelsWithNamedParts) {
  const Tensor photos = random::uniform({8, 8, 8, 3}, kw::seed = 1);
  const Tensor words = random::randint({8, 5}, 0, 100, kw::seed = 1);
  const Tensor prices = ops::ones({8, 1});
  const Tensor kinds = ops::zeros({8}, DType::int32);
  // ---- functional
  const Tensor image = Input({8, 8, 3}, kw::name = "image");
  const Tensor text = Input({None}, kw::dtype = "int32", kw::name = "text");
  Tensor h = MaxPooling2D(2)(Conv2D(4, 3, kw::activation = "relu")(image));
  h = Concatenate()({Flatten()(h), LSTM(8)(Embedding(100, 4)(text))});
  const Tensor price = Dense(1, kw::name = "price")(h);
  const Tensor kind = Dense(3, kw::name = "kind")(h);
  Model model({{"image", image}, {"text", text}}, {{"price", price}, {"kind", kind}}, "shop");
  model.compile(
      kw::optimizer = "adam",
      kw::loss = {{"price", "mse"},
                  {"kind", losses::SparseCategoricalCrossentropy(kw::from_logits = true)}},
      kw::loss_weights = {{"price", 1.0}, {"kind", 0.2}},
      kw::metrics = {{"price", "mae"}, {"kind", "accuracy"}});
  model.fit({{"image", photos}, {"text", words}}, {{"price", prices}, {"kind", kinds}},
            kw::verbose = 0);
  const Nest outputs = model.predict({{"image", photos}, {"text", words}}, kw::verbose = 0);
  const Tensor price_of_first = outputs.at("price").tensor()[0];
  // ----
  EXPECT_EQ(price_of_first.shape(), (Shape{1}));
  EXPECT_EQ(outputs.at("kind").tensor().shape(), (Shape{8, 3}));
}

TEST(FromKeras, ClassesOfOnesOwn) {
  const Tensor x = random::uniform({32, 4}, kw::seed = 2);
  Autoencoder autoencoder;
  autoencoder.compile(kw::optimizer = "adam");
  EXPECT_EQ(autoencoder.fit(x, kw::epochs = 2, kw::verbose = 0).history.at("loss").size(), 2U);
  const Tensor labels = ops::cast(ops::sum(x, -1, kw::keepdims = true) > 2, DType::float32);
  auto stop = std::make_shared<StopAt>(1e9);
  // ---- compile_own
  Sequential model({Input({4}), Linear(8), Dense(1, kw::activation = "sigmoid")});
  model.compile(
      kw::optimizer = "sgd",
      kw::loss = [](const Tensor& y_true,
                    const Tensor& y_pred) { return ops::mean(ops::square(y_true - y_pred), -1); },
      kw::metrics = {TruePositives()});
  model.fit(x, labels, kw::epochs = 5, kw::verbose = 0, kw::callbacks = {stop});
  // ----
  EXPECT_EQ(stop->last_epoch, 0);
  const Tensor y_pred = model.predict(x, kw::verbose = 0);
  const Tensor both = ops::logical_and(labels == 1, y_pred > 0.5);
  EXPECT_EQ(model.evaluate(x, labels, kw::verbose = 0).at("true_positives"),
            ops::sum(ops::cast(both, DType::float32)).item());
}

TEST(FromKeras, LoopOfOnesOwn) {
  const Tensor x = random::normal({64, 4}, kw::seed = 1);
  const Tensor y = ops::sum(x, 1, kw::keepdims = true);
  Tensor first;
  Tensor last;
  // ---- loop
  Sequential model({Input({4}), Dense(1)});
  optimizers::SGD optimizer(0.1);
  const Loss loss_fn = losses::MeanSquaredError();
  const Function train_step = tf::function([&](const Tensor& inputs, const Tensor& targets) {
    GradientTape tape;
    Tensor loss = loss_fn(targets, model(inputs, kw::training = true));
    optimizer.apply(tape.gradient(loss, model.trainable_weights()), model.trainable_weights());
    return loss;
  });
  const auto dataset = data::Dataset::from_tensor_slices({x, y}).shuffle(64).batch(16);
  for (int epoch = 0; epoch < 3; ++epoch) {
    for (const auto& [inputs, targets] : dataset) {
      last = train_step(inputs, targets);
      if (!first.defined()) first = last;
    }
  }
  // ----
  EXPECT_EQ(train_step.trace_count(), 1);
  EXPECT_LT(float(last), float(first));
}

TEST(FromKeras, StatesMasksAndTexts) {
  const Tensor words = Tensor::of({{3, 4, 0}, {5, 0, 0}});
  // ---- recurrent
  const Tensor embedded = Embedding(10, 4, kw::mask_zero = true)(words);
  const Tensor mask = keras_mask(embedded);
  const auto [sequence, h, c] =
      LSTM(8, kw::return_sequences = true, kw::return_state = true)(Nest(embedded)).unpack<3>();
  const Tensor decoded = LSTM(8)(embedded, kw::initial_state = {h, c});
  // ----
  EXPECT_EQ(mask.to_doubles(), (std::vector<double>{1, 1, 0, 1, 0, 0}));
  EXPECT_EQ(sequence.tensor().shape(), (Shape{2, 3, 8}));
  EXPECT_EQ(decoded.shape(), (Shape{2, 8}));
  // ---- texts
  TextVectorization vectorize(kw::output_sequence_length = 4);
  vectorize.adapt(StringTensor({"the cat sat", "the dog"}));
  const Tensor numbers = vectorize(StringTensor({"the bird"}));
  // ----
  EXPECT_EQ(numbers.to_doubles(), (std::vector<double>{2, 1, 0, 0}));
}

// A step that draws without a seed draws anew each time, though it was traced once.
TEST(FromKeras, CompiledStepsDrawAnew) {
  const Function noise =
      tf::function([](const Tensor& x, const Tensor& y) { return x + y + random::normal({4}); });
  const Tensor zeros = ops::zeros({4});
  const Tensor a = noise(zeros, zeros);
  const Tensor b = noise(zeros, zeros);
  EXPECT_EQ(noise.trace_count(), 1);
  EXPECT_NE(a.to_doubles(), b.to_doubles());
}

TEST(FromKeras, FunctionsCountTheirArguments) {
  const Function three =
      tf::function([](const Tensor& a, const Tensor& b, const Tensor& c) { return a * b + c; });
  EXPECT_EQ(float(three(Tensor(2.0), Tensor(3.0), Tensor(4.0))), 10);
  EXPECT_THROW(three(Tensor(2.0), Tensor(3.0)), ValueError);
}

// ---- loss
class WithRegularization : public LossImpl {
 public:
  explicit WithRegularization(double factor) : factor_(factor) {}
  Tensor call(const Tensor& y_true, const Tensor& y_pred) const override {
    return ops::mean(ops::square(y_true - y_pred) + factor_ * ops::square(0.5 - y_pred), -1);
  }

 private:
  double factor_;
};
// ----

TEST(FromKeras, LossesOfOnesOwn) {
  Sequential model({Input({1}), Dense(1, kw::kernel_initializer = "ones")});
  model.compile(kw::loss = WithRegularization(0.1));
  // (2 - 3)^2 + 0.1 (0.5 - 3)^2
  EXPECT_NEAR(model.test_on_batch(Tensor::of({{3.F}}), Tensor::of({{2.F}})).at("loss"), 1.625,
              1e-6);
  EXPECT_EQ(Loss(WithRegularization(0.1)).name(), "with_regularization");
}

class HalvingRate : public LearningRateScheduleImpl {
 public:
  Tensor call(const Tensor& step) const override {
    return 1.0 / (1.0 + ops::cast(step, "float32"));
  }
};

TEST(FromKeras, SchedulesOfOnesOwn) {
  optimizers::SGD optimizer(HalvingRate{});
  Variable w(ops::zeros({1}));
  for (int i = 0; i < 2; ++i) optimizer.apply({ops::ones({1})}, {w});
  EXPECT_FLOAT_EQ(float(w.value()), -1.5F);
  EXPECT_THROW((void)optimizer.get_config(), NotImplementedError);
}

Model named_outputs() {
  const Tensor x = Input({None, 2});
  const Tensor pooled = GlobalAveragePooling1D()(x);
  return Model(
      kw::inputs = x,
      kw::outputs = {Dense(1, kw::name = "price")(pooled), Dense(1, kw::name = "mae")(pooled)},
      kw::name = "shop");
}

TEST(FromKeras, ModelsByNamedArguments) {
  const Model model = named_outputs();
  EXPECT_EQ(model.name(), "shop");
  EXPECT_EQ(model.inputs()[0].shape(), (Shape{Shape::kUnknown, Shape::kUnknown, 2}));
  const Tensor x = Input({2});
  EXPECT_EQ(Model(x, layers::Dense(1)(x), kw::name = "other").name(), "other");
  EXPECT_EQ(Sequential(kw::name = "empty").name(), "empty");
}

TEST(FromKeras, MetricsByOutputInBraces) {
  Model model = named_outputs();
  const Tensor x = ops::ones({2, 3, 2});
  const auto names = [&](const MetricSpec& metrics) {
    model.compile(kw::loss = "mse", kw::metrics = metrics);
    model.test_on_batch(x, {ops::ones({2, 1}), ops::ones({2, 1})});
    std::vector<std::string> result = model.metrics_names();
    result.erase(result.begin(), result.begin() + 3);  // the losses
    return result;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names({{"price", "mse"}}), (Names{"price_mse"}));
  EXPECT_EQ(names({{"price", {"mse", metrics::MeanAbsoluteError()}}}),
            (Names{"price_mse", "price_mean_absolute_error"}));
  // An output's name that is a metric's too: the list that it looks like.
  EXPECT_EQ(names({{"mae", "mse"}, {"mse"}}), (Names{"price_mae", "price_mse", "mae_mse"}));
  EXPECT_THROW(names({{"prize", "mse"}, {"mse"}}), ValueError);
}

TEST(FromKeras, DictionariesInBraces) {
  const CompileArguments named{.loss = {{"a", "mse"}}, .loss_weights = {{"a", 2.0}}};
  EXPECT_EQ(named.loss.kind(), LossSpec::Kind::dict);
  EXPECT_EQ(named.loss_weights.kind(), LossWeights::Kind::dict);
  const CompileArguments listed{.loss = {"mse", losses::MeanAbsoluteError()}};
  EXPECT_EQ(listed.loss.kind(), LossSpec::Kind::list);
  const HostLogs logs{{"loss", 1.0}};
  EXPECT_EQ(logs.at("loss"), 1.0);
  EXPECT_THROW((void)logs.at("acc"), KeyError);
}

// Part of a batch of unknown size: the placeholder's other axes are known.
TEST(FromKeras, PlaceholdersHaveItems) {
  const Tensor x = Input({3, 2});
  Model model(x, x[{Slice(), -1}] + x[{Slice(), Slice(0, 2), 0}]);
  EXPECT_EQ(model(Tensor::of({{{1.F, 2.F}, {3.F, 4.F}, {5.F, 6.F}}})).to_doubles(),
            (std::vector<double>{6, 9}));
  EXPECT_THROW(x[Slice(0, 1)], ValueError);
}

std::string without_spaces(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c != ' ' && c != '\n') result += c;
  }
  return result;
}

TEST(FromKeras, PageShowsTheseSnippets) {
  const auto read = [](const std::string& path) {
    std::ifstream file(path);
    EXPECT_TRUE(file.good()) << path;
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  };
  const std::string root = (test::data_dir() / ".." / "..").string();
  const std::string page = read(root + "/docs/from_keras.md");
  const std::string source = without_spaces(read(root + "/tests/training/from_keras_test.cpp"));
  int snippets = 0;
  const std::string fence = "```cpp\n";
  for (size_t at = page.find(fence); at != std::string::npos; at = page.find(fence, at)) {
    at += fence.size();
    const std::string snippet = page.substr(at, page.find("```", at) - at);
    EXPECT_NE(source.find(without_spaces(snippet)), std::string::npos) << snippet;
    ++snippets;
  }
  EXPECT_GE(snippets, 9);
}

}  // namespace
}  // namespace from_keras
}  // namespace antler
