#include "antler/training/callbacks/tensorboard.h"

#include <algorithm>
#include <charconv>
#include <ctime>
#include <filesystem>
#include <optional>
#include <utility>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/io/summary.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/runtime/profiler.h"
#include "antler/training/model.h"
#include "base/clock.h"
#include "training/callbacks/embeddings_log.h"
#include "training/callbacks/from_config.h"

namespace antler::callbacks {
namespace {

const std::string kValidationPrefix = "val_";

[[noreturn]] void refuse_profile_batch(const std::string& given) {
  throw ValueError(
      "`profile_batch` must be a non-negative integer or a pair of positive integers (first, last) "
      "with first <= last. Received: {}.",
      given);
}

int64_t whole_number(const std::string& text, const std::string& all) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) refuse_profile_batch(all);
  return number;
}

/// A weight as images [count, height, width, channels] in Keras's layout; none for ranks that Keras
/// does not draw.
std::optional<Tensor> weight_image(const Tensor& weight) {
  std::vector<int64_t> dims;
  for (const int64_t d : weight.shape().dims()) {
    if (d != 1) dims.push_back(d);
  }
  Tensor image = ops::cast(ops::reshape(weight, Shape(dims)), DType::float32);
  switch (image.rank()) {
    case 0:
      image = ops::reshape(image, {1, 1, 1, 1});
      break;
    case 1:
      image = ops::reshape(image, {1, dims[0], 1, 1});
      break;
    case 2:
      if (dims[0] > dims[1]) image = ops::transpose(image, {1, 0});
      image = ops::reshape(image, {1, image.shape()[0], image.shape()[1], 1});
      break;
    case 3:
      image = ops::transpose(image, {2, 0, 1});
      image = ops::reshape(image, {dims[2], dims[0], dims[1], 1});
      break;
    default:
      break;
  }
  const int64_t channels = image.rank() == 4 ? image.shape()[3] : 0;
  if (channels != 1 && channels != 3 && channels != 4) return std::nullopt;
  return image;
}

}  // namespace

UpdateFreq::UpdateFreq(const char* name) : UpdateFreq(std::string(name)) {}

UpdateFreq::UpdateFreq(const std::string& name) : batches_(name == "batch" ? 1 : 0) {
  if (name != "batch" && name != "epoch") {
    throw ValueError("`update_freq` must be \"batch\", \"epoch\" or a number. Received: \"{}\".",
                     name);
  }
}

UpdateFreq::UpdateFreq(int64_t batches) : batches_(batches) {
  if (batches < 1) {
    throw ValueError("`update_freq` must be at least 1. Received: {}.", batches);
  }
}

ProfileBatch::ProfileBatch(int64_t batch) : first(batch), last(batch == 0 ? -1 : batch) {
  if (batch < 0) refuse_profile_batch(std::to_string(batch));
}

ProfileBatch::ProfileBatch(int64_t start, int64_t stop) : first(start), last(stop) {
  if (start <= 0 || stop < start) {
    refuse_profile_batch(format("({}, {})", start, stop));
  }
}

ProfileBatch::ProfileBatch(const std::string& text) {
  const size_t comma = text.find(',');
  *this = comma == std::string::npos ? ProfileBatch(whole_number(text, text))
                                     : ProfileBatch(whole_number(text.substr(0, comma), text),
                                                    whole_number(text.substr(comma + 1), text));
}

struct TensorBoard::State {
  explicit State(const TensorBoardOptions& options)
      : train(options.log_dir + "/train"),
        validation(options.log_dir + "/validation"),
        embeddings(options.log_dir, options.embeddings_metadata) {}
  summary::FileWriter train;
  summary::FileWriter validation;
  EmbeddingsLog embeddings;
  int64_t steps = 0;        // trained in this fit
  int64_t epoch_steps = 0;  // of these, before this epoch
  double epoch_start = 0;
  double batch_start = 0;
  std::optional<Profiler> profiler;
  bool profiled = false;
};

TensorBoard::TensorBoard(const TensorBoardOptions& options)
    : options_(options), state_(std::make_shared<State>(options)) {
  for (const auto& [name, epochs] : {std::pair("histogram_freq", options.histogram_freq),
                                     std::pair("embeddings_freq", options.embeddings_freq)}) {
    if (epochs < 0) {
      throw ValueError("`{}` must not be negative. Received: {}.", name, epochs);
    }
  }
}

bool TensorBoard::uses(BatchHook hook) const {
  const bool profiles = options_.profile_batch.last >= 0;
  const bool batches = options_.update_freq.batches() > 0 || options_.write_steps_per_second;
  switch (hook) {
    case BatchHook::train_begin:
      return profiles || options_.write_steps_per_second;
    case BatchHook::train_end:
      return profiles || batches;
    default:
      return false;
  }
}

void TensorBoard::on_train_begin(const Logs&) {
  state_->steps = 0;
  state_->profiled = false;
  if (options_.embeddings_freq > 0) state_->embeddings.check(*model);
  if (!options_.write_graph) return;
  try {
    state_->train.keras_model("keras", model->to_json(), 0);
  } catch (const Error& error) {  // as in Keras, it does not stop training
    logging::warning(format("Model failed to serialize as JSON. Ignoring... {}", error.what()));
  }
}

void TensorBoard::on_train_end(const Logs&) {
  stop_profile();
  state_->train.flush();
  state_->validation.flush();
}

void TensorBoard::on_epoch_begin(int, const Logs&) {
  state_->epoch_steps = state_->steps;
  state_->epoch_start = steady_seconds();
}

void TensorBoard::start_profile(int64_t batch) {
  if (state_->profiled || options_.profile_batch.last < 0) return;
  // The range counts from 1, the hook from 0.
  if (batch + 1 < options_.profile_batch.first) return;
  state_->profiled = true;
  state_->profiler.emplace();
}

void TensorBoard::stop_profile() {
  if (!state_->profiler) return;
  const Profile profile = state_->profiler->stop();
  state_->profiler.reset();
  char run[32];
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  std::strftime(run, sizeof run, "%Y_%m_%d_%H_%M_%S", &local);
  const std::filesystem::path folder =
      std::filesystem::path(options_.log_dir) / "plugins" / "profile" / run;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw IOError("Cannot create the folder {}: {}.", folder.string(), error.message());
  }
  profile.write_trace((folder / "antler.trace.json").string());
}

void TensorBoard::on_train_batch_begin(int batch, const Logs&) {
  state_->batch_start = steady_seconds();
  start_profile(state_->epoch_steps + batch);
}

void TensorBoard::on_train_batch_end(int batch, const Logs& logs) {
  const int64_t before = state_->steps;
  state_->steps = state_->epoch_steps + batch + 1;
  const int64_t step = state_->steps;
  if (state_->profiler && step >= options_.profile_batch.last) stop_profile();
  if (options_.write_steps_per_second) {
    const double seconds = std::max(steady_seconds() - state_->batch_start, 1e-9);
    state_->train.scalar("batch_steps_per_second", static_cast<double>(step - before) / seconds,
                         step);
  }
  const int64_t freq = options_.update_freq.batches();
  if (freq == 0 || step % freq != 0) return;
  for (const auto& [name, value] : logs) state_->train.scalar("batch_" + name, value, step);
}

void TensorBoard::on_epoch_end(int epoch, const Logs& logs) {
  for (const auto& [name, value] : logs) {
    if (name.starts_with(kValidationPrefix)) {
      state_->validation.scalar("epoch_" + name.substr(kValidationPrefix.size()), value, epoch);
    } else {
      state_->train.scalar("epoch_" + name, value, epoch);
    }
  }
  if (model->optimizer().has_schedule()) {
    state_->train.scalar("epoch_learning_rate", model->optimizer().learning_rate().item(), epoch);
  }
  if (options_.write_steps_per_second) {
    const double seconds = std::max(steady_seconds() - state_->epoch_start, 1e-9);
    state_->train.scalar("epoch_steps_per_second",
                         static_cast<double>(state_->steps - state_->epoch_steps) / seconds, epoch);
  }
  const auto is_due = [&](int64_t freq) { return freq > 0 && epoch % freq == 0; };
  if (is_due(options_.histogram_freq)) write_weights(epoch);
  if (is_due(options_.embeddings_freq)) state_->embeddings.write(*model, epoch);
}

void TensorBoard::write_weights(int64_t epoch) {
  for (const Variable& weight : model->weights()) {
    std::string name = weight.path() + "_0";
    std::replace(name.begin(), name.end(), ':', '_');
    const Tensor value = weight.value();
    state_->train.histogram(name + "/histogram", value, epoch);
    if (!options_.write_images) continue;
    if (const auto image = weight_image(value)) {
      state_->train.image(name + "/image", *image, epoch);
    }
  }
}

void TensorBoard::on_test_end(const Logs& logs) {
  if (!model->compiled()) return;
  const auto iterations = static_cast<int64_t>(model->optimizer().iterations().value().item());
  for (const auto& [name, value] : logs) {
    state_->validation.scalar("evaluation_" + name + "_vs_iterations", value, iterations);
  }
}

static void read_field(const Json& in, UpdateFreq& value) {
  value =
      in.is_number_integer() ? UpdateFreq(in.get<int64_t>()) : UpdateFreq(in.get<std::string>());
}

static void read_field(const Json& in, ProfileBatch& value) {
  if (in.is_array() && in.size() == 2) {
    value = {in[0].get<int64_t>(), in[1].get<int64_t>()};
  } else {
    value = in.is_string() ? ProfileBatch(in.get<std::string>()) : ProfileBatch(in.get<int64_t>());
  }
}

static void read_field(const Json& in, EmbeddingsMetadata& value) {
  if (in.is_string()) value = in.get<std::string>();
  if (in.is_object()) value = in.get<std::map<std::string, std::string>>();
}

template <class V>
void fields(V& v, TensorBoardOptions& o) {
  v("log_dir", o.log_dir);
  v("histogram_freq", o.histogram_freq);
  v("write_graph", o.write_graph);
  v("write_images", o.write_images);
  v("write_steps_per_second", o.write_steps_per_second);
  v("update_freq", o.update_freq);
  v("profile_batch", o.profile_batch);
  v("embeddings_freq", o.embeddings_freq);
  v("embeddings_metadata", o.embeddings_metadata);
}

TensorBoard TensorBoard::from_config(const Json& config) {
  return TensorBoard(read_options<TensorBoard, TensorBoardOptions>(config));
}

}  // namespace antler::callbacks
