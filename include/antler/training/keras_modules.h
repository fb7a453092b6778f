#pragma once

#include <string>

#include "antler/autodiff/gradient_tape.h"
#include "antler/autodiff/jvp.h"
#include "antler/base/logging.h"
#include "antler/base/progbar.h"
#include "antler/data/directory_datasets.h"
#include "antler/data/sequence.h"
#include "antler/data/utils/arrays.h"
#include "antler/data/utils/datasets.h"
#include "antler/data/utils/image_generator.h"
#include "antler/data/utils/images.h"
#include "antler/data/utils/tokenizer.h"
#include "antler/nn/constraint.h"
#include "antler/nn/dtype_policy.h"
#include "antler/nn/initializer.h"
#include "antler/nn/layers.h"
#include "antler/nn/loss.h"
#include "antler/nn/metric.h"
#include "antler/nn/object_factory.h"
#include "antler/nn/optimizer.h"
#include "antler/nn/optimizers/loss_scale_optimizer.h"
#include "antler/nn/random.h"
#include "antler/nn/random_seed.h"
#include "antler/nn/registry.h"
#include "antler/nn/regularizer.h"
#include "antler/nn/smart_resize.h"
#include "antler/ops/ops.h"
#include "antler/training/callback.h"
#include "antler/training/clone_model.h"
#include "antler/training/feature_space.h"
#include "antler/training/keras_object.h"
#include "antler/training/plot_model.h"
#include "antler/training/saving.h"
#include "antler/training/sequential.h"

/// Keras's modules as namespaces for names that are also in antler itself: `layers::Dense(2)`,
/// `models::load_model(path)`, `utils::set_random_seed(1)`, `callbacks::Callback`.
namespace antler {

/// `keras::layers::Dense`, `keras::utils::set_random_seed(1)`, as programs in Python write them.
namespace keras = ::antler;

namespace layers {
using namespace ::antler;  // NOLINT(google-build-using-namespace): some 150 classes
/// A layer to and from Keras's configuration.
Json serialize(const Layer& layer);
LayerPtr deserialize(const Json& config, const CustomObjects& custom_objects = {});
}  // namespace layers

namespace tf {
namespace distribute = ::antler::distribute;
}
namespace models {
using antler::clone_model;
using antler::load_model;
using antler::Model;
using antler::model_from_json;
using antler::save_model;
using antler::Sequential;
}  // namespace models

namespace utils {
using antler::clear_session;
using antler::custom_object_scope;
using antler::CustomObjectScope;
using antler::deserialize_keras_object;
using antler::FeatureSpace;
using antler::get_custom_objects;
using antler::get_registered_name;
using antler::get_registered_object;
using antler::get_source_inputs;
using antler::is_keras_tensor;
using antler::model_to_dot;
using antler::pack_x_y_sample_weight;
using antler::plot_model;
using antler::Progbar;
using antler::register_keras_serializable;
using antler::serialize_keras_object;
using antler::set_random_seed;
using antler::standardize_dtype;
using antler::unpack_x_y_sample_weight;
using antler::data::audio_dataset_from_directory;
using antler::data::image_dataset_from_directory;
using antler::data::Sequence;
using antler::data::text_dataset_from_directory;
using antler::logging::disable_interactive_logging;
using antler::logging::enable_interactive_logging;
using antler::logging::is_interactive_logging_enabled;
using PyDataset = antler::data::Sequence;
}  // namespace utils

namespace preprocessing {
using antler::data::image_dataset_from_directory;
using antler::data::text_dataset_from_directory;
using antler::utils::timeseries_dataset_from_array;
namespace image {
using antler::utils::apply_affine_transform;
using antler::utils::apply_brightness_shift;
using antler::utils::apply_channel_shift;
using antler::utils::array_to_img;
using antler::utils::ImageDataGenerator;
using antler::utils::img_to_array;
using antler::utils::load_img;
using antler::utils::random_brightness;
using antler::utils::random_channel_shift;
using antler::utils::random_rotation;
using antler::utils::random_shear;
using antler::utils::random_shift;
using antler::utils::random_zoom;
using antler::utils::save_img;
using antler::utils::smart_resize;
}  // namespace image
namespace sequence {
using antler::utils::make_sampling_table;
using antler::utils::pad_sequences;
using antler::utils::skipgrams;
using antler::utils::TimeseriesGenerator;
}  // namespace sequence
namespace text {
using antler::utils::hashing_trick;
using antler::utils::one_hot;
using antler::utils::text_to_word_sequence;
using antler::utils::Tokenizer;
}  // namespace text
}  // namespace preprocessing

namespace saving {
using antler::custom_object_scope;
using antler::CustomObjectScope;
using antler::deserialize_keras_object;
using antler::get_custom_objects;
using antler::get_registered_name;
using antler::get_registered_object;
using antler::load_model;
using antler::load_weights;
using antler::register_keras_serializable;
using antler::save_model;
using antler::save_weights;
using antler::serialize_keras_object;
}  // namespace saving

namespace config {
using antler::logging::disable_interactive_logging;
using antler::logging::enable_interactive_logging;
using antler::logging::is_interactive_logging_enabled;
/// The policy of new layers.
inline DTypePolicy dtype_policy() { return mixed_precision::global_policy(); }
/// Sets it, by name: "float32", "mixed_bfloat16", ... Throws ValueError for an unknown one.
inline void set_dtype_policy(const std::string& name) { mixed_precision::set_global_policy(name); }
/// The dtype of tensors and metrics made without one, and of layers until a dtype policy is set.
inline std::string floatx() { return dtype_name(default_float()); }
/// "float32", which it is at first, "float64", "float16" or "bfloat16". Throws ValueError for
/// others.
inline void set_floatx(const std::string& dtype) { set_default_float(parse_dtype(dtype)); }
// Keras's defaults, which cannot be changed here.
inline const char* image_data_format() { return "channels_last"; }
inline double epsilon() { return 1e-7; }
}  // namespace config

namespace mixed_precision {
using Policy = DTypePolicy;
using config::dtype_policy;
using config::set_dtype_policy;
}  // namespace mixed_precision

namespace backend {
using antler::clear_session;
using config::epsilon;
using config::floatx;
using config::image_data_format;
using config::set_floatx;
}  // namespace backend

namespace random {
using antler::SeedGenerator;
}

namespace ops {
using antler::custom_gradient;
using antler::jvp;
// NOLINTBEGIN(google-build-using-namespace): some 300 functions
namespace image {
using namespace ::antler::ops;
}
namespace linalg {
using namespace ::antler::ops;
}
namespace nn {
using namespace ::antler::ops;
}
namespace numpy {
using namespace ::antler::ops;
}
// NOLINTEND(google-build-using-namespace)
}  // namespace ops

namespace callbacks {
using antler::Callback;
using antler::CallbackList;
using antler::History;
}  // namespace callbacks

namespace constraints {
using antler::Constraint;
}
namespace initializers {
using antler::Initializer;
}
namespace losses {
using antler::Loss;
}
namespace metrics {
using antler::Metric;
}
namespace optimizers {
using antler::Optimizer;
}
namespace optimizers::schedules {
using antler::LearningRateSchedule;
}
namespace mixed_precision {
using antler::optimizers::LossScaleOptimizer;
}
namespace regularizers {
using antler::Regularizer;
}

}  // namespace antler
