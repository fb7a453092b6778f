#pragma once

#include "input/data_files.h"

namespace antler::cli {

enum class HoldOut {
  random,  ///< the same random rows in each run; for windows, the last ones
  last,    ///< the last rows, like the validation_split of fit()
};

/// Moves a fraction of the samples, which must be arrays, to `held_out`. Of windows the last are
/// held out, so that nothing is learned from the future. Holds out nothing if the fraction amounts
/// to less than one sample. Throws ValueError if no sample is left for training.
void hold_out(LoadedData& data, double fraction, HoldOut which = HoldOut::random);

}  // namespace antler::cli
