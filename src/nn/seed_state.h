#pragma once

namespace antler {

/// The name of a SeedGenerator's variable, which distinguishes it from weights in files and graphs.
inline constexpr const char* kSeedState = "seed_generator_state";

}  // namespace antler
