#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "antler/distribute/cluster_spec.h"

/// Ways for a process to find its cluster: TensorFlow's `tf.distribute.cluster_resolver`.
/// Kubeflow's TFJob sets TF_CONFIG, so TFConfigClusterResolver works on Kubernetes, too.
namespace antler::distribute {

/// A task, as far as it is known.
struct TaskOptions {
  std::optional<std::string> task_type = {};  ///< the job, such as "worker"
  std::optional<int64_t> task_id = {};        ///< the index in the job, from 0
  /// The protocol between processes, such as "grpc".
  std::optional<std::string> rpc_layer = {};
};

/// Finds the processes of the cluster, and which of them this process is
/// (tf.distribute.cluster_resolver.ClusterResolver).
class ClusterResolver {
 public:
  virtual ~ClusterResolver() = default;
  /// The current cluster; empty if the process works alone.
  virtual ClusterSpec cluster_spec() const = 0;
  /// The address of a task, "grpc://HOST:PORT" if there is an rpc_layer. Without task_type and
  /// task_id, that of this process; "" if it is not known. Throws ValueError for an unknown task.
  virtual std::string master(const TaskOptions& options = {}) const;
  /// The accelerators per process, by kind; empty unless given to the constructor.
  virtual std::map<std::string, int64_t> num_accelerators() const { return {}; }
  /// "" unless given to the constructor.
  virtual std::string environment() const { return ""; }
  /// This process's job, index and protocol: those that were set, otherwise those that the resolver
  /// found.
  std::optional<std::string> task_type() const;
  std::optional<int64_t> task_id() const;
  std::optional<std::string> rpc_layer() const;
  void set_task_type(std::string task_type) { set_.task_type = std::move(task_type); }
  void set_task_id(int64_t task_id) { set_.task_id = task_id; }
  void set_rpc_layer(std::string rpc_layer) { set_.rpc_layer = std::move(rpc_layer); }

 protected:
  explicit ClusterResolver(TaskOptions given = {}) : set_(std::move(given)) {}
  /// The task that the resolver finds, regardless of what was set.
  virtual TaskOptions found_task() const { return {}; }

 private:
  TaskOptions set_;
};

/// Throws ValueError unless this process is a task of the resolver's cluster: task_type and task_id
/// are known and pass validate_cluster_spec(). An empty cluster is valid.
void validate(const ClusterResolver& resolver);

/// Options of TFConfigClusterResolver.
struct TFConfigClusterResolverOptions {
  std::optional<std::string> task_type = {};  ///< the job of this process
  std::optional<int64_t> task_id = {};        ///< its index in the job, from 0
  std::optional<std::string> rpc_layer = {};  ///< the protocol, such as "grpc"
  std::string environment = {};               ///< what environment() returns
};

/// Reads the environment variable TF_CONFIG at every call. All calls throw what TFConfig::parse()
/// throws.
class TFConfigClusterResolver : public ClusterResolver {
 public:
  /// The options take precedence over TF_CONFIG.
  explicit TFConfigClusterResolver(const TFConfigClusterResolverOptions& options = {});
  ClusterSpec cluster_spec() const override;
  /// TF_CONFIG's "session_master" if it has that key; "" for a cluster of one task.
  std::string master(const TaskOptions& options = {}) const override;
  std::string environment() const override { return environment_; }

 protected:
  TaskOptions found_task() const override;

 private:
  std::string environment_;
};

/// Options of SimpleClusterResolver.
struct SimpleClusterResolverOptions {
  std::string master = {};                               ///< address that master() returns
  std::optional<std::string> task_type = {};             ///< the job of this process
  std::optional<int64_t> task_id = {};                   ///< its index in the job, from 0
  std::string environment = {};                          ///< what environment() returns
  std::map<std::string, int64_t> num_accelerators = {};  ///< kind of device -> number
  std::optional<std::string> rpc_layer = {};             ///< the protocol, such as "grpc"
};

/// Returns the values that it was given.
class SimpleClusterResolver : public ClusterResolver {
 public:
  explicit SimpleClusterResolver(ClusterSpec cluster_spec,
                                 const SimpleClusterResolverOptions& options = {});
  ClusterSpec cluster_spec() const override { return cluster_spec_; }
  /// The option `master` unless a task is given.
  std::string master(const TaskOptions& options = {}) const override;
  std::map<std::string, int64_t> num_accelerators() const override { return num_accelerators_; }
  std::string environment() const override { return environment_; }

 private:
  ClusterSpec cluster_spec_;
  std::string master_;
  std::map<std::string, int64_t> num_accelerators_;
  std::string environment_;
};

/// Joins the clusters of several resolvers; everything else comes from the first of them.
class UnionResolver : public ClusterResolver {
 public:
  /// The options take precedence over the first resolver. Throws ValueError for an empty list or a
  /// null resolver.
  explicit UnionResolver(std::vector<std::shared_ptr<const ClusterResolver>> resolvers,
                         TaskOptions options = {});
  /// Jobs of the same name are merged: lists are concatenated; if one of them has gaps, tasks keep
  /// their indices. Throws KeyError if two tasks then have the same index.
  ClusterSpec cluster_spec() const override;
  /// The first resolver's address unless a task is given.
  std::string master(const TaskOptions& options = {}) const override;
  std::map<std::string, int64_t> num_accelerators() const override;
  std::string environment() const override;

 protected:
  TaskOptions found_task() const override;

 private:
  std::vector<std::shared_ptr<const ClusterResolver>> resolvers_;
};

/// Jobs and their numbers of tasks. Ranks are assigned to jobs in this order. (TensorFlow assigns
/// them in alphabetical order.)
using JobSizes = std::vector<std::pair<std::string, int64_t>>;

/// Options of SlurmClusterResolver.
struct SlurmClusterResolverOptions {
  /// Empty: all tasks of the step are workers.
  JobSizes jobs = {};
  /// The tasks of a node have the ports port_base, port_base + 1 and so on.
  int64_t port_base = 8888;
  /// Tasks per node; empty: read from Slurm's variables. A single number applies to every node.
  std::vector<int64_t> tasks_per_node = {};
  std::string rpc_layer = "grpc";  ///< the protocol between processes
};

/// A step of the workload manager Slurm (`srun`). Reads SLURM_PROCID, SLURM_STEP_NUM_TASKS,
/// SLURM_STEP_NODELIST, SLURM_STEP_TASKS_PER_NODE, and SLURMD_NODENAME if it is set.
///
/// Ranks are expected in the order of the nodes (`srun --distribution=block`, Slurm's default).
class SlurmClusterResolver : public ClusterResolver {
 public:
  /// Throws RuntimeError if a variable is missing or wrong, if the sizes of the jobs do not add up
  /// to the tasks of the step, or if this process runs on another node than its rank says.
  explicit SlurmClusterResolver(const SlurmClusterResolverOptions& options = {});
  ClusterSpec cluster_spec() const override { return cluster_spec_; }

 protected:
  TaskOptions found_task() const override { return task_; }

 private:
  ClusterSpec cluster_spec_;
  TaskOptions task_;
};

/// Options of OpenMpiClusterResolver.
struct OpenMpiClusterResolverOptions {
  /// Empty: all processes are workers.
  JobSizes jobs = {};
  /// The processes of a host have the ports port_base, port_base + 1 and so on.
  int64_t port_base = 8888;
  /// The host of each rank. Open MPI does not reveal it, so this may be empty only if all processes
  /// run on this machine.
  std::vector<std::string> hosts = {};
  std::string rpc_layer = "grpc";  ///< the protocol between processes
};

/// The processes that Open MPI's `mpirun` started. Reads OMPI_COMM_WORLD_RANK, OMPI_COMM_WORLD_SIZE
/// and OMPI_COMM_WORLD_LOCAL_SIZE.
class OpenMpiClusterResolver : public ClusterResolver {
 public:
  /// Throws RuntimeError if a variable is missing or wrong, if the sizes of the jobs do not add up
  /// to the number of processes, or if the hosts do not agree with the number of processes here.
  explicit OpenMpiClusterResolver(const OpenMpiClusterResolverOptions& options = {});
  ClusterSpec cluster_spec() const override { return cluster_spec_; }

 protected:
  TaskOptions found_task() const override { return task_; }

 private:
  ClusterSpec cluster_spec_;
  TaskOptions task_;
};

/// The nodes of a Slurm host list in order: "n[1-2],m5,o[08-10]" gives n1, n2, m5, o08, o09, o10.
/// Throws ValueError for a malformed list or more than 65536 nodes.
std::vector<std::string> expand_hostlist(const std::string& hostlist);
/// "3(x2),2,1" gives 3, 3, 2, 1. Throws ValueError for a malformed list or more than 65536 numbers.
std::vector<int64_t> expand_tasks_per_node(const std::string& tasks_per_node);

/// The resolver for how this process was started: by TF_CONFIG if it is set, else by Open MPI, else
/// as a step of Slurm; null if it works alone. (Under `mpirun` in a Slurm job, Slurm's variables
/// describe mpirun's own processes, so Open MPI is checked first.) Throws what the resolvers throw.
std::shared_ptr<ClusterResolver> resolver_from_environment();

}  // namespace antler::distribute
