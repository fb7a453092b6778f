#pragma once

#include <string>

#include "nn/quantization/kernel_form.h"

namespace antler {

/// Completes the spec of a kernel that is used in this equation, which einsum_shapes() accepts,
/// with inputs of `rank`. Its shape must be set.
void use_in_einsum(KernelSpec& spec, const std::string& equation, int rank);

}  // namespace antler
