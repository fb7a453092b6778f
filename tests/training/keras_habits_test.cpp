// What those who know Keras write: its namespace, options by name, indices, objects from
// configurations.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "antler/antler.h"

namespace antler {
namespace {

TEST(KerasHabits, IndicesAreObjectsAndArrays) {
  const Tensor x = {{1, 2}, {3, 4}, {5, 6}};
  EXPECT_EQ((x[{Ellipsis, -1}].to_vector<int>()), (std::vector<int>{2, 4, 6}));
  EXPECT_EQ((x[{NewAxis, 0}].shape()), Shape({1, 2}));
  const Tensor order = {2, 0};
  EXPECT_EQ(x[order].to_vector<int>(), (std::vector<int>{5, 6, 1, 2}));
  const Tensor large = x[{Slice(), 0}] > 2;
  EXPECT_EQ(x[large].to_vector<int>(), (std::vector<int>{3, 4, 5, 6}));
  EXPECT_EQ(x[x > 2].to_vector<int>(), (std::vector<int>{3, 4, 5, 6}));
  EXPECT_EQ(x.shape().size(), 2U);
}

TEST(KerasHabits, KerasAsANamespaceAndOptionsByName) {
  keras::utils::set_random_seed(1);
  EXPECT_EQ(ops::full({2}, 0.5, {.dtype = "float64"}).dtype(), DType::float64);
  EXPECT_EQ(ops::zeros({2}, {.dtype = DType::int32}).dtype(), ops::zeros({2}, "int32").dtype());
  EXPECT_EQ(ops::sum(ops::eye(3, 3, {.k = 1})).item(), 2);
  EXPECT_GT(ops::min(keras::random::gamma({9}, 2.0, {.seed = 3})).item(), 0);
  EXPECT_EQ(ops::norm(ops::ones({2, 2}), {.ord = "fro"}).item(), 2);
  EXPECT_EQ(ops::norm(ops::ones({4}), {.ord = 1}).item(), 4);
  EXPECT_EQ(metrics::TopKCategoricalAccuracy(3, {.name = "top3"}).name(), "top3");
  const Tensor words = {"a", "b"};
  EXPECT_EQ(words.to_vector<std::string>(), (std::vector<std::string>{"a", "b"}));
  const std::map<std::string, Tensor> table = {{"a", ops::ones({4})}, {"b", ops::zeros({4})}};
  const Nest element =
      *data::Dataset::from_tensor_slices(table, words[Tensor({0, 1, 0, 1})]).batch(2).begin();
  EXPECT_EQ(element[0]["b"].shape(), Shape({2}));
}

TEST(KerasHabits, APartOfAModelThatIsInAnother) {
  const Tensor x = Input({3});
  Model base(x, Dense(4)(Dense(2, {.name = "middle"})(x)));
  const Tensor outer = Input({3});
  const Model model(outer, Dense(1)(base(outer)));
  const Tensor rows = ops::ones({5, 3});
  Model middle(base.input(), base.get_layer("middle")->output());
  EXPECT_EQ(middle(rows).shape(), Shape({5, 2}));
  EXPECT_EQ(Model(base.input(), base.output())(rows).shape(), Shape({5, 4}));
}

TEST(KerasHabits, WhatAModelWasMadeOf) {
  Sequential model({Input({3}), Dense(2, {.activation = "relu", .use_bias = false})});
  const Sequential copy = models::clone_model(model);
  EXPECT_EQ(copy.count_params(), 6);
  EXPECT_EQ(Model::from_config(model.get_config()).count_params(), 6);
  const Dense dense = Dense::from_config(model.layers()[0]->get_config());
  EXPECT_EQ(dense.compute_output_shape({None, 3}), Shape({None, 2}));
  EXPECT_EQ(dynamic_cast<const Dense&>(*model.layers()[0]).kernel().shape(), Shape({3, 2}));
  EXPECT_THROW(dynamic_cast<const Dense&>(*model.layers()[0]).bias(), AttributeError);
  EXPECT_THROW(Dense(2).kernel(), AttributeError);
  EXPECT_EQ(Model("named").name(), "named");
}

TEST(KerasHabits, ConstantLayersAndFunctionsAsLosses) {
  const Sequential block({Dense(4), Dense(2)});
  const Tensor x = ops::ones({3, 5});
  const Tensor y = block(x);
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): copies share the weights
  const Sequential copy = block;
  EXPECT_EQ(copy(x).to_vector<float>(), y.to_vector<float>());
  EXPECT_EQ(block.weights()[0].size(), 20);
  const Dense head(1);
  const Tensor in = Input({5});
  EXPECT_EQ(Model(in, head(block(in))).predict(x, kw::verbose = 0).shape(), Shape({3, 1}));
  EXPECT_EQ(head.weights().size(), 2U);
  const Loss loss = [](const Tensor& a, const Tensor& b) { return ops::mean(ops::abs(a - b), -1); };
  EXPECT_EQ(loss(ops::ones({2, 3}), ops::zeros({2, 3})).item(), 1);
  const auto pairs = data::Dataset::from_tensor_slices(x, y).batch(3);
  for (const auto& [rows, targets] : pairs) {
    EXPECT_EQ(rows[0].shape(), Shape({5}));
    EXPECT_EQ(targets[-1].tensor().to_vector<float>(), y[2].to_vector<float>());
  }
  EXPECT_THROW((void)Nest(x)[3], IndexError);
  EXPECT_THROW((void)Nest({x, y})[-3], IndexError);
  EXPECT_EQ(Loss("mse").name(), losses::MeanSquaredError().name());
  EXPECT_EQ(block.predict(x, kw::verbose = 0).shape(), Shape({3, 2}));
  EXPECT_EQ(ops::eye(2, {.k = 1, .dtype = "int32"}).to_vector<int>(), (std::vector{0, 1, 0, 0}));
  EXPECT_EQ(ops::take(x, Tensor({1, 2}), {.axis = 1}).shape(), Shape({3, 2}));
  optimizers::AdamW adam(0.1);
  adam.exclude_from_weight_decay({.var_names = {"bias"}});
  const Nest both = {x, y};
  EXPECT_EQ((both[1][{Slice(), 0}].shape()), Shape({3}));
}

TEST(KerasHabits, FunctionsWithoutArguments) {
  const Variable p(Tensor::of<float>({3, 1}));
  optimizers::SGD sgd(0.1);
  sgd.minimize([&] { return ops::square(p[0]) + ops::square(p[{1}]); }, {p});
  EXPECT_NEAR(p[0].item(), 2.4, 1e-6);
  GradientTape tape;
  const Tensor loss = ops::sum(p);
  sgd.apply(tape.gradient(loss, {p}), {p});
  EXPECT_NEAR(p[0].item(), 2.3, 1e-6);
  const auto halve = tf::function([&] { p.assign(p * 0.5); });
  halve();
  halve();
  EXPECT_NEAR(p[0].item(), 0.575, 1e-6);
  EXPECT_NEAR(float(tf::function([&] { return ops::sum(p); })().tensor()), 0.75, 1e-6);
  const Tensor a = Input({2});
  const Tensor b = Input({2});
  Model difference({a, b}, Lambda([](const Tensors& t) { return t[0] - t[1]; })({a, b}));
  const Tensor x = ops::ones({4, 2});
  EXPECT_EQ(Tensor(difference(Nest{x, x})).to_vector<float>(), (std::vector<float>(8, 0)));
  EXPECT_EQ(ops::tensordot(x, x, {.axes = 0}).shape(), Shape({4, 2, 4, 2}));
  Sequential model({Embedding(5, 3), GlobalAveragePooling1D(), Dense(1)});
  model.compile("sgd", "mse");
  const Tensor y = ops::ones({4, 1});
  model.fit(x, y, kw::validation_data = std::pair(x, y), kw::verbose = 0);
  EXPECT_EQ(dynamic_cast<const Embedding&>(*model.layers()[0]).embeddings().shape(), Shape({5, 3}));
}

TEST(KerasHabits, GradientsOfOnesOwn) {
  const auto clipped = custom_gradient([](const Tensor& x, const Tensor& y) {
    return std::pair(x * y, [](const Tensor& upstream) {
      return Tensors{ops::clip(upstream, -1, 1), upstream};
    });
  });
  const Variable x(Tensor::of<float>({2, 3}));
  GradientTape tape;
  const Tensor loss = ops::sum(clipped(x, 2.0 * x) * 4.0);
  EXPECT_EQ(tape.gradient(loss, x).to_vector<float>(), (std::vector<float>{9, 9}));
  const Tensor in = Input({2});
  Model two(in, {Dense(1)(in), Dense(2)(in)});
  EXPECT_THROW(two(ops::ones({1, 2})), TypeError);
}

TEST(KerasHabits, MetricsAreTheThirdArgumentOfCompile) {
  Sequential model({Input({2}), Dense(1)});
  model.compile("sgd", "mse", {"mae"});
  const Tensor x = ops::ones({4, 2});
  EXPECT_EQ(model.fit(x, ops::ones({4, 1}), kw::verbose = 0).history.at("mae").size(), 1U);
  model.compile("sgd", "mse", {.weighted_metrics = {"mae"}});
  EXPECT_THROW(model.compile("sgd", "mse", {.optimizer = "adam"}), TypeError);
}

TEST(KerasHabits, MasksOfSeveralAxes) {
  const Tensor x = ops::reshape(ops::arange(12), {3, 2, 2});
  EXPECT_EQ(x[x > 8].to_vector<int>(), (std::vector<int>{9, 10, 11}));
  const Tensor rows = x[ops::sum(x, -1) > 10];
  EXPECT_EQ(rows.shape(), Shape({3, 2}));
  EXPECT_EQ(rows.to_vector<int>(), (std::vector<int>{6, 7, 8, 9, 10, 11}));
  EXPECT_THROW(x[ops::ones({2, 2}, "bool")], IndexError);
  EXPECT_THROW(x[ops::ones({3, 2, 2, 1}, "bool")], IndexError);
}

TEST(KerasHabits, AVariableThatIsOnlyDeclaredSaysSo) {
  const Variable nothing;
  try {
    ops::exp(nothing);
    FAIL();
  } catch (const RuntimeError& error) {
    EXPECT_NE(std::string(error.what()).find("has not been created yet"), std::string::npos);
  }
  EXPECT_THROW(nothing.shape(), RuntimeError);
  EXPECT_THROW(nothing.assign(1.0), RuntimeError);
  EXPECT_THROW(nothing.assign_add(1.0), RuntimeError);
}

TEST(KerasHabits, LayersAdaptToDataSets) {
  Normalization normalization;
  normalization.adapt(
      data::Dataset::from_tensor_slices(Tensor({{1.0, 2.0}, {3.0, 6.0}, {5.0, 4.0}})).batch(2));
  EXPECT_EQ(normalization.mean().to_vector<float>(), (std::vector<float>{3, 4}));
  TextVectorization words({.output_mode = "multi_hot"});
  const Tensor texts(std::vector<std::string>{"a b", "b c", "b"});
  words.adapt(data::Dataset::from_tensor_slices(texts).batch(2));
  EXPECT_EQ(words.get_vocabulary(), (std::vector<std::string>{"[UNK]", "b", "c", "a"}));
}

TEST(KerasHabits, SmallThings) {
  std::vector<std::string> lines;
  Sequential model({Input({2}), Dense(1, {.name = "only"})});
  model.summary({.print_fn = [&](const std::string& line) { lines.push_back(line); }});
  EXPECT_TRUE(std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
    return line.find("only") != std::string::npos;
  }));
  EXPECT_GT(lines.size(), 5U);
  const Tensor mask = Embedding(5, 2, {.mask_zero = true}).compute_mask(Tensor({0, 3}));
  EXPECT_EQ(mask.to_doubles(), (std::vector<double>{0, 1}));
  for (const auto& weights : {applications::Pretrained(nullptr), applications::Pretrained(None)})
    EXPECT_FALSE(weights.has_value());
  EXPECT_EQ(*applications::Pretrained("a.h5"), "a.h5");
  const Dense softmax(2, {.activation = ops::softmax});
  EXPECT_EQ(softmax.get_config().at("activation"), "softmax");
}

// Expected values below were computed with Keras 3.15.1 on JAX.

void expect_numbers(const Tensor& x, const std::vector<double>& expected) {
  const std::vector<double> values = x.to_doubles();
  ASSERT_EQ(values.size(), expected.size());
  for (size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], 2e-6) << i;
}

TEST(KerasHabits, FunctionsTakeTheirArgumentsByName) {
  const Tensor x = {{1.0, 2.0, 4.0}, {0.0, -1.0, 3.0}};
  expect_numbers(activations::relu(x, {.negative_slope = 0.5, .max_value = 3, .threshold = 1.5}),
                 {-0.25, 2, 3, -0.75, -1.25, 3});
  expect_numbers(activations::softmax(x, {.axis = 0}),
                 {0.731059, 0.952574, 0.731059, 0.268941, 0.047426, 0.268941});
  expect_numbers(activations::log_softmax(x, {.axis = 0}),
                 {-0.313262, -0.048587, -0.313262, -1.313262, -3.048587, -1.313262});
  expect_numbers(activations::elu(x, {.alpha = 0.5}), {1, 2, 4, 0, -0.316060, 3});
  expect_numbers(activations::celu(x, {.alpha = 0.5}), {1, 2, 4, 0, -0.432332, 3});
  expect_numbers(activations::leaky_relu(x, {.negative_slope = 0.1}), {1, 2, 4, 0, -0.1, 3});
  expect_numbers(activations::hard_shrink(x, {.threshold = 1.5}), {0, 2, 4, 0, 0, 3});
  for (const auto& activation :
       {ActivationFunction(activations::relu), ActivationFunction(activations::elu),
        ActivationFunction(activations::glu), ActivationFunction(activations::squareplus)}) {
    EXPECT_NE(activation.name(), "function");
  }

  const Tensor y = {{1.0, 0.0, 1.0}, {0.0, 1.0, 1.0}};
  const Tensor p = {{0.9, 0.2, 0.6}, {0.1, 0.4, 0.8}};
  expect_numbers(losses::huber(y, x, {.delta = 0.5}), {0.75, 0.583333});
  expect_numbers(losses::cosine_similarity(y, x, {.axis = 0}), {-1, 0.447214, -0.989950});
  expect_numbers(losses::dice(y, p, {.axis = 1}), {0.189189, 0.272727});
  expect_numbers(losses::tversky(y, p, {.alpha = 0.2, .beta = 0.7}), {0.148265});
  expect_numbers(losses::tversky(y, p, {.alpha = 0.2, .axis = -1}), {0.117647, 0.148936});
  expect_numbers(metrics::binary_accuracy(y, p, {.threshold = 0.3}), {1, 1});
  expect_numbers(
      metrics::top_k_categorical_accuracy(Tensor({{0.0, 0.0, 1.0}, {1.0, 0.0, 0.0}}), p, {.k = 2}),
      {1, 0});
  expect_numbers(metrics::sparse_top_k_categorical_accuracy(Tensor({2, 0}), p, {.k = 1}), {0, 0});
}

TEST(KerasHabits, UtilitiesTakeTheirArgumentsByName) {
  expect_numbers(utils::to_categorical(Tensor({0, 2}), {.num_classes = 4}),
                 {1, 0, 0, 0, 0, 0, 1, 0});
  expect_numbers(utils::normalize(Tensor({{3.0, 4.0}, {6.0, 8.0}}), {.axis = 0, .order = 1}),
                 {0.333333, 0.333333, 0.666667, 0.666667});
  expect_numbers(utils::pad_sequences({{1, 2}, {3}}, {.maxlen = 3}), {0, 1, 2, 0, 0, 3});
  EXPECT_THROW(utils::get_file("a", {.fname = "b", .origin = "file:///a"}), TypeError);
  EXPECT_THROW(utils::get_file("a", "file:///a", {.origin = "file:///b"}), TypeError);
  EXPECT_THROW(utils::get_file("a", {.extract = true}), ValueError);  // no origin
  const Tensor x = ops::arange(20);
  EXPECT_EQ(random::shuffle(x, 0, 3).to_doubles(), random::shuffle(x, {.seed = 3}).to_doubles());
  EXPECT_EQ(random::SeedGenerator({.seed = 5}).seed(), 5);
  EXPECT_FALSE(random::SeedGenerator().seed().has_value());
}

TEST(KerasHabits, SchedulesTakeTheFirstOptionByPosition) {
  using namespace optimizers::schedules;  // NOLINT(google-build-using-namespace)
  const auto at = [](const auto& schedule, int step) { return schedule(Tensor(step)).item(); };
  EXPECT_NEAR(at(PolynomialDecay(0.1, 10, 0.01), 5), 0.055, 1e-6);
  EXPECT_NEAR(at(PolynomialDecay(0.1, 10, 0.01, 2.0), 5), 0.0325, 1e-6);
  EXPECT_NEAR(at(CosineDecay(0.1, 10, 0.2), 5), 0.06, 1e-6);
  EXPECT_NEAR(at(ExponentialDecay(0.1, 10, 0.5, true), 15), 0.05, 1e-6);
  EXPECT_NEAR(at(InverseTimeDecay(0.1, 10, 0.5, true), 15), 0.066667, 1e-6);
}

TEST(KerasHabits, PartsOfLayersByNameAndByPosition) {
  const Tensor x = {{1.0, 2.0, 4.0}, {0.0, -1.0, 3.0}};
  expect_numbers(regularizers::L1({.l1 = 0.5})(x), {5.5});
  expect_numbers(regularizers::L2({.l2 = 0.5})(x), {15.5});
  expect_numbers(regularizers::l1_l2(0.1, 0.2)(x), {7.3});
  expect_numbers(regularizers::OrthogonalRegularizer(0.1)(x), {0.069007});
  expect_numbers(constraints::UnitNorm(1)(x),
                 {0.218218, 0.436436, 0.872872, 0, -0.316228, 0.948683});
  expect_numbers(constraints::MinMaxNorm(0.5, 2)(x), {1, 1.788854, 1.6, 0, -0.894427, 1.2});
  expect_numbers(initializers::Identity({.gain = 3})({2, 2}), {3, 0, 0, 3});
  expect_numbers(initializers::Constant({.value = 2})({2}), {2, 2});
}

TEST(KerasHabits, LayersByNameAndByPosition) {
  const Tensor table = {{0.0, 1.0}, {2.0, 3.0}, {4.0, 5.0}};
  const Embedding embedding(3, 2, {.weights = {table}, .trainable = false});
  expect_numbers(embedding(Tensor({2, 0})), {4, 5, 0, 1});
  EXPECT_FALSE(embedding.get_config().contains("weights"));
  EXPECT_THROW(Embedding(3, 3, {.weights = {table}}), ValueError);
  EXPECT_EQ(EinsumDense("ab,bc->ac", 5)(ops::ones({2, 3})).shape(), Shape({2, 5}));
  const Tensor image = ops::ones({1, 9, 9, 1});
  EXPECT_EQ(Conv2D(4, 3, 2)(image).shape(), Shape({1, 4, 4, 4}));
  EXPECT_EQ(Conv2DTranspose(4, 3, 2, {.padding = "same"})(image).shape(), Shape({1, 18, 18, 4}));
  EXPECT_EQ(SeparableConv2D(4, {3, 3}, 2)(image).shape(), Shape({1, 4, 4, 4}));
  EXPECT_THROW(Conv2D(4, 3, 2, {.strides = 1}), TypeError);
  EXPECT_EQ(DepthwiseConv2D({.kernel_size = 3})(image).shape(), Shape({1, 7, 7, 1}));
  EXPECT_EQ(DepthwiseConv2D({3, 2})(image).shape(), Shape({1, 7, 8, 1}));
  EXPECT_EQ(Reshape({.target_shape = {3, 27}})(image).shape(), Shape({1, 3, 27}));
  EXPECT_EQ(Reshape({27, -1})(image).shape(), Shape({1, 27, 3}));
  EXPECT_EQ(RandomRotation({.factor = 0.2}).get_config()["factor"],
            RandomRotation(0.2).get_config()["factor"]);
  EXPECT_EQ(RandomZoom({-0.2, 0.1}).get_config()["height_factor"], Json({-0.2, 0.1}));
  EXPECT_TRUE(RandomZoom({-0.2, 0.1}).get_config()["width_factor"].is_null());
  EXPECT_EQ(RandomContrast({.factor = 0.3}).get_config()["factor"],
            RandomContrast(0.3).get_config()["factor"]);
  EXPECT_THROW(RandomZoom(0.2, {.height_factor = 0.1}), TypeError);
  EXPECT_EQ(MaxPooling2D(3, 2)(image).shape(), Shape({1, 4, 4, 1}));
  EXPECT_EQ(AveragePooling2D(3, 1, {.padding = "same"})(image).shape(), Shape({1, 9, 9, 1}));
  EXPECT_THROW(MaxPooling2D(3, 2, {.strides = 1}), TypeError);
  EXPECT_EQ(Conv2D(4, {.kernel_size = {3, 2}})(image).shape(), Shape({1, 7, 8, 4}));
  EXPECT_EQ(Conv2D(4, {3, 2})(image).shape(), Shape({1, 7, 8, 4}));
  EXPECT_EQ(Conv2DTranspose(4, {.kernel_size = 3, .strides = 2, .padding = "same"})(image).shape(),
            Shape({1, 18, 18, 4}));
  EXPECT_EQ(SeparableConv2D(4, {.kernel_size = 3})(image).shape(), Shape({1, 7, 7, 4}));
  EXPECT_EQ(ConvLSTM2D(4, {.kernel_size = 3})(ops::ones({1, 2, 5, 5, 1})).shape(),
            Shape({1, 3, 3, 4}));
  EXPECT_THROW(Conv2D(4, 3, {.kernel_size = 3}), TypeError);

  // One decision per row.
  set_random_seed(3);
  const Tensor dropped =
      Dropout(0.5, {.noise_shape = {-1, 1}})(ops::ones({16, 4}), {.training = true});
  for (int64_t i = 0; i < 16; ++i)
    EXPECT_EQ(ops::min(dropped[i]).item(), ops::max(dropped[i]).item());

  EXPECT_EQ(Input({.batch_shape = {2, None, 3}}).shape(), Shape({2, -1, 3}));
  EXPECT_EQ(Input({.batch_shape = {None, 3}}).shape(), Shape({-1, 3}));
  EXPECT_EQ(Input({.shape = {3}}).shape(), Shape({-1, 3}));
  EXPECT_THROW(Input({.shape = {3}, .batch_shape = {2, 3}}), ValueError);

  EXPECT_EQ(Dense(1, {.dtype = "mixed_float16"}).dtype(), DType::float32);
  EXPECT_EQ(metrics::Mean({.dtype = "float64"}).dtype(), DType::float64);
  EXPECT_EQ(metrics::AUC({.dtype = "float64"}).get_config()["dtype"], "float64");
  EXPECT_EQ(callbacks::ModelCheckpoint({.filepath = "a.keras", .monitor = "loss"}).best(),
            std::nullopt);
  EXPECT_THROW(callbacks::ModelCheckpoint({.filepath = "a.txt"}), ValueError);
  EXPECT_THROW(callbacks::BackupAndRestore({.backup_dir = ""}), ValueError);
  EXPECT_THROW(callbacks::CSVLogger({.filename = "a", .separator = ""}), ValueError);
}

class LossByName : public Model {
 public:
  Tensor call(const Tensor& x) override { return dense_(x); }
  Logs train_step(const Batch& batch) override {
    GradientTape tape;
    const Tensor y_pred = (*this)(batch.x, {.training = true});
    const Tensor loss = compute_loss({.y = batch.y, .y_pred = y_pred});
    optimizer().apply(tape.gradient(loss, trainable_variables()), trainable_variables());
    return compute_metrics(batch.x, batch.y, y_pred);
  }

 private:
  Dense dense_ = track("dense", Dense(1));
};

TEST(KerasHabits, DataAndLayersOfAModelByName) {
  const Tensor x = ops::ones({8, 3});
  const Tensor y = ops::ones({8, 1});
  Sequential model({Input({3}), Dense(2, {.name = "first"}), Dense(1)});
  model.compile(kw::optimizer = "sgd", kw::loss = "mse");
  EXPECT_EQ(model.fit(kw::x = x, kw::y = y, kw::epochs = 2, kw::verbose = 0).epoch.size(), 2U);
  EXPECT_EQ(model.fit(x, kw::y = y, kw::verbose = 0).epoch.size(), 1U);
  const auto dataset = data::Dataset::from_tensor_slices(x, y).batch(4);
  EXPECT_EQ(model.fit(kw::epochs = 3, kw::x = dataset, kw::verbose = 0).epoch.size(), 3U);
  EXPECT_EQ(model.evaluate(kw::x = x, kw::y = y, kw::verbose = 0).at("loss"),
            model.evaluate(x, y, kw::verbose = 0).at("loss"));
  const Tensor predicted = model.predict(kw::x = x, kw::batch_size = 4, kw::verbose = 0);
  EXPECT_EQ(predicted.shape(), Shape({8, 1}));
  EXPECT_EQ(model.get_layer({.index = 0})->name(), "first");
  EXPECT_EQ(model.get_layer({.name = "first"})->name(), "first");
  EXPECT_THROW(model.get_layer({.name = "second"}), ValueError);

  LossByName own;
  own.compile(kw::optimizer = "sgd", kw::loss = "mse");
  const History history = own.fit(x, y, kw::epochs = 3, kw::verbose = 0);
  EXPECT_LT(history.history.at("loss").back(), history.history.at("loss").front());
}

TEST(KerasHabits, BatchNormalizationShowsItsWeights) {
  const BatchNormalization norm(kw::center = false);
  const BatchNormalization copy = norm;
  EXPECT_THROW(static_cast<void>(copy.gamma()), AttributeError);  // not built yet
  Sequential model({Input({3}), norm});
  model(ops::ones({8, 3}) * 5.0, kw::training = true);
  EXPECT_EQ(copy.gamma().value().to_vector<float>(), (std::vector<float>{1, 1, 1}));
  EXPECT_FLOAT_EQ(float(copy.moving_mean().value()[0]), 0.05F);
  EXPECT_FLOAT_EQ(float(copy.moving_variance().value()[0]), 0.99F);
  EXPECT_THROW(static_cast<void>(copy.beta()), AttributeError);
}

}  // namespace
}  // namespace antler
