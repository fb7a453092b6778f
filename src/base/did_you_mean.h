#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace antler {

/// " Did you mean 'relu'?" for the end of an error about a name, or nothing where no known name is
/// close: a third of the letters may differ, or one name begins with the other; case does not
/// count.
std::string did_you_mean(std::string_view given, const std::vector<std::string>& known);

/// did_you_mean(), and then all names: " Did you mean 'adam'? Known optimizers: 'adam', 'sgd'."
/// `what` is what they are names of, in the plural.
std::string suggest_names(std::string_view given, const char* what,
                          const std::vector<std::string>& known);

}  // namespace antler
