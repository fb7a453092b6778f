// Matrix products and softmax.
#include "antler/base/format.h"
#include "antler/ops/nn/activations.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/products.h"
#include "saving/import/tf_call.h"

namespace antler::saving {
namespace {

Tensor transposed_if(bool transpose, const Tensor& x) {
  return transpose ? ops::swapaxes(x, -1, -2) : x;
}

Tensors mat_mul(const TfCall& c) {
  return {ops::matmul(transposed_if(c.flag("transpose_a", false), c.in(0)),
                      transposed_if(c.flag("transpose_b", false), c.in(1)))};
}

Tensors batch_mat_mul(const TfCall& c) {
  return {ops::matmul(transposed_if(c.flag("adj_x", false), c.in(0)),
                      transposed_if(c.flag("adj_y", false), c.in(1)))};
}

Tensors einsum_of_two(const TfCall& c) {
  if (c.size() != 2) c.unsupported(format("it has {} operands", c.size()));
  return {ops::einsum(c.text("equation", ""), {c.in(0), c.in(1)})};
}

Tensors softmax(const TfCall& c) { return {ops::softmax(c.in(0))}; }

Tensors log_softmax(const TfCall& c) { return {ops::log_softmax(c.in(0))}; }

}  // namespace

void add_tf_products(TfOps& all) {
  all.insert({{"MatMul", mat_mul},
              {"BatchMatMul", batch_mat_mul},
              {"BatchMatMulV2", batch_mat_mul},
              {"BatchMatMulV3", batch_mat_mul},
              {"Einsum", einsum_of_two},
              {"Softmax", softmax},
              {"LogSoftmax", log_softmax}});
}

}  // namespace antler::saving
