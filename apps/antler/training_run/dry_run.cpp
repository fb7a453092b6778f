#include "training_run/dry_run.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <nlohmann/json.hpp>

#include "antler/data/dataset.h"
#include "base/ceil_div.h"

namespace antler::cli {
namespace {

/// The number of rows for training, without those that fit() holds out; negative if unknown.
int64_t training_rows(const Samples& samples, const FitOptions& options) {
  const int64_t rows = samples.count();
  if (samples.batches) return rows > 0 ? rows : -1;
  return static_cast<int64_t>(
      std::floor(static_cast<double>(rows) * (1 - options.validation_split)));
}

/// The first batch.
Batch first_batch(const Model& model, const Samples& samples, int64_t batch_size) {
  if (samples.batches) return unpack_x_y_sample_weight(*samples.batches->begin());
  const Nest x = samples.inputs(model).arrays();
  const Nest y = samples.ys.is_none() ? Nest(samples.y) : samples.ys;
  const Nest batch = *data::Dataset::from_tensor_slices({x, y}).batch(batch_size).begin();
  return {batch[0], batch[1]};
}

int64_t count_trainable(const Model& model) {
  int64_t sum = 0;
  for (const Variable& variable : model.trainable_variables())
    sum += variable.shape().num_elements();
  return sum;
}

}  // namespace

void print_dry_run(Model& model, const Samples& samples, const FitOptions& options,
                   int64_t batch_size, const std::string& out, bool json) {
  const int64_t rows = training_rows(samples, options);
  const Batch batch =
      first_batch(model, samples, rows < 0 ? batch_size : std::min(rows, batch_size));
  const int64_t memory = model.memory_plan(batch).total();
  const int64_t epochs = options.epochs - options.initial_epoch;
  const int64_t steps = rows < 0 ? -1 : ceil_div(rows, batch_size);
  if (json) {
    Json result = {{"dry_run", true},
                   {"params", model.count_params()},
                   {"trainable_params", count_trainable(model)},
                   {"batch_size", batch_size},
                   {"epochs", epochs},
                   {"bytes", memory},
                   {"out", out}};
    if (rows >= 0) result.update(Json{{"rows", rows}, {"steps_per_epoch", steps}});
    std::printf("%s\n", result.dump().c_str());
    return;
  }
  std::printf("model: %lld parameters, %lld of them trainable\n",
              static_cast<long long>(model.count_params()),
              static_cast<long long>(count_trainable(model)));
  std::printf("epochs: %lld", static_cast<long long>(epochs));
  if (rows >= 0) {
    std::printf(" of %lld steps: %lld samples in batches of %lld", static_cast<long long>(steps),
                static_cast<long long>(rows), static_cast<long long>(batch_size));
  }
  std::printf("\nmemory of a step: %.1f MiB\n", static_cast<double>(memory) / (1 << 20));
  std::printf("would save: %s\n", out.c_str());
}

}  // namespace antler::cli
