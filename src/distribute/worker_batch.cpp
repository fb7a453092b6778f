#include "distribute/worker_batch.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/worker_collectives.h"
#include "data/worker_rows.h"
#include "distribute/process_group.h"
#include "distribute/strategy_impl.h"

namespace antler::distribute {
namespace {

thread_local std::optional<WorkerBatch> t_batch;
/// The latest loop is the last one.
thread_local std::vector<std::pair<const LoopBatch*, WorkerBatch>> t_loops;

/// `x` padded with rows of zeros to `rows` rows.
Tensor padded(const Tensor& x, int64_t rows) {
  const int64_t missing = rows - x.dim(0);
  if (missing == 0) return x;
  Shape shape = x.shape();
  shape[0] = missing;
  return ops::concatenate({x, ops::zeros(shape, x.dtype())}, 0);
}

/// The rows of all workers, worker by worker.
Tensor gather_blocks(const Tensor& x, const std::vector<int64_t>& rows) {
  const int64_t most = *std::max_element(rows.begin(), rows.end());
  const Tensor all = ops::worker_all_gather(padded(x, most));
  Tensors blocks;
  for (size_t w = 0; w < rows.size(); ++w) {
    if (rows[w] == 0) continue;
    const auto at = static_cast<int64_t>(w);
    const Tensor block = ops::squeeze(ops::slice_axis(all, 0, at, at + 1), {0});
    blocks.push_back(ops::slice_axis(block, 0, 0, rows[w]));
  }
  return ops::concatenate(blocks, 0);
}

Tensor gather_leaf(const Tensor& x, const ops::Communicator& workers, const WorkerBatch& batch) {
  if (!batch.rows_of_workers.empty()) return gather_blocks(x, batch.rows_of_workers);
  const int64_t count = workers.size();
  const int64_t rows = batch.global_rows > 0 ? batch.global_rows : x.dim(0) * count;
  // All parts except the last ones have as many rows as the first.
  const Tensor all =
      ops::worker_all_gather(padded(x, data::part_of_worker(rows, 0, count).count()));
  Shape flat = x.shape();
  flat[0] = all.dim(0) * all.dim(1);
  const Tensor in_order = ops::reshape(all, flat);
  return rows == flat[0] ? in_order : ops::slice_axis(in_order, 0, 0, rows);
}

}  // namespace

WorkerBatch worker_batch() {
  if (t_batch) return *t_batch;
  return t_loops.empty() ? WorkerBatch() : t_loops.back().second;
}

int64_t worker_batch_number() {
  using Key = std::tuple<int64_t, bool, std::vector<int64_t>, int64_t, int64_t>;
  static std::mutex mutex;
  static std::map<Key, int64_t> numbers;
  const std::lock_guard lock(mutex);
  const auto next = static_cast<int64_t>(numbers.size());
  const WorkerBatch batch = worker_batch();
  const Key key(batch.global_rows, batch.is_empty, batch.rows_of_workers,
                distribution::process_id(), distribution::num_processes());
  return numbers.emplace(key, next).first->second;
}

WorkerBatchScope::WorkerBatchScope(const WorkerBatch& batch)
    : previous_(std::exchange(t_batch, batch)) {}
WorkerBatchScope::~WorkerBatchScope() { t_batch = previous_; }

void LoopBatch::set(const WorkerBatch& batch) const {
  clear();
  t_loops.emplace_back(this, batch);
}

void LoopBatch::clear() const {
  std::erase_if(t_loops, [this](const auto& loop) { return loop.first == this; });
}

Nest gather_rows(const PerReplica& values, const Strategy& strategy) {
  Nest local = strategy.gather(values);
  const ops::Communicator* workers = strategy.workers();
  if (workers == nullptr || workers->size() == 1) return local;
  const WorkerBatch batch = worker_batch();
  return local.map([&](const Tensor& t) {
    return t.defined() && t.rank() > 0 ? gather_leaf(t, *workers, batch) : t;
  });
}

}  // namespace antler::distribute
