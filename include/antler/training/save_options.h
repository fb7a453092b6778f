#pragma once

namespace antler {

/// Arguments of Model::save and Model::save_weights behind the path.
struct SaveOptions {
  bool overwrite = true;          ///< false: a file of that name is an error
  bool include_optimizer = true;  ///< false: without compile arguments and optimizer state
};

/// Arguments of Model::load_weights behind the path.
struct LoadWeightsOptions {
  bool skip_mismatch = false;  ///< layers whose weights do not fit keep theirs, with a warning
  /// Of Keras's older `.h5` files: layers take weights by their names, others keep theirs.
  bool by_name = false;
};

}  // namespace antler
