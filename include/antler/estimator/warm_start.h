#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "antler/core/variable.h"
#include "antler/estimator/graph.h"
#include "antler/nn/initializer.h"

namespace antler::estimator {

/// Maps the rows (or columns) of a variable from an old vocabulary to a new one
/// (tf.estimator.VocabInfo). Vocabularies are files with one word per line.
struct VocabInfo {
  std::string new_vocab = {};
  int64_t new_vocab_size = 0;
  int64_t num_oov_buckets = 0;
  std::string old_vocab = {};
  int64_t old_vocab_size = -1;          ///< -1: all words of the file
  Initializer backup_initializer = {};  ///< for new words; not given: zeros
  int axis = 0;                         ///< 0: rows, 1: columns
};

/// tf.estimator.WarmStartSettings.
struct WarmStartSettings {
  /// Prefix of a checkpoint, a folder with checkpoints, or a SavedModel.
  std::string ckpt_to_initialize_from = {};
  /// A regular expression, which selects trainable variables; a list of regular expressions, which
  /// selects global variables; or variables. None: only those in var_name_to_vocab_info.
  std::optional<std::variant<std::string, std::vector<std::string>, Variables>> vars_to_warm_start =
      std::string(".*");
  std::map<std::string, VocabInfo> var_name_to_vocab_info = {};
  std::map<std::string, std::string> var_name_to_prev_var_name = {};
};

/// The argument `warm_start_from`: not given, a path (all trainable variables), or settings.
class WarmStart {
 public:
  WarmStart() = default;
  WarmStart(const char* path)
      : WarmStart(std::string(path)) {}  // NOLINT(google-explicit-constructor)
  /// Throws ValueError for an empty path.
  WarmStart(std::string path);            // NOLINT(google-explicit-constructor)
  WarmStart(WarmStartSettings settings);  // NOLINT(google-explicit-constructor)
  bool given() const { return settings_.has_value(); }
  const WarmStartSettings& settings() const { return *settings_; }

 private:
  std::optional<WarmStartSettings> settings_;
};

/// Sets variables of the graph to values from a checkpoint. A regular expression must match the
/// beginning of "NAME:0". Throws NotFoundError if the checkpoint does not exist, and ValueError for
/// a variable that it does not contain or that has another shape, and for names in the settings
/// that no selected variable has. Changes nothing then.

void warm_start(const Graph& graph, const WarmStartSettings& settings);

}  // namespace antler::estimator
