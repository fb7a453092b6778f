#pragma once

#include <string>

#include "antler/base/json.h"
#include "antler/training/feature_space.h"

/// Features and crosses to and from Keras's configurations.
namespace antler::training {

/// The preprocessor of kind "float", which Keras's files call TFDIdentity.
LayerPtr identity_preprocessor(const std::string& name);
Json feature_to_config(const Feature& feature);
/// Also accepts the name of a kind. The preprocessor is built from its "build_config".
FeatureSpec feature_from_config(const Json& object);
Json cross_to_config(const FeatureCross& cross);
/// Also accepts a list of names.
FeatureCross cross_from_config(const Json& object);

}  // namespace antler::training
