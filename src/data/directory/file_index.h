#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "antler/data/directory_datasets.h"
#include "data/directory/file_tree.h"

namespace antler::data {

/// The files of a data set and their labels.
struct FileIndex {
  std::shared_ptr<const FileTree> tree;
  std::string directory;
  std::vector<size_t> files;    ///< indices in tree->files()
  std::vector<int64_t> labels;  ///< one per file; empty without labels
  std::vector<std::string> class_names;

  std::vector<std::string> paths() const;
};

/// The options that all data sets from a directory share.
struct FileIndexOptions {
  const char* function;  ///< for errors
  std::vector<std::string> extensions;
  const DirectoryLabels& labels;
  const std::string& label_mode;
  const std::vector<std::string>& class_names;
  bool shuffle;
  std::optional<uint64_t> seed;
  const std::optional<double>& validation_split;
  const std::string& subset;
  bool follow_links;
};

template <class Options>
FileIndexOptions index_options(const char* function, std::vector<std::string> extensions,
                               const Options& o) {
  return {function, std::move(extensions), o.labels, o.label_mode,  o.class_names, o.shuffle,
          o.seed,   o.validation_split,    o.subset, o.follow_links};
}

/// Both parts of the split; without a split all files are in `training`.
struct SplitIndex {
  FileIndex training;
  FileIndex validation;
};

/// Keras's index_directory and get_training_or_validation_split. `both`: the caller uses both
/// parts, and options.subset must be empty. Throws ValueError, NotFoundError.
SplitIndex index_files(const std::string& directory, const FileIndexOptions& options, bool both);
/// The part that options.subset selects.
FileIndex chosen_index(const std::string& directory, const FileIndexOptions& options);

/// The labels of these rows of an index, encoded as `label_mode` says.
Tensor encode_labels(const FileIndex& index, const std::vector<size_t>& rows,
                     const std::string& label_mode, bool batched);

/// Row numbers of an index in batches, int64 [n] (scalars without a batch size), in the order of
/// the pass.
Dataset batches_of_rows(const FileIndex& index, std::optional<int64_t> batch_size, bool shuffle,
                        std::optional<uint64_t> seed);
/// The row numbers in an element of batches_of_rows().
std::vector<size_t> rows_of(const Nest& element);

}  // namespace antler::data
