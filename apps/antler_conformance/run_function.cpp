// Regularizers, constraints and operations of keras.ops.
#include "antler/autodiff/gradient_tape.h"
#include "antler/nn/constraint.h"
#include "antler/nn/registry.h"
#include "antler/nn/regularizer.h"
#include "evaluate.h"
#include "kinds.h"

namespace antler::conformance {

namespace {

/// An operation of keras.ops on x0, x1, ...; its results are value0, value1, ...
void run_operation(const GoldenCase& golden, const Json& object, Check& check) {
  const LayerPtr operation = make_or_unsupported([&] { return deserialize_layer(object); });
  std::vector<Nest> arguments;
  for (std::string name = "x0"; golden.has(name); name = format("x{}", arguments.size())) {
    arguments.emplace_back(golden.array(name));
  }
  const Tensors results =
      evaluated([&](const Nest& x) { return operation->call(x, CallOptions()); })(arguments)
          .flatten();
  for (size_t i = 0; i < results.size(); ++i) {
    check.array(format("value{}", i), results[i]);
  }
}

}  // namespace

void run_function(const GoldenCase& golden, Check& check) {
  const Json& object = golden.json.at("object");
  const std::string what = golden.json.at("what").get<std::string>();
  if (what == "operation") return run_operation(golden, object, check);
  const Tensor& x = golden.array("x");
  if (what == "constraint") {
    const Constraint constraint =
        make_or_unsupported([&] { return constraints::deserialize(object); });
    return check.array("value", evaluated([&](const Nest& w) { return constraint(w); })(x));
  }
  if (what != "regularizer") throw Unsupported{format("the function '{}'", what)};
  const Regularizer regularizer =
      make_or_unsupported([&] { return regularizers::deserialize(object); });
  const auto value_and_gradient = [&](const Nest& w) -> Nest {
    GradientTape tape;
    tape.watch(w);
    const Tensor value = regularizer(w);
    return std::vector<Nest>{value, tape.gradient(value, w.tensor())};
  };
  const Nest result = evaluated(value_and_gradient)(x);
  const auto [value, gradient] = result.unpack<2>();
  check.array("value", value);
  check.array("grad_x", gradient);
}

}  // namespace antler::conformance
