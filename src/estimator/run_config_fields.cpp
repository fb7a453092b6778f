#include "estimator/run_config_fields.h"

#include <optional>
#include <variant>
#include <vector>

#include "antler/base/error.h"
#include "base/strings.h"

namespace antler::estimator {
namespace {

template <class T>
T to(const std::string& name, const ParamValue& value) {
  return Params({{name, value}}).get<T>(name);
}

bool is_none(const ParamValue& value) { return std::holds_alternative<NoneType>(value.variant()); }

template <class T>
void read(const std::string& name, const ParamValue& value, T& field) {
  field = to<T>(name, value);
}

template <class T>
void read(const std::string& name, const ParamValue& value, std::optional<T>& field) {
  field = is_none(value) ? std::optional<T>() : to<T>(name, value);
}

template <class T>
void read(const std::string& name, const ParamValue& value, Settable<T>& field) {
  field = is_none(value) ? Settable<T>(None) : Settable<T>(to<T>(name, value));
}

struct Field {
  const char* name;
  void (*set)(RunConfigOptions& options, const std::string& name, const ParamValue& value);
};

template <auto kMember>
constexpr Field field(const char* name) {
  return {name, [](RunConfigOptions& options, const std::string& argument,
                   const ParamValue& value) { read(argument, value, options.*kMember); }};
}

constexpr Field kFields[] = {
    field<&RunConfigOptions::model_dir>("model_dir"),
    field<&RunConfigOptions::tf_random_seed>("tf_random_seed"),
    field<&RunConfigOptions::save_summary_steps>("save_summary_steps"),
    field<&RunConfigOptions::save_checkpoints_steps>("save_checkpoints_steps"),
    field<&RunConfigOptions::save_checkpoints_secs>("save_checkpoints_secs"),
    field<&RunConfigOptions::keep_checkpoint_max>("keep_checkpoint_max"),
    field<&RunConfigOptions::keep_checkpoint_every_n_hours>("keep_checkpoint_every_n_hours"),
    field<&RunConfigOptions::log_step_count_steps>("log_step_count_steps"),
    field<&RunConfigOptions::experimental_max_worker_delay_secs>(
        "experimental_max_worker_delay_secs"),
    field<&RunConfigOptions::session_creation_timeout_secs>("session_creation_timeout_secs"),
    field<&RunConfigOptions::checkpoint_save_graph_def>("checkpoint_save_graph_def"),
};

}  // namespace

bool set_field(RunConfigOptions& options, const std::string& name, const ParamValue& value) {
  for (const Field& field : kFields) {
    if (name != field.name) continue;
    field.set(options, name, value);
    return true;
  }
  return false;
}

void refuse_field(const std::string& name) {
  std::vector<std::string> names;
  for (const Field& field : kFields) names.emplace_back(field.name);
  throw ValueError("Replacing {} is not supported. Allowed properties are [{}].", name,
                   join(names, ", ", [](const std::string& n) { return "'" + n + "'"; }));
}

}  // namespace antler::estimator
