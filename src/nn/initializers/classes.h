#pragma once

#include <span>

#include "antler/nn/initializer.h"
#include "nn/object_registry.h"

/// The classes of the initializers. Each source file ends with its family; list.cpp joins the
/// families.
namespace antler::initializers {

using InitializerClass = ObjectClass<Initializer>;
using InitializerFamily = Registry<Initializer>::Family;

InitializerFamily constant_initializers();
InitializerFamily normal_and_uniform_initializers();
InitializerFamily orthogonal_initializers();
InitializerFamily stft_initializers();
InitializerFamily variance_scaling_initializers();

}  // namespace antler::initializers
