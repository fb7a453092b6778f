#pragma once

namespace antler {

/// The name of the variable of a SeedGenerator, by which files and graphs tell it from weights.
inline constexpr const char* kSeedState = "seed_generator_state";

}  // namespace antler
