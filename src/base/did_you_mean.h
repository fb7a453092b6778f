#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace antler {

/// " Did you mean 'relu'?" for the end of an error about a name; empty if no known name is close. A
/// third of the letters may differ, or one name may be a prefix of the other; case is ignored.
std::string did_you_mean(std::string_view given, const std::vector<std::string>& known);

/// did_you_mean(), then all names: " Did you mean 'adam'? Known optimizers: 'adam', 'sgd'." `what`
/// is the plural noun for the names, here "optimizers".
std::string suggest_names(std::string_view given, const char* what,
                          const std::vector<std::string>& known);

}  // namespace antler
