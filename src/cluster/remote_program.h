#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <training.pb.h>

#include "antler/core/nest.h"
#include "antler/distribute/strategy.h"
#include "antler/runtime/function.h"
#include "cluster/parameter_servers.h"

namespace antler::cluster {

/// A function traced for one signature of its arguments, in the form that is sent to workers.
struct RemoteProgram {
  uint64_t id = 0;
  AddProgramRequest request;
  Nest outputs;  ///< structure
  std::vector<TensorSpec> results;

  /// Decodes the outputs from bytes.
  Nest unpack(const std::string& bytes) const;
};

/// The programs of a coordinator. Thread-safe.
class RemotePrograms {
 public:
  RemotePrograms(const distribute::Strategy& strategy, const ParameterServers& servers)
      : strategy_(strategy.implementation()), servers_(servers) {}

  /// The program of a function for arguments of these shapes. The first call traces it in the scope
  /// of the strategy and sends the parameter servers their shares. Throws what the function throws.
  std::shared_ptr<const RemoteProgram> get(const Function& function, const Nest& arguments);

 private:
  struct Entry {
    // Weak: the function holds variables, which would keep the strategy alive.
    std::weak_ptr<const void> function;
    std::string signature;
    std::shared_ptr<const RemoteProgram> program;
  };
  std::shared_ptr<const RemoteProgram> make(const Function& function, const Nest& arguments);

  const std::weak_ptr<const distribute::StrategyImpl> strategy_;
  const ParameterServers& servers_;
  std::mutex mutex_;
  std::deque<Entry> entries_;
  uint64_t next_ = 1;
};

/// The elements of all defined leaves, concatenated.
std::string bytes_of(const Nest& arguments);

}  // namespace antler::cluster
