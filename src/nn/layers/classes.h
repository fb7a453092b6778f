#pragma once

#include <span>
#include <string>
#include <typeinfo>
#include <utility>

#include "antler/nn/layer_of.h"
#include "base/type_name.h"
#include "nn/fields.h"
#include "nn/object_registry.h"

/// The classes of the layers. Each source file ends with the layers that it defines; registry.cpp
/// joins them. A source file that includes this header names the fields of its options (fields.h).
namespace antler {

template <class Derived, class Options, class Base>
template <class... Args>
LayerOf<Derived, Options, Base>::LayerOf(const Options& options, Args&&... args)
    : LayerBase<Derived, Base>(std::string(type_name<Derived>()), base_options(options),
                               std::forward<Args>(args)...),
      options_(options),
      write_(config_of<Options>) {}

template <class Derived, class Options, class Base>
Json LayerOf<Derived, Options, Base>::get_config() const {
  return write_(*this, options_);
}

struct LayerClass : ObjectClass<LayerPtr> {
  const std::type_info* type = nullptr;
};
using LayerClasses = Registry<LayerPtr, LayerClass>::Family;

template <class L, class Options>
LayerPtr layer_from_options(const Json& config) {
  return L(options_from<Options>(config, std::string(type_name<L>()))).share();
}

/// A layer that a function makes from its configuration.
template <class L>
constexpr LayerClass layer_class(LayerPtr (*from_config)(const Json& config)) {
  return {{type_name<L>(), from_config}, &typeid(L)};
}
/// A layer made from one options struct.
template <class L, class Options = typename L::Options>
constexpr LayerClass layer_class() {
  return layer_class<L>(layer_from_options<L, Options>);
}

/// The layers of a source file, each made from its own options.
template <class... Layers>
LayerClasses layer_classes() {
  static constexpr LayerClass kClasses[] = {layer_class<Layers>()...};
  return kClasses;
}
/// The same for layers that share one options struct.
template <class Options, class... Layers>
LayerClasses layer_classes_of() {
  static constexpr LayerClass kClasses[] = {layer_class<Layers, Options>()...};
  return kClasses;
}

LayerClasses activation_layers();
LayerClasses activity_regularization_layers();
LayerClasses adaptive_pooling_layers();
LayerClasses application_layers_layers();
LayerClasses attention_layers();
LayerClasses batch_normalization_layers();
LayerClasses bidirectional_layers();
LayerClasses category_encoding_layers();
LayerClasses concatenate_layers();
LayerClasses conv_lstm_layers();
LayerClasses conv_transpose_layers();
LayerClasses convolution_layers();
LayerClasses dense_layers();
LayerClasses depthwise_conv_layers();
LayerClasses discretization_layers();
LayerClasses dot_layers();
LayerClasses dropout_layers();
LayerClasses dynamic_embedding_layers();
LayerClasses dynamic_lookup_layers();
LayerClasses edges_layers();
LayerClasses einsum_dense_layers();
LayerClasses embedding_layers();
LayerClasses feature_column_layers();
LayerClasses flatten_layers();
LayerClasses gaussian_noise_layers();
LayerClasses global_pooling_layers();
LayerClasses group_normalization_layers();
LayerClasses group_query_attention_layers();
LayerClasses gru_cell_layers();
LayerClasses hashing_layers();
LayerClasses image_augment_layers();
LayerClasses image_blur_layers();
LayerClasses image_color_layers();
LayerClasses image_crop_layers();
LayerClasses image_erasing_layers();
LayerClasses image_geometry_layers();
LayerClasses image_histogram_layers();
LayerClasses image_mixing_layers();
LayerClasses image_pipeline_layers();
LayerClasses image_size_layers();
LayerClasses input_layers();
LayerClasses integer_lookup_layers();
LayerClasses lambda_layers();
LayerClasses layer_normalization_layers();
LayerClasses leaky_re_lu_layers();
LayerClasses locally_connected_layers();
LayerClasses lstm_cell_layers();
LayerClasses masking_layers();
LayerClasses mel_spectrogram_layers();
LayerClasses merge_layers();
LayerClasses multi_head_attention_layers();
LayerClasses normalization_layers();
LayerClasses permute_layers();
LayerClasses pooling_layers();
LayerClasses random_fourier_features_layers();
LayerClasses re_lu_layers();
LayerClasses recurrent_layers();
LayerClasses rescaling_layers();
LayerClasses reshape_layers();
LayerClasses reversible_embedding_layers();
LayerClasses rnn_cell_layers();
LayerClasses separable_conv_layers();
LayerClasses simple_rnn_cell_layers();
LayerClasses softmax_layers();
LayerClasses spectral_normalization_layers();
LayerClasses stft_spectrogram_layers();
LayerClasses string_lookup_layers();
LayerClasses text_vectorization_layers();
LayerClasses thresholded_re_lu_layers();
LayerClasses time_distributed_layers();
LayerClasses unit_normalization_layers();
LayerClasses up_sampling_layers();

}  // namespace antler
