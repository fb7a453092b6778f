#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "antler/base/json.h"

namespace antler::distribute {

/// The processes of a cluster: for each job, such as "worker" or "ps", the addresses of its tasks
/// (TensorFlow's `tf.train.ClusterSpec`). An address is "HOST:PORT". Task indices may have gaps.
class ClusterSpec {
 public:
  /// The addresses of a job's tasks by their indices.
  using Tasks = std::map<int64_t, std::string>;

  /// A cluster without processes.
  ClusterSpec() = default;
  /// Task i of a job has entry i of the job's list: `ClusterSpec({{"worker", {"a:1", "b:1"}}})`.
  ClusterSpec(std::initializer_list<std::pair<const std::string, std::vector<std::string>>> jobs);
  explicit ClusterSpec(const std::map<std::string, std::vector<std::string>>& jobs);
  /// Throws ValueError for a negative index.
  static ClusterSpec sparse(std::map<std::string, Tasks> jobs);
  /// Reads what as_dict() returns: an object of lists of addresses, or of objects from indices to
  /// addresses. Throws TypeError for other types, ValueError for an index that is not a number. The
  /// message gives the path of the wrong value, which starts with `where`.
  static ClusterSpec from_dict(const Json& dict, std::string_view where = "cluster");

  /// For each job a list of addresses, or an object from indices to addresses if indices are
  /// missing.
  Json as_dict() const;
  /// The names of the jobs in alphabetical order.
  std::vector<std::string> jobs() const;
  bool has_job(const std::string& job) const { return jobs_.contains(job); }
  bool empty() const { return jobs_.empty(); }
  /// Throws ValueError for an unknown job; so do the functions below.
  int64_t num_tasks(const std::string& job) const;
  /// In ascending order.
  std::vector<int64_t> task_indices(const std::string& job) const;
  /// Also throws ValueError for an unknown index.
  const std::string& task_address(const std::string& job, int64_t index) const;
  /// The addresses by index; empty where an index is missing. Throws ValueError if the largest
  /// index is so large that the list would be mostly empty (more than 1024 entries per task).
  std::vector<std::string> job_tasks(const std::string& job) const;

  friend bool operator==(const ClusterSpec&, const ClusterSpec&) = default;

 private:
  const Tasks& tasks(const std::string& job) const;

  std::map<std::string, Tasks> jobs_;
};

}  // namespace antler::distribute
