#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "antler/core/variable.h"
#include "antler/runtime/program.h"
#include "cluster/row_packing.h"

namespace antler::cluster {

/// The variables that a task holds for the workers, and the programs that update them. Thread-safe;
/// an update and a read of several variables are each atomic.
class VariableHost {
 public:
  /// Drops all variables and programs.
  void clear();
  /// Creates a new variable if the shape differs.
  void store(uint64_t id, const Tensor& value);
  void drop(uint64_t id);
  /// Appends the elements of a variable. Throws KeyError for an unknown id, as the functions below
  /// do.
  void fetch(uint64_t id, std::string& bytes);
  /// nullopt for an unknown id.
  std::optional<TensorSpec> spec(uint64_t id);
  void add_share(const class AddShareRequest& request);
  /// Runs the program's update on its concatenated inputs.
  void update(uint64_t program, std::string_view inputs);
  /// Appends the elements that a step of the program reads: whole variables, and the rows looked up
  /// by the inputs `asked`.
  void read(uint64_t program, std::string_view asked, std::string& bytes);

 private:
  struct Share {
    std::unique_ptr<Program> update;
    std::vector<TensorSpec> inputs;
    RowFilters sent_rows;
    Variables reads;
    std::unique_ptr<Program> lookup;
    std::vector<TensorSpec> asks;
    RowFilters lookup_rows;   ///< of the outputs that a step needs
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
