#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "cluster/members.h"

namespace antler::cluster {

/// A client of the key-value store that worker 0 holds for its cluster. All functions wait for
/// worker 0. They throw DeadlineExceededError if it does not answer within `seconds`, and
/// ValueError if it refuses this process.
class Store {
 public:
  explicit Store(const Members& members);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  void set(const std::string& key, const std::string& value, double seconds);
  /// Waits until the key is set; returns nothing if it is not within `seconds`.
  std::optional<std::string> get(const std::string& key, double seconds);
  /// Adds to a counter, which starts at 0, and returns its new value.
  int64_t add(const std::string& key, int64_t amount, double seconds);
  /// Removes a key or counter; returns false if it does not exist.
  bool erase(const std::string& key, double seconds);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace antler::cluster
