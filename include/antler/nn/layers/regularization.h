#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "antler/nn/layer.h"

namespace antler {

/// Options of Dropout.
struct DropoutOptions {
  double rate = 0;  ///< part of the elements that become 0, in [0, 1]
  std::optional<std::vector<int64_t>> noise_shape =
      {};  ///< shape of the mask; -1 = as the input, 1 = shared
  std::optional<int64_t> seed = {};
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// In training, sets elements to 0 at random and divides the others by 1 - rate; else passes them
/// on.
class Dropout : public LayerBase<Dropout> {
 public:
  /// Throws ValueError unless 0 <= rate <= 1.
  explicit Dropout(double rate, DropoutOptions options = {});
  explicit Dropout(const DropoutOptions& options);
  Tensor call(const Tensor& input, const CallOptions& options) override;
  using Layer::call;
  Json get_config() const override;

 private:
  DropoutOptions options_;
  std::optional<SeedGenerator> seed_generator_;
};

}  // namespace antler
