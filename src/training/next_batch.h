#pragma once

#include <optional>

#include "antler/core/nest.h"
#include "antler/data/data_source.h"

namespace antler::training {

/// A copy of the next batch; nullopt at the end of the data.
std::optional<Nest> next_batch(DataSource& source);

}  // namespace antler::training
