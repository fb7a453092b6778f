#pragma once

#include <string>

#include "antler/saving/checkpoint.h"

namespace antler::saving {

/// The file of a folder that names its checkpoints.
inline constexpr const char* kStateFile = "checkpoint";

/// The folder of a checkpoint prefix; "." for a plain name.
std::string folder_of(const std::string& prefix);
/// Replaces the file `checkpoint` of a folder. With `relative`, paths inside the folder are written
/// relative to it, so that the folder can be moved.
void write_checkpoint_state(const std::string& directory, const CheckpointState& state,
                            bool relative = true);
/// Deletes the files of a checkpoint, including `PREFIX.meta`. Missing files are not an error; a
/// file that cannot be deleted causes a warning.
void remove_checkpoint(const std::string& prefix);

}  // namespace antler::saving
