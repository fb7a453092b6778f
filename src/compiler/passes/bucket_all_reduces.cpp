#include <algorithm>
#include <vector>

#include "compiler/at.h"
#include "compiler/passes/passes.h"
#include "compiler/rewriter.h"
#include "ops/worker_collectives.h"

namespace antler::compiler {
namespace {

using ir::ValueId;

/// Collects all_reduce nodes that do not depend on each other, and emits them as one when another
/// node needs a result.
class Bucketing {
 public:
  explicit Bucketing(const ir::Graph& graph)
      : graph_(graph), to_(graph), waits_(graph.values.size()) {}

  ir::Graph run() {
    for (const ir::Node& node : graph_.nodes) visit(node);
    flush();
    return to_.finish();
  }

 private:
  using Bucket = std::vector<const ir::Node*>;

  void visit(const ir::Node& node) {
    const bool is_all_reduce = node.op == &ops::kWorkerAllReduce;
    const bool waits = depends_on_bucket(node);
    if (is_all_reduce) {
      if (waits) flush();
      bucket_for(node).push_back(&node);
      mark(node);
    } else if (node.op->op_class == ir::OpClass::effect) {
      // Effects keep their order.
      flush();
      to_.copy(node);
    } else if (waits) {
      deferred_.push_back(&node);
      mark(node);
    } else {
      to_.copy(node);
    }
  }

  bool depends_on_bucket(const ir::Node& node) const {
    return std::any_of(node.inputs.begin(), node.inputs.end(),
                       [&](ValueId v) { return waits_[at(v)]; });
  }

  void mark(const ir::Node& node) {
    for (const ValueId v : node.outputs) waits_[at(v)] = true;
  }

  Bucket& bucket_for(const ir::Node& node) {
    const auto fits = [&](const Bucket& bucket) {
      return bucket[0]->attrs.key() == node.attrs.key() &&
             graph_.spec(bucket[0]->inputs[0]).dtype == graph_.spec(node.inputs[0]).dtype;
    };
    const auto found = std::find_if(buckets_.begin(), buckets_.end(), fits);
    return found != buckets_.end() ? *found : buckets_.emplace_back();
  }

  void flush() {
    if (buckets_.empty()) return;
    for (const Bucket& bucket : buckets_) {
      std::vector<ValueId> inputs;
      std::vector<ValueId> outputs;
      for (const ir::Node* node : bucket) {
        for (const ValueId v : node->inputs) inputs.push_back(to_.map(v));
        outputs.insert(outputs.end(), node->outputs.begin(), node->outputs.end());
      }
      const std::vector<ValueId> results =
          to_.add(ops::kWorkerAllReduce, std::move(inputs), bucket[0]->attrs);
      for (size_t i = 0; i < outputs.size(); ++i) to_.replace(outputs[i], results[i]);
    }
    for (const ir::Node* node : deferred_) to_.copy(*node);
    buckets_.clear();
    deferred_.clear();
    waits_.assign(waits_.size(), false);
  }

  const ir::Graph& graph_;
  Rewriter to_;
  std::vector<bool> waits_;  // for the result of a bucket, by value
  std::vector<Bucket> buckets_;
  std::vector<const ir::Node*> deferred_;
};

}  // namespace

ir::Graph bucket_all_reduces(const ir::Graph& graph, const CompileOptions&) {
  const bool any = std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const ir::Node& node) {
    return node.op == &ops::kWorkerAllReduce;
  });
  return any ? Bucketing(graph).run() : graph;
}

}  // namespace antler::compiler
