#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace antler {

/// The value of an environment variable; none if it is not set or empty.
inline std::optional<std::string> environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

}  // namespace antler
