#include "nn/layers/preprocessing_cases.h"

namespace antler::test {

namespace {

Tensor images() {
  std::vector<float> values;
  for (int i = 0; i < 60; ++i) values.push_back(static_cast<float>(i * 7 % 31 * 8));
  return Tensor::of(values, {1, 5, 4, 3});
}

}  // namespace

std::vector<PreprocessingCase> preprocessing_cases() {
  const Tensor x = images();
  const Shape same = x.shape();
  const Tensor tokens = Tensor::of<int64_t>({1, 2, 9, 2}, {2, 2});
  const Tensor numbers = Tensor::of<float>({0.5F, 1.5F, 2.5F, 9.0F}, {2, 2});
  const Json unit = {0.2, 0.2};
  return {
      {"CategoryEncoding", {{"num_tokens", 10}}, tokens, {2, 10}},
      {"Discretization", {{"bin_boundaries", {1.0, 2.0}}}, numbers, {2, 2}},
      {"Hashing", {{"num_bins", 7}}, tokens, {2, 2}},
      {"IntegerLookup", {{"vocabulary", {1, 2}}, {"num_oov_indices", 2}}, tokens, {2, 2}},
      {"Normalization", {{"mean", {1.0, 2.0}}, {"variance", {4.0, 9.0}}}, numbers, {2, 2}},
      {"HashedCrossing", {{"num_bins", 7}}, {}, {}},
      {"StringLookup", {{"vocabulary", {"a", "b"}}}, {}, {}},
      {"TextVectorization", {{"vocabulary", {"a", "b"}}}, {}, {}},
      {"RandomBrightness", {{"factor", unit}}, x, same},
      {"RandomContrast", {{"factor", {0.0, 0.0}}}, x, same},
      {"RandomColorDegeneration", {{"factor", unit}}, x, same},
      {"RandomSaturation", {{"factor", unit}}, x, same},
      {"RandomHue", {{"factor", 0.3}}, x, same, true},
      {"RandomSharpness", {{"factor", unit}}, x, same},
      {"RandomPosterization", {{"factor", {3, 3}}}, x, same},
      {"RandomInvert", {{"factor", {1.0, 1.0}}}, x, same},
      {"RandomGrayscale", {{"factor", 1.0}}, x, same},
      {"Solarization", {{"threshold_factor", 0.5}}, x, same, true},
      {"RandomColorJitter", {{"brightness_factor", 0.2}, {"hue_factor", 0.1}}, x, same, true},
      {"AutoContrast", Json::object(), x, same},
      {"Equalization", Json::object(), x, same},
      {"ContrastLimitedAdaptiveHistogramEqualization", {{"tile_grid_size", {2, 3}}}, x, same},
      {"Resizing", {{"height", 3}, {"width", 7}}, x, {1, 3, 7, 3}},
      {"CenterCrop", {{"height", 3}, {"width", 3}}, x, {1, 3, 3, 3}},
      {"RandomCrop", {{"height", 2}, {"width", 2}}, x, {1, 2, 2, 3}, true},
      {"RandomFlip", {{"mode", "horizontal"}}, x, same, true},
      {"RandomRotation", {{"factor", unit}}, x, same},
      {"RandomTranslation", {{"height_factor", unit}, {"width_factor", unit}}, x, same},
      {"RandomZoom", {{"height_factor", unit}}, x, same},
      {"RandomHeight", {{"factor", {-0.2, 0.3}}, {"interpolation", "nearest"}}, {}, {}},
      {"RandomWidth", {{"factor", 0.2}}, {}, {}},
      {"RandomShear", {{"x_factor", 0.5}}, x, same, true},
      {"RandomPerspective", {{"scale", 0.5}}, x, same, true},
      {"RandomElasticTransform", Json::object(), x, same, true},
      {"RandomErasing", Json::object(), x, same, true},
      {"RandomGaussianBlur", Json::object(), x, same, true},
      {"CutMix", Json::object(), x, same, true},
      {"MixUp", Json::object(), x, same, true},
      {"RandAugment", Json::object(), x, same, true},
      {"AugMix", Json::object(), x, same, true},
      {"MaxNumBoundingBoxes", {{"max_number", 4}}, x, same},
      {"Pipeline",
       {{"layers",
         {{{"class_name", "Rescaling"}, {"config", {{"scale", 0.5}}}},
          {{"class_name", "Resizing"}, {"config", {{"height", 2}, {"width", 2}}}}}}},
       x,
       {1, 2, 2, 3}},
      {"MelSpectrogram",
       {{"fft_length", 16}, {"sequence_stride", 8}, {"num_mel_bins", 4}, {"sampling_rate", 200}},
       Tensor::of(std::vector<float>(64, 0.5F), {1, 64}),
       {1, 4, 9}},
      {"STFTSpectrogram",
       {{"frame_length", 8}, {"frame_step", 4}},
       Tensor::of(std::vector<float>(32, 0.5F), {1, 32, 1}),
       {1, 7, 5}},
  };
}

void PrintTo(const PreprocessingCase& c, std::ostream* out) { *out << c.class_name; }

}  // namespace antler::test
