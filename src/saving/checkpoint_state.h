#pragma once

#include <string>

#include "antler/saving/checkpoint.h"

namespace antler::saving {

/// The folder of a checkpoint prefix; "." for a plain name.
std::string folder_of(const std::string& prefix);
/// Replaces the file `checkpoint` of a folder. Paths inside the folder are written relative to it,
/// so that the folder can be moved.
void write_checkpoint_state(const std::string& directory, const CheckpointState& state);

}  // namespace antler::saving
