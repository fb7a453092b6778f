#pragma once

#include "antler/ir/graph.h"
#include "runtime/cpu/node_view.h"

namespace antler::runtime {

/// conv, conv_input_grad or conv_filter_grad.
enum class ConvOp { forward, input_grad, filter_grad };

/// Shapes of the image, the filter and the result of the convolution behind a node.
struct ConvShapes {
  const Shape& x;
  const Shape& w;
  const Shape& y;
};

inline ConvShapes conv_shapes(const ir::Graph& graph, const ir::Node& node, ConvOp op) {
  const Shape& first = input_spec(graph, node, 0).shape;
  const Shape& second = input_spec(graph, node, 1).shape;
  const Shape& result = output_spec(graph, node).shape;
  switch (op) {
    case ConvOp::forward:
      return {first, second, result};
    case ConvOp::input_grad:
      return {result, second, first};
    case ConvOp::filter_grad:
      break;
  }
  return {first, result, second};
}

}  // namespace antler::runtime
