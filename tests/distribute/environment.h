#pragma once

#include <cstdlib>
#include <map>
#include <optional>
#include <string>

namespace antler::distribute {

using EnvironmentVariables = std::map<std::string, std::string>;

/// Sets environment variables for the lifetime of a test; "" removes one.
class Environment {
 public:
  explicit Environment(const EnvironmentVariables& variables) {
    for (const auto& [name, value] : variables) {
      const char* before = std::getenv(name.c_str());
      before_[name] = before == nullptr ? std::nullopt : std::optional<std::string>(before);
      put(name, value.empty() ? std::nullopt : std::optional(value));
    }
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  ~Environment() {
    for (const auto& [name, value] : before_) put(name, value);
  }

 private:
  static void put(const std::string& name, const std::optional<std::string>& value) {
    if (value) {
      ::setenv(name.c_str(), value->c_str(), 1);
    } else {
      ::unsetenv(name.c_str());
    }
  }

  std::map<std::string, std::optional<std::string>> before_;
};

}  // namespace antler::distribute
