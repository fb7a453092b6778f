#include "data/directory/file_index.h"

#include <algorithm>
#include <map>
#include <set>

#include "antler/base/error.h"
#include "base/strings.h"
#include "data/numpy_shuffle.h"

namespace antler::data {
namespace {

std::string listed(const std::vector<std::string>& strings) { return "[" + join(strings) + "]"; }

bool has_extension(const std::string& path, const std::vector<std::string>& extensions) {
  const std::string lower = to_lower(path);
  return std::any_of(extensions.begin(), extensions.end(),
                     [&](const std::string& extension) { return lower.ends_with(extension); });
}

void check(const FileIndexOptions& o, bool both) {
  if (o.label_mode != "int" && o.label_mode != "categorical" && o.label_mode != "binary" &&
      o.label_mode != "none") {
    throw ValueError(
        "{}: `label_mode` must be \"int\", \"categorical\", \"binary\" or \"none\". Received: "
        "label_mode={}",
        o.function, o.label_mode);
  }
  if (!o.labels.inferred() && !o.class_names.empty()) {
    throw ValueError("{}: `class_names` is only for inferred labels.", o.function);
  }
  if (!o.labels.inferred() && !o.labels.given() && o.label_mode != "none") {
    throw ValueError("{}: without labels `label_mode` must be \"none\". Received: label_mode={}",
                     o.function, o.label_mode);
  }
  if (o.validation_split && !(*o.validation_split > 0 && *o.validation_split < 1)) {
    throw ValueError(
        "{}: `validation_split` must be between 0 and 1. Received: validation_split={}", o.function,
        *o.validation_split);
  }
  if (o.validation_split.has_value() != (both || !o.subset.empty())) {
    throw ValueError("{}: `validation_split` and `subset` must be given together.", o.function);
  }
  if (!o.subset.empty() && o.subset != "training" && o.subset != "validation") {
    throw ValueError("{}: `subset` must be \"training\" or \"validation\". Received: subset={}",
                     o.function, o.subset);
  }
  if (o.validation_split && o.shuffle && !o.seed && !both) {
    throw ValueError(
        "{}: `seed` must be given with `shuffle` and a split; otherwise the two subsets would "
        "overlap.",
        o.function);
  }
}

/// Files, labels and class names before shuffling.
FileIndex all_files(const std::string& directory, const FileIndexOptions& o) {
  FileIndex index{open_file_tree(directory, o.follow_links), directory, {}, {}, {}};
  const std::vector<std::string>& files = index.tree->files();
  if (!o.labels.inferred()) {
    for (size_t i = 0; i < files.size(); ++i) {
      if (has_extension(files[i], o.extensions)) index.files.push_back(i);
    }
    if (!o.labels.given()) return index;
    index.labels = *o.labels.given();
    if (index.labels.size() != index.files.size()) {
      throw ValueError("{}: received {} labels for {} files in '{}'.", o.function,
                       index.labels.size(), index.files.size(), directory);
    }
    for (const int64_t label : std::set<int64_t>(index.labels.begin(), index.labels.end())) {
      index.class_names.push_back(std::to_string(label));
    }
    return index;
  }
  const std::vector<std::string>& folders = index.tree->folders();
  index.class_names = o.class_names.empty() ? folders : o.class_names;
  std::map<std::string, std::vector<size_t>> by_folder;
  for (size_t i = 0; i < files.size(); ++i) {
    if (has_extension(files[i], o.extensions))
      by_folder[files[i].substr(0, files[i].find('/'))].push_back(i);
  }
  for (size_t label = 0; label < index.class_names.size(); ++label) {
    const std::string& name = index.class_names[label];
    if (!std::binary_search(folders.begin(), folders.end(), name)) {
      throw ValueError("{}: there is no folder '{}' in '{}'. Folders: {}.", o.function, name,
                       directory, listed(folders));
    }
    for (const size_t file : by_folder[name]) {
      index.files.push_back(file);
      index.labels.push_back(static_cast<int64_t>(label));
    }
  }
  return index;
}

}  // namespace

std::vector<std::string> FileIndex::paths() const {
  std::vector<std::string> paths;
  paths.reserve(files.size());
  for (const size_t file : files) paths.push_back(directory + "/" + tree->files()[file]);
  return paths;
}

SplitIndex index_files(const std::string& directory, const FileIndexOptions& o, bool both) {
  check(o, both);
  FileIndex all = all_files(directory, o);
  if (all.files.empty()) {
    throw ValueError("{}: there are no {} files {} '{}'.", o.function, listed(o.extensions),
                     o.labels.inferred() ? "in the folders of" : "below", directory);
  }
  if (o.label_mode == "binary" && all.class_names.size() != 2) {
    throw ValueError("{}: label_mode=\"binary\" needs exactly 2 classes. Received: {}.", o.function,
                     listed(all.class_names));
  }
  if (o.shuffle) {
    const auto seed = static_cast<uint32_t>(o.seed.value_or(0));
    numpy_shuffle(all.files, seed);
    numpy_shuffle(all.labels, seed);
  }
  if (o.label_mode == "none") {
    all.labels.clear();
    all.class_names.clear();
  }
  SplitIndex split{all, {}};
  if (!o.validation_split) return split;
  const auto count = std::ssize(all.files);
  const auto held_out = static_cast<int64_t>(*o.validation_split * static_cast<double>(count));
  if (held_out == 0 || held_out == count) {
    throw ValueError("{}: one part of {} files would be empty. Received: validation_split={}",
                     o.function, count, *o.validation_split);
  }
  split.validation = all;
  const int64_t cut = count - held_out;
  split.training.files.resize(static_cast<size_t>(cut));
  split.validation.files.erase(split.validation.files.begin(),
                               split.validation.files.begin() + cut);
  if (!all.labels.empty()) {
    split.training.labels.resize(static_cast<size_t>(cut));
    split.validation.labels.erase(split.validation.labels.begin(),
                                  split.validation.labels.begin() + cut);
  }
  return split;
}

FileIndex chosen_index(const std::string& directory, const FileIndexOptions& o) {
  SplitIndex split = index_files(directory, o, /*both=*/false);
  return o.subset == "validation" ? std::move(split.validation) : std::move(split.training);
}

Tensor encode_labels(const FileIndex& index, const std::vector<size_t>& rows,
                     const std::string& label_mode, bool batched) {
  const auto count = std::ssize(rows);
  const auto classes = std::ssize(index.class_names);
  std::vector<int64_t> dims;
  if (batched) dims.push_back(count);
  if (label_mode == "categorical") dims.push_back(classes);
  if (label_mode == "binary") dims.push_back(1);
  Tensor labels =
      Tensor::zeros(label_mode == "int" ? DType::int32 : DType::float32, Shape(std::move(dims)));
  for (int64_t i = 0; i < count; ++i) {
    const int64_t label = index.labels[rows[static_cast<size_t>(i)]];
    if (label_mode == "int") {
      labels.mutable_data<int32_t>()[i] = static_cast<int32_t>(label);
    } else if (label_mode == "binary") {
      labels.mutable_data<float>()[i] = static_cast<float>(label);
    } else if (label >= 0 && label < classes) {
      labels.mutable_data<float>()[i * classes + label] = 1;
    }
  }
  return labels;
}

Dataset batches_of_rows(const FileIndex& index, std::optional<int64_t> batch_size, bool shuffle,
                        std::optional<uint64_t> seed) {
  const auto count = std::ssize(index.files);
  Dataset rows = Dataset::range(count);
  if (shuffle) rows = rows.shuffle(count, {.seed = seed});
  return batch_size ? rows.batch(*batch_size) : rows;
}

std::vector<size_t> rows_of(const Nest& element) {
  const Tensor& rows = element.tensor();
  const auto* from = rows.data<int64_t>();
  return {from, from + rows.size()};
}

DirectoryLabels::DirectoryLabels(const char* mode) {
  if (std::string_view(mode) != "inferred") {
    throw ValueError(
        "`labels` must be \"inferred\", std::nullopt or a list of numbers. Received: \"{}\".",
        mode);
  }
}

}  // namespace antler::data
