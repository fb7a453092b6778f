#pragma once

#include <nanobind/nanobind.h>

/// The parts of the module `antler._core`, one function per file.
namespace antler::python {

namespace nb = nanobind;

void bind_errors(nb::module_& m);
void bind_tensor(nb::module_& m);
void bind_variable(nb::module_& m);
void bind_gradient_tape(nb::module_& m);
void bind_function(nb::module_& m);
void bind_control_flow(nb::module_& m);
void bind_steps_per_execution(nb::module_& m);
void bind_quantizers(nb::module_& m);
void bind_export(nb::module_& m);
void bind_data(nb::module_& m);
void bind_config(nb::module_& m);
void bind_distribution(nb::module_& m);
void bind_core_ops(nb::module_& m);
void bind_numpy_creation_ops(nb::module_& m);
void bind_numpy_elementwise_ops(nb::module_& m);
void bind_numpy_manipulation_ops(nb::module_& m);
void bind_numpy_products_ops(nb::module_& m);
void bind_numpy_reductions_ops(nb::module_& m);
void bind_numpy_sorting_ops(nb::module_& m);
void bind_numpy_statistics_ops(nb::module_& m);
void bind_nn_activations(nb::module_& m);
void bind_nn_convolution(nb::module_& m);
void bind_nn_layers(nb::module_& m);
void bind_nn_losses(nb::module_& m);
void bind_linalg_ops(nb::module_& m);
void bind_image_ops(nb::module_& m);
void bind_random_ops(nb::module_& m);
void bind_math_ops(nb::module_& m);

}  // namespace antler::python
