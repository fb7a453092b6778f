#pragma once

#include "antler/nn/layer.h"

namespace antler {

// The factories of the registry's list, each next to its class.
LayerPtr category_encoding_from_config(const Json& config);
LayerPtr discretization_from_config(const Json& config);
LayerPtr hashing_from_config(const Json& config);
LayerPtr hashed_crossing_from_config(const Json& config);
LayerPtr integer_lookup_from_config(const Json& config);
LayerPtr string_lookup_from_config(const Json& config);
LayerPtr text_vectorization_from_config(const Json& config);
LayerPtr normalization_from_config(const Json& config);
LayerPtr random_brightness_from_config(const Json& config);
LayerPtr random_contrast_from_config(const Json& config);
LayerPtr random_color_degeneration_from_config(const Json& config);
LayerPtr random_saturation_from_config(const Json& config);
LayerPtr random_hue_from_config(const Json& config);
LayerPtr random_sharpness_from_config(const Json& config);
LayerPtr random_posterization_from_config(const Json& config);
LayerPtr random_invert_from_config(const Json& config);
LayerPtr random_grayscale_from_config(const Json& config);
LayerPtr solarization_from_config(const Json& config);
LayerPtr random_color_jitter_from_config(const Json& config);
LayerPtr auto_contrast_from_config(const Json& config);
LayerPtr equalization_from_config(const Json& config);
LayerPtr clahe_from_config(const Json& config);
LayerPtr resizing_from_config(const Json& config);
LayerPtr center_crop_from_config(const Json& config);
LayerPtr random_crop_from_config(const Json& config);
LayerPtr random_flip_from_config(const Json& config);
LayerPtr random_rotation_from_config(const Json& config);
LayerPtr random_translation_from_config(const Json& config);
LayerPtr random_zoom_from_config(const Json& config);
LayerPtr random_height_from_config(const Json& config);
LayerPtr random_width_from_config(const Json& config);
LayerPtr random_shear_from_config(const Json& config);
LayerPtr random_perspective_from_config(const Json& config);
LayerPtr random_elastic_transform_from_config(const Json& config);
LayerPtr random_erasing_from_config(const Json& config);
LayerPtr random_gaussian_blur_from_config(const Json& config);
LayerPtr cut_mix_from_config(const Json& config);
LayerPtr mix_up_from_config(const Json& config);
LayerPtr rand_augment_from_config(const Json& config);
LayerPtr aug_mix_from_config(const Json& config);
LayerPtr max_num_bounding_boxes_from_config(const Json& config);
LayerPtr pipeline_from_config(const Json& config);
LayerPtr mel_spectrogram_from_config(const Json& config);
LayerPtr stft_spectrogram_from_config(const Json& config);

}  // namespace antler
