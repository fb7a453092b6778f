#include "compiler/schedule.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <unordered_set>

#include "antler/base/error.h"
#include "compiler/at.h"
#include "compiler/kernels.h"
#include "compiler/message_stages.h"
#include "compiler/views.h"
#include "ops/worker_collectives.h"

namespace antler::compiler {
namespace {

using ir::ValueId;

class Scheduler {
 public:
  Scheduler(const ir::Graph& graph, std::vector<PlanKernel> kernels);
  std::vector<PlanKernel> run();

 private:
  void add_edge(int from, int to);
  bool reaches(int from, int to) const;
  void order_effects();
  void order_state_writes();
  /// Bytes that running a kernel now would add to the memory in use.
  int64_t growth(int k) const;
  /// The op of a library kernel, else null.
  const ir::OpDef* library_op(size_t k) const;
  /// For programs that send messages while they compute: work for the first message comes first,
  /// then work for the next one, and so on. A program waits for a message only when there is
  /// nothing else left to do.
  void find_stages();

  const ir::Graph& graph_;
  std::vector<PlanKernel> kernels_;
  std::vector<std::vector<ValueId>> reads_;
  std::vector<std::vector<ValueId>> writes_;
  std::vector<int> position_;              // kernel -> the last node it computes
  std::vector<int> producer_;              // value -> kernel, or -1
  std::vector<std::vector<int>> readers_;  // value -> kernels
  std::vector<int64_t> bytes_;             // value -> bytes in the arena; 0 if it is elsewhere
  std::vector<int> unread_;                // value -> readers that have not run yet
  std::vector<std::vector<int>> next_;
  std::vector<int> waits_;
  std::vector<int> stage_;  // kernel -> its stage; kernels of earlier stages go first
};

Scheduler::Scheduler(const ir::Graph& graph, std::vector<PlanKernel> kernels)
    : graph_(graph), kernels_(std::move(kernels)) {
  const size_t values = graph.values.size();
  producer_.assign(values, -1);
  readers_.resize(values);
  bytes_.assign(values, 0);
  next_.resize(kernels_.size());
  waits_.assign(kernels_.size(), 0);
  for (size_t k = 0; k < kernels_.size(); ++k) {
    reads_.push_back(reads_of(graph, kernels_[k]));
    writes_.push_back(writes_of(graph, kernels_[k]));
    int position = 0;
    for (ValueId v : writes_[k]) {
      producer_[at(v)] = static_cast<int>(k);
      bytes_[at(v)] = bytes_of(graph, v);
      position = std::max(position, graph.value(v).node);
    }
    for (ValueId v : reads_[k]) readers_[at(v)].push_back(static_cast<int>(k));
    position_.push_back(position);
  }
  for (ValueId v : graph.results()) bytes_[at(storage_base(graph, v))] = 0;
  for (const auto& readers : readers_) unread_.push_back(static_cast<int>(readers.size()));
  for (size_t k = 0; k < kernels_.size(); ++k) {
    for (ValueId v : reads_[k]) {
      if (producer_[at(v)] >= 0) add_edge(producer_[at(v)], static_cast<int>(k));
    }
  }
  order_effects();
  order_state_writes();
  find_stages();
}

void Scheduler::add_edge(int from, int to) {
  auto& next = next_[at(from)];
  if (std::find(next.begin(), next.end(), to) != next.end()) return;
  next.push_back(to);
  ++waits_[at(to)];
}

bool Scheduler::reaches(int from, int to) const {
  std::unordered_set<int> seen = {from};
  std::vector<int> stack = {from};
  while (!stack.empty()) {
    const int k = stack.back();
    stack.pop_back();
    if (k == to) return true;
    for (int n : next_[at(k)]) {
      if (seen.insert(n).second) stack.push_back(n);
    }
  }
  return false;
}

void Scheduler::order_effects() {
  int last = -1;
  for (size_t k = 0; k < kernels_.size(); ++k) {  // library kernels come in the order of the graph
    const ir::OpDef* const op = library_op(k);
    if (op == nullptr || op->op_class != ir::OpClass::effect) continue;
    if (last >= 0 && !reaches(static_cast<int>(k), last)) add_edge(last, static_cast<int>(k));
    last = static_cast<int>(k);
  }
}

void Scheduler::order_state_writes() {
  for (const ir::StateSlot& slot : graph_.states) {
    if (slot.output < 0) continue;
    const int writer = producer_[at(storage_base(graph_, slot.output))];
    if (writer < 0) continue;
    for (int reader : readers_[at(slot.input)]) {
      // If the reader depends on the writer, placement adds a copy instead.
      if (reader != writer && !reaches(writer, reader)) add_edge(reader, writer);
    }
  }
}

int64_t Scheduler::growth(int k) const {
  int64_t bytes = 0;
  for (ValueId v : writes_[at(k)]) {
    if (unread_[at(v)] > 0) bytes += bytes_[at(v)];
  }
  for (ValueId v : reads_[at(k)]) {
    if (unread_[at(v)] == 1) bytes -= bytes_[at(v)];
  }
  return bytes;
}

const ir::OpDef* Scheduler::library_op(size_t k) const {
  const PlanKernel& kernel = kernels_[k];
  return kernel.kind == PlanKernel::Kind::library ? graph_.nodes[at(kernel.node)].op : nullptr;
}

void Scheduler::find_stages() {
  const std::vector<int> stages = message_stages(graph_);
  for (size_t k = 0; k < kernels_.size(); ++k) {
    int stage = std::numeric_limits<int>::max();
    // Kernels that wait for a message come last.
    if (library_op(k) != &ops::kWorkerAllReduceFinish) {
      for (const ValueId v : writes_[k]) stage = std::min(stage, stages[at(v)]);
    }
    stage_.push_back(stage);
  }
}

std::vector<PlanKernel> Scheduler::run() {
  std::vector<int> ready;
  for (size_t k = 0; k < kernels_.size(); ++k) {
    if (waits_[k] == 0) ready.push_back(static_cast<int>(k));
  }
  std::vector<PlanKernel> order;
  while (!ready.empty()) {
    size_t best = 0;
    const auto rank = [&](int k) { return std::tuple(stage_[at(k)], growth(k), position_[at(k)]); };
    auto best_rank = rank(ready[0]);
    for (size_t i = 1; i < ready.size(); ++i) {
      const auto candidate = rank(ready[i]);
      if (candidate > best_rank) continue;
      best = i;
      best_rank = candidate;
    }
    const int k = ready[best];
    ready[best] = ready.back();
    ready.pop_back();
    for (ValueId v : reads_[at(k)]) --unread_[at(v)];
    for (int n : next_[at(k)]) {
      if (--waits_[at(n)] == 0) ready.push_back(n);
    }
    order.push_back(std::move(kernels_[at(k)]));
  }
  if (order.size() != kernels_.size()) throw InternalError("The kernels of a plan form a cycle.");
  return order;
}

}  // namespace

std::vector<PlanKernel> schedule(const ir::Graph& graph, std::vector<PlanKernel> kernels) {
  return Scheduler(graph, std::move(kernels)).run();
}

}  // namespace antler::compiler
