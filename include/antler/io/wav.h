#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "antler/core/tensor.h"

namespace antler::io {

/// Sound of a WAV file.
struct Audio {
  Tensor samples;       ///< float32 [samples, channels] in [-1, 1)
  int64_t sample_rate;  ///< per second
};

/// Arguments of decode_wav, those of tf.audio.decode_wav.
struct DecodeWavOptions {
  std::optional<int64_t> desired_channels =
      {};  ///< further ones are dropped, missing ones repeat the last
  std::optional<int64_t> desired_samples = {};  ///< cut, or filled up with zeros
};

/// Decodes linear PCM of 8, 16, 24 or 32 bits, with any chunks between. Throws IOError for anything
/// else, and for files that end early.
Audio decode_wav(std::string_view bytes, const DecodeWavOptions& options = {});

}  // namespace antler::io
