#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "antler/core/keyword.h"
#include "antler/core/named_only.h"
#include "antler/core/required.h"
#include "antler/ops/axes.h"
#include "antler/ops/image.h"

/// Functions of images with arguments by name.
namespace antler::ops {

/// Resizing with the interpolation by position: `resize(images, {8, 8}, "nearest")`.
template <std::convertible_to<std::string> S>
Tensor resize(const Tensor& images, std::pair<int64_t, int64_t> size, const S& interpolation) {
  return resize(images, size, {.interpolation = interpolation});
}
/// The arguments of extract_patches() by name.
struct ExtractPatchesArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  Required<NumberOrList> size;       ///< of a patch
  NumberOrList strides = {};         ///< default: the size
  NumberOrList dilation_rate = {1};  ///< distance between elements of a patch
  std::string padding = "valid";     ///< or "same"
};
inline Tensor extract_patches(const Tensor& images, const ExtractPatchesArguments& by_name) {
  return extract_patches(images, by_name.size,
                         {.strides = by_name.strides,
                          .dilation_rate = by_name.dilation_rate,
                          .padding = by_name.padding});
}
ANTLER_KEYWORD_FUNCTION(extract_patches, ExtractPatchesArguments, const Tensor&)
// Templates, so that options that fit both types select the overload with ImageSides.
/// The arguments of pad_images() by name.
struct PadImagesArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  std::optional<int64_t> top_padding = {};     ///< rows; see ImageSides
  std::optional<int64_t> left_padding = {};    ///< columns
  std::optional<int64_t> bottom_padding = {};  ///< rows
  std::optional<int64_t> right_padding = {};   ///< columns
  std::optional<int64_t> target_height = {};   ///< rows of the result
  std::optional<int64_t> target_width = {};    ///< columns of the result
};
template <class Arguments = PadImagesArguments>
Tensor pad_images(const Tensor& images, const std::type_identity_t<Arguments>& by_name) {
  return pad_images(images,
                    ImageSides{by_name.top_padding, by_name.left_padding, by_name.bottom_padding,
                               by_name.right_padding, by_name.target_height, by_name.target_width});
}
ANTLER_KEYWORD_FUNCTION(pad_images, PadImagesArguments, const Tensor&)
/// The arguments of crop_images() by name.
struct CropImagesArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  std::optional<int64_t> top_cropping = {};     ///< rows; see ImageSides
  std::optional<int64_t> left_cropping = {};    ///< columns
  std::optional<int64_t> bottom_cropping = {};  ///< rows
  std::optional<int64_t> right_cropping = {};   ///< columns
  std::optional<int64_t> target_height = {};    ///< rows of the result
  std::optional<int64_t> target_width = {};     ///< columns of the result
};
template <class Arguments = CropImagesArguments>
Tensor crop_images(const Tensor& images, const std::type_identity_t<Arguments>& by_name) {
  return crop_images(
      images, ImageSides{by_name.top_cropping, by_name.left_cropping, by_name.bottom_cropping,
                         by_name.right_cropping, by_name.target_height, by_name.target_width});
}
ANTLER_KEYWORD_FUNCTION(crop_images, CropImagesArguments, const Tensor&)

}  // namespace antler::ops
