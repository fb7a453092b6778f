#include "antler/base/error.h"
#include "antler/data/directory_datasets.h"
#include "data/directory/file_index.h"

namespace antler::data {
namespace {

FileIndexOptions text_index_options(const TextDatasetOptions& o) {
  return index_options("text_dataset_from_directory", {".txt"}, o);
}

TextDataset read_texts(const FileIndex& index, const TextDatasetOptions& options) {
  std::vector<std::string> texts;
  texts.reserve(index.files.size());
  for (const size_t file : index.files) {
    std::string text = index.tree->read(file);
    if (options.max_length >= 0 && std::ssize(text) > options.max_length) {
      text.resize(static_cast<size_t>(options.max_length));
    }
    texts.push_back(std::move(text));
  }
  return {std::move(texts), index.labels, index.class_names, index.paths(), options};
}

}  // namespace

TextDataset text_dataset_from_directory(const std::string& directory,
                                        const TextDatasetOptions& options) {
  return read_texts(chosen_index(directory, text_index_options(options)), options);
}

std::pair<TextDataset, TextDataset> text_datasets_from_directory(const std::string& directory,
                                                                 TextDatasetOptions options) {
  options.subset.clear();
  const SplitIndex split = index_files(directory, text_index_options(options), /*both=*/true);
  TextDataset training = read_texts(split.training, options);
  options.shuffle = false;
  return {std::move(training), read_texts(split.validation, options)};
}

Dataset TextDataset::map(std::function<Tensor(const StringTensor&)> vectorize) const {
  FileIndex index;
  index.files.resize(texts.values.size());
  index.labels = labels;
  index.class_names = class_names;
  const Dataset rows = batches_of_rows(index, options.batch_size, options.shuffle, options.seed);
  return rows.map([vectorize = std::move(vectorize), index, all = texts, mode = options.label_mode,
                   batched = options.batch_size.has_value()](const Nest& element) -> Nest {
    const std::vector<size_t> chosen = rows_of(element);
    std::vector<std::string> batch;
    for (const size_t row : chosen) batch.push_back(all.values[row]);
    const Tensor x = vectorize(StringTensor(std::move(batch)));
    if (mode == "none") return x;
    return std::vector<Nest>{x, encode_labels(index, chosen, mode, batched)};
  });
}

}  // namespace antler::data
