#include "help/known_names.h"

#include <utility>

#include "antler/applications/models.h"
#include "antler/base/error.h"
#include "antler/nn/registered_names.h"
#include "antler/nn/registry.h"
#include "antler/training/callbacks/deserialize.h"
#include "input/builtin_data.h"

namespace antler::cli {

std::span<const KnownNames> known_names() {
  static constexpr KnownNames kKinds[] = {
      {"activations", activations::registered_activations},
      {"applications", applications::names},
      {"callbacks", callbacks::registered_callbacks},
      {"constraints", constraints::registered_constraints},
      {"datasets", builtin_names},
      {"initializers", initializers::registered_initializers},
      {"layers", registered_layers},
      {"losses", losses::registered_losses},
      {"metrics", metrics::registered_metrics},
      {"optimizers", optimizers::registered_optimizers},
      {"regularizers", regularizers::registered_regularizers},
      {"schedules", optimizers::schedules::registered_schedules},
  };
  return kKinds;
}

std::string_view kind_of_option(std::string_view option) {
  static constexpr std::pair<std::string_view, std::string_view> kOptions[] = {
      {"--application", "applications"}, {"--callback", "callbacks"},   {"--loss", "losses"},
      {"--metrics", "metrics"},          {"--optimizer", "optimizers"},
  };
  for (const auto& [name, kind] : kOptions) {
    if (name == option) return kind;
  }
  return {};
}

std::vector<std::string> names_of_kind(std::string_view kind) {
  for (const KnownNames& known : known_names()) {
    if (known.kind == kind) return known.names();
  }
  throw ValueError("Unknown kind of names: '{}'.", kind);
}

}  // namespace antler::cli
