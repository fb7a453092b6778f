#pragma once

#include "antler/ir/attrs.h"
#include "antler/ir/op_def.h"
#include "antler/nn/layer.h"

namespace antler {

/// An operation on placeholders, such as `x + 1`, as a node of a functional graph.
class OpLayer final : public LayerBase<OpLayer> {
 public:
  OpLayer(const ir::OpDef& op, ir::Attrs attrs);

  const ir::OpDef& op() const { return *op_; }
  const ir::Attrs& attrs() const { return attrs_; }
  /// Runs the op on a list of operands.
  Nest call(const Nest& inputs, const CallOptions& options) override;

 private:
  const ir::OpDef* op_;
  ir::Attrs attrs_;
};

/// From now on, ops on placeholders become OpLayers. Called when the first placeholder is created.
void install_placeholder_handler();

}  // namespace antler
