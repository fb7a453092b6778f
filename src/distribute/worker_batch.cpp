#include "distribute/worker_batch.h"

#include <utility>

#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/worker_collectives.h"
#include "data/worker_rows.h"
#include "distribute/strategy_impl.h"

namespace antler::distribute {
namespace {

thread_local WorkerBatch t_batch;

/// `rows` rows, of which the first are those of `x`, or none if the worker has no data.
Tensor padded(const Tensor& x, int64_t rows) {
  const int64_t missing = rows - x.dim(0);
  if (missing == 0) return x;
  Shape shape = x.shape();
  shape[0] = missing;
  return ops::concatenate({x, ops::zeros(shape, x.dtype())}, 0);
}

Tensor gather_leaf(const Tensor& x, const ops::Communicator& workers, const WorkerBatch& batch) {
  const int64_t count = workers.size();
  const int64_t rows = batch.global_rows > 0 ? batch.global_rows : x.dim(0) * count;
  const int64_t most = data::rows_of_worker(rows, 0, count);
  // [workers, most, ...]: row j is at [j % workers, j / workers].
  const Tensor all = ops::worker_all_gather(padded(x, most));
  Shape flat = x.shape();
  flat[0] = most * count;
  const Tensor in_order = ops::reshape(ops::swapaxes(all, 0, 1), flat);
  return rows == flat[0] ? in_order : ops::slice_axis(in_order, 0, 0, rows);
}

}  // namespace

WorkerBatch worker_batch() { return t_batch; }

WorkerBatchScope::WorkerBatchScope(const WorkerBatch& batch)
    : previous_(std::exchange(t_batch, batch)) {}
WorkerBatchScope::~WorkerBatchScope() { t_batch = previous_; }

Nest gather_rows(const PerReplica& values, const Strategy& strategy) {
  const Nest local = strategy.gather(values);
  const ops::Communicator* workers = strategy.workers();
  if (workers == nullptr || workers->size() == 1) return local;
  const WorkerBatch batch = worker_batch();
  return local.map([&](const Tensor& t) {
    return t.defined() && t.rank() > 0 ? gather_leaf(t, *workers, batch) : t;
  });
}

}  // namespace antler::distribute
