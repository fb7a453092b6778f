#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "antler/core/string_tensor.h"
#include "antler/core/tensor.h"
#include "antler/data/dataset.h"

/// Data sets of files in folders, the names of the folders being the classes (Keras's
/// image_dataset_from_directory and text_dataset_from_directory).
///
/// `directory` is a folder, or lies in a tar archive (plain or gzip) as if that were a folder:
/// "flowers.tar.gz", "cifar10.tar/train".
namespace antler::data {

/// Labels of the files: from the names of their folders, none, or one per file in the order of
/// their paths.
class DirectoryLabels {
 public:
  DirectoryLabels() = default;
  DirectoryLabels(const char* text);                     // NOLINT(google-explicit-constructor)
  DirectoryLabels(std::nullopt_t) : inferred_(false) {}  // NOLINT(google-explicit-constructor)
  DirectoryLabels(std::vector<int64_t> labels)           // NOLINT(google-explicit-constructor)
      : inferred_(false), given_(std::move(labels)) {}
  bool inferred() const { return inferred_; }
  const std::optional<std::vector<int64_t>>& given() const { return given_; }

 private:
  bool inferred_ = true;
  std::optional<std::vector<int64_t>> given_;
};

/// Arguments of image_dataset_from_directory behind the directory, Keras's, in its order.
struct ImageDatasetOptions {
  DirectoryLabels labels = "inferred";
  /// "int": int32 [n]; "categorical": float32 [n, classes]; "binary": float32 [n, 1]; "none".
  std::string label_mode = "int";
  /// The folders to take, in the order of their labels; not given: all, sorted.
  std::vector<std::string> class_names = {};
  std::string color_mode = "rgb";                       ///< "grayscale", "rgb" or "rgba"
  std::optional<int64_t> batch_size = 32;               ///< nullopt: single images
  std::pair<int64_t, int64_t> image_size = {256, 256};  ///< height, width
  bool shuffle = true;                                  ///< another order in each pass
  std::optional<uint64_t> seed = {};                    ///< of order and split
  std::optional<double> validation_split = {};          ///< in (0, 1)
  std::string subset = {};  ///< "training" or "validation", with the split
  /// "bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5", "gaussian",
  /// "mitchellcubic"
  std::string interpolation = "bilinear";
  bool follow_links = false;
  bool crop_to_aspect_ratio = false;  ///< cut the largest part of the right proportions first
  bool pad_to_aspect_ratio = false;   ///< keep the proportions, fill up with zeros
  int64_t num_parallel_calls = 0;     ///< threads that decode; 0 = as many as the machine has
};

/// A data set with what its files tell. It stands for data in fit().
struct DirectoryDataset {
  Dataset dataset;
  std::vector<std::string> class_names;  ///< empty without labels
  std::vector<std::string> file_paths;   ///< in the order of a pass that does not shuffle
  std::vector<int64_t> labels;           ///< of the files; empty without labels

  std::shared_ptr<DataSource> source(const SourceOptions& options) const {
    return dataset.source(options);
  }
};

/// Batches [images, labels] (images alone without labels); images are float32 [n, height, width,
/// channels] in [0, 255], of the JPEG, PNG, BMP and GIF files below `directory`, resized as
/// tf.image.resize does. They are decoded on threads while the batch before is used, in an order
/// that does not depend on the threads.
///
/// The split and, with `shuffle`, file_paths are those of Keras for the same seed (0 where none is
/// given). Throws NotFoundError for no such directory; ValueError for arguments that do not fit and
/// where no image is found; while iterating, IOError naming a file that cannot be decoded.
DirectoryDataset image_dataset_from_directory(const std::string& directory,
                                              const ImageDatasetOptions& options = {});
/// Both sides of the split (Keras's subset="both"): training, validation.
std::pair<DirectoryDataset, DirectoryDataset> image_datasets_from_directory(
    const std::string& directory, ImageDatasetOptions options);

/// Arguments of audio_dataset_from_directory behind the directory, Keras's, in its order.
struct AudioDatasetOptions {
  DirectoryLabels labels = "inferred";
  std::string label_mode = "int";  ///< as for images
  std::vector<std::string> class_names = {};
  std::optional<int64_t> batch_size = 32;     ///< nullopt: single sounds
  std::optional<int64_t> sampling_rate = {};  ///< that all files must have
  /// Sounds are cut or filled up with zeros; not given: to the longest of the batch
  std::optional<int64_t> output_sequence_length = {};
  bool shuffle = true;
  std::optional<uint64_t> seed = {};
  std::optional<double> validation_split = {};
  std::string subset = {};
  bool follow_links = false;
};

/// Batches [audio, labels] of the .wav files below `directory`: float32 [n, samples, channels] in
/// [-1, 1). Throws as image_dataset_from_directory does; while iterating, IOError naming a file
/// that is no linear PCM, ValueError where the files of a batch have different numbers of channels,
/// NotImplementedError for a file of another rate than `sampling_rate`.
DirectoryDataset audio_dataset_from_directory(const std::string& directory,
                                              const AudioDatasetOptions& options = {});
/// Both sides of the split: training, validation.
std::pair<DirectoryDataset, DirectoryDataset> audio_datasets_from_directory(
    const std::string& directory, AudioDatasetOptions options);

/// Arguments of text_dataset_from_directory behind the directory, Keras's, in its order.
struct TextDatasetOptions {
  DirectoryLabels labels = "inferred";
  std::string label_mode = "int";  ///< as for images
  std::vector<std::string> class_names = {};
  std::optional<int64_t> batch_size = 32;  ///< nullopt: single texts
  int64_t max_length = -1;                 ///< bytes that are kept of a text; -1 = all
  bool shuffle = true;
  std::optional<uint64_t> seed = {};
  std::optional<double> validation_split = {};
  std::string subset = {};
  bool follow_links = false;
};

/// The .txt files of a directory. Texts are no tensors, so that a data set exists once a function
/// turns a batch of texts into one: a TextVectorization layer, for example.
///
///     auto texts = data::text_dataset_from_directory("reviews/train");
///     vectorize.adapt(texts.texts);
///     model.fit(texts.map([=](const StringTensor& batch) { return vectorize(batch); }));
struct TextDataset {
  StringTensor texts;                    ///< [files], in the order of file_paths
  std::vector<int64_t> labels;           ///< of the files; empty without labels
  std::vector<std::string> class_names;  ///< empty without labels
  std::vector<std::string> file_paths;

  /// Batches [vectorize(texts), labels]; `vectorize` gets the texts of a batch, [n].
  Dataset map(std::function<Tensor(const StringTensor&)> vectorize) const;

  TextDatasetOptions options;  ///< that it was made with
};

/// Reads the texts. Throws as image_dataset_from_directory does.
TextDataset text_dataset_from_directory(const std::string& directory,
                                        const TextDatasetOptions& options = {});
std::pair<TextDataset, TextDataset> text_datasets_from_directory(const std::string& directory,
                                                                 TextDatasetOptions options);

}  // namespace antler::data
