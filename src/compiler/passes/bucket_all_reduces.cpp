#include <algorithm>
#include <vector>

#include "compiler/at.h"
#include "compiler/kernels.h"
#include "compiler/passes/passes.h"
#include "compiler/rewriter.h"
#include "ops/worker_collectives.h"

namespace antler::compiler {
namespace {

using ir::ValueId;

using Nodes = std::vector<const ir::Node*>;

/// If all gradients together are smaller, they are sent in one message.
constexpr int64_t kSmallStep = int64_t{1} << 20;
/// Default number of messages that a step's gradients are split into, and the smallest size of a
/// message.
constexpr int64_t kMessages = 8;
constexpr int64_t kSmallMessage = int64_t{256} << 10;

/// Collects all_reduce nodes that do not depend on each other, and emits them together when another
/// node needs a result: one message per operation and dtype, or several buckets of gradients. With
/// several, all messages are started before the first is finished. Buckets are filled from the last
/// variable to the first, roughly in the order in which a backward pass computes gradients; this
/// order is the same in all workers. Values other than gradients join the last bucket.
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

  Nodes& bucket_for(const ir::Node& node) {
    const auto fits = [&](const Nodes& bucket) {
      return bucket[0]->attrs.string("op") == node.attrs.string("op") &&
             graph_.spec(bucket[0]->inputs[0]).dtype == graph_.spec(node.inputs[0]).dtype;
    };
    const auto found = std::find_if(buckets_.begin(), buckets_.end(), fits);
    return found != buckets_.end() ? *found : buckets_.emplace_back();
  }

  void flush() {
    if (buckets_.empty()) return;
    std::vector<Nodes> messages;
    std::vector<Nodes> others;
    for (const Nodes& bucket : buckets_) {
      std::vector<Nodes> parts = messages_of(bucket);
      std::vector<Nodes>& to = parts.size() > 1 ? messages : others;
      for (Nodes& part : parts) to.push_back(std::move(part));
    }
    const bool overlaps = !messages.empty();
    for (Nodes& message : others) messages.push_back(std::move(message));
    if (overlaps)
      emit_overlapping(messages);
    else
      for (const Nodes& message : messages) emit(message);
    for (const ir::Node* node : deferred_) to_.copy(*node);
    buckets_.clear();
    deferred_.clear();
    waits_.assign(waits_.size(), false);
  }

  int64_t bytes(const Nodes& nodes) const {
    int64_t sum = 0;
    for (const ir::Node* node : nodes) {
      for (const ValueId v : node->inputs) sum += bytes_of(graph_, v);
    }
    return sum;
  }

  /// Splits a bucket if it has gradients that are sent in several messages.
  std::vector<Nodes> messages_of(const Nodes& bucket) const {
    Nodes gradients;
    Nodes others;
    for (const ir::Node* node : bucket)
      (node->attrs.has("pack") ? gradients : others).push_back(node);
    if (gradients.empty()) return {bucket};
    int64_t limit = gradients[0]->attrs.integer("pack");
    if (limit == 0) {
      const int64_t total = bytes(gradients);
      limit = total < kSmallStep ? -1 : std::max(total / kMessages, kSmallMessage);
    }
    if (limit < 0) return {bucket};
    std::reverse(gradients.begin(), gradients.end());
    std::vector<Nodes> messages(1);
    int64_t size = 0;
    for (const ir::Node* node : gradients) {
      const int64_t more = bytes({node});
      if (size > 0 && size + more > limit) {
        messages.emplace_back();
        size = 0;
      }
      messages.back().push_back(node);
      size += more;
    }
    if (messages.size() == 1) return {bucket};
    messages.back().insert(messages.back().end(), others.begin(), others.end());
    return messages;
  }

  /// The operands of a message.
  std::vector<ValueId> inputs_of(const Nodes& message) const {
    std::vector<ValueId> inputs;
    for (const ir::Node* node : message) {
      for (const ValueId v : node->inputs) inputs.push_back(to_.map(v));
    }
    return inputs;
  }

  static ir::Attrs attributes_of(const Nodes& message) {
    const ir::Attrs& attrs = message[0]->attrs;
    return {{"op", attrs.string("op")}, {"workers", attrs.integer("workers")}};
  }

  void replace_outputs(const Nodes& message, const std::vector<ValueId>& results) {
    size_t next = 0;
    for (const ir::Node* node : message) {
      for (const ValueId v : node->outputs) to_.replace(v, results[next++]);
    }
  }

  void emit(const Nodes& message) {
    replace_outputs(message,
                    to_.add(ops::kWorkerAllReduce, inputs_of(message), attributes_of(message)));
  }

  void emit_overlapping(const std::vector<Nodes>& messages) {
    std::vector<ValueId> started;
    for (const Nodes& message : messages) {
      std::vector<ValueId> inputs = inputs_of(message);
      ir::Attrs attrs = attributes_of(message);
      attrs.set("arrays", static_cast<int64_t>(inputs.size()));
      if (!started.empty()) inputs.push_back(started.back());
      started.push_back(to_.add(ops::kWorkerAllReduceStart, std::move(inputs), attrs)[0]);
    }
    for (size_t m = 0; m < messages.size(); ++m) {
      const Nodes& message = messages[m];
      ir::Ints shapes;
      for (const ir::Node* node : message) {
        for (const ValueId v : node->inputs) {
          const Shape& shape = graph_.spec(v).shape;
          shapes.push_back(shape.rank());
          shapes.insert(shapes.end(), shape.begin(), shape.end());
        }
      }
      replace_outputs(message, to_.add(ops::kWorkerAllReduceFinish, {started[m], started.back()},
                                       {{"workers", message[0]->attrs.integer("workers")},
                                        {"dtype", graph_.spec(message[0]->inputs[0]).dtype},
                                        {"shapes", shapes}}));
    }
  }

  const ir::Graph& graph_;
  Rewriter to_;
  std::vector<bool> waits_;  // for the result of a bucket, by value
  std::vector<Nodes> buckets_;
  Nodes deferred_;
};

}  // namespace

ir::Graph bucket_all_reduces(const ir::Graph& graph, const CompileOptions&) {
  const bool any = std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const ir::Node& node) {
    return node.op == &ops::kWorkerAllReduce;
  });
  return any ? Bucketing(graph).run() : graph;
}

}  // namespace antler::compiler
