#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "antler/base/format.h"
#include "antler/base/parallel.h"
#include "antler/ir/emit.h"
#include "antler/runtime/config.h"
#include "antler/runtime/function.h"
#include "runtime/cpu/denormals.h"
#include "runtime/cpu/library_kernel.h"
#include "runtime/cpu/parallel.h"
#include "runtime/instance.h"

namespace antler {
namespace {

/// Runs single ops. Ops that prefer a library kernel use one from an LRU cache keyed by op,
/// attributes and specs; others run their reference loop, which is cheaper than compiling them.
class EagerExecutor final : public ir::Executor {
 public:
  Tensors run(const ir::OpDef& op, std::span<const Tensor> inputs, const ir::Attrs& attrs,
              const ir::Regions& regions, std::span<const TensorSpec> outputs) override {
    const runtime::ScopedFlushDenormals mode(config::threads());
    if (!regions.empty() || inputs.empty())
      return ir::reference_executor().run(op, inputs, attrs, regions, outputs);
    ir::Graph graph;
    std::vector<ir::ValueId> ids;
    for (const Tensor& t : inputs) {
      ids.push_back(graph.add_input(t.spec()));
      graph.inputs.push_back(ids.back());
    }
    graph.add_node(op, ids, attrs, {}, {outputs.begin(), outputs.end()});
    if (!runtime::prefers_library(graph, graph.nodes[0])) {
      return ir::reference_executor().run(op, inputs, attrs, regions, outputs);
    }
    Tensors results;
    std::vector<void*> buffers;
    for (const Tensor& t : inputs) buffers.push_back(t.mutable_data());
    for (const TensorSpec& spec : outputs) {
      results.push_back(Tensor::empty(spec.dtype, spec.shape));
      buffers.push_back(results.back().mutable_data());
    }
    std::string key = format("{}|{}|{}{}", op.name, attrs.key(), config::threads(),
                             config::deterministic() ? "d" : "");
    for (const Tensor& t : inputs) key += format("|{}{}", dtype_name(t.dtype()), t.shape());
    const std::lock_guard lock(mutex_);  // a kernel has one scratch buffer: one caller at a time
    kernel(key, graph).run(buffers.data());
    return results;
  }

 private:
  static constexpr size_t kCapacity = 256;
  struct Entry {
    std::unique_ptr<runtime::LibraryKernel> kernel;
    std::shared_ptr<Buffer> scratch;
    std::list<std::string>::iterator use;
  };

  runtime::LibraryKernel& kernel(const std::string& key, const ir::Graph& graph) {
    if (const auto it = entries_.find(key); it != entries_.end()) {
      uses_.splice(uses_.begin(), uses_, it->second.use);
      return *it->second.kernel;
    }
    if (entries_.size() >= kCapacity) {
      entries_.erase(uses_.back());
      uses_.pop_back();
    }
    Entry entry;
    entry.kernel = runtime::make_library_kernel(
        graph, graph.nodes[0],
        {.threads = config::threads(), .deterministic = config::deterministic()});
    entry.scratch = Buffer::allocate(entry.kernel->scratch_bytes());
    entry.kernel->set_scratch(entry.scratch->data());
    uses_.push_front(key);
    entry.use = uses_.begin();
    return *entries_.emplace(key, std::move(entry)).first->second.kernel;
  }

  std::mutex mutex_;
  std::list<std::string> uses_;  // most recently used first
  std::unordered_map<std::string, Entry> entries_;
};

void run_on_threads(int64_t count, RangeBody body, void* context) {
  runtime::parallel_ranges(config::threads(), count,
                           [&](int64_t begin, int64_t end) { body(context, begin, end); });
}

}  // namespace

void initialize_runtime() {
  static EagerExecutor executor;
  static const bool installed = [] {
    ir::set_executor(&executor);
    set_range_runner(run_on_threads);
    return true;
  }();
  (void)installed;
}

}  // namespace antler
