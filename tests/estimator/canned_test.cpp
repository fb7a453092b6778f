#include "antler/estimator/canned.h"

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "antler/base/error.h"
#include "antler/core/string_handles.h"
#include "antler/data/dataset.h"
#include "base/temporary_folder.h"

/// The expected numbers come from TensorFlow 2.15's tf.compat.v1.estimator with equal initial
/// values.
namespace antler::estimator {
namespace {

namespace fc = feature_column;

std::vector<FeatureColumn> linear_columns() {
  return {
      fc::numeric_column("v2", {.shape = {2}}),
      fc::bucketized_column(fc::numeric_column("age"), {20, 40}),
      fc::categorical_column_with_vocabulary_list("word", std::vector<std::string>{"a", "b", "c"}),
      fc::categorical_column_with_identity("id", 5)};
}

std::vector<FeatureColumn> dense_columns() {
  return {fc::numeric_column("v2", {.shape = {2}}),
          fc::indicator_column(fc::categorical_column_with_vocabulary_list(
              "word", std::vector<std::string>{"a", "b", "c"})),
          fc::embedding_column(fc::categorical_column_with_identity("id", 5), 3)};
}

/// The same batch of four examples, `times` times.
InputFn examples(const Tensor& labels, int64_t times) {
  const Nest features = Nest::dict(
      {{"age", Tensor::of<float>({10, 30, 50, 25})},
       {"v2", Tensor::of<float>({{0, 0.125F}, {0.25F, 0.375F}, {0.5F, 0.625F}, {0.75F, 0.875F}})},
       {"word", string_handles({"a", "c", "b", "x"})},
       {"id", Tensor::of<int64_t>({0, 4, 2, 2})},
       {"w", Tensor::of<float>({1, 2, 0.5F, 1})}});
  return [=] {
    return data::Dataset::from_tensor_slices(Nest(std::vector<Nest>{features, labels}))
        .repeat(times)
        .batch(4);
  };
}

/// Gives the trainable variables the values sin(1) / 2, sin(2) / 2, ...
class SinValues final : public SessionRunHook {
 public:
  void after_create_session(Session& session) override {
    for (const Variable& variable : session.graph().trainable_variables()) {
      std::vector<float> values;
      for (int64_t i = 0; i < variable.shape().num_elements(); ++i)
        values.push_back(static_cast<float>(std::sin(static_cast<double>(i) + 1)) * 0.5F);
      variable.store(Tensor::of(values, variable.shape()));
    }
  }
};

struct Expected {
  std::map<std::string, std::vector<double>> variables;
  std::map<std::string, double> metrics;
  std::map<std::string, std::vector<double>> predictions;  ///< of the second example
};

void expect_near(double actual, double expected, const std::string& what) {
  EXPECT_NEAR(actual, expected, 5e-6 * std::max(1.0, std::abs(expected))) << what;
}

void expect_near(const Tensor& actual, const std::vector<double>& expected,
                 const std::string& what) {
  const std::vector<double> values = actual.to_doubles();
  ASSERT_EQ(values.size(), expected.size()) << what;
  for (size_t i = 0; i < values.size(); ++i) expect_near(values[i], expected[i], what);
}

/// Three steps, an evaluation and predictions. Returns the predictions of the second example.
Nest run(const Estimator& estimator, const Tensor& labels, const Expected& expected) {
  estimator.train(examples(labels, 3), {.hooks = {std::make_shared<SinValues>()}, .steps = 3});
  for (const auto& [name, values] : expected.variables)
    expect_near(estimator.get_variable_value(name), values, name);
  const EvalResult result = estimator.evaluate(examples(labels, 1));
  EXPECT_EQ(result.size(), expected.metrics.size());
  for (const auto& [name, value] : expected.metrics)
    expect_near(result.at(name).item(), value, name);
  Predictions predictions = estimator.predict(examples(labels, 1));
  Nest second;
  EXPECT_TRUE(predictions.next(second) && predictions.next(second));
  for (const auto& [name, values] : expected.predictions)
    expect_near(second.at(name).tensor(), values, name);
  return second;
}

std::string text(const Nest& prediction, const std::string& key) {
  return string_of(prediction.at(key).tensor().data<uint64_t>()[0]);
}

const Tensor kTwo = Tensor::of<int64_t>({0, 1, 1, 0});
const Tensor kThree = Tensor::of<int64_t>({0, 2, 1, 2});
const Tensor kNumbers = Tensor::of<float>({1, 2, 3, 4});

class CannedEstimators : public testing::Test {
 protected:
  const std::string model_dir_ = make_temporary_folder("canned");
};

TEST_F(CannedEstimators, LinearClassifierWithWeights) {
  const Nest second =
      run(LinearClassifier(linear_columns(), {.model_dir = model_dir_, .weight_column = "w"}), kTwo,
          {.variables = {{"linear/linear_model/id/weights",
                          {-0.1078216, 0.4546487, -0.2680541, -0.3784012, 0.1684702}},
                         {"linear/linear_model/bias_weights", {0.08055823}},
                         {"linear/linear_model/v2/weights", {-0.04284966, 0.005954414}},
                         {"linear/linear_model/age_bucketized/weights/part_0/Ftrl_1",
                          {0.6455169, -0.4725989, -0.6101724}}},
           .metrics = {{"accuracy", 1.0},
                       {"accuracy_baseline", 0.5555556},
                       {"auc", 0.9999995},
                       {"auc_precision_recall", 0.9999996},
                       {"average_loss", 0.4908419},
                       {"global_step", 3.0},
                       {"label/mean", 0.5555556},
                       {"loss", 2.208789},
                       {"precision", 1.0},
                       {"prediction/mean", 0.58557},
                       {"recall", 1.0}},
           .predictions = {{"logits", {0.8829044}},
                           {"logistic", {0.7074237}},
                           {"probabilities", {0.2925763, 0.7074237}},
                           {"class_ids", {1.0}},
                           {"all_class_ids", {0.0, 1.0}}}});
  EXPECT_EQ(text(second, "classes"), "1");
}

TEST_F(CannedEstimators, LinearClassifierOfStrings) {
  const Nest second =
      run(LinearClassifier(
              linear_columns(),
              {.model_dir = model_dir_, .label_vocabulary = std::vector<std::string>{"no", "yes"}}),
          string_handles({"no", "yes", "yes", "no"}),
          {.variables = {{"linear/linear_model/bias_weights", {0.03728263}}},
           .metrics = {{"accuracy", 1.0},
                       {"accuracy_baseline", 0.5},
                       {"auc", 0.9999995},
                       {"auc_precision_recall", 0.9999995},
                       {"average_loss", 0.5019386},
                       {"global_step", 3.0},
                       {"label/mean", 0.5},
                       {"loss", 2.007754},
                       {"precision", 1.0},
                       {"prediction/mean", 0.54565},
                       {"recall", 1.0}},
           .predictions = {{"logits", {0.6426017}},
                           {"logistic", {0.6553413}},
                           {"probabilities", {0.3446587, 0.6553414}},
                           {"class_ids", {1.0}},
                           {"all_class_ids", {0.0, 1.0}}}});
  EXPECT_EQ(text(second, "classes"), "yes");
}

TEST_F(CannedEstimators, LinearClassifierOfThreeClasses) {
  run(LinearClassifier(linear_columns(), {.model_dir = model_dir_, .n_classes = 3}), kThree,
      {.variables = {{"linear/linear_model/bias_weights", {0.002122354, 0.05820847, 0.2647718}},
                     {"linear/linear_model/word/weights",
                      {0.5717862, -0.0862278, -0.226832, -0.3745085, 0.1389248, -0.3784509,
                       -0.1396207, -0.05864554, 0.4223889}}},
       .metrics = {{"accuracy", 1.0},
                   {"average_loss", 0.2745327},
                   {"global_step", 3.0},
                   {"loss", 1.098131}},
       .predictions = {{"logits", {-1.022109, -0.7300479, 1.539724}},
                       {"probabilities", {0.0653649, 0.08753568, 0.8470994}},
                       {"class_ids", {2.0}},
                       {"all_class_ids", {0.0, 1.0, 2.0}}}});
}

TEST_F(CannedEstimators, LinearRegressor) {
  run(LinearRegressor(linear_columns(), {.model_dir = model_dir_, .weight_column = "w"}), kNumbers,
      {.variables = {{"linear/linear_model/bias_weights", {0.733996}}},
       .metrics = {{"average_loss", 0.1626204},
                   {"global_step", 3.0},
                   {"label/mean", 2.333333},
                   {"loss", 0.731792},
                   {"prediction/mean", 2.209355}},
       .predictions = {{"predictions", {2.100148}}}});
}

TEST_F(CannedEstimators, DNNClassifier) {
  run(DNNClassifier({4, 3}, dense_columns(), {.model_dir = model_dir_}), kTwo,
      {.variables = {{"dnn/hiddenlayer_0/bias", {0.3405952, 0.5372213, 0.02484752, -0.4208483}},
                     {"dnn/logits/kernel", {0.3547341, 0.3928582, 0.06717247}},
                     {"dnn/input_from_feature_columns/input_layer/id_embedding/embedding_weights",
                      {0.4339258, 0.4919859, 0.02333313, -0.3784012, -0.4794621, -0.1397077,
                       0.3418374, 0.48221, 0.2139631, -0.2720106, -0.4999951, -0.2682865, 0.2135428,
                       0.4803812, 0.3399413}},
                     {"dnn/logits/bias/t_0/Adagrad", {1.387674}}},
       .metrics = {{"accuracy", 0.5},
                   {"accuracy_baseline", 0.5},
                   {"auc", 0.8749996},
                   {"auc_precision_recall", 0.9166662},
                   {"average_loss", 0.7001143},
                   {"global_step", 3.0},
                   {"label/mean", 0.5},
                   {"loss", 2.800457},
                   {"precision", 0.5},
                   {"prediction/mean", 0.6168174},
                   {"recall", 1.0}},
       .predictions = {{"logits", {0.587157}},
                       {"logistic", {0.6427126}},
                       {"probabilities", {0.3572874, 0.6427126}},
                       {"class_ids", {1.0}},
                       {"all_class_ids", {0.0, 1.0}}}});
}

TEST_F(CannedEstimators, DNNRegressorWithBatchNormalization) {
  const DNNRegressor estimator({4}, dense_columns(),
                               {.model_dir = model_dir_, .optimizer = "Adam", .batch_norm = true});
  run(estimator, kNumbers,
      {.variables = {{"dnn/hiddenlayer_0/batchnorm_0/gamma",
                      {0.273176, 0.6043193, 0.2197791, -0.4033687}},
                     {"dnn/hiddenlayer_0/batchnorm_0/moving_mean",
                      {0.001007019, 0.001429466, 0.001300374, 0.000374572}},
                     {"dnn/hiddenlayer_0/batchnorm_0/moving_variance",
                      {0.9972144, 0.9973627, 0.9974817, 0.9970296}},
                     {"dnn/logits/kernel", {0.5701036, 0.6046468, 0.2197991, -0.5281914}}},
       .metrics = {{"average_loss", 1.275488},
                   {"global_step", 3.0},
                   {"label/mean", 2.5},
                   {"loss", 5.101953},
                   {"prediction/mean", 1.910562}},
       .predictions = {{"predictions", {1.697749}}}});
  for (const char* name : {"dnn/head/beta1_power", "dnn/logits/bias/t_0/Adam_1"})
    EXPECT_NO_THROW(estimator.get_variable_value(name)) << name;
}

TEST_F(CannedEstimators, WideAndDeepClassifier) {
  run(DNNLinearCombinedClassifier({.linear_feature_columns = linear_columns(),
                                   .dnn_feature_columns = dense_columns(),
                                   .dnn_hidden_units = {4}},
                                  {.model_dir = model_dir_}),
      kTwo,
      {.variables = {{"linear/linear_model/bias_weights", {0.3245406}},
                     {"dnn/logits/bias", {0.4185691}},
                     {"dnn/hiddenlayer_0/bias/Adagrad",
                      {1.531512, 1.772055, 0.1079465, 0.1690007}}},
       .metrics = {{"accuracy", 0.5},
                   {"accuracy_baseline", 0.5},
                   {"auc", 4.999995e-07},
                   {"auc_precision_recall", 0.2916668},
                   {"average_loss", 1.160239},
                   {"global_step", 3.0},
                   {"label/mean", 0.5},
                   {"loss", 4.640955},
                   {"precision", 0.5},
                   {"prediction/mean", 0.8273143},
                   {"recall", 1.0}},
       .predictions = {{"logits", {1.038137}},
                       {"logistic", {0.7384904}},
                       {"probabilities", {0.2615096, 0.7384903}},
                       {"class_ids", {1.0}},
                       {"all_class_ids", {0.0, 1.0}}}});
}

TEST_F(CannedEstimators, BaselineClassifier) {
  run(BaselineClassifier({.model_dir = model_dir_, .n_classes = 3}), kThree,
      {.variables = {{"baseline/bias", {-0.1695869, -0.1588221, 0.4601261}}},
       .metrics =
           {{"accuracy", 0.5}, {"average_loss", 1.04032}, {"global_step", 3.0}, {"loss", 4.16128}},
       .predictions = {{"logits", {-0.1695869, -0.1588221, 0.4601261}},
                       {"probabilities", {0.2572086, 0.2599924, 0.482799}},
                       {"class_ids", {2.0}},
                       {"all_class_ids", {0.0, 1.0, 2.0}}}});
}

TEST_F(CannedEstimators, DropoutLeavesNoVariablesInCheckpoints) {
  const DNNClassifier estimator({4}, dense_columns(), {.model_dir = model_dir_, .dropout = 0.5});
  estimator.train(examples(kTwo, 2), {.steps = 2});
  for (const std::string& name : estimator.get_variable_names())
    EXPECT_TRUE(name == "global_step" || name.starts_with("dnn/")) << name;
}

TEST_F(CannedEstimators, RefuseWrongArguments) {
  EXPECT_THROW(LinearClassifier({}), ValueError);
  EXPECT_THROW(DNNClassifier({4}, linear_columns()), ValueError);
  EXPECT_THROW(DNNLinearCombinedClassifier({}), ValueError);
  EXPECT_THROW(DNNLinearCombinedClassifier({.dnn_feature_columns = dense_columns()}), ValueError);
  EXPECT_THROW(LinearClassifier(linear_columns(), {.optimizer = "Newton"}), ValueError);
  EXPECT_THROW(OptimizerChoice().make(0.1), ValueError);
  EXPECT_THROW(OptimizerChoice(train::OptimizerPtr()).make(0.1), ValueError);
  EXPECT_THROW(multi_class_head(2), ValueError);
  EXPECT_THROW(multi_label_head(1), ValueError);
  EXPECT_THROW(binary_class_head({.label_vocabulary = std::vector<std::string>{"a", "a"}}),
               ValueError);
  const LinearClassifier estimator(linear_columns(), {.model_dir = model_dir_});
  // Labels of two columns.
  const Tensor pairs = Tensor::of<int64_t>({{0, 1}, {1, 0}, {1, 0}, {0, 1}});
  EXPECT_THROW(estimator.train(examples(pairs, 1), {.steps = 1}), ValueError);
  EXPECT_THROW(estimator.train(examples(string_handles({"a", "b", "c", "d"}), 1), {.steps = 1}),
               ValueError);
}

}  // namespace
}  // namespace antler::estimator
