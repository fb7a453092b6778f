#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "antler/core/tensor.h"

namespace antler::io {

/// The sound of a WAV file.
struct Audio {
  Tensor samples;       ///< float32 [samples, channels] in [-1, 1)
  int64_t sample_rate;  ///< per second
};

/// Arguments of decode_wav, those of tf.audio.decode_wav.
struct DecodeWavOptions {
  /// Surplus channels are dropped; the last channel is repeated for missing ones.
  std::optional<int64_t> desired_channels = {};
  /// Longer sounds are cut, shorter ones are padded with zeros.
  std::optional<int64_t> desired_samples = {};
};

/// Decodes linear PCM of 8, 16, 24 or 32 bits. Unknown chunks are skipped. Throws IOError for other
/// formats, for samples in larger containers, and for truncated files.
Audio decode_wav(std::string_view bytes, const DecodeWavOptions& options = {});

}  // namespace antler::io
