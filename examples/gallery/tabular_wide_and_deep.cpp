// Wide and deep learning (Cheng et al. 2016) on a table of numbers and strings. A FeatureSpace
// turns columns into features; the wide part sees crossed columns, the deep part learns from all.
// The table is generated; income depends on a combination of education and occupation.

#include "gallery.h"

using namespace antler;  // NOLINT(google-build-using-namespace): as in a tutorial

namespace {

struct Table {
  Nest columns;
  Tensor rich;
};

Table make_table(int64_t rows, unsigned seed) {
  const std::vector<std::string> schools = {"primary", "secondary", "college", "doctorate"};
  const std::vector<std::string> jobs = {"craft", "office", "teaching", "science", "trade", "care"};
  gallery::Random random(seed);
  std::vector<float> age, hours, rich;
  std::vector<std::string> education, occupation;
  for (int64_t i = 0; i < rows; ++i) {
    const int64_t school = random.below(4);
    const int64_t job = random.below(6);
    age.push_back(random.uniform(18, 70));
    hours.push_back(std::max(5.0F, 38 + 9 * random.normal()));
    education.push_back(schools[static_cast<size_t>(school)]);
    occupation.push_back(jobs[static_cast<size_t>(job)]);
    // A doctorate pays in science, an apprenticeship in the crafts, and so on.
    const bool fits = (school * 2 + 1) % 6 == job || (school + 4) % 6 == job;
    const double peak = std::exp(-std::pow((static_cast<double>(age.back()) - 48) / 14, 2));
    const double score =
        (fits ? 3 : -1) + 2.5 * peak + 0.06 * (static_cast<double>(hours.back()) - 38) - 1.2;
    rich.push_back(random.chance(1 / (1 + std::exp(-2 * score))) ? 1.0F : 0.0F);
  }
  return {{{"age", Tensor::of(age)},
           {"hours", Tensor::of(hours)},
           {"education", StringTensor(education)},
           {"occupation", StringTensor(occupation)}},
          Tensor::of(rich, {rows, 1})};
}

}  // namespace

int main(int argc, char** argv) {
  return gallery::run(argc, argv, /*epochs=*/15, [](int64_t epochs) {
    const Table train = make_table(8000, 1);
    const Table test = make_table(2000, 2);

    FeatureSpace space({{"age", "float_normalized"},
                        {"hours", "float_normalized"},
                        {"education", "string_categorical"},
                        {"occupation", "string_categorical"}},
                       kw::output_mode = "dict", kw::crosses = {{"education", "occupation"}},
                       kw::crossing_dim = 64);
    space.adapt(train.columns);
    const Nest encoded = space.get_encoded_features();
    const Tensor wide = encoded.at("education_X_occupation");
    Tensor deep = Concatenate()({encoded.at("age"), encoded.at("hours"), encoded.at("education"),
                                 encoded.at("occupation")});
    for (int i = 0; i < 2; ++i) deep = Dropout(0.1)(Dense(32, kw::activation = "relu")(deep));

    const auto train_and_test = [&](const char* name, const Tensor& features) {
      // The model takes the raw columns.
      Model model(space.get_inputs(), Dense(1, kw::activation = "sigmoid")(features));
      model.compile(optimizers::Adam(2e-3), "binary_crossentropy",
                    kw::metrics = {"accuracy", metrics::AUC(kw::name = "auc")});
      model.fit(train.columns, train.rich, kw::epochs = epochs, kw::verbose = 0);
      const HostLogs result = model.evaluate(test.columns, test.rich, kw::verbose = 0);
      std::printf("%-14s test accuracy: %.4f  AUC: %.4f\n", name, result.at("accuracy"),
                  result.at("auc"));
    };
    train_and_test("wide", wide);
    train_and_test("deep", deep);
    train_and_test("wide and deep", Concatenate()({wide, deep}));
  });
}
