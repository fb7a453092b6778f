#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "cluster/members.h"

namespace antler::cluster {

/// The keys that worker 0 keeps for its cluster. All functions wait for worker 0 to answer; they
/// throw DeadlineExceededError if it does not within their `seconds`, and ValueError if it refuses
/// this process.
class Store {
 public:
  explicit Store(const Members& members);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  void set(const std::string& key, const std::string& value, double seconds);
  /// Waits for the key to be set; nothing if it is not within `seconds`.
  std::optional<std::string> get(const std::string& key, double seconds);
  /// Adds to a counter, which starts at 0, and returns its new value.
  int64_t add(const std::string& key, int64_t amount, double seconds);
  /// Removes a key or counter; false if there is none.
  bool erase(const std::string& key, double seconds);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace antler::cluster
