#include "antler/runtime/function.h"
#include "bindings.h"
#include "casters.h"

NB_MODULE(_core, m) {
  using namespace antler::python;
  // Objects that modules keep until the interpreter ends are no leaks.
  nb::set_leak_warnings(false);
  antler::initialize_runtime();
  bind_errors(m);
  bind_tensor(m);
  bind_variable(m);
  bind_gradient_tape(m);
  bind_function(m);
  bind_control_flow(m);
  bind_data(m);
  bind_steps_per_execution(m);
  bind_quantizers(m);
  bind_export(m);
  bind_config(m);
  bind_distribution(m);
  bind_core_ops(m);
  bind_numpy_creation_ops(m);
  bind_numpy_elementwise_ops(m);
  bind_numpy_manipulation_ops(m);
  bind_numpy_products_ops(m);
  bind_numpy_reductions_ops(m);
  bind_numpy_sorting_ops(m);
  bind_numpy_statistics_ops(m);
  bind_nn_activations(m);
  bind_nn_convolution(m);
  bind_nn_layers(m);
  bind_nn_losses(m);
  bind_linalg_ops(m);
  bind_image_ops(m);
  bind_random_ops(m);
  bind_math_ops(m);
}
