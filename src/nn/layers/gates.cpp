#include "nn/layers/gates.h"

#include <memory>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/products.h"
#include "nn/layers/dropout_mask.h"

namespace antler {

namespace {

Tensor product(const Tensor& x, const Tensor& kernel) {
  return x.rank() == 2 ? ops::matmul(x, kernel) : ops::tensordot(x, kernel, 1);
}

class ForgetBias final : public InitializerImpl {
 public:
  explicit ForgetBias(Initializer base) : base_(std::move(base)) {}
  Tensor call(const Shape& shape, DType dtype) const override {
    const int64_t units = shape[0] / 4;
    return ops::concatenate({base_(Shape{units}, dtype), ops::ones(Shape{units}, dtype),
                             base_(Shape{2 * units}, dtype)});
  }
  std::string class_name() const override { return "ForgetBias"; }
  Json get_config() const override { return Json::object(); }

 private:
  Initializer base_;
};

}  // namespace

GateDropout::GateDropout(const SeedGenerator& seeds, double rate, const Shape& shape, DType dtype,
                         int gates) {
  if (!(rate > 0 && rate < 1)) return;
  for (int i = 0; i < gates; ++i) masks_.push_back(dropout_mask(seeds, shape, rate, dtype));
}

Tensor GateDropout::operator()(const Tensor& x, int gate) const {
  if (masks_.empty()) return x;
  return x * masks_[per_gate() ? static_cast<size_t>(gate) : 0];
}

Tensor gate_columns(const Tensor& kernel, int64_t units, int gate, int count) {
  return ops::slice_axis(kernel, -1, gate * units, (gate + count) * units);
}

Tensor gate_product(const Tensor& x, const Tensor& kernel, const Tensor& bias,
                    const GateDropout& dropout, int64_t units, int gates) {
  Tensor y;
  if (dropout.per_gate()) {
    Tensors parts;
    for (int g = 0; g < gates; ++g) {
      parts.push_back(product(dropout(x, g), gate_columns(kernel, units, g)));
    }
    y = ops::concatenate(parts, -1);
  } else {
    y = product(dropout(x), kernel);
  }
  return bias.defined() ? y + bias : y;
}

Initializer forget_bias(const Initializer& base) {
  return Initializer(std::shared_ptr<const InitializerImpl>(std::make_shared<ForgetBias>(base)));
}

}  // namespace antler
