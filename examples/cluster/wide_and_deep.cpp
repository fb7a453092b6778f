// A wide-and-deep model of a table with categories, trained with parameter servers. The embedding
// tables are divided among them, and workers exchange only the rows that a batch needs.
//
//     antler launch --workers 2 --ps 2 -- ./wide_and_deep
//
// Without a cluster it trains in this process.

#include <cstdio>

#include "../example_options.h"
#include "parameter_servers.h"

using namespace antler;  // NOLINT(google-build-using-namespace): as in a tutorial

namespace {

constexpr int64_t kOccupations = 500;
constexpr int64_t kRegions = 300;
constexpr int64_t kCrosses = 20000;  // hash buckets for pairs of both

struct Table {
  Nest columns;
  Tensor labels;
};

/// Synthetic people whose income depends on their age, their occupation, and the pair of occupation
/// and region.
Table people(int64_t rows, int seed) {
  const Tensor occupation = random::randint({rows, 1}, 0, kOccupations, {.seed = seed});
  const Tensor region = random::randint({rows, 1}, 0, kRegions, {.seed = seed + 1});
  const Tensor age = random::normal({rows, 1}, {.seed = seed + 2});
  const Tensor cross = ops::mod(occupation * kRegions + region, kCrosses);
  const auto hash = [](const Tensor& ids) {
    return ops::sin(ops::cast(ids, DType::float32) * 12.9898F);
  };
  const Tensor score = hash(occupation) + 0.5F * age + 0.7F * hash(cross);
  return {
      Nest::dict({{"occupation", occupation}, {"region", region}, {"cross", cross}, {"age", age}}),
      ops::cast(score > 0.0F, DType::float32)};
}

Model wide_and_deep() {
  const Tensor occupation = Input({1}, {.dtype = "int32", .name = "occupation"});
  const Tensor region = Input({1}, {.dtype = "int32", .name = "region"});
  const Tensor cross = Input({1}, {.dtype = "int32", .name = "cross"});
  const Tensor age = Input({1}, {.name = "age"});
  const Tensor wide = Flatten()(Embedding(kCrosses, 1, {.name = "wide"})(cross));
  const Tensor features = Concatenate()(
      Nest{Flatten()(Embedding(kOccupations, 16, {.name = "occupations"})(occupation)),
           Flatten()(Embedding(kRegions, 16, {.name = "regions"})(region)), age});
  const Tensor hidden = Dense(32, {.activation = "relu"})(features);
  const Tensor deep = Dense(1)(hidden);
  const Tensor output = Activation("sigmoid")(Add()(Nest{wide, deep}));
  return Model(Nest{occupation, region, cross, age}, output);
}

}  // namespace

int main(int argc, char** argv) {
  ExampleOptions options{.about = "A wide-and-deep model, trained with parameter servers.",
                         .epochs = 5};
  return run_example(argc, argv, options, [&] {
    const auto servers = enter_cluster({.variable_partitioner = cluster::MinSizePartitioner(
                                            {.min_shard_bytes = 16 << 10, .max_shards = 2})});
    const distribute::Strategy strategy =
        servers ? distribute::Strategy(*servers) : distribute::get_strategy();
    const auto scope = strategy.scope();
    Model model = wide_and_deep();
    model.compile(kw::optimizer = optimizers::Adam(0.01), kw::loss = "binary_crossentropy",
                  kw::metrics = {"accuracy", "AUC"});
    const Table train = people(40000, 1);
    const Table test = people(8000, 10);
    model.fit(train.columns, train.labels, kw::batch_size = 256, kw::epochs = options.epochs,
              kw::steps_per_epoch = 156, kw::verbose = 2);
    const HostLogs result = model.evaluate(test.columns, test.labels, kw::verbose = 0);
    std::printf("test accuracy: %.4f, AUC: %.4f\n", result.at("accuracy"), result.at("auc"));
  });
}
