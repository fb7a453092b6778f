#include "antler/ops/nn/activations.h"

#include "bindings.h"
#include "casters.h"

namespace antler::python {

void bind_nn_activations(nb::module_& m) {
  using nb::literals::operator""_a;
  m.def("relu", &ops::relu, "x"_a);
  m.def("relu6", &ops::relu6, "x"_a);
  m.def("leaky_relu", &ops::leaky_relu, "x"_a, "negative_slope"_a = 0.2);
  m.def("elu", &ops::elu, "x"_a, "alpha"_a = 1.0);
  m.def("selu", &ops::selu, "x"_a);
  m.def("celu", &ops::celu, "x"_a, "alpha"_a = 1.0);
  m.def("sigmoid", &ops::sigmoid, "x"_a);
  m.def("silu", &ops::silu, "x"_a);
  m.def(
      "gelu", [](const Tensor& x, bool approximate) { return ops::gelu(x, {approximate}); }, "x"_a,
      "approximate"_a = true);
  m.def("softplus", &ops::softplus, "x"_a);
  m.def("softsign", &ops::softsign, "x"_a);
  m.def("log_sigmoid", &ops::log_sigmoid, "x"_a);
  m.def("hard_sigmoid", &ops::hard_sigmoid, "x"_a);
  m.def("hard_silu", &ops::hard_silu, "x"_a);
  m.def("mish", &ops::mish, "x"_a);
  m.def("softmax", &ops::softmax, "x"_a, "axis"_a = -1);
  m.def("log_softmax", &ops::log_softmax, "x"_a, "axis"_a = -1);
  m.def("hard_tanh", &ops::hard_tanh, "x"_a);
  m.def("hard_shrink", &ops::hard_shrink, "x"_a, "threshold"_a = 0.5);
  m.def("soft_shrink", &ops::soft_shrink, "x"_a, "threshold"_a = 0.5);
  m.def("tanh_shrink", &ops::tanh_shrink, "x"_a);
  m.def("squareplus", &ops::squareplus, "x"_a, "b"_a = 4.0);
  m.def("sparse_plus", &ops::sparse_plus, "x"_a);
  m.def("sparse_sigmoid", &ops::sparse_sigmoid, "x"_a);
  m.def("sparsemax", &ops::sparsemax, "x"_a, "axis"_a = -1);
  m.def("glu", &ops::glu, "x"_a, "axis"_a = -1);
  m.def("threshold", &ops::threshold, "x"_a, "threshold"_a, "default_value"_a);
}

}  // namespace antler::python
