#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace antler::data {

/// Resizes 8-bit images like tf.image.resize without antialiasing: pixel centers are at half
/// coordinates, and there are two passes with the weights of a kernel. The weights of the last
/// sizes are cached for further images of equal size. Not thread-safe.
class ImageResizer {
 public:
  enum class Fit : uint8_t { stretch, crop, pad };
  /// Throws ValueError for an unknown interpolation.
  ImageResizer(const std::string& interpolation, Fit fit, int64_t height, int64_t width,
               int64_t channels);
  /// `to`: float32 [height, width, channels].
  void resize(const uint8_t* from, int64_t from_height, int64_t from_width, float* to);

 private:
  /// For each output pixel, the first input pixel and the weights of that one and the next ones.
  struct Weights {
    int64_t from = -1;
    int64_t to = -1;
    int64_t taps = 0;
    std::vector<int64_t> first;
    std::vector<float> values;
  };
  void prepare(Weights& weights, int64_t from, int64_t to) const;

  std::string interpolation_;
  Fit fit_;
  int64_t height_;
  int64_t width_;
  int64_t channels_;
  Weights rows_;
  Weights columns_;
  std::vector<float> lines_;  // result of the first pass
};

}  // namespace antler::data
