#include "antler/training/callbacks/deserialize.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <utility>

#include "antler/base/error.h"
#include "antler/training/callbacks.h"
#include "nn/config_fields.h"

namespace antler::callbacks {

void read_field(const Json& in, SaveFreq& value) {
  if (in.is_number_integer()) {
    value = SaveFreq(in.get<int64_t>());
  } else if (in.is_string()) {
    value = SaveFreq(in.get<std::string>());
  } else {
    value = in == false ? SaveFreq::never() : SaveFreq(in.dump());
  }
}

template <class V>
void fields(V& v, EarlyStoppingOptions& o) {
  v("monitor", o.monitor);
  v("min_delta", o.min_delta);
  v("patience", o.patience);
  v("verbose", o.verbose);
  v("mode", o.mode);
  v("baseline", o.baseline);
  v("restore_best_weights", o.restore_best_weights);
  v("start_from_epoch", o.start_from_epoch);
}

template <class V>
void fields(V& v, ModelCheckpointOptions& o) {
  v("filepath", o.filepath);
  v("monitor", o.monitor);
  v("verbose", o.verbose);
  v("save_best_only", o.save_best_only);
  v("save_weights_only", o.save_weights_only);
  v("mode", o.mode);
  v("save_freq", o.save_freq);
  v("initial_value_threshold", o.initial_value_threshold);
}

template <class V>
void fields(V& v, ReduceLROnPlateauOptions& o) {
  v("monitor", o.monitor);
  v("factor", o.factor);
  v("patience", o.patience);
  v("verbose", o.verbose);
  v("mode", o.mode);
  v("min_delta", o.min_delta);
  v("cooldown", o.cooldown);
  v("min_lr", o.min_lr);
}

template <class V>
void fields(V& v, BackupAndRestoreOptions& o) {
  v("save_before_preemption", o.save_before_preemption);
  v("backup_dir", o.backup_dir);
  v("save_freq", o.save_freq);
  v("double_checkpoint", o.double_checkpoint);
  v("delete_checkpoint", o.delete_checkpoint);
}

template <class V>
void fields(V& v, CSVLoggerOptions& o) {
  v("filename", o.filename);
  v("separator", o.separator);
  v("append", o.append);
}

template <class V>
void fields(V& v, TerminateOnNaNOptions& o) {
  v("raise_error", o.raise_error);
}

template <class V>
void fields(V& v, RemoteMonitorOptions& o) {
  v("root", o.root);
  v("path", o.path);
  v("field", o.field);
  v("send_as_json", o.send_as_json);
}

template <class V>
void fields(V& v, SwapEMAWeightsOptions& o) {
  v("swap_on_epoch", o.swap_on_epoch);
}

template <class V>
void fields(V& v, LearningRateSchedulerOptions& o) {
  v("verbose", o.verbose);
}

template <class V>
void fields(V& v, TensorBoardOptions& o) {
  v("log_dir", o.log_dir);
  v("histogram_freq", o.histogram_freq);
  v("write_graph", o.write_graph);
  v("write_images", o.write_images);
  v("write_steps_per_second", o.write_steps_per_second);
  v("embeddings_freq", o.embeddings_freq);
}

namespace {

/// Options from the arguments of `class_name`; null leaves a default.
template <class Options>
Options options_from(const char* class_name, const Json& config) {
  Json given = Json::object();
  for (const auto& [key, value] : config.items())
    if (!value.is_null()) given[key] = value;
  Options options;
  FieldReader reader(given, class_name);
  fields(reader, options);
  reader.finish();
  return options;
}

template <class C, class Options>
CallbackHandle make(const char* class_name, const Json& config) {
  return C(options_from<Options>(class_name, config));
}

LearningRateScheduler::Schedule schedule_from(const Json& json) {
  const std::string name = json.is_object() ? json.value("name", std::string()) : std::string();
  if (name == "table") {
    const auto values = json.at("values").get<std::vector<double>>();
    if (values.empty()) throw ValueError("LearningRateScheduler: the table of rates is empty.");
    return [values](int64_t epoch, double) {
      return values[std::min(static_cast<size_t>(epoch), values.size() - 1)];
    };
  }
  if (name == "exponential") {
    return [start = json.at("start").get<int64_t>(), factor = json.at("factor").get<double>()](
               int64_t epoch, double rate) { return epoch < start ? rate : rate * factor; };
  }
  throw ValueError(
      "LearningRateScheduler: `schedule` must be {\"name\": \"table\", \"values\"} or {\"name\": "
      "\"exponential\", \"start\", \"factor\"}. Received: " +
      json.dump());
}

/// Takes an argument out of the configuration; null where it is not given.
Json take(Json& config, const char* key) {
  Json value = config.value(key, Json());
  config.erase(key);
  return value;
}

CallbackHandle make_scheduler(const char* class_name, const Json& config) {
  Json rest = config;
  auto schedule = schedule_from(take(rest, "schedule"));
  return LearningRateScheduler(std::move(schedule),
                               options_from<LearningRateSchedulerOptions>(class_name, rest));
}

CallbackHandle make_remote_monitor(const char* class_name, const Json& config) {
  Json rest = config;
  const Json headers = take(rest, "headers");
  auto options = options_from<RemoteMonitorOptions>(class_name, rest);
  for (const auto& [key, value] : headers.items())
    options.headers.emplace_back(key, value.get<std::string>());
  return RemoteMonitor(std::move(options));
}

CallbackHandle make_base_logger(const char*, const Json& config) {
  Json rest = config;
  const Json names = take(rest, "stateful_metrics");
  BaseLoggerOptions options;
  if (!names.is_null()) options.stateful_metrics = names.get<std::vector<std::string>>();
  return BaseLogger(std::move(options));
}

UpdateFreq update_freq_from(const Json& json) {
  return json.is_number_integer() ? UpdateFreq(json.get<int64_t>())
                                  : UpdateFreq(json.get<std::string>());
}

ProfileBatch profile_batch_from(const Json& json) {
  if (json.is_array() && json.size() == 2) {
    return {json[0].get<int64_t>(), json[1].get<int64_t>()};
  }
  return json.is_string() ? ProfileBatch(json.get<std::string>())
                          : ProfileBatch(json.get<int64_t>());
}

CallbackHandle make_tensorboard(const char* class_name, const Json& config) {
  Json rest = config;
  const Json update_freq = take(rest, "update_freq");
  const Json profile_batch = take(rest, "profile_batch");
  const Json metadata = take(rest, "embeddings_metadata");
  auto options = options_from<TensorBoardOptions>(class_name, rest);
  if (!update_freq.is_null()) options.update_freq = update_freq_from(update_freq);
  if (!profile_batch.is_null()) options.profile_batch = profile_batch_from(profile_batch);
  if (metadata.is_string()) options.embeddings_metadata = metadata.get<std::string>();
  if (metadata.is_object()) {
    options.embeddings_metadata = metadata.get<std::map<std::string, std::string>>();
  }
  return TensorBoard(options);
}

CallbackHandle make_progbar(const char*, const Json&) { return ProgbarLogger(); }

struct Entry {
  const char* class_name;
  CallbackHandle (*make)(const char* class_name, const Json& config);
};

constexpr Entry kCallbacks[] = {
    {"BackupAndRestore", make<BackupAndRestore, BackupAndRestoreOptions>},
    {"BaseLogger", make_base_logger},
    {"CSVLogger", make<CSVLogger, CSVLoggerOptions>},
    {"EarlyStopping", make<EarlyStopping, EarlyStoppingOptions>},
    {"LearningRateScheduler", make_scheduler},
    {"ModelCheckpoint", make<ModelCheckpoint, ModelCheckpointOptions>},
    {"ProgbarLogger", make_progbar},
    {"ReduceLROnPlateau", make<ReduceLROnPlateau, ReduceLROnPlateauOptions>},
    {"RemoteMonitor", make_remote_monitor},
    {"SwapEMAWeights", make<SwapEMAWeights, SwapEMAWeightsOptions>},
    {"TensorBoard", make_tensorboard},
    {"TerminateOnNaN", make<TerminateOnNaN, TerminateOnNaNOptions>},
};

using Factory = std::function<CallbackHandle(const Json& config)>;
std::mutex g_mutex;
std::map<std::string, Factory>& custom_callbacks() {
  static std::map<std::string, Factory> instance;
  return instance;
}

}  // namespace

CallbackHandle deserialize(const Json& json) {
  const std::string name = config::class_name_of(json, "callback");
  const Json arguments = config::config_of(json);
  Factory custom;
  {
    const std::lock_guard lock(g_mutex);
    const auto found = custom_callbacks().find(name);
    if (found != custom_callbacks().end()) custom = found->second;
  }
  try {
    if (custom) return custom(arguments);
    for (const Entry& entry : kCallbacks)
      if (name == entry.class_name) return entry.make(entry.class_name, arguments);
  } catch (const Json::exception& error) {
    throw ValueError("The configuration of " + name + " cannot be read: " + error.what() +
                     ". Received: " + arguments.dump());
  }
  throw ValueError("Unknown callback: '" + name +
                   "'. Make a class of your own known with register_callback().");
}

void register_callback(const std::string& class_name, Factory make) {
  const std::lock_guard lock(g_mutex);
  custom_callbacks()[class_name] = std::move(make);
}

std::vector<std::string> registered_callbacks() {
  std::vector<std::string> names;
  for (const Entry& entry : kCallbacks) names.emplace_back(entry.class_name);
  const std::lock_guard lock(g_mutex);
  for (const auto& [name, factory] : custom_callbacks()) names.push_back(name);
  return names;
}

}  // namespace antler::callbacks
