#pragma once

#include <string>

#include "nn/quantization/kernel_form.h"

namespace antler {

/// Completes the spec of a kernel for use in this equation, which einsum_shapes() must accept, with
/// inputs of `rank`. The shape of the spec must be set.
void use_in_einsum(KernelSpec& spec, const std::string& equation, int rank);

}  // namespace antler
