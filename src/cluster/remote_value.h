#pragma once

#include <condition_variable>
#include <exception>
#include <mutex>

#include "antler/cluster/cluster_coordinator.h"

namespace antler::cluster {

/// The result of a closure, available once it has run.
struct RemoteValue::State {
 public:
  void set_value(Nest value);
  void set_error(std::exception_ptr error);
  /// Waits for the result. Throws the closure's error.
  Nest get();
  bool is_ready();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ready_ = false;
  Nest value_;
  std::exception_ptr error_;
};

}  // namespace antler::cluster
