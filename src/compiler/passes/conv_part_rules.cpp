#include "compiler/passes/conv_part_rules.h"

#include "compiler/passes/part_rules.h"
#include "ops/nn/conv_geometry.h"

// Images are [batch, ..., channels], kernels [..., input channels, output channels].
namespace antler::compiler {
namespace {

using ir::Ints;

/// The batch and the channels of images, the input and output channels of kernels.
struct ConvAxes {
  int64_t image_channels;
  int64_t inputs;
  int64_t outputs;
};

std::optional<ConvAxes> conv_axes(const ir::Graph& graph, const ir::Node& node) {
  if (node.attrs.integer("groups") != 1) return {};
  const int64_t rank = graph.spec(node.inputs[0]).shape.rank();
  return ConvAxes{rank - 1, rank - 2, rank - 1};
}

}  // namespace

bool is_convolution(const ir::Node& node) {
  return node.op == &ops::kConv || node.op == &ops::kConvInputGrad ||
         node.op == &ops::kConvFilterGrad;
}

std::optional<Ints> conv_operand_dims(const ir::Graph& graph, const ir::Node& node,
                                      int64_t dimension) {
  const auto dims = conv_axes(graph, node);
  if (!dims) return {};
  if (node.op == &ops::kConvFilterGrad) {  // of an image and the gradient of the result
    if (dimension == dims->inputs) return Ints{dims->image_channels, kWhole};
    if (dimension == dims->outputs) return Ints{kWhole, dims->image_channels};
    return {};
  }
  if (dimension == 0) return Ints{0, kWhole};
  if (dimension != dims->image_channels) return {};
  return Ints{kWhole, node.op == &ops::kConv ? dims->outputs : dims->inputs};
}

const char* conv_shape_attr(const ir::Node& node) {
  if (node.op == &ops::kConvInputGrad) return "input_shape";
  return node.op == &ops::kConvFilterGrad ? "filter_shape" : nullptr;
}

std::optional<Ints> conv_reduced_dims(const ir::Graph& graph, const ir::Node& node, size_t which,
                                      int64_t dimension) {
  const auto dims = conv_axes(graph, node);
  if (!dims) return {};
  if (node.op == &ops::kConvFilterGrad)
    return dimension == 0 ? std::optional(Ints{0, 0}) : std::nullopt;
  const int64_t of_kernel = node.op == &ops::kConv ? dims->inputs : dims->outputs;
  if (dimension != (which == 0 ? dims->image_channels : of_kernel)) return {};
  return Ints{dims->image_channels, of_kernel};
}

}  // namespace antler::compiler
