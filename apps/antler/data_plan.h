#pragma once

#include <optional>
#include <string>
#include <vector>

#include "antler/base/json.h"
#include "antler/nn/layers/lookup.h"
#include "table_plan.h"

namespace antler::cli {

/// How image files become inputs.
struct ImagePlan {
  int64_t height = 0;
  int64_t width = 0;
  int64_t channels = 3;
  std::vector<std::string> classes;  ///< folder names; empty where the model is of another origin
  std::string color_mode() const;
};

/// How text files become inputs: words by their number in the vocabulary, [sequence_length].
struct TextPlan {
  std::vector<std::string> vocabulary;  ///< without the entries for padding and unknown words
  int64_t sequence_length = 0;
  std::vector<std::string> classes;
  TextVectorization vectorizer() const;
};

/// How tf.Examples become inputs.
struct RecordPlan {
  std::vector<std::string> features;  ///< side by side where there are several
  std::vector<int64_t> widths;        ///< values of each; 0 for what is no list of numbers
  std::string target;
  std::vector<std::string> classes;  ///< of a target of texts
};

/// What is kept beside a model, so that other data of the same kind is read as its training data
/// was. At most one of them is set.
struct DataPlan {
  std::optional<TablePlan> table;
  std::optional<ImagePlan> image;
  std::optional<TextPlan> text;
  std::optional<RecordPlan> records;

  bool given() const { return table || image || text || records; }
  /// What class 0, 1, ... is called; empty where the target is a number or nothing is known.
  std::vector<std::string> classes() const;
  Json to_json() const;
  /// Throws nlohmann's errors for what to_json() did not write.
  static DataPlan from_json(const Json& json);

  /// Writes it beside a model; does nothing when there is none.
  void save_beside(const std::string& model_path) const;
  /// The one beside a model; not given() where there is none. Throws IOError for a damaged one.
  static DataPlan load_beside(const std::string& model_path);
};

}  // namespace antler::cli
