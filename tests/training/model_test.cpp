#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>

#include "antler/antler.h"

namespace antler {
namespace {

TEST(Summary, SequentialInKerasLayout) {
  Sequential model(
      {Input({28, 28, 1}), Conv2D(32, {3, 3}, {.activation = "relu", .name = "conv2d"}),
       MaxPooling2D({.pool_size = {2, 2}, .name = "max_pooling2d"}),
       BatchNormalization({.name = "batch_normalization"}), Flatten({.name = "flatten"}),
       Dense(10, {.name = "dense"})},
      "sequential");
  // As tf_keras 2.21 prints it.
  EXPECT_EQ(model.summary_text(),
            "Model: \"sequential\"\n"
            "_________________________________________________________________\n"
            " Layer (type)                Output Shape              Param #   \n"
            "=================================================================\n"
            " conv2d (Conv2D)             (None, 26, 26, 32)        320       \n"
            "                                                                 \n"
            " max_pooling2d (MaxPooling2  (None, 13, 13, 32)        0         \n"
            " D)                                                              \n"
            "                                                                 \n"
            " batch_normalization (Batch  (None, 13, 13, 32)        128       \n"
            " Normalization)                                                  \n"
            "                                                                 \n"
            " flatten (Flatten)           (None, 5408)              0         \n"
            "                                                                 \n"
            " dense (Dense)               (None, 10)                54090     \n"
            "                                                                 \n"
            "=================================================================\n"
            "Total params: 54538 (213.04 KB)\n"
            "Trainable params: 54474 (212.79 KB)\n"
            "Non-trainable params: 64 (256.00 Byte)\n"
            "_________________________________________________________________\n");
}

// Keras counts 10: the state of the dropout's random generator is not a parameter.
TEST(Summary, SeedsAreNoParameters) {
  const Sequential model({Input({4}), Dropout(0.5), Dense(2)});
  const std::string text = model.summary_text();
  EXPECT_NE(text.find("Total params: 10 (40.00 Byte)"), std::string::npos) << text;
  EXPECT_NE(text.find("Non-trainable params: 0 (0.00 Byte)"), std::string::npos) << text;
}

TEST(Summary, ConnectionsAndTrainableColumn) {
  const Tensor input = Input({10}, {.name = "input_2"});
  const Tensor a = Dense(64, {.name = "a"})(input);
  const Tensor b = Dense(64, {.name = "branch_b_with_a_long_name_here"})(input);
  const Tensor sum = Add({.name = "add"})(Nest{a, b}).tensor();
  const Model model(input, Nest{sum, a}, "model");
  const std::string text = model.summary_text({.show_trainable = true});
  // As tf_keras 2.21 prints it.
  EXPECT_NE(text.find(" branch_b_with_a_long_name_  (None, 64)                   704       "
                      "['input_2[0][0]']             Y          \n"
                      " here (Dense)                                                               "
                      "                                 \n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(" add (Add)                   (None, 64)                   0         "
                      "['a[0][0]',                   Y          \n"
                      "                                                                     "
                      "'branch_b_with_a_long_name              \n"
                      "                                                                    "
                      "_here[0][0]']                            \n"),
            std::string::npos)
      << text;
}

TEST(Summary, OfAModelThatWasNotBuilt) {
  const Sequential model({Dense(3)});
  EXPECT_THROW(model.summary_text(), ValueError);
}

TEST(SequentialModel, BuildsLateAndGrows) {
  Sequential model;
  model.add(Dense(4));
  EXPECT_FALSE(model.built());
  const Tensor y = model(Tensor::zeros(DType::float32, {2, 3}));
  EXPECT_EQ(y.shape(), (Shape{2, 4}));
  EXPECT_EQ(model.count_params(), 3 * 4 + 4);
  EXPECT_THROW(Sequential().pop(), TypeError);
}

TEST(SequentialModel, LayerNamesAreUnique) {
  EXPECT_THROW(Sequential({Dense(1, {.name = "same"}), Dense(1, {.name = "same"})}), ValueError);
}

TEST(FunctionalModel, TwoOutputsTrainTogether) {
  set_random_seed(3);
  const Tensor input = Input({2});
  const Tensor hidden = Dense(4, {.activation = "tanh"})(input);
  Model model(input, Nest{Dense(1, {.name = "a"})(hidden), Dense(1, {.name = "b"})(hidden)});
  EXPECT_EQ(model.output_names(), (std::vector<std::string>{"a", "b"}));
  model.compile(
      {.optimizer = "sgd", .loss = {"mse", "mae"}, .loss_weights = {1.0, 0.5}, .metrics = {"mae"}});
  const Tensor x = Tensor::full(DType::float32, {8, 2}, 0.5);
  const Tensor y = Tensor::full(DType::float32, {8, 1}, 1.0);
  const History h = model.fit(x, Nest{y, y}, {.epochs = 2, .verbose = 0});
  EXPECT_EQ(model.metrics_names(),
            (std::vector<std::string>{"loss", "a_loss", "b_loss", "a_mae", "b_mae"}));
  const auto last = [&](const char* name) { return h.history.at(name).back(); };
  EXPECT_NEAR(last("loss"), last("a_loss") + 0.5 * last("b_loss"), 1e-6);
  EXPECT_LT(last("loss"), h.history.at("loss").front());
  const Nest y_pred = model.predict(x, {.verbose = 0});
  const Tensors outputs = model.predict(x, {.verbose = 0});
  EXPECT_EQ(outputs.size(), y_pred.size());
  EXPECT_EQ(y_pred.size(), 2U);
}

class OwnStep : public Model {
 public:
  Tensor call(const Tensor& x, const CallOptions& options) override { return dense_(x, options); }
  Logs train_step(const Batch& batch) override {
    GradientTape tape;
    const Tensor loss = ops::mean(ops::square((*this)(batch.x, {.training = true}) - batch.y));
    const Tensors gradients = tape.gradient(loss, trainable_variables());
    optimizer().apply(gradients, trainable_variables());
    seen_.update_state(loss);
    return {{"my_loss", seen_.result()}};
  }

 private:
  Dense dense_ = track("dense", Dense(1));
  metrics::Mean seen_ = track("seen", metrics::Mean({.name = "seen"}));
};

TEST(SubclassedModel, OwnTrainStepIsCompiledAndItsLogsAreKept) {
  set_random_seed(5);
  OwnStep model;
  model.compile({.optimizer = optimizers::SGD({.learning_rate = 0.1}), .steps_per_execution = 4});
  const Tensor x = Tensor::full(DType::float32, {40, 3}, 1);
  const Tensor y = Tensor::full(DType::float32, {40, 1}, 2);
  const History h = model.fit(x, y, {.batch_size = 4, .epochs = 5, .verbose = 0});
  ASSERT_EQ(h.history.size(), 1U);
  EXPECT_EQ(h.history.begin()->first, "my_loss");
  EXPECT_LT(h.history.at("my_loss").back(), 1e-3);
  EXPECT_EQ(model.make_train_function().trace_count(), 1);
}

TEST(MetricNames, AccuracyFlavourByShape) {
  const auto name_after_fit = [](int64_t units, const Tensor& y) {
    Sequential model({Input({2}), Dense(units, {.activation = "sigmoid"})});
    model.compile({.optimizer = "sgd", .loss = "mse", .metrics = {"acc"}});
    model.train_on_batch(Tensor::zeros(DType::float32, {4, 2}), y);
    return model.metrics().back();
  };
  const auto binary = name_after_fit(1, Tensor::zeros(DType::float32, {4, 1}));
  EXPECT_EQ(binary->name(), "acc");
}

TEST(WeightsFile, RoundTripAndRefusals) {
  const std::string path =
      (std::filesystem::temp_directory_path() / "antler_weights_test.npz").string();
  set_random_seed(1);
  Sequential a({Input({3}), Dense(2, {.name = "one"}), BatchNormalization({.name = "two"})});
  a.save_weights(path);
  Sequential b({Input({3}), Dense(2, {.name = "one"}), BatchNormalization({.name = "two"})});
  b.load_weights(path);
  EXPECT_EQ(a.get_weights()[0].to_doubles(), b.get_weights()[0].to_doubles());
  Sequential other({Input({3}), Dense(4, {.name = "one"}), BatchNormalization({.name = "two"})});
  const auto before = other.get_weights()[0].to_doubles();
  EXPECT_THROW(other.load_weights(path), ValueError);
  EXPECT_EQ(other.get_weights()[0].to_doubles(), before);
  std::filesystem::remove(path);
  EXPECT_ANY_THROW(b.load_weights(path));
}

TEST(FunctionalModel, KnowsItsShapes) {
  const Sequential model({Input({3}), Dense(2)});
  EXPECT_EQ(model.input_shape(), (Shape{Shape::kUnknown, 3}));
  EXPECT_EQ(model.output_shape(), (Shape{Shape::kUnknown, 2}));
  const Tensor x = Input({3});
  EXPECT_THROW(Model(x, Nest{x, x}).output_shape(), ValueError);
  EXPECT_THROW(Sequential({Dense(2)}).output_shape(), ValueError);
}

TEST(GetLayer, ByNameOrIndex) {
  Sequential model({Input({3}), Dense(2, {.name = "first"}), Dense(1, {.name = "second"})});
  EXPECT_EQ(model.get_layer("second")->name(), "second");
  EXPECT_EQ(model.get_layer({}, 0)->name(), "first");
  EXPECT_THROW(model.get_layer("third"), ValueError);
  EXPECT_THROW(model.get_layer({}, 9), ValueError);
  EXPECT_THROW(model.get_layer(), ValueError);
  EXPECT_THROW(model.get_layer("first", 0), ValueError);
}

TEST(MemoryPlan, IsKnownBeforeTraining) {
  Sequential model({Input({64}), Dense(32, {.activation = "relu"}), Dense(10)});
  model.compile(
      {.optimizer = "adam", .loss = losses::SparseCategoricalCrossentropy({.from_logits = true})});
  const ProgramMemory plan = model.memory_plan(
      {Tensor::zeros(DType::float32, {16, 64}), Tensor::zeros(DType::int32, {16})});
  EXPECT_EQ(plan.arguments, 16 * 64 * 4 + 16 * 4);
  EXPECT_GT(plan.arena, 0);
  // Weights, two slots each, and a few scalars.
  const int64_t weights = (64 * 32 + 32 + 32 * 10 + 10) * 4;
  EXPECT_GE(plan.states, 3 * weights);
  EXPECT_LE(plan.states, 3 * weights + 1024);
}

}  // namespace
}  // namespace antler
