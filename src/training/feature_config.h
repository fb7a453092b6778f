#pragma once

#include <string>

#include "antler/base/json.h"
#include "antler/training/feature_space.h"

/// Features and crosses as Keras writes them in files.
namespace antler::training {

/// The layer of plain numbers, which Keras's files name TFDIdentity.
LayerPtr identity_preprocessor(const std::string& name);
Json feature_to_config(const Feature& feature);
/// Takes the name of a kind too. The preprocessor is built as the object says.
FeatureSpec feature_from_config(const Json& object);
Json cross_to_config(const FeatureCross& cross);
/// Takes a list of names too.
FeatureCross cross_from_config(const Json& object);

}  // namespace antler::training
