#pragma once

namespace antler {

/// Arguments of Model::save and Model::save_weights after the path.
struct SaveOptions {
  bool overwrite = true;          ///< false: throw if the file exists
  bool include_optimizer = true;  ///< false: omit compile arguments and optimizer state
};

/// Arguments of Model::load_weights after the path.
struct LoadWeightsOptions {
  bool skip_mismatch = false;  ///< skip layers whose weights do not match, with a warning
  bool by_name = false;        ///< for older `.h5` files: match layers by name, skip the others
};

}  // namespace antler
