#pragma once

#include "data_files.h"

namespace antler::cli {

/// Makes a fraction of the samples, which are arrays, the held out ones: the same random rows in
/// each run, or the last windows, so that the past never learns from the future. Holds out nothing
/// if the fraction is less than a sample. Throws ValueError if no sample is left.
void hold_out(LoadedData& data, double fraction);

}  // namespace antler::cli
