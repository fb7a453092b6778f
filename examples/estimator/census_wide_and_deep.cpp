// A wide-and-deep classifier for a table like the census data set, built from feature columns:
// crossed categories for the linear part, embeddings and numbers for the deep part. It is trained
// and evaluated by train_and_evaluate.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include <antler/estimator/estimators.h>

#include "../example_options.h"

using namespace antler;             // NOLINT(google-build-using-namespace): as in a tutorial
using namespace antler::estimator;  // NOLINT(google-build-using-namespace)
namespace fc = antler::feature_column;

namespace {

const std::vector<std::string> kEducations = {"school", "college", "bachelors", "masters",
                                              "doctorate"};
const std::vector<std::string> kOccupations = {"craft", "sales",   "farming", "clerical",
                                               "tech",  "service", "manager", "transport"};

struct Table {
  Nest columns;
  Tensor labels;  ///< 1 where the income is high
};

/// Synthetic people. Their income grows with age, education and hours of work, and some pairs of
/// education and occupation pay more than the two separately would suggest.
Table people(int64_t rows, uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](size_t n) { return static_cast<size_t>(random() % n); };
  std::normal_distribution<float> noise(0, 0.5F);
  std::vector<std::string> educations;
  std::vector<std::string> occupations;
  std::vector<float> ages;
  std::vector<float> hours;
  std::vector<int64_t> labels;
  for (int64_t i = 0; i < rows; ++i) {
    const size_t education = below(kEducations.size());
    const size_t occupation = below(kOccupations.size());
    ages.push_back(static_cast<float>(18 + below(60)));
    hours.push_back(static_cast<float>(20 + below(40)));
    const float experience = 1 - std::abs(ages.back() - 50) / 25;
    const float pair = (education * 3 + occupation) % 5 == 0 ? 1.5F : -0.3F;
    const float score = experience + 0.5F * (static_cast<float>(education) - 2) +
                        (hours.back() - 40) / 20 + pair + noise(random);
    educations.push_back(kEducations[education]);
    occupations.push_back(kOccupations[occupation]);
    labels.push_back(score > 0 ? 1 : 0);
  }
  return {Nest::dict({{"age", Tensor::of(ages)},
                      {"hours_per_week", Tensor::of(hours)},
                      {"education", string_handles(educations)},
                      {"occupation", string_handles(occupations)}}),
          Tensor::of(labels)};
}

/// A column whose numbers are scaled to about [-1, 1].
FeatureColumn scaled(const std::string& key, float mean, float range) {
  return fc::numeric_column(key,
                            {.normalizer_fn = [=](const Tensor& x) { return (x - mean) / range; }});
}

WideAndDeep wide_and_deep() {
  const FeatureColumn age_buckets =
      fc::bucketized_column(fc::numeric_column("age"), {25, 30, 35, 40, 45, 50, 55, 60, 65});
  const FeatureColumn education =
      fc::categorical_column_with_vocabulary_list("education", kEducations);
  const FeatureColumn occupation = fc::categorical_column_with_hash_bucket("occupation", 100);
  return {
      .linear_feature_columns = {age_buckets, education, occupation,
                                 fc::crossed_column({"education", "occupation"}, 1000)},
      .dnn_feature_columns = {scaled("age", 48, 30), scaled("hours_per_week", 40, 20),
                              fc::indicator_column(education), fc::embedding_column(occupation, 8)},
      .dnn_optimizer = train::AdagradOptimizer(0.05),
      .dnn_hidden_units = {32, 16}};
}

constexpr int64_t kBatch = 64;

/// The table: once for evaluation, repeated and reshuffled for training.
InputFn input_fn(const Table& table) {
  return [table](const InputFnArgs& args) -> InputData {
    auto dataset = data::Dataset::from_tensor_slices(Nest{table.columns, table.labels});
    if (args.mode == ModeKeys::train) dataset = dataset.shuffle(1000).repeat();
    return dataset.batch(kBatch);
  };
}

}  // namespace

int main(int argc, char** argv) {
  std::string model_dir;
  ExampleOptions options{
      .about = "A wide-and-deep classifier with train_and_evaluate.",
      .epochs = 4,
      .extras = {{"--model-dir", &model_dir, "Folder of checkpoints; default: a temporary one"}}};
  return run_example(argc, argv, options, [&] {
    const Table train = people(20000, options.seed);
    const Table test = people(5000, options.seed + 1);
    const int64_t steps = train.labels.shape()[0] / kBatch * options.epochs;
    RunConfigOptions config{.tf_random_seed = static_cast<int64_t>(options.seed),
                            .save_checkpoints_steps = std::max<int64_t>(steps / 4, 1)};
    if (!model_dir.empty()) config.model_dir = model_dir;
    const DNNLinearCombinedClassifier classifier(wide_and_deep(), {.config = RunConfig(config)});
    const TrainAndEvaluateResult result =
        train_and_evaluate(classifier, {.input_fn = input_fn(train), .max_steps = steps},
                           {.input_fn = input_fn(test), .steps = {}, .throttle_secs = 0});
    std::printf("trained in %s\n", classifier.model_dir().c_str());
    if (!result.metrics) return;  // an earlier run has already made this many steps
    for (const char* name : {"accuracy", "auc", "average_loss"})
      std::printf("%s: %.4f\n", name, result.metrics->at(name).item());
    int shown = 0;
    for (const Nest& prediction : classifier.predict(input_fn(people(5, options.seed + 2)))) {
      std::printf("person %d has a high income with probability %.2f\n", shown++,
                  prediction.at("logistic").tensor().item());
    }
  });
}
