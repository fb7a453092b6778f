#include "antler/nn/registry.h"

#include <algorithm>
#include <string_view>
#include <typeinfo>
#include <utility>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/nn/object_factory.h"
#include "base/json_reading.h"
#include "nn/keras_op.h"
#include "nn/layers/classes.h"
#include "nn/unknown_keys.h"

namespace antler {
namespace {

using Layers = Registry<LayerPtr, LayerClass>;

/// The classes of every source file of layers.
const Layers& registry() {
  static const Layers instance({.singular = "layer", .plural = "layers", .module = "keras.layers"},
                               {input_layers(),
                                dense_layers(),
                                embedding_layers(),
                                activation_layers(),
                                re_lu_layers(),
                                softmax_layers(),
                                convolution_layers(),
                                pooling_layers(),
                                global_pooling_layers(),
                                flatten_layers(),
                                reshape_layers(),
                                dropout_layers(),
                                batch_normalization_layers(),
                                layer_normalization_layers(),
                                rescaling_layers(),
                                merge_layers(),
                                concatenate_layers(),
                                simple_rnn_cell_layers(),
                                lstm_cell_layers(),
                                gru_cell_layers(),
                                rnn_cell_layers(),
                                recurrent_layers(),
                                conv_lstm_layers(),
                                time_distributed_layers(),
                                bidirectional_layers(),
                                attention_layers(),
                                multi_head_attention_layers(),
                                group_query_attention_layers(),
                                category_encoding_layers(),
                                discretization_layers(),
                                hashing_layers(),
                                integer_lookup_layers(),
                                string_lookup_layers(),
                                text_vectorization_layers(),
                                normalization_layers(),
                                image_color_layers(),
                                image_histogram_layers(),
                                image_crop_layers(),
                                image_geometry_layers(),
                                image_size_layers(),
                                image_blur_layers(),
                                image_erasing_layers(),
                                image_mixing_layers(),
                                image_augment_layers(),
                                image_pipeline_layers(),
                                mel_spectrogram_layers(),
                                stft_spectrogram_layers(),
                                feature_column_layers(),
                                dynamic_lookup_layers(),
                                dynamic_embedding_layers(),
                                einsum_dense_layers(),
                                reversible_embedding_layers(),
                                masking_layers(),
                                lambda_layers(),
                                leaky_re_lu_layers(),
                                thresholded_re_lu_layers(),
                                locally_connected_layers(),
                                random_fourier_features_layers(),
                                conv_transpose_layers(),
                                depthwise_conv_layers(),
                                separable_conv_layers(),
                                adaptive_pooling_layers(),
                                permute_layers(),
                                edges_layers(),
                                up_sampling_layers(),
                                gaussian_noise_layers(),
                                activity_regularization_layers(),
                                group_normalization_layers(),
                                unit_normalization_layers(),
                                spectral_normalization_layers(),
                                dot_layers(),
                                application_layers_layers()});
  return instance;
}

/// Classes that Keras defines outside keras.layers.
constexpr std::pair<const char*, const char*> kModules[] = {
    {"Functional", "keras.src.models.functional"},
    {"Sequential", "keras"},
    {"LinearModel", "keras.experimental"},
    {"WideDeepModel", "keras.experimental"},
    {"SharpnessAwareMinimization", "keras.models.experimental"},
    {"SyncBatchNormalization", "keras.layers.experimental"},
    {"SequenceFeatures", "keras.experimental"},
    {"DynamicLookup", "keras.layers.experimental"},
    {"DynamicEmbedding", "keras.layers.experimental"},
    {"RandomFourierFeatures", "keras.layers.experimental"},
    {"LayerScale", "keras.src.applications.convnext"},
    {"CustomScaleLayer", "keras.src.applications.inception_resnet_v2"},
};

/// Layers of Keras that run Python code.
constexpr std::pair<const char*, const char*> kPythonLayers[] = {
    {"JaxLayer", "a function of JAX"},
    {"FlaxLayer", "a module of Flax"},
    {"TorchModuleWrapper", "a module of PyTorch"},
};

[[noreturn]] void throw_python_layer(const std::string& class_name, const char* what) {
  throw ValueError(
      "Requested the deserialization of a `{}`, which contains {} as Python code. Antler cannot "
      "run it. Export the model from Python as a SavedModel, which TFSMLayer and load_model() "
      "can read, or register a class of this name with register_keras_serializable().",
      class_name, what);
}

}  // namespace

std::vector<std::string> registered_layers() { return registry().names(); }

LayerPtr layer_from_config(const std::string& class_name, const Json& config) {
  return read_checked("the configuration of a layer", config, [&] {
    try {
      return registry().make(class_name, config);
    } catch (const UnknownKeysError& error) {
      throw ValueError(error.what());
    }
  });
}

bool is_built_in_layer(const std::string& class_name) {
  return registry().find(class_name) != nullptr;
}

bool is_built_in_layer(const Layer& layer) {
  const std::vector<const LayerClass*>& classes = registry().classes();
  return std::any_of(classes.begin(), classes.end(),
                     [&](const LayerClass* entry) { return typeid(layer) == *entry->type; });
}

Json serialize_layer(const Layer& layer) {
  const std::string& name = layer.class_name();
  Json object = registry().serialize(name, layer.get_config());
  // A custom class that was not registered has no module.
  if (!is_built_in_layer(name)) object["module"] = nullptr;
  for (const auto& [known, module] : kModules) {
    if (name != known) continue;
    object["module"] = module;
    // Keras writes the name of a private class as its registered_name.
    const bool is_private = std::string_view(module).starts_with("keras.src.");
    if (name != "Functional") object["registered_name"] = is_private ? Json(name) : Json(nullptr);
  }
  if (is_operation(layer)) {
    object["module"] = keras_op_module(name);
    object["registered_name"] = name;
  }
  return object;
}

LayerPtr deserialize_layer(const Json& object) {
  const auto string_at = [&](const char* key) {
    const auto it = object.find(key);
    return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
  };
  const std::string class_name = object.is_object() ? string_at("class_name") : "";
  if (class_name.empty() || !object.contains("config") || !object["config"].is_object()) {
    throw ValueError(
        "Could not interpret a layer: expected an object with `class_name` and `config`. Received: "
        "{}",
        object.dump());
  }
  if (string_at("module").find(".ops.") != std::string::npos) {
    return keras_op_from_config(class_name, object["config"]);
  }
  const std::string registered = string_at("registered_name");
  const auto is_known = [](const std::string& name) {
    return get_registered_object(name).as<LayerPtr>() != nullptr || is_built_in_layer(name);
  };
  if (!registered.empty() && is_known(registered)) {
    return layer_from_config(registered, object["config"]);
  }
  for (const auto& [python, what] : kPythonLayers) {
    if (class_name == python && !is_known(class_name)) throw_python_layer(class_name, what);
  }
  if (!is_known(class_name)) {
    const std::string message = format(
        "Could not locate class '{}'. Register a custom class, which has a static "
        "`from_config(const Json&)`, with register_keras_serializable(). Full object config: {}",
        class_name, object.dump());
    if (const std::string module = string_at("module");
        module == "keras" || module.starts_with("keras."))
      throw ValueError(message);
    throw TypeError(message);
  }
  return layer_from_config(class_name, object["config"]);
}

}  // namespace antler
