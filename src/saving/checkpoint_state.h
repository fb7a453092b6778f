#pragma once

#include <string>

#include "antler/saving/checkpoint.h"

namespace antler::saving {

/// The folder in which a prefix lies; "." for a plain name.
std::string folder_of(const std::string& prefix);
/// Replaces the file `checkpoint` of a folder. Paths inside of the folder are written relative to
/// it, so that the folder may move.
void write_checkpoint_state(const std::string& directory, const CheckpointState& state);

}  // namespace antler::saving
