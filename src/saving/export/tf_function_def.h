#pragma once

#include <string>
#include <utility>
#include <vector>

#include "antler/core/variable.h"
#include "io/wire.h"
#include "saving/export/graph_sink.h"
#include "saving/export/tf_graph_writer.h"

namespace antler::saving {

/// Writes a TensorFlow 2 function (FunctionDef): nodes between arguments and results.
class TfFunctionDef {
 public:
  /// Writes the nodes of `body`, which must be of Kind::function and outlive this object.
  explicit TfFunctionDef(TfGraphWriter& body) : body_(body) {}

  /// A new argument of a dtype, as TensorFlow numbers it. Returns its name.
  std::string argument(int64_t type, const Dims& dims);
  /// An argument for the handle of a variable.
  std::string handle(const Variable& variable);
  void result(const std::string& value, int64_t type);
  /// A node that runs whether or not a result needs it.
  void effect(const std::string& node) { effects_.push_back(node); }
  /// The FunctionDef message.
  io::WireWriter message(const std::string& name) const;

 private:
  TfGraphWriter& body_;
  io::WireWriter arguments_;
  std::vector<Dims> shapes_;  ///< of the arguments
  std::vector<std::pair<std::string, int64_t>> results_;
  std::vector<std::string> effects_;
};

}  // namespace antler::saving
