#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "antler/antler.h"
#include "antler/base/file.h"
#include "antler/training/saving.h"
#include "command.h"
#include "data_files.h"

namespace antler::cli {
namespace {

struct Settings {
  std::string model;
  std::string data;
  std::string target;
  std::string kind = "auto";
  std::vector<int64_t> units = {64, 64};
};

/// The number of classes that integer targets have; 0 for other targets.
int64_t count_classes(const LoadedData& data) {
  if (data.plan && !data.plan->classes.empty()) {
    return static_cast<int64_t>(data.plan->classes.size());
  }
  if (data.y.dtype() == DType::float32 || data.y.dtype() == DType::float64) return 0;
  const std::vector<double> labels = data.y.to_doubles();
  return static_cast<int64_t>(*std::max_element(labels.begin(), labels.end())) + 1;
}

/// A layer that gives each column a mean of 0 and a variance of 1.
Tensor normalized(const Tensor& inputs, const Tensor& x) {
  Normalization layer({.axis = {-1}});
  layer.adapt(x);
  return layer(inputs);
}

Tensor convnet(Tensor x) {
  x = Conv2D(32, {3, 3}, {.activation = "relu"})(x);
  x = MaxPooling2D({.pool_size = {2, 2}})(x);
  x = Conv2D(64, {3, 3}, {.activation = "relu"})(x);
  x = MaxPooling2D({.pool_size = {2, 2}})(x);
  return Dropout(0.5)(Flatten()(x));
}

int run_new(const Settings& s) {
  const LoadedData data = load_data(s.data, {.target = s.target});
  std::printf("%s\n%s", s.data.c_str(), data.found.c_str());
  const bool images = data.x.rank() == 4 || data.x.rank() == 3;
  const std::string kind = s.kind != "auto" ? s.kind : images ? "convnet" : "mlp";
  const int64_t classes = count_classes(data);
  std::vector<int64_t> dims(data.x.shape().dims().begin() + 1, data.x.shape().dims().end());
  if (kind == "convnet" && dims.size() == 2) dims.push_back(1);
  const Tensor inputs = Input(Shape(dims));
  Tensor x = inputs;
  if (kind == "convnet") {
    x = convnet(x);
  } else {
    if (dims.size() > 1) {
      x = Flatten()(x);
    } else {
      x = normalized(x, data.x);
    }
    for (const int64_t units : s.units) x = Dense(units, {.activation = "relu"})(x);
  }
  const Tensor outputs = classes > 0 ? Dense(classes, {.activation = "softmax"})(x)
                                     : Dense(data.y.rank() == 2 ? data.y.shape()[1] : 1)(x);
  Model model(inputs, outputs);
  if (classes > 0) {
    model.compile(
        {.optimizer = "adam", .loss = "sparse_categorical_crossentropy", .metrics = {"accuracy"}});
  } else {
    model.compile({.optimizer = "adam", .loss = "mse", .metrics = {"mae"}});
  }
  model.summary();
  model.save(s.model);
  if (data.plan) {
    write_file_atomically(TablePlan::path_beside(s.model), data.plan->to_json().dump(1) + "\n");
  }
  std::printf("saved: %s\nnext: antler fit %s %s --epochs 20 --out trained.keras\n",
              s.model.c_str(), s.model.c_str(), s.data.c_str());
  return 0;
}

}  // namespace

void add_new(CLI::App& app, Run& run) {
  CLI::App* command =
      app.add_subcommand("new", "Writes an untrained model whose inputs and outputs fit the data");
  const auto s = std::make_shared<Settings>();
  command->add_option("model", s->model, "The .keras file to write")->required();
  command->add_option("data", s->data, "As for fit")->required();
  command->add_option("--target", s->target, "Column of a .csv to predict; default: the last");
  command->add_option("--kind", s->kind, "mlp or convnet; default: what the data is")
      ->check(CLI::IsMember({"auto", "mlp", "convnet"}));
  command->add_option("--units", s->units, "Hidden layers of an mlp")
      ->delimiter(',')
      ->capture_default_str();
  command->callback([&run, s] { run = [s] { return run_new(*s); }; });
}

}  // namespace antler::cli
