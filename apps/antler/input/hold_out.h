#pragma once

#include "input/data_files.h"

namespace antler::cli {

enum class HoldOut {
  random,  ///< the same random rows in each run; of windows the last ones
  last,    ///< the last rows, as the validation_split of fit()
};

/// Makes a fraction of the samples, which are arrays, the held out ones. The last windows are held
/// out, so that nothing is learned from the future. Holds out nothing if the fraction is less than
/// a sample. Throws ValueError if no sample is left.
void hold_out(LoadedData& data, double fraction, HoldOut which = HoldOut::random);

}  // namespace antler::cli
