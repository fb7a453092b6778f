#pragma once

#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "antler/core/variable.h"
#include "antler/runtime/program.h"

namespace antler::cluster {

class Graph;

/// The variables that a task keeps for the workers, and the programs that change them. Any thread
/// may call; an update and a read of several variables are each atomic.
class VariableHost {
 public:
  /// Drops all.
  void clear();
  void store(uint64_t id, const Tensor& value);
  void drop(uint64_t id);
  /// Appends the elements of a variable. Throws KeyError if there is none, as the functions below.
  void fetch(uint64_t id, std::string& bytes);
  void add_share(uint64_t program, const Graph& update, const std::vector<uint64_t>& reads);
  /// Changes variables by the inputs of the program's update, given one behind the other.
  void update(uint64_t program, std::string_view inputs);
  /// Appends the elements of what a step of the program reads.
  void read(uint64_t program, std::string& bytes);

 private:
  struct Share {
    std::unique_ptr<Program> update;
    std::vector<TensorSpec> inputs;
    Variables reads;
  };
  std::shared_ptr<const Share> share(uint64_t program);
  /// Requires the lock.
  const Variable& variable(uint64_t id) const;

  std::shared_mutex mutex_;
  std::unordered_map<uint64_t, Variable> variables_;
  std::unordered_map<uint64_t, std::shared_ptr<const Share>> shares_;
};

}  // namespace antler::cluster
