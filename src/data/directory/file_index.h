#pragma once

#include <optional>
#include <string>
#include <vector>

#include "antler/data/directory_datasets.h"
#include "data/directory/file_tree.h"

namespace antler::data {

/// The files of a data set with their labels.
struct FileIndex {
  std::shared_ptr<const FileTree> tree;
  std::string directory;
  std::vector<size_t> files;    ///< in tree->files()
  std::vector<int64_t> labels;  ///< one per file; empty without labels
  std::vector<std::string> class_names;

  std::vector<std::string> paths() const;
};

/// What both kinds of data sets have among their options.
struct FileIndexOptions {
  const char* function;  ///< for errors
  std::vector<std::string> endings;
  const DirectoryLabels& labels;
  const std::string& label_mode;
  const std::vector<std::string>& class_names;
  bool shuffle;
  std::optional<uint64_t> seed;
  const std::optional<double>& validation_split;
  const std::string& subset;
  bool follow_links;
};

/// Both sides of the split; without a split all are on the first.
struct SplitIndex {
  FileIndex training;
  FileIndex validation;
};

/// Keras's index_directory and get_training_or_validation_split. `both`: the caller takes both
/// sides, so that options.subset stays empty. Throws ValueError, NotFoundError.
SplitIndex index_files(const std::string& directory, const FileIndexOptions& options, bool both);
/// The side that options.subset names.
FileIndex chosen_index(const std::string& directory, const FileIndexOptions& options);

/// Labels of rows of an index in the form of `label_mode`.
Tensor encode_labels(const FileIndex& index, const std::vector<size_t>& rows,
                     const std::string& label_mode, bool batched);

/// Row numbers of an index in batches, [n] int64 (scalars without a batch size), in the order of
/// the pass.
Dataset batches_of_rows(const FileIndex& index, std::optional<int64_t> batch_size, bool shuffle,
                        std::optional<uint64_t> seed);
std::vector<size_t> rows_of(const Nest& element);

}  // namespace antler::data
