#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "antler/core/variable.h"
#include "antler/runtime/program.h"

namespace antler::cluster {

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
  void add_share(const class AddShareRequest& request);
  /// Changes variables by the inputs of the program's update, given one behind the other.
  void update(uint64_t program, std::string_view inputs);
  /// Appends the elements of what a step of the program reads, and of what it looks up by these
  /// inputs.
  void read(uint64_t program, std::string_view asked, std::string& bytes);

 private:
  struct Share {
    std::unique_ptr<Program> update;
    std::vector<TensorSpec> inputs;
    Variables reads;
    std::unique_ptr<Program> lookup;
    std::vector<TensorSpec> asks;
    std::mutex lookup_mutex;  ///< a program has one run at a time
  };
  std::shared_ptr<Share> share(uint64_t program);
  /// Requires the lock.
  const Variable& variable(uint64_t id) const;

  std::shared_mutex mutex_;
  std::unordered_map<uint64_t, Variable> variables_;
  std::unordered_map<uint64_t, std::shared_ptr<Share>> shares_;
};

}  // namespace antler::cluster
