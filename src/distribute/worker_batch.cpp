#include "distribute/worker_batch.h"

#include <map>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "antler/ops/core.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/worker_collectives.h"
#include "data/worker_rows.h"
#include "distribute/process_group.h"
#include "distribute/strategy_impl.h"
#include "distribute/worker_gather.h"

namespace antler::distribute {
namespace {

thread_local std::optional<WorkerBatch> t_batch;
/// The latest loop is the last one.
thread_local std::vector<std::pair<const LoopBatch*, WorkerBatch>> t_loops;

Tensor gather_leaf(const Tensor& x, const ops::Communicator& workers, const WorkerBatch& batch) {
  if (!batch.rows_of_workers.empty()) return gather_workers(x, 0, batch.rows_of_workers);
  const int64_t count = workers.size();
  const int64_t rows = batch.global_rows > 0 ? batch.global_rows : x.dim(0) * count;
  // All parts except the last ones have as many rows as the first.
  const Tensor all =
      ops::worker_all_gather(padded(x, 0, data::part_of_worker(rows, 0, count).count()));
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
  Nest local = gather_here(values);
  const ops::Communicator* workers = strategy.workers();
  if (workers == nullptr || workers->size() == 1) return local;
  const WorkerBatch batch = worker_batch();
  return local.map([&](const Tensor& t) {
    return t.defined() && t.rank() > 0 ? gather_leaf(t, *workers, batch) : t;
  });
}

}  // namespace antler::distribute
