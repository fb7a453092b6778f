// Losses: the value and the gradient of its sum.
#include "antler/autodiff/gradient_tape.h"
#include "antler/nn/losses.h"
#include "evaluate.h"
#include "kinds.h"

namespace antler::conformance {

void run_loss(const GoldenCase& golden, Check& check) {
  const Loss loss =
      make_or_unsupported([&] { return losses::deserialize(golden.json.at("loss")); });
  const auto optional = [&](const char* name) {
    return golden.has(name) ? golden.array(name) : Tensor();
  };
  const auto value_and_gradient = [&](const Nest& arguments) -> Nest {
    const auto [y_true, y_pred, sample_weight, mask] = arguments.unpack<4>();
    GradientTape tape;
    tape.watch(y_pred);
    const Tensor value = loss(y_true, y_pred, sample_weight, mask);
    return std::vector<Nest>{value, tape.gradient(value, y_pred.tensor())};
  };
  const Nest result = evaluated(value_and_gradient)(std::vector<Nest>{
      golden.array("y_true"), golden.array("y_pred"), optional("sample_weight"), optional("mask")});
  const auto [value, gradient] = result.unpack<2>();
  check.array("value", value);
  if (golden.has("grad_y_pred")) check.array("grad_y_pred", gradient);
}

}  // namespace antler::conformance
