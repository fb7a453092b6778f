#include "antler/ops/image.h"

#include "bindings.h"
#include "casters.h"

namespace antler::python {

void bind_image_ops(nb::module_& m) {
  using nb::literals::operator""_a;
  const std::string last = "channels_last";
  m.def("rgb_to_grayscale", &ops::rgb_to_grayscale, "images"_a, "data_format"_a = last);
  m.def("rgb_to_hsv", &ops::rgb_to_hsv, "images"_a, "data_format"_a = last);
  m.def("hsv_to_rgb", &ops::hsv_to_rgb, "images"_a, "data_format"_a = last);
  m.def(
      "resize",
      [](const Tensor& images, std::pair<int64_t, int64_t> size, const std::string& interpolation,
         bool antialias, bool crop_to_aspect_ratio, bool pad_to_aspect_ratio,
         const std::string& fill_mode, double fill_value, const std::string& data_format) {
        return ops::resize(images, size,
                           {interpolation, antialias, crop_to_aspect_ratio, pad_to_aspect_ratio,
                            fill_mode, fill_value, data_format});
      },
      "images"_a, "size"_a, "interpolation"_a = "bilinear", "antialias"_a = false,
      "crop_to_aspect_ratio"_a = false, "pad_to_aspect_ratio"_a = false, "fill_mode"_a = "constant",
      "fill_value"_a = 0.0, "data_format"_a = last);
  m.def(
      "affine_transform",
      [](const Tensor& images, const Tensor& transform, const std::string& interpolation,
         const std::string& fill_mode, double fill_value, const std::string& data_format) {
        return ops::affine_transform(images, transform,
                                     {interpolation, fill_mode, fill_value, data_format});
      },
      "images"_a, "transform"_a, "interpolation"_a = "bilinear", "fill_mode"_a = "constant",
      "fill_value"_a = 0.0, "data_format"_a = last);
  m.def(
      "perspective_transform",
      [](const Tensor& images, const Tensor& start_points, const Tensor& end_points,
         const std::string& interpolation, double fill_value, const std::string& data_format) {
        return ops::perspective_transform(images, start_points, end_points,
                                          {interpolation, fill_value, data_format});
      },
      "images"_a, "start_points"_a, "end_points"_a, "interpolation"_a = "bilinear",
      "fill_value"_a = 0.0, "data_format"_a = last);
  m.def(
      "map_coordinates",
      [](const Tensor& x, const Tensor& coordinates, int order, const std::string& fill_mode,
         double fill_value) {
        return ops::map_coordinates(x, coordinates, order, {fill_mode, fill_value});
      },
      "x"_a, "coordinates"_a, "order"_a, "fill_mode"_a = "constant", "fill_value"_a = 0.0);
  m.def(
      "elastic_transform",
      [](const Tensor& images, const Tensor& seed, const Tensor& alpha, const Tensor& sigma,
         const std::string& interpolation, const std::string& fill_mode, double fill_value,
         const std::string& data_format, int64_t window) {
        return ops::elastic_transform(
            images, seed,
            {alpha, sigma, interpolation, fill_mode, fill_value, data_format, window});
      },
      "images"_a, "seed"_a, "alpha"_a = 20.0, "sigma"_a = 5.0, "interpolation"_a = "bilinear",
      "fill_mode"_a = "reflect", "fill_value"_a = 0.0, "data_format"_a = last, "window"_a = 0);
  m.def(
      "scale_and_translate",
      [](const Tensor& x, const Shape& output_shape, const Tensor& scale, const Tensor& translation,
         const std::vector<int64_t>& spatial_dims, const std::string& method, bool antialias) {
        return ops::scale_and_translate(x, output_shape, scale, translation, spatial_dims, method,
                                        {antialias});
      },
      "x"_a, "output_shape"_a, "scale"_a, "translation"_a, "spatial_dims"_a, "method"_a,
      "antialias"_a = true);
  m.def(
      "gaussian_blur",
      [](const Tensor& images, std::pair<int64_t, int64_t> kernel_size, const Tensor& sigma_x,
         const Tensor& sigma_y, const std::string& data_format) {
        return ops::gaussian_blur(images, {.kernel_size = {kernel_size.first, kernel_size.second},
                                           .sigma = {sigma_x, sigma_y},
                                           .data_format = data_format});
      },
      "images"_a, "kernel_size"_a, "sigma_x"_a, "sigma_y"_a, "data_format"_a = last);
  m.def("sobel_edges", &ops::sobel_edges, "images"_a);
}

}  // namespace antler::python
