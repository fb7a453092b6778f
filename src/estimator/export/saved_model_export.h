#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "antler/estimator/model_fn.h"
#include "antler/estimator/serving.h"

namespace antler::estimator {

/// A graph of an exported model.
struct ExportedMode {
  ModeKeys mode = ModeKeys::predict;
  ServingInputReceiverFn receiver;
  /// One graph for each set of tags; empty: the tag of the mode ("train", "eval", "serve").
  std::vector<std::vector<std::string>> tags = {};
};

struct SavedModelRequest {
  ModelFn model_fn;
  Params params = {};
  RunConfig config = {};
  std::string model_dir;
  std::string export_dir_base;
  std::vector<ExportedMode> modes;
  std::map<std::string, std::string> assets_extra = {};  ///< destination -> file
  bool as_text = false;
  std::optional<std::string> checkpoint_path = {};  ///< not given: the newest of model_dir
};

/// Writes EXPORT_DIR_BASE/TIMESTAMP, first under a temporary name. Returns its path. Variables are
/// those of the first mode in the order train, eval, predict. Throws ValueError if there are no
/// modes, no receiver or no checkpoint, and if the checkpoint lacks variables; RuntimeError if no
/// name is free; NotFoundError if an asset does not exist; IOError.
std::string write_saved_model(const SavedModelRequest& request);

}  // namespace antler::estimator
