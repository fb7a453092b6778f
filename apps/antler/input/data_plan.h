#pragma once

#include <optional>
#include <string>
#include <vector>

#include "antler/base/json.h"
#include "antler/nn/layers/lookup.h"
#include "input/table_plan.h"

namespace antler::cli {

/// How image files are converted.
struct ImagePlan {
  int64_t height = 0;
  int64_t width = 0;
  int64_t channels = 3;
  std::vector<std::string> classes;  ///< folder names; empty if unknown
  std::string color_mode() const;
};

/// How text files are converted to tokens [sequence_length].
struct TextPlan {
  std::vector<std::string> vocabulary;  ///< without the padding and unknown tokens
  int64_t sequence_length = 0;
  std::vector<std::string> classes;
  TextVectorization vectorizer() const;
};

/// How tf.Examples are converted.
struct RecordPlan {
  std::vector<std::string> features;  ///< concatenated if there are several
  std::vector<int64_t> widths;        ///< number of values of each; 0 if not a list of numbers
  std::string target;
  std::vector<std::string> classes;  ///< of a string target
};

/// How the training data was converted. The plan is saved beside the model, so that other data is
/// converted in the same way. At most one member is set.
struct DataPlan {
  std::optional<TablePlan> table;
  std::optional<ImagePlan> image;
  std::optional<TextPlan> text;
  std::optional<RecordPlan> records;

  bool given() const { return table || image || text || records; }
  /// Names of the classes; empty if the target is a number or nothing is known.
  std::vector<std::string> classes() const;
  Json to_json() const;
  /// Throws nlohmann's errors and ValueError for invalid JSON.
  static DataPlan from_json(const Json& json);

  /// Saves the plan beside a model; does nothing if not given().
  void save_beside(const std::string& model_path) const;
  /// Loads the plan beside a model, if there is one. Throws IOError if it is damaged.
  static DataPlan load_beside(const std::string& model_path);
};

}  // namespace antler::cli
