#pragma once

#include <cstdint>
#include <optional>

#include "antler/nn/initializer.h"

namespace antler {

/// How an initializer without a seed gets one.
enum class SeedUse : uint8_t {
  once,      ///< an object: has one seed and gives the same values at each use
  each_use,  ///< made from a name or a configuration: a new seed at each use
};

/// Base of the random initializers.
class RandomInitializer : public InitializerImpl {
 protected:
  RandomInitializer(std::optional<int64_t> seed, SeedUse use);
  /// The seed of one use, uint32 [2].
  Tensor seed() const;
  const std::optional<int64_t>& given_seed() const { return given_; }

 private:
  std::optional<int64_t> given_;
  std::optional<int64_t> fixed_;
};

}  // namespace antler
