#include "antler/runtime/function.h"
#include "bindings.h"
#include "casters.h"

NB_MODULE(_core, m) {
  namespace python = antler::python;
  // Objects that modules keep until the interpreter ends are not leaks.
  python::nb::set_leak_warnings(false);
  antler::initialize_runtime();
  python::bind_errors(m);
  python::bind_tensor(m);
  python::bind_variable(m);
  python::bind_gradient_tape(m);
  python::bind_function(m);
  python::bind_control_flow(m);
  python::bind_data(m);
  python::bind_steps_per_execution(m);
  python::bind_quantizers(m);
  python::bind_export(m);
  python::bind_config(m);
  python::bind_distribution(m);
  python::bind_core_ops(m);
  python::bind_numpy_creation_ops(m);
  python::bind_numpy_elementwise_ops(m);
  python::bind_numpy_manipulation_ops(m);
  python::bind_numpy_products_ops(m);
  python::bind_numpy_reductions_ops(m);
  python::bind_numpy_sorting_ops(m);
  python::bind_numpy_statistics_ops(m);
  python::bind_nn_activations(m);
  python::bind_nn_convolution(m);
  python::bind_nn_layers(m);
  python::bind_nn_losses(m);
  python::bind_linalg_ops(m);
  python::bind_image_ops(m);
  python::bind_random_ops(m);
  python::bind_math_ops(m);
}
