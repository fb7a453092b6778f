#include <set>

#include "antler/base/error.h"
#include "antler/estimator/train_and_evaluate.h"
#include "base/strings.h"

/// Checks of TrainSpec and EvalSpec.
namespace antler::estimator {
namespace {

void check_input(const InputFn& input_fn) {
  if (!input_fn.defined()) throw TypeError("`input_fn` must be callable, given: none");
}

void check_positive_steps(const char* name, const std::optional<int64_t>& steps) {
  if (steps && *steps <= 0) throw ValueError("Must specify {} > 0, given: {}", name, *steps);
}

void check_spec_hooks(const Hooks& hooks) {
  for (const HookPtr& hook : hooks) {
    if (hook == nullptr)
      throw TypeError("All hooks must be `SessionRunHook` instances, given: a null pointer");
  }
}

void check_exporters(const std::vector<ExporterPtr>& exporters) {
  std::set<std::string> names;
  for (const ExporterPtr& exporter : exporters) {
    if (exporter == nullptr) {
      throw TypeError(
          "`exporters` must be an Exporter, an iterable of Exporter, or `None`, found a null "
          "pointer.");
    }
  }
  const std::string all =
      join(exporters, ", ", [](const ExporterPtr& e) { return "'" + e->name() + "'"; });
  for (const ExporterPtr& exporter : exporters) {
    if (exporter->name().empty()) {
      throw ValueError(
          "An Exporter cannot have a name that is `None` or empty. All exporter names: [{}]", all);
    }
    if (!names.insert(exporter->name()).second) {
      throw ValueError(
          "`exporters` must have unique names. Such a name cannot be `None`. All exporter names: "
          "[{}]",
          all);
    }
  }
}

void check_delay(const char* name, int64_t secs) {
  if (secs < 0) throw ValueError("Must specify {} >= 0, given: {}", name, secs);
}

}  // namespace

void TrainSpec::check() const {
  check_input(input_fn);
  check_positive_steps("max_steps", max_steps);
  check_spec_hooks(hooks);
  for (const ListenerPtr& listener : saving_listeners) {
    if (listener == nullptr) {
      throw TypeError(
          "All saving_listeners must be `CheckpointSaverListener` instances, given: a null "
          "pointer");
    }
  }
}

void EvalSpec::check() const {
  check_input(input_fn);
  check_positive_steps("steps", steps);
  check_spec_hooks(hooks);
  check_exporters(exporters);
  check_delay("start_delay_secs", start_delay_secs);
  check_delay("throttle_secs", throttle_secs);
}

}  // namespace antler::estimator
