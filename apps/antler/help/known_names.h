#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The names that `antler list` shows and completion offers, from the library's registries.
namespace antler::cli {

struct KnownNames {
  std::string_view kind;  ///< "optimizers"
  std::vector<std::string> (*names)();
};

/// All kinds, in alphabetical order.
std::span<const KnownNames> known_names();

/// The kind of names that an option takes: "optimizers" for "--optimizer". Empty for other options.
std::string_view kind_of_option(std::string_view option);

/// The names of a kind. Throws ValueError for an unknown kind.
std::vector<std::string> names_of_kind(std::string_view kind);

}  // namespace antler::cli
