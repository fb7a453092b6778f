#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string_view>
#include <system_error>
#include <utility>

#include "antler/base/error.h"
#include "antler/distribute/cluster_resolver.h"
#include "antler/estimator/run_config.h"
#include "estimator/run_config_fields.h"

namespace antler::estimator::tpu {
namespace {

[[noreturn]] void refuse_iterations() {
  throw ValueError(
      "Invalid TPUConfig `iterations_per_loop` value. Value must be positive integer value or "
      "time-based value `<N><s|m|h>` where <N> is any positive integer and `s`, `m`, `h` are unit "
      "of time in seconds, minutes, hours respectively. Examples of valid values: `3600s`, `60m`, "
      "`1h`.");
}

struct Iterations {
  std::optional<int64_t> steps;
  std::optional<int64_t> seconds;
};

int64_t seconds_per(char unit) { return unit == 'h' ? 3600 : unit == 'm' ? 60 : 1; }

/// "12" is a number of steps; "12s", "12m" and "12h" are durations.
Iterations parse_iterations(std::string_view text) {
  constexpr std::string_view kUnits = "smh";
  const bool timed = !text.empty() && kUnits.find(text.back()) != std::string_view::npos;
  const std::string_view digits = timed ? text.substr(0, text.size() - 1) : text;
  int64_t number = 0;
  const char* end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end || number <= 0 || digits.front() == '0') {
    refuse_iterations();
  }
  if (!timed) return {.steps = number, .seconds = {}};
  int64_t seconds = 0;
  if (__builtin_mul_overflow(number, seconds_per(text.back()), &seconds)) refuse_iterations();
  return {.steps = {}, .seconds = seconds};
}

Iterations iterations_of(const std::variant<int64_t, std::string>& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return parse_iterations(*text);
  const int64_t steps = std::get<int64_t>(value);
  if (steps <= 0) refuse_iterations();
  return {.steps = steps, .seconds = {}};
}

void check_partition(const TPUConfigOptions& options, InputPipelineConfig input) {
  if (!options.input_partition_dims) return;
  const size_t size = options.input_partition_dims->size();
  if (size != 1 && size != 2) {
    throw ValueError("input_partition_dims must be a list/tuple with one or two elements.");
  }
  if (input != InputPipelineConfig::per_host_v2) {
    throw ValueError("input_partition_dims is only supported in PER_HOST_V2 mode.");
  }
  if (!options.num_cores_per_replica) {
    throw ValueError("input_partition_dims requires setting num_cores_per_replica.");
  }
}

void check_cores(int64_t cores) {
  constexpr std::array<int64_t, 8> kAllowed = {1, 2, 4, 8, 16, 32, 64, 128};
  if (std::find(kAllowed.begin(), kAllowed.end(), cores) != kAllowed.end()) return;
  throw ValueError("num_cores_per_replica must be 1, 2, 4, 8, 16, 32, 64, 128; got {}", cores);
}

}  // namespace

TPUConfig::TPUConfig(const TPUConfigOptions& options) : options_(options) {
  const Iterations iterations = iterations_of(options.iterations_per_loop);
  iterations_ = iterations.steps;
  seconds_ = iterations.seconds;
  if (options.num_shards && *options.num_shards <= 0) {
    throw ValueError("TPUConfig num_shards must be positive, got {}", *options.num_shards);
  }
  check_partition(options, per_host_input_for_training());
  if (options.num_cores_per_replica) check_cores(*options.num_cores_per_replica);
  const auto eval = options.eval_training_input_configuration;
  if (eval != InputPipelineConfig::per_host_v1 && eval != InputPipelineConfig::sliced) {
    throw ValueError("eval_training_input_configuration must be PER_HOST_V1 or SLICED; got {}",
                     static_cast<int>(eval));
  }
  if (per_host_input_for_training() == InputPipelineConfig::sliced) {
    throw ValueError(
        "per_host_input_for_training must not be SLICED, which is for "
        "eval_training_input_configuration only.");
  }
  if (options.initial_infeed_sleep_secs && *options.initial_infeed_sleep_secs < 0) {
    throw ValueError("TPUConfig initial_infeed_sleep_secs must be positive, got {}",
                     *options.initial_infeed_sleep_secs);
  }
  if (options.experimental_host_call_every_n_steps <= 0) {
    throw ValueError("experimental_host_call_every_n_steps must be positive, got {}",
                     options.experimental_host_call_every_n_steps);
  }
}

InputPipelineConfig TPUConfig::per_host_input_for_training() const {
  const auto& value = options_.per_host_input_for_training;
  if (const bool* per_host = std::get_if<bool>(&value)) {
    return *per_host ? InputPipelineConfig::per_host_v1 : InputPipelineConfig::per_shard_v1;
  }
  return std::get<InputPipelineConfig>(value);
}

RunConfig::RunConfig(const RunConfigOptions& options)
    : estimator::RunConfig(options.base),
      tpu_config_(options.tpu_config),
      cluster_(options.cluster) {
  if (options.master && cluster_) throw ValueError("Both master and cluster are set.");
  if (options.master) master_ = *options.master;
  if (cluster_) {
    master_ = cluster_->master();
    cluster_spec_ = cluster_->cluster_spec();
  }
  if (options.evaluation_master) {
    evaluation_master_ = *options.evaluation_master;
  } else if (evaluation_master_.empty() && task_type_ != "evaluator") {
    evaluation_master_ = master_;
  }
}

RunConfig RunConfig::replaced(const RunConfigOptions& options) const {
  RunConfig copy = *this;
  static_cast<estimator::RunConfig&>(copy) = estimator::RunConfig::replaced(options.base);
  copy.tpu_config_ = options.tpu_config;
  copy.cluster_ = options.cluster;
  if (options.master) copy.master_ = *options.master;
  if (options.evaluation_master) copy.evaluation_master_ = *options.evaluation_master;
  if (options.master && options.cluster) throw ValueError("Both master and cluster are set.");
  return copy;
}

RunConfig RunConfig::replace(const Params& values) const {
  return replace([&](RunConfigOptions& options) {
    for (const auto& [name, value] : values.items()) {
      if (!set_field(options.base, name, value)) refuse_field(name);
    }
  });
}

}  // namespace antler::estimator::tpu
