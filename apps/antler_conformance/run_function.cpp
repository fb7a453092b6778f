// Regularizers and constraints on arrays.
#include "antler/autodiff/gradient_tape.h"
#include "antler/nn/constraint.h"
#include "antler/nn/regularizer.h"
#include "kinds.h"

namespace antler::conformance {

void run_function(const GoldenCase& golden, Check& check) {
  const Json& object = golden.json.at("object");
  const std::string what = golden.json.at("what").get<std::string>();
  const Tensor& x = golden.array("x");
  if (what == "constraint") {
    const Constraint constraint =
        make_or_unsupported([&] { return constraints::deserialize(object); });
    return check.array("value", constraint(x));
  }
  if (what != "regularizer") throw Unsupported{"the function '" + what + "'"};
  const Regularizer regularizer =
      make_or_unsupported([&] { return regularizers::deserialize(object); });
  GradientTape tape;
  tape.watch(x);
  const Tensor value = regularizer(x);
  check.array("value", value);
  check.array("grad_x", tape.gradient(value, x));
}

}  // namespace antler::conformance
