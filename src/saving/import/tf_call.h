#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "antler/core/tensor.h"
#include "io/tf_graph.h"

namespace antler::saving {

/// One node of a TensorFlow graph with the values of its inputs.
class TfCall {
 public:
  TfCall(const io::TfNode& node, const Tensors& inputs) : node_(node), inputs_(inputs) {}

  size_t size() const { return inputs_.size(); }
  /// Throws IOError for an input that the node does not have.
  const Tensor& in(size_t i) const;
  /// Elements of an input that must be known while tracing (a shape, an axis). Throws
  /// NotImplementedError if they depend on data.
  std::vector<int64_t> ints(size_t i) const;
  int64_t integer(size_t i) const;

  bool has(const char* attribute) const { return node_.attributes.contains(attribute); }
  bool flag(const char* attribute, bool otherwise) const;
  int64_t integer(const char* attribute, int64_t otherwise) const;
  double number(const char* attribute, double otherwise) const;
  std::string text(const char* attribute, const char* otherwise) const;
  std::vector<int64_t> list(const char* attribute) const;
  /// Throws NotImplementedError for a dtype that Antler does not have.
  DType dtype(const char* attribute, DType otherwise) const;

  const io::TfNode& node() const { return node_; }
  [[noreturn]] void unsupported(const std::string& why) const;
  /// Makes a negative axis non-negative. Throws IOError if it is out of range.
  int64_t axis(int64_t given, int64_t rank) const;

 private:
  const io::TfNode& node_;
  const Tensors& inputs_;
};

/// Computes the outputs of a node.
using TfOp = std::function<Tensors(const TfCall& call)>;
using TfOps = std::unordered_map<std::string_view, TfOp>;

/// The op of this name; empty if there is none.
TfOp find_tf_op(std::string_view name);

// One file per family of ops.
void add_tf_elementwise(TfOps& ops);
void add_tf_movement(TfOps& ops);
void add_tf_indexing(TfOps& ops);
void add_tf_reductions(TfOps& ops);
void add_tf_products(TfOps& ops);
void add_tf_windows(TfOps& ops);
void add_tf_strings(TfOps& ops);

}  // namespace antler::saving
