#include "nn/layers/locally_connected_geometry.h"

#include <algorithm>

namespace antler {

int64_t product_of(const std::vector<int64_t>& sizes) {
  int64_t result = 1;
  for (const int64_t size : sizes) result *= size;
  return result;
}

std::vector<int64_t> LocalGeometry::output() const {
  std::vector<int64_t> places;
  for (size_t d = 0; d < input.size(); ++d) {
    const int64_t starts = same ? input[d] : input[d] - kernel[d] + 1;
    places.push_back(starts <= 0 ? 0 : (starts + strides[d] - 1) / strides[d]);
  }
  return places;
}

std::vector<float> LocalGeometry::mask() const {
  const std::vector<int64_t> places = output();
  const int64_t inputs = product_of(input);
  const int64_t outputs = product_of(places);
  std::vector<float> mask(static_cast<size_t>(inputs * outputs), 0.0F);
  for (int64_t p = 0; p < inputs; ++p) {
    for (int64_t q = 0; q < outputs; ++q) {
      bool sees = true;
      int64_t rest_p = p;
      int64_t rest_q = q;
      for (size_t d = input.size(); d-- > 0;) {
        const int64_t left = kernel[d] / 2;
        const int64_t center = rest_q % places[d] * strides[d] + (same ? 0 : left);
        const int64_t at = rest_p % input[d];
        sees = sees && at >= center - left && at < center - left + kernel[d];
        rest_p /= input[d];
        rest_q /= places[d];
      }
      if (sees) mask[static_cast<size_t>(p * outputs + q)] = 1;
    }
  }
  return mask;
}

std::vector<int64_t> weight_places(const LocalGeometry& geometry, int64_t channels, int64_t filters,
                                   bool channels_first) {
  const int64_t inputs = product_of(geometry.input);
  const int64_t outputs = product_of(geometry.output());
  const std::vector<float> mask = geometry.mask();
  std::vector<int64_t> places;
  for (int64_t q = 0; q < outputs; ++q) {
    for (int64_t f = 0; f < filters; ++f) {
      const int64_t row = channels_first ? f * outputs + q : q * filters + f;
      for (int64_t p = 0; p < inputs; ++p) {
        if (mask[static_cast<size_t>(p * outputs + q)] == 0) continue;
        for (int64_t c = 0; c < channels; ++c) {
          const int64_t column = channels_first ? c * inputs + p : p * channels + c;
          places.push_back(row * inputs * channels + column);
        }
      }
    }
  }
  std::sort(places.begin(), places.end());
  return places;
}

}  // namespace antler
