#pragma once

#include <cstdint>
#include <vector>

#include "antler/nn/calibration_config.h"

namespace antler {

/// `count` sequences of token ids, int32 [1, length] each, taken at equal distances from the
/// concatenated data, which is repeated if it is too short. Throws ValueError if there is no data,
/// or if the data are strings and there is no tokenizer.
Tensors calibration_sequences(const CalibrationData& data, const Tokenizer& tokenizer,
                              int64_t count, int64_t length);

}  // namespace antler
