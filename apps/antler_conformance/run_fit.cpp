// Training: compile, fit, evaluate, predict and the *_on_batch methods, with callbacks.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "antler/data/generator.h"
#include "antler/io/npy.h"
#include "antler/nn/layers/recurrent.h"
#include "antler/nn/metric.h"
#include "antler/training/callbacks/deserialize.h"
#include "antler/training/saving.h"
#include "check_events.h"
#include "fit_settings.h"
#include "kinds.h"
#include "metric_names.h"
#include "recorder.h"
#include "temporary_folder.h"

namespace antler::conformance {
namespace {

namespace fs = std::filesystem;

/// Replaces `{tmp}` in all strings.
Json in_folder(Json json, const fs::path& folder) {
  if (json.is_string()) return with_folder(json.get<std::string>(), folder);
  if (json.is_structured()) {
    for (auto& item : json) item = in_folder(item, folder);
  }
  return json;
}

/// A CSV field as in the reference set: a number if it is one.
Json csv_field(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0' ? Json(value) : Json(text);
}

/// The fields of a line, which may be in quotes.
std::vector<std::string> csv_fields(const std::string& line, char separator) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += line[++i];
    } else if (line[i] == '"') {
      quoted = !quoted;
    } else if (line[i] == separator && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += line[i];
    }
  }
  return fields;
}

Json read_csv(const fs::path& path) {
  const char separator = path.extension() == ".tsv" ? '\t' : ',';
  std::ifstream file(path);
  Json rows = Json::array();
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    Json row = Json::array();
    if (!line.empty()) {
      for (const std::string& field : csv_fields(line, separator)) row.push_back(csv_field(field));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

/// Expected rows of a CSV file with the columns after "epoch" sorted by name: CSVLogger sorts them,
/// but the names of some metrics are others in Keras 3.
Json with_sorted_columns(const Json& rows) {
  if (rows.empty() || rows[0].size() < 2) return rows;
  const Json& header = rows[0];
  std::vector<size_t> order(header.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin() + 1, order.end(),
                   [&](size_t a, size_t b) { return header[a] < header[b]; });
  Json sorted = Json::array();
  for (const Json& row : rows) {
    if (row.size() != header.size()) return rows;
    Json cells = Json::array();
    for (const size_t column : order) cells.push_back(row[column]);
    sorted.push_back(std::move(cells));
  }
  return sorted;
}

int64_t rows_of(const Nest& arrays) {
  for (const Tensor& t : arrays.flatten()) {
    if (t.defined() && t.rank() > 0) return t.shape()[0];
  }
  return 0;
}

/// The maximal number of batches of a pass.
int64_t batches_of(int64_t rows, const std::optional<int64_t>& batch_size,
                   const std::optional<int64_t>& steps) {
  if (!batch_size && steps) return rows == 0 ? *steps : std::min(rows, *steps);
  const int64_t size = batch_size.value_or(32);
  const int64_t all = rows == 0 ? INT64_MAX : (rows + size - 1) / size;
  return steps ? std::min(all, *steps) : all;
}

class FitSession {
 public:
  FitSession(const GoldenCase& golden, Check& check, const FitSettings& settings)
      : golden_(golden), check_(check), settings_(settings), model_(load()) {}

  void step(size_t k, const Json& step, const Json& given) {
    const Json expected = metric_names_.ours_in(given);
    where_ = format("step {}", k);
    k_ = k;
    const std::string op = step.at("op").get<std::string>();
    args_ = in_folder(step.value("args", Json::object()), folder_.path());
    if (op == "compile") {
      make_or_unsupported([&] { model_.compile_from_config(args_); });
      metric_names_.note(args_.value("metrics", Json(nullptr)));
      metric_names_.note(args_.value("weighted_metrics", Json(nullptr)));
    } else if (op == "fit") {
      fit(step, expected);
    } else if (op == "evaluate") {
      evaluate(step, expected);
    } else if (op == "predict") {
      predict(step, expected);
    } else if (op == "train_on_batch") {
      train_on_batch(expected);
    } else if (op == "test_on_batch") {
      check_result(model_.test_on_batch(nest(arg("x")), nest(arg("y")),
                                        {.sample_weight = nest(arg("sample_weight"))}),
                   expected);
    } else if (op == "predict_on_batch") {
      check_prediction(model_.predict_on_batch(nest(arg("x"))), expected);
    } else if (op == "reset_metrics") {
      model_.reset_metrics();
    } else if (op == "reset_states") {
      reset_states(model_);
    } else if (op == "set_trainable") {
      const LayerPtr layer = model_.get_layer(step.value("layer", arg("layer")).get<std::string>());
      layer->set_trainable(step.value("value", arg("value")).get<bool>());
      check_.equal(where_ + " trainable_weights", model_.trainable_variables().size(),
                   expected.at("trainable_weights"));
    } else if (op == "save_and_reload") {
      const std::string path = (folder_.path() / "again.keras").string();
      model_.save(path);
      model_ = load_model(path);
    } else if (op == "metrics_names") {
      check_names(expected);
    } else {
      throw Unsupported{format("the operation '{}'", op)};
    }
    check_files(step, expected);
  }

  void finish() {
    const Json& expected = golden_.expectation();
    const bool parts =
        expected.value("weight_paths", Json::array()).dump().find("/part_") != std::string::npos;
    const Variables weights = parts ? with_parts(model_.weights()) : model_.weights();
    if (settings_.placement && expected.contains("variables"))
      check_placement(settings_.placement, model_.weights(), expected["variables"], check_);
    Json paths = Json::array();
    for (const Variable& v : weights) paths.push_back(v.path());
    if (expected.contains("weight_paths")) {
      check_paths(paths, expected["weight_paths"]);
    }
    for (const auto& [name, want] : io::load_npz((golden_.folder / "final_weights.npz").string())) {
      const size_t j = std::stoul(name.substr(1));
      if (j >= weights.size()) {
        check_.truth("final weight " + name, false, "is missing");
      } else {
        check_.arrays(format("final {} ({})", name, weights[j].path()), weights[j].stored(), want);
      }
    }
    if (expected.contains("optimizer_iterations") && model_.has_optimizer()) {
      check_.equal("optimizer_iterations",
                   static_cast<int64_t>(model_.optimizer().update_count().item()),
                   expected["optimizer_iterations"]);
    }
  }

 private:
  /// The path of a weight inside a wrapper starts with the wrapper's name. In Keras it does so only
  /// until the model is loaded from a file.
  void check_paths(const Json& got, Json want) {
    for (size_t i = 0; i < std::min(got.size(), want.size()); ++i) {
      if (got[i].get<std::string>().ends_with("/" + want[i].get<std::string>())) want[i] = got[i];
    }
    check_.equal("weight_paths", got, want);
  }

  Model load() const {
    return make_or_unsupported([&] {
      return load_model((golden_.folder / golden_.json.at("model").get<std::string>()).string(),
                        {.compile = false});
    });
  }

  Json arg(const char* name) const { return args_.value(name, Json(nullptr)); }

  /// "@x" is the array x; lists and dictionaries of these.
  Nest nest(const Json& json) const {
    if (json.is_null()) return {};
    if (json.is_string()) return golden_.array(json.get<std::string>().substr(1));
    if (json.is_object()) {
      Nest::Items items;
      for (const auto& [key, value] : json.items()) items.emplace_back(key, nest(value));
      return Nest::dict(std::move(items));
    }
    std::vector<Nest> list;
    for (const Json& item : json) list.push_back(nest(item));
    return list;
  }

  std::optional<int64_t> integer(const char* name) const {
    const Json value = arg(name);
    return value.is_null() ? std::nullopt : std::optional<int64_t>(value.get<int64_t>());
  }

  bool is_generator(const Json& json) const { return json.is_object() && json.contains("batches"); }

  GivenData given(const Json& x, const Json& y, const Json& sample_weight) const {
    if (settings_.auto_shard && !is_generator(x)) {
      return as_dataset(nest(x), nest(y), nest(sample_weight), integer("batch_size"),
                        *settings_.auto_shard);
    }
    return {.x = data(x),
            .y = nest(y),
            .sample_weight = nest(sample_weight),
            .batch_size = integer("batch_size")};
  }

  FitData data(const Json& json) const {
    if (!is_generator(json)) return nest(json);
    std::vector<Nest> batches;
    for (const Json& batch : json["batches"]) batches.push_back(nest(batch));
    const bool repeat = json.value("repeat", false);
    return data::Generator([batches, repeat, next = size_t{0}]() mutable -> std::optional<Nest> {
      if (next == batches.size() && repeat) next = 0;
      if (next == batches.size()) return std::nullopt;
      return batches[next++];
    });
  }

  int64_t rows(const Json& json) const { return is_generator(json) ? 0 : rows_of(nest(json)); }

  std::map<int64_t, double> class_weight() const {
    std::map<int64_t, double> weights;
    const Json given = arg("class_weight");
    for (const auto& [key, value] : given.items()) weights[std::stol(key)] = number(value);
    return weights;
  }

  Callbacks callbacks(const Json& step, const std::shared_ptr<Recorder>& recorder) const {
    Callbacks list;
    const Json given = in_folder(step.value("callbacks", Json::array()), folder_.path());
    for (const Json& callback : given) {
      if (callback.at("class_name") == "Stopper") {
        const Json& config = callback.at("config");
        list.push_back(Stopper(config.value("at_batch", -1), config.value("at_epoch", -1)));
      } else {
        list.push_back(make_or_unsupported([&] { return callbacks::deserialize(callback); }));
      }
    }
    if (settings_.epoch_hooks_only) {
      list.push_back(EpochHooks(recorder));
    } else {
      list.push_back(recorder);
    }
    return list;
  }

  void fit(const Json& step, const Json& expected) {
    const auto recorder = std::make_shared<Recorder>();
    FitOptions options;
    options.verbose = 0;
    options.callbacks = callbacks(step, recorder);
    const GivenData train = given(arg("x"), arg("y"), arg("sample_weight"));
    options.batch_size = train.batch_size;
    options.epochs = args_.value("epochs", int64_t{1});
    options.initial_epoch = args_.value("initial_epoch", int64_t{0});
    options.shuffle = args_.value("shuffle", true);
    options.validation_split = args_.value("validation_split", 0.0);
    options.class_weight = class_weight();
    options.sample_weight = train.sample_weight;
    options.steps_per_epoch = integer("steps_per_epoch");
    options.validation_steps = integer("validation_steps");
    options.validation_batch_size = integer("validation_batch_size");
    int64_t train_rows = rows(arg("x"));
    int64_t test_rows = 0;
    if (options.validation_split > 0) {
      const int64_t all = train_rows;
      train_rows = static_cast<int64_t>(static_cast<double>(all) * (1 - options.validation_split));
      test_rows = all - train_rows;
    }
    if (const Json given = arg("validation_data"); given.is_array()) {
      const GivenData test = this->given(given.at(0), given.size() > 1 ? given[1] : Json(nullptr),
                                         given.size() > 2 ? given[2] : Json(nullptr));
      options.validation_data.x = test.x;
      options.validation_data.y = test.y;
      options.validation_data.sample_weight = test.sample_weight;
      test_rows = rows(given[0]);
    }
    if (const Json given = arg("validation_freq"); given.is_number_integer()) {
      options.validation_freq = given.get<int64_t>();
    } else if (given.is_array()) {
      options.validation_freq = given.get<std::vector<int64_t>>();
    }
    const BatchCounts counts = {
        batches_of(train_rows, integer("batch_size"), options.steps_per_epoch),
        batches_of(
            test_rows,
            options.validation_batch_size ? options.validation_batch_size : integer("batch_size"),
            options.validation_steps)};
    const History history = model_.fit(train.x, train.y, options);
    Json values = Json::object();
    for (const auto& [key, list] : history.history) values[key] = list;
    for (const auto& [key, list] : history.arrays) {
      values[key] = Json::array();
      for (const Tensor& array : list) values[key].push_back(to_json(array));
    }
    check_.json(where_ + " history", values, expected.at("history"));
    check_.equal(where_ + " epoch", history.epoch, expected.at("epoch"));
    check_.equal(where_ + " stop_training", model_.stop_training(), expected.at("stop_training"));
    check_events(where_, recorder->events, expected, counts, settings_, check_);
  }

  void evaluate(const Json& step, const Json& expected) {
    const auto recorder = std::make_shared<Recorder>();
    EvaluateOptions options;
    options.verbose = 0;
    options.callbacks = callbacks(step, recorder);
    const GivenData test = given(arg("x"), arg("y"), arg("sample_weight"));
    options.batch_size = test.batch_size;
    options.steps = integer("steps");
    options.sample_weight = test.sample_weight;
    const HostLogs logs = model_.evaluate(test.x, test.y, options);
    check_result(logs, expected);
    check_names(expected);
    const int64_t count = batches_of(rows(arg("x")), integer("batch_size"), options.steps);
    check_events(where_, recorder->events, expected, {count, count}, settings_, check_);
  }

  void predict(const Json& step, const Json& expected) {
    const auto recorder = std::make_shared<Recorder>();
    PredictOptions options;
    options.verbose = 0;
    options.callbacks = callbacks(step, recorder);
    const GivenData test = given(arg("x"), nullptr, nullptr);
    options.batch_size = test.batch_size;
    options.steps = integer("steps");
    check_prediction(model_.predict(test.x, options), expected);
    const int64_t count = batches_of(rows(arg("x")), integer("batch_size"), options.steps);
    check_events(where_, recorder->events, expected, {count, count}, settings_, check_);
  }

  void train_on_batch(const Json& expected) {
    check_result(model_.train_on_batch(
                     nest(arg("x")), nest(arg("y")),
                     {.sample_weight = nest(arg("sample_weight")), .class_weight = class_weight()}),
                 expected);
  }

  /// Compares by key if the reference has a dictionary; the order of a list is Keras 3's.
  void check_result(const HostLogs& logs, const Json& expected) {
    const Json got = to_json(logs);
    if (expected.contains("result_dict")) {
      return check_.json(where_ + " result", got, expected["result_dict"]);
    }
    if (!expected.contains("result")) return;
    const Json& want = expected["result"];
    if (want.is_object()) return check_.json(where_ + " result", got, want);
    const Json list = in_order_of_keras3(got);
    check_.json(where_ + " result", want.is_array() ? list : list.at(0), want);
  }

  /// The values of a result in Keras 3's order. For several outputs this is the total loss, the
  /// loss of each output, and the rest sorted by name.
  Json in_order_of_keras3(const Json& result) const {
    if (model_.output_names().size() < 2) {
      Json list = Json::array();
      for (const auto& [key, value] : result.items()) list.push_back(value);
      return list;
    }
    std::vector<std::string> first = {"loss"};
    if (const Nest outputs = model_.output(); outputs.is_dict()) {
      for (const auto& [name, output] : outputs.items()) first.push_back(name + "_loss");
    } else {
      for (const std::string& name : model_.output_names()) first.push_back(name + "_loss");
    }
    Json list = Json::array();
    for (const std::string& name : first)
      if (result.contains(name)) list.push_back(result[name]);
    std::map<std::string, Json> rest;
    for (const auto& [key, value] : result.items()) {
      if (std::find(first.begin(), first.end(), key) == first.end())
        rest[metric_names_.in_keras3(key)] = value;
    }
    for (const auto& [key, value] : rest) list.push_back(value);
    return list;
  }

  void check_prediction(const Nest& outputs, const Json& expected) {
    const char* structure = outputs.is_tensor() ? "array" : outputs.is_dict() ? "dict" : "list";
    if (expected.contains("structure")) {
      check_.equal(where_ + " structure", structure, expected["structure"]);
    }
    const std::string prefix = format("s{}_predict", k_);
    if (outputs.is_dict()) {
      for (const auto& [key, value] : outputs.items())
        check_.array(prefix + "_" + key, value.tensor());
      return;
    }
    const Tensors leaves = outputs.flatten();
    for (size_t j = 0; j < leaves.size(); ++j) {
      const std::string name = format("{}{}", prefix, j);
      if (golden_.has(name)) check_.array(name, leaves[j]);
    }
  }

  /// Skips lists in which Keras 3 has "compile_metrics" instead of the metrics. Outputs of a
  /// dictionary are in its order in Keras 3, but sorted by name in Keras 2.
  void check_names(const Json& expected) {
    if (!expected.contains("metrics_names")) return;
    auto want = expected["metrics_names"].get<std::vector<std::string>>();
    if (std::find(want.begin(), want.end(), "compile_metrics") != want.end()) return;
    std::vector<std::string> got = model_.metrics_names();
    if (model_.output().is_dict()) {
      std::sort(want.begin(), want.end());
      std::sort(got.begin(), got.end());
    }
    check_.equal(where_ + " metrics_names", got, want);
  }

  void check_files(const Json& step, const Json& expected) {
    if (expected.contains("files")) {
      check_.equal(where_ + " files", folder_.files(), expected["files"]);
    }
    if (expected.contains("csv")) {
      for (const auto& [name, rows] : expected["csv"].items()) {
        check_.json(where_ + " " + name, read_csv(folder_.path() / name),
                    with_sorted_columns(rows));
      }
    }
    if (!step.contains("checkpoint_arrays")) return;
    Model other = load();
    other.load_weights((folder_.path() / step["checkpoint_arrays"].get<std::string>()).string());
    const Tensors weights = other.get_weights();
    for (size_t j = 0; j < weights.size(); ++j) {
      const std::string name = format("s{}_ckpt_w{}", k_, j);
      if (golden_.has(name)) check_.array(name, weights[j]);
    }
  }

  const GoldenCase& golden_;
  Check& check_;
  const FitSettings& settings_;
  Model model_;
  TemporaryFolder folder_;
  Json args_;
  std::string where_;
  size_t k_ = 0;
  MetricNames metric_names_;
};

}  // namespace

void run_fit(const GoldenCase& golden, Check& check) { run_fit(golden, check, {}); }

void run_fit(const GoldenCase& golden, Check& check, const FitSettings& settings) {
  FitSession session(golden, check, settings);
  const Json& steps = golden.json.at("steps");
  for (size_t k = 0; k < steps.size(); ++k) {
    session.step(k, steps[k], golden.expectation().at("steps").at(k));
  }
  session.finish();
}

}  // namespace antler::conformance
