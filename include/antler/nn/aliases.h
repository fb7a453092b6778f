#pragma once

#include "antler/nn/constraint.h"
#include "antler/nn/initializers.h"
#include "antler/nn/layers/merging.h"
#include "antler/nn/regularizer.h"

/// Keras's other names of initializers, regularizers and constraints, and what programs call
/// without `layers::`, as they do with classes of layers.
// NOLINTBEGIN(readability-identifier-naming)
namespace antler {

namespace initializers {
using constant = Constant;
using glorot_normal = GlorotNormal;
using glorot_uniform = GlorotUniform;
using he_normal = HeNormal;
using he_uniform = HeUniform;
using identity = Identity;
using IdentityInitializer = Identity;
using lecun_normal = LecunNormal;
using lecun_uniform = LecunUniform;
using ones = Ones;
using orthogonal = Orthogonal;
using OrthogonalInitializer = Orthogonal;
using random_normal = RandomNormal;
using random_uniform = RandomUniform;
using stft = STFT;
using STFTInitializer = STFT;
using truncated_normal = TruncatedNormal;
using variance_scaling = VarianceScaling;
using zeros = Zeros;
}  // namespace initializers

namespace regularizers {
using l1 = L1;
using l2 = L2;
using l1_l2 = L1L2;
using orthogonal_regularizer = OrthogonalRegularizer;
}  // namespace regularizers

namespace constraints {
using max_norm = MaxNorm;
using min_max_norm = MinMaxNorm;
using non_neg = NonNeg;
using unit_norm = UnitNorm;
using radial_constraint = RadialConstraint;
}  // namespace constraints

using layers::concatenate;

}  // namespace antler
// NOLINTEND(readability-identifier-naming)
