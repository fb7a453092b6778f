#include "antler/nn/registry.h"

#include <algorithm>
#include <mutex>
#include <string_view>
#include <typeinfo>
#include <utility>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/nn/layers.h"
#include "antler/nn/registered_names.h"
#include "base/json_reading.h"
#include "nn/keras_op.h"
#include "nn/layers/keras2_list.h"
#include "nn/layers/list.h"
#include "nn/layers/preprocessing/list.h"
#include "nn/unknown_keys.h"

namespace antler {
namespace {

struct LayerEntry {
  const char* class_name;
  const std::type_info* type;
  LayerPtr (*from_config)(const Json& config);
};

/// Every built-in layer that can be made from its configuration.
const LayerEntry kLayers[] = {
    {"InputLayer", &typeid(InputLayer), input_layer_from_config},
    {"Dense", &typeid(Dense), dense_from_config},
    {"Embedding", &typeid(Embedding), embedding_from_config},
    {"Activation", &typeid(Activation), activation_from_config},
    {"ReLU", &typeid(ReLU), re_lu_from_config},
    {"Softmax", &typeid(Softmax), softmax_from_config},
    {"Conv1D", &typeid(Conv1D), conv1d_from_config},
    {"Conv2D", &typeid(Conv2D), conv2d_from_config},
    {"Conv3D", &typeid(Conv3D), conv3d_from_config},
    {"MaxPooling1D", &typeid(MaxPooling1D), max_pooling1d_from_config},
    {"MaxPooling2D", &typeid(MaxPooling2D), max_pooling2d_from_config},
    {"MaxPooling3D", &typeid(MaxPooling3D), max_pooling3d_from_config},
    {"AveragePooling1D", &typeid(AveragePooling1D), average_pooling1d_from_config},
    {"AveragePooling2D", &typeid(AveragePooling2D), average_pooling2d_from_config},
    {"AveragePooling3D", &typeid(AveragePooling3D), average_pooling3d_from_config},
    {"GlobalMaxPooling1D", &typeid(GlobalMaxPooling1D), global_max_pooling1d_from_config},
    {"GlobalMaxPooling2D", &typeid(GlobalMaxPooling2D), global_max_pooling2d_from_config},
    {"GlobalMaxPooling3D", &typeid(GlobalMaxPooling3D), global_max_pooling3d_from_config},
    {"GlobalAveragePooling1D", &typeid(GlobalAveragePooling1D),
     global_average_pooling1d_from_config},
    {"GlobalAveragePooling2D", &typeid(GlobalAveragePooling2D),
     global_average_pooling2d_from_config},
    {"GlobalAveragePooling3D", &typeid(GlobalAveragePooling3D),
     global_average_pooling3d_from_config},
    {"Flatten", &typeid(Flatten), flatten_from_config},
    {"Reshape", &typeid(Reshape), reshape_from_config},
    {"Dropout", &typeid(Dropout), dropout_from_config},
    {"BatchNormalization", &typeid(BatchNormalization), batch_normalization_from_config},
    {"SyncBatchNormalization", &typeid(SyncBatchNormalization),
     sync_batch_normalization_from_config},
    {"LayerNormalization", &typeid(LayerNormalization), layer_normalization_from_config},
    {"Rescaling", &typeid(Rescaling), rescaling_from_config},
    {"Add", &typeid(Add), add_from_config},
    {"Subtract", &typeid(Subtract), subtract_from_config},
    {"Multiply", &typeid(Multiply), multiply_from_config},
    {"Average", &typeid(Average), average_from_config},
    {"Maximum", &typeid(Maximum), maximum_from_config},
    {"Minimum", &typeid(Minimum), minimum_from_config},
    {"Concatenate", &typeid(Concatenate), concatenate_from_config},
    {"SimpleRNNCell", &typeid(SimpleRNNCell), simple_rnn_cell_from_config},
    {"LSTMCell", &typeid(LSTMCell), lstm_cell_from_config},
    {"GRUCell", &typeid(GRUCell), gru_cell_from_config},
    {"StackedRNNCells", &typeid(StackedRNNCells), stacked_rnn_cells_from_config},
    {"RNN", &typeid(RNN), rnn_from_config},
    {"SimpleRNN", &typeid(SimpleRNN), simple_rnn_from_config},
    {"LSTM", &typeid(LSTM), lstm_from_config},
    {"GRU", &typeid(GRU), gru_from_config},
    {"ConvLSTM1D", &typeid(ConvLSTM1D), conv_lstm1d_from_config},
    {"ConvLSTM2D", &typeid(ConvLSTM2D), conv_lstm2d_from_config},
    {"ConvLSTM3D", &typeid(ConvLSTM3D), conv_lstm3d_from_config},
    {"TimeDistributed", &typeid(TimeDistributed), time_distributed_from_config},
    {"Bidirectional", &typeid(Bidirectional), bidirectional_from_config},
    {"Attention", &typeid(Attention), attention_from_config},
    {"AdditiveAttention", &typeid(AdditiveAttention), additive_attention_from_config},
    {"MultiHeadAttention", &typeid(MultiHeadAttention), multi_head_attention_from_config},
    {"GroupQueryAttention", &typeid(GroupQueryAttention), group_query_attention_from_config},
    {"CategoryEncoding", &typeid(CategoryEncoding), category_encoding_from_config},
    {"Discretization", &typeid(Discretization), discretization_from_config},
    {"Hashing", &typeid(Hashing), hashing_from_config},
    {"HashedCrossing", &typeid(HashedCrossing), hashed_crossing_from_config},
    {"IntegerLookup", &typeid(IntegerLookup), integer_lookup_from_config},
    {"StringLookup", &typeid(StringLookup), string_lookup_from_config},
    {"TextVectorization", &typeid(TextVectorization), text_vectorization_from_config},
    {"Normalization", &typeid(Normalization), normalization_from_config},
    {"RandomBrightness", &typeid(RandomBrightness), random_brightness_from_config},
    {"RandomContrast", &typeid(RandomContrast), random_contrast_from_config},
    {"RandomColorDegeneration", &typeid(RandomColorDegeneration),
     random_color_degeneration_from_config},
    {"RandomSaturation", &typeid(RandomSaturation), random_saturation_from_config},
    {"RandomHue", &typeid(RandomHue), random_hue_from_config},
    {"RandomSharpness", &typeid(RandomSharpness), random_sharpness_from_config},
    {"RandomPosterization", &typeid(RandomPosterization), random_posterization_from_config},
    {"RandomInvert", &typeid(RandomInvert), random_invert_from_config},
    {"RandomGrayscale", &typeid(RandomGrayscale), random_grayscale_from_config},
    {"Solarization", &typeid(Solarization), solarization_from_config},
    {"RandomColorJitter", &typeid(RandomColorJitter), random_color_jitter_from_config},
    {"AutoContrast", &typeid(AutoContrast), auto_contrast_from_config},
    {"Equalization", &typeid(Equalization), equalization_from_config},
    {"ContrastLimitedAdaptiveHistogramEqualization",
     &typeid(ContrastLimitedAdaptiveHistogramEqualization), clahe_from_config},
    {"Resizing", &typeid(Resizing), resizing_from_config},
    {"CenterCrop", &typeid(CenterCrop), center_crop_from_config},
    {"RandomCrop", &typeid(RandomCrop), random_crop_from_config},
    {"RandomFlip", &typeid(RandomFlip), random_flip_from_config},
    {"RandomRotation", &typeid(RandomRotation), random_rotation_from_config},
    {"RandomTranslation", &typeid(RandomTranslation), random_translation_from_config},
    {"RandomZoom", &typeid(RandomZoom), random_zoom_from_config},
    {"RandomHeight", &typeid(RandomHeight), random_height_from_config},
    {"RandomWidth", &typeid(RandomWidth), random_width_from_config},
    {"RandomShear", &typeid(RandomShear), random_shear_from_config},
    {"RandomPerspective", &typeid(RandomPerspective), random_perspective_from_config},
    {"RandomElasticTransform", &typeid(RandomElasticTransform),
     random_elastic_transform_from_config},
    {"RandomErasing", &typeid(RandomErasing), random_erasing_from_config},
    {"RandomGaussianBlur", &typeid(RandomGaussianBlur), random_gaussian_blur_from_config},
    {"CutMix", &typeid(CutMix), cut_mix_from_config},
    {"MixUp", &typeid(MixUp), mix_up_from_config},
    {"RandAugment", &typeid(RandAugment), rand_augment_from_config},
    {"AugMix", &typeid(AugMix), aug_mix_from_config},
    {"MaxNumBoundingBoxes", &typeid(MaxNumBoundingBoxes), max_num_bounding_boxes_from_config},
    {"Pipeline", &typeid(Pipeline), pipeline_from_config},
    {"MelSpectrogram", &typeid(MelSpectrogram), mel_spectrogram_from_config},
    {"STFTSpectrogram", &typeid(STFTSpectrogram), stft_spectrogram_from_config},
    {"DenseFeatures", &typeid(DenseFeatures), dense_features_from_config},
    {"SequenceFeatures", &typeid(SequenceFeatures), sequence_features_from_config},
    {"DynamicLookup", &typeid(DynamicLookup), dynamic_lookup_from_config},
    {"DynamicEmbedding", &typeid(DynamicEmbedding), dynamic_embedding_from_config},
    {"EinsumDense", &typeid(EinsumDense), einsum_dense_from_config},
    {"ReversibleEmbedding", &typeid(ReversibleEmbedding), reversible_embedding_from_config},
    {"Masking", &typeid(Masking), masking_from_config},
    {"Identity", &typeid(Identity), identity_layer_from_config},
    {"Lambda", &typeid(Lambda), lambda_from_config},
    {"LeakyReLU", &typeid(LeakyReLU), leaky_re_lu_from_config},
    {"PReLU", &typeid(PReLU), p_re_lu_from_config},
    {"ThresholdedReLU", &typeid(ThresholdedReLU), thresholded_re_lu_from_config},
    {"LocallyConnected1D", &typeid(LocallyConnected1D), locally_connected1d_from_config},
    {"LocallyConnected2D", &typeid(LocallyConnected2D), locally_connected2d_from_config},
    {"RandomFourierFeatures", &typeid(RandomFourierFeatures), random_fourier_features_from_config},
    {"ELU", &typeid(ELU), elu_from_config},
    {"Conv1DTranspose", &typeid(Conv1DTranspose), conv1d_transpose_from_config},
    {"Conv2DTranspose", &typeid(Conv2DTranspose), conv2d_transpose_from_config},
    {"Conv3DTranspose", &typeid(Conv3DTranspose), conv3d_transpose_from_config},
    {"DepthwiseConv1D", &typeid(DepthwiseConv1D), depthwise_conv1d_from_config},
    {"DepthwiseConv2D", &typeid(DepthwiseConv2D), depthwise_conv2d_from_config},
    {"SeparableConv1D", &typeid(SeparableConv1D), separable_conv1d_from_config},
    {"SeparableConv2D", &typeid(SeparableConv2D), separable_conv2d_from_config},
    {"AdaptiveMaxPooling1D", &typeid(AdaptiveMaxPooling1D), adaptive_max_pooling1d_from_config},
    {"AdaptiveMaxPooling2D", &typeid(AdaptiveMaxPooling2D), adaptive_max_pooling2d_from_config},
    {"AdaptiveMaxPooling3D", &typeid(AdaptiveMaxPooling3D), adaptive_max_pooling3d_from_config},
    {"AdaptiveAveragePooling1D", &typeid(AdaptiveAveragePooling1D),
     adaptive_average_pooling1d_from_config},
    {"AdaptiveAveragePooling2D", &typeid(AdaptiveAveragePooling2D),
     adaptive_average_pooling2d_from_config},
    {"AdaptiveAveragePooling3D", &typeid(AdaptiveAveragePooling3D),
     adaptive_average_pooling3d_from_config},
    {"Permute", &typeid(Permute), permute_from_config},
    {"RepeatVector", &typeid(RepeatVector), repeat_vector_from_config},
    {"Cropping1D", &typeid(Cropping1D), cropping1d_from_config},
    {"Cropping2D", &typeid(Cropping2D), cropping2d_from_config},
    {"Cropping3D", &typeid(Cropping3D), cropping3d_from_config},
    {"ZeroPadding1D", &typeid(ZeroPadding1D), zero_padding1d_from_config},
    {"ZeroPadding2D", &typeid(ZeroPadding2D), zero_padding2d_from_config},
    {"ZeroPadding3D", &typeid(ZeroPadding3D), zero_padding3d_from_config},
    {"UpSampling1D", &typeid(UpSampling1D), up_sampling1d_from_config},
    {"UpSampling2D", &typeid(UpSampling2D), up_sampling2d_from_config},
    {"UpSampling3D", &typeid(UpSampling3D), up_sampling3d_from_config},
    {"SpatialDropout1D", &typeid(SpatialDropout1D), spatial_dropout1d_from_config},
    {"SpatialDropout2D", &typeid(SpatialDropout2D), spatial_dropout2d_from_config},
    {"SpatialDropout3D", &typeid(SpatialDropout3D), spatial_dropout3d_from_config},
    {"GaussianNoise", &typeid(GaussianNoise), gaussian_noise_from_config},
    {"GaussianDropout", &typeid(GaussianDropout), gaussian_dropout_from_config},
    {"AlphaDropout", &typeid(AlphaDropout), alpha_dropout_from_config},
    {"ActivityRegularization", &typeid(ActivityRegularization),
     activity_regularization_from_config},
    {"GroupNormalization", &typeid(GroupNormalization), group_normalization_from_config},
    {"UnitNormalization", &typeid(UnitNormalization), unit_normalization_from_config},
    {"RMSNormalization", &typeid(RMSNormalization), rms_normalization_from_config},
    {"SpectralNormalization", &typeid(SpectralNormalization), spectral_normalization_from_config},
    {"Dot", &typeid(Dot), dot_from_config},
    {"LayerScale", &typeid(LayerScale), layer_scale_from_config},
    {"CustomScaleLayer", &typeid(CustomScaleLayer), custom_scale_layer_from_config},
};

/// Classes of Keras that are not in keras.layers.
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

/// Layers of Keras that run what is written in Python.
constexpr std::pair<const char*, const char*> kPythonLayers[] = {
    {"JaxLayer", "a function of JAX"},
    {"FlaxLayer", "a module of Flax"},
    {"TorchModuleWrapper", "a module of PyTorch"},
};

[[noreturn]] void throw_python_layer(const std::string& class_name, const char* what) {
  throw ValueError("Requested the deserialization of a `" + class_name + "`, which holds " + what +
                   " as Python code. Antler does not run that: export the model from Python as a "
                   "SavedModel, which TFSMLayer and load_model() read, or make a class of your own "
                   "known under this name with register_layer().");
}

std::mutex g_registry_mutex;
std::vector<std::pair<std::string, LayerFactory>>& custom_layers() {
  static std::vector<std::pair<std::string, LayerFactory>> instance;
  return instance;
}

/// "package>Class" is also found as "Class".
bool is_name_of(const std::string& registered, const std::string& name) {
  const size_t split = registered.find('>');
  return registered == name || (split != std::string::npos && registered.substr(split + 1) == name);
}

/// Of the CustomObjectScopes of this thread, innermost last.
CustomObjects& scoped_objects() {
  thread_local CustomObjects instance;
  return instance;
}

LayerFactory find_custom(const std::string& class_name) {
  LayerFactory custom;
  const CustomObjects& scoped = scoped_objects();
  for (size_t i = scoped.size(); i-- > 0;) {
    if (is_name_of(scoped[i].first, class_name)) return scoped[i].second;
  }
  const std::lock_guard lock(g_registry_mutex);
  for (const auto& [name, factory] : custom_layers()) {
    if (is_name_of(name, class_name)) custom = factory;
  }
  return custom;
}

}  // namespace

std::vector<std::string> registered_layers() {
  std::vector<std::string> names;
  for (const LayerEntry& entry : kLayers) names.emplace_back(entry.class_name);
  const std::lock_guard lock(g_registry_mutex);
  for (const auto& [name, factory] : custom_layers()) names.push_back(name);
  return names;
}

LayerPtr layer_from_config(const std::string& class_name, const Json& config) {
  const LayerFactory custom = find_custom(class_name);
  if (custom) return custom(config);
  for (const LayerEntry& entry : kLayers) {
    if (class_name == entry.class_name) {
      try {
        return read_checked("the configuration of a layer", config,
                            [&] { return entry.from_config(config); });
      } catch (const UnknownKeysError& error) {
        throw ValueError(error.what());
      }
    }
  }
  throw ValueError("Unknown layer: '" + class_name +
                   "'. Make a class of your own known with register_layer().");
}

CustomObjectScope::CustomObjectScope(const CustomObjects& objects) : count_(objects.size()) {
  scoped_objects().insert(scoped_objects().end(), objects.begin(), objects.end());
}

CustomObjectScope::~CustomObjectScope() {
  scoped_objects().resize(scoped_objects().size() - count_);
}

void register_layer(const std::string& registered_name, LayerFactory factory) {
  const std::lock_guard lock(g_registry_mutex);
  custom_layers().emplace_back(registered_name, std::move(factory));
}

std::string get_registered_name(const Layer& layer) {
  const std::lock_guard lock(g_registry_mutex);
  for (const auto& [registered, factory] : custom_layers()) {
    if (is_name_of(registered, layer.class_name())) return registered;
  }
  return layer.class_name();
}

LayerFactory get_registered_object(const std::string& name, const CustomObjects& custom_objects) {
  for (const auto& [known, factory] : custom_objects) {
    if (is_name_of(known, name)) return factory;
  }
  return find_custom(name);
}

CustomObjects get_custom_objects() {
  CustomObjects all = scoped_objects();
  const std::lock_guard lock(g_registry_mutex);
  all.insert(all.end(), custom_layers().begin(), custom_layers().end());
  return all;
}

bool is_built_in_layer(const std::string& class_name) {
  return std::any_of(std::begin(kLayers), std::end(kLayers),
                     [&](const LayerEntry& entry) { return class_name == entry.class_name; });
}

bool is_built_in_layer(const Layer& layer) {
  return std::any_of(std::begin(kLayers), std::end(kLayers),
                     [&](const LayerEntry& entry) { return typeid(layer) == *entry.type; });
}

Json serialize_layer(const Layer& layer) {
  const std::string& name = layer.class_name();
  Json object = Json::object();
  // A class of the user's own that was not registered has no module that anybody could look into.
  object["module"] = is_built_in_layer(name) ? Json("keras.layers") : Json(nullptr);
  object["class_name"] = name;
  object["config"] = layer.get_config();
  object["registered_name"] = nullptr;
  const std::lock_guard lock(g_registry_mutex);
  for (const auto& [registered, factory] : custom_layers()) {
    if (!is_name_of(registered, name)) continue;
    object["module"] = nullptr;
    object["registered_name"] = registered;
  }
  for (const auto& [known, module] : kModules) {
    if (name != known) continue;
    object["module"] = module;
    // Classes that Keras keeps to itself are written under their own name.
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
  const auto text = [&](const char* key) {
    const auto it = object.find(key);
    return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
  };
  const std::string class_name = object.is_object() ? text("class_name") : "";
  if (class_name.empty() || !object.contains("config") || !object["config"].is_object()) {
    throw ValueError(
        "Could not interpret a layer: expected an object with `class_name` and "
        "`config`. Received: " +
        object.dump());
  }
  if (text("module").find(".ops.") != std::string::npos) {
    return keras_op_from_config(class_name, object["config"]);
  }
  const std::string registered = text("registered_name");
  const auto is_known = [](const std::string& name) {
    return find_custom(name) != nullptr || is_built_in_layer(name);
  };
  if (!registered.empty() && is_known(registered)) {
    return layer_from_config(registered, object["config"]);
  }
  for (const auto& [python, what] : kPythonLayers) {
    if (class_name == python && !is_known(class_name)) throw_python_layer(class_name, what);
  }
  if (!is_known(class_name)) {
    const std::string message =
        "Could not locate class '" + class_name +
        "'. Make a class of your own known with register_layer(). Full object config: " +
        object.dump();
    if (const std::string module = text("module");
        module == "keras" || module.starts_with("keras."))
      throw ValueError(message);
    throw TypeError(message);
  }
  return layer_from_config(class_name, object["config"]);
}

}  // namespace antler
