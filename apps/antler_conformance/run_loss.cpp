// Losses: the value and the gradient of its sum.
#include "antler/autodiff/gradient_tape.h"
#include "antler/nn/losses.h"
#include "kinds.h"

namespace antler::conformance {

void run_loss(const GoldenCase& golden, Check& check) {
  const Loss loss =
      make_or_unsupported([&] { return losses::deserialize(golden.json.at("loss")); });
  const auto optional = [&](const char* name) {
    return golden.has(name) ? golden.array(name) : Tensor();
  };
  const Tensor& y_pred = golden.array("y_pred");
  GradientTape tape;
  tape.watch(y_pred);
  const Tensor value =
      loss(golden.array("y_true"), y_pred, optional("sample_weight"), optional("mask"));
  check.array("value", value);
  if (golden.has("grad_y_pred")) check.array("grad_y_pred", tape.gradient(value, y_pred));
}

}  // namespace antler::conformance
