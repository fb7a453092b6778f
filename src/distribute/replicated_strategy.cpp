#include "distribute/replicated_strategy.h"

#include <algorithm>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/data/sharding.h"
#include "antler/ir/emit.h"
#include "antler/ir/tracer.h"
#include "antler/ops/collectives.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/runtime/config.h"
#include "base/ceil_div.h"
#include "data/worker_rows.h"
#include "distribute/replica_merge.h"
#include "distribute/replica_variables.h"
#include "distribute/spmd_program.h"
#include "distribute/worker_batch.h"

namespace antler::distribute {
namespace {

bool is_row_array(const Tensor& t) { return t.defined() && t.rank() > 0; }

/// Whether the first array has no rows.
bool has_no_rows(const Nest& part) {
  const Tensors leaves = part.flatten();
  const auto array = std::ranges::find_if(leaves, is_row_array);
  return array != leaves.end() && array->dim(0) == 0;
}

/// `part`, which has no rows, with one row of zeros.
Nest with_a_row(const Nest& part) {
  return part.map([](const Tensor& t) {
    if (!is_row_array(t) || t.dim(0) != 0) return t;
    Shape shape = t.shape();
    shape[0] = 1;
    return ops::zeros(shape, t.dtype());
  });
}

/// Whether the parts of this process can belong to `batch`. Otherwise they are other values that
/// are passed to run() in the same step.
bool belongs_to(const WorkerBatch& batch, int64_t local_rows, int64_t rank) {
  if (batch.is_empty) return local_rows <= 1;  // see with_a_row() and data::worker_rows()
  if (batch.rows_of_workers.empty() || local_rows == 0) return true;
  return batch.rows_of_workers[static_cast<size_t>(rank)] == local_rows;
}

ReplicaTrace trace_replica(const ReplicaFunction& function, const Nest& arguments,
                           const StrategyImpl& strategy, const ReplicaContext& context,
                           const RunOptions& options, OnReadVariables& on_read) {
  const ReplicaContextScope scope(context);
  ir::Tracer tracer;
  ReplicaTrace trace;
  const Nest symbolic = arguments.map([&](const Tensor& t) {
    if (!t.defined()) return t;
    trace.arguments.push_back(t);
    return tracer.input(t.spec());
  });
  {
    const ReplicaVariables variables(tracer, strategy, context.replica_id_in_sync_group, options,
                                     on_read);
    trace.outputs = function(symbolic);
    trace.own = variables.own();
  }
  Tensors leaves;
  for (const Tensor& t : trace.outputs.flatten()) {
    if (t.defined()) leaves.push_back(t);
  }
  trace.traced = tracer.finish(leaves);
  return trace;
}

/// Warns once per reason that the replicas run on one device.
void warn_one_device(size_t replicas, const std::string& mismatch) {
  static std::mutex mutex;
  static std::set<std::string> told;
  const std::lock_guard lock(mutex);
  if (!told.insert(mismatch).second) return;
  logging::warning(format("{} replicas run on one device, because their functions differ: {}",
                          replicas, mismatch));
}

}  // namespace

void ReplicatedStrategy::initialize(Tensor& value) const {
  if (workers_ == nullptr) return;
  workers_->broadcast({static_cast<std::byte*>(value.mutable_data()), value.bytes()}, 0);
}

int64_t ReplicatedStrategy::active_replicas(const WorkerBatch& batch, int64_t global_rows) const {
  int64_t active = 0;
  for (int64_t w = 0; w < worker_count(); ++w) {
    const int64_t rows = batch.rows_of_workers.empty()
                             ? data::part_of_worker(global_rows, w, worker_count()).count()
                             : batch.rows_of_workers[static_cast<size_t>(w)];
    const int64_t share = ceil_div(rows, local_);
    if (share > 0) active += ceil_div(rows, share);
  }
  return active;
}

bool ReplicatedStrategy::may_use_devices(const PerReplica& arguments) const {
  if (workers_ != nullptr || local_ < 2 || config::device() == "cpu" || !has_device_per_replica())
    return false;
  if (static_cast<int64_t>(arguments.size()) != local_ || ir::Tracer::current() == nullptr)
    return false;
  if (std::any_of(arguments.begin(), arguments.end(), [](const Nest& n) { return n.is_none(); }))
    return false;
  const ir::ObserverSuspension probe;
  return !probe.hides_any();
}

std::optional<PerReplica> ReplicatedStrategy::emit_on_devices(
    const std::vector<ReplicaTrace>& traces) const {
  std::string mismatch;
  if (const auto program = find_spmd_program(traces, mismatch)) return emit_spmd(*program, traces);
  if (!mismatch.empty()) warn_one_device(traces.size(), mismatch);
  return std::nullopt;
}

PerReplica ReplicatedStrategy::run(const ReplicaFunction& function, const PerReplica& arguments,
                                   const RunOptions& options) const {
  int64_t local_rows = 0;
  int64_t local_active = 0;
  bool no_rows = workers_ != nullptr;
  for (const Nest& part : arguments) {
    if (part.is_none()) continue;
    local_rows += data::batch_rows(part);
    ++local_active;
    no_rows = no_rows && has_no_rows(part);
  }
  no_rows = no_rows && local_active > 0;
  WorkerBatch batch;
  if (workers_ != nullptr && belongs_to(worker_batch(), local_rows, rank())) batch = worker_batch();
  const bool is_known = batch.global_rows > 0;
  if (no_rows) {
    batch.is_empty = true;
    if (!is_known) local_active = local_;  // the other workers count it as well
  }
  const WorkerBatchScope known(batch);
  const int64_t rows = is_known ? batch.global_rows : local_rows * worker_count();
  const int64_t active =
      std::max<int64_t>(is_known ? active_replicas(batch, rows) : local_active * worker_count(), 1);
  // Workers exchange values even if only one replica has rows.
  const ops::ReplicaScope collectives(worker_count() > 1 ? std::max<int64_t>(active, 2) : active,
                                      joint_statistics());
  std::vector<ReplicaTrace> traces;
  OnReadVariables on_read;
  for (size_t r = 0; r < arguments.size(); ++r) {
    if (arguments[r].is_none()) continue;
    const double equal = 1.0 / static_cast<double>(active);
    ReplicaContext context{first_replica() + static_cast<int64_t>(r), replicas(), equal, equal};
    if (batch.is_empty) {
      context.share = context.penalty_share = 0;
    } else if (uneven_ == UnevenBatches::tensorflow) {
      context.share = 1.0 / static_cast<double>(replicas());
    } else if (rows > 0 && local_rows > 0) {
      context.share =
          static_cast<double>(data::batch_rows(arguments[r])) / static_cast<double>(rows);
      context.penalty_share = context.share;
    }
    const Nest part = no_rows ? with_a_row(arguments[r]) : arguments[r];
    traces.push_back(trace_replica(function, part, *this, context, options, on_read));
  }
  const MergeScope merging;
  std::optional<PerReplica> merged;
  if (may_use_devices(arguments)) merged = emit_on_devices(traces);
  if (!merged) {
    merged = merge_replicas(traces, {.rank = rank(),
                                     .workers = worker_count(),
                                     .active_replicas = active,
                                     .is_empty = batch.is_empty,
                                     .hides_rows = batch.is_empty && local_rows == 0,
                                     .messages = messages_});
  }
  on_read.combine(*this);
  PerReplica results;
  size_t next = 0;
  for (const Nest& part : arguments) results.push_back(part.is_none() ? Nest() : (*merged)[next++]);
  return results;
}

}  // namespace antler::distribute
