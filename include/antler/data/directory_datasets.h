#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "antler/core/keyword.h"
#include "antler/core/string_tensor.h"
#include "antler/core/tensor.h"
#include "antler/data/dataset.h"

/// Data sets of files in folders, where each folder is a class (Keras's
/// image_dataset_from_directory and the like).
///
/// `directory` is a folder, a tar archive (plain or gzip), or a folder in an archive:
/// "flowers.tar.gz", "cifar10.tar/train".
namespace antler::data {

/// Labels of the files: "inferred" from their folders, none, or one per file in the order of the
/// paths.
class DirectoryLabels {
 public:
  DirectoryLabels() = default;
  /// Throws ValueError for a string other than "inferred".
  DirectoryLabels(const char* mode);  // NOLINT(google-explicit-constructor)
  // A template, because {1, 2} must not convert to a string.
  template <std::same_as<std::string> String>
  DirectoryLabels(const String& mode)  // NOLINT(google-explicit-constructor)
      : DirectoryLabels(mode.c_str()) {}
  DirectoryLabels(std::nullopt_t) : inferred_(false) {}  // NOLINT(google-explicit-constructor)
  DirectoryLabels(std::vector<int64_t> labels)           // NOLINT(google-explicit-constructor)
      : inferred_(false), given_(std::move(labels)) {}
  bool inferred() const { return inferred_; }
  const std::optional<std::vector<int64_t>>& given() const { return given_; }

 private:
  bool inferred_ = true;
  std::optional<std::vector<int64_t>> given_;
};

/// Arguments of image_dataset_from_directory after the directory, in Keras's order.
struct ImageDatasetOptions {
  DirectoryLabels labels = "inferred";  ///< "inferred" from folders, none, or one per file
  /// "int": int32 [n]; "categorical": float32 [n, classes]; "binary": float32 [n, 1]; "none".
  std::string label_mode = "int";
  /// The folders to read, in the order of their labels; empty: all, sorted.
  std::vector<std::string> class_names = {};
  std::string color_mode = "rgb";                       ///< "grayscale", "rgb" or "rgba"
  std::optional<int64_t> batch_size = 32;               ///< nullopt: single images
  std::pair<int64_t, int64_t> image_size = {256, 256};  ///< height, width
  bool shuffle = true;                                  ///< a new order in each pass
  std::optional<uint64_t> seed = {};                    ///< of the order and the split
  std::optional<double> validation_split = {};          ///< in (0, 1)
  std::string subset = {};  ///< "training" or "validation"; requires `validation_split`
  /// "bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5", "gaussian",
  /// "mitchellcubic"
  std::string interpolation = "bilinear";
  bool follow_links = false;          ///< also read folders that are symbolic links
  bool crop_to_aspect_ratio = false;  ///< first crop to the target's aspect ratio
  bool pad_to_aspect_ratio = false;   ///< keep the aspect ratio, pad with zeros
  int64_t num_parallel_calls = 0;     ///< decoding threads; 0: as many as the machine has
};

/// A data set that knows its files.
struct DirectoryDataset : Dataset {
  std::vector<std::string> class_names;  ///< empty without labels
  std::vector<std::string> file_paths;   ///< in the order of an unshuffled pass
  std::vector<int64_t> labels;           ///< of the files; empty without labels
};

/// Batches [images, labels], or images alone without labels, of the JPEG, PNG, BMP and GIF files
/// below `directory`. Images are float32 [n, height, width, channels] in [0, 255], resized as by
/// tf.image.resize. Threads decode them while the previous batch is used; their number does not
/// affect the order.
///
/// The split and, with `shuffle`, file_paths equal Keras's for the same seed (0 if none is given).
/// Throws NotFoundError if there is no such directory; ValueError for invalid arguments and if
/// there is no image; while iterating, IOError with the name of a file that cannot be decoded.
DirectoryDataset image_dataset_from_directory(const std::string& directory,
                                              const ImageDatasetOptions& options = {});
ANTLER_KEYWORD_FUNCTION(image_dataset_from_directory, ImageDatasetOptions, const std::string&)
/// Both parts of the split (Keras's subset="both"): training and validation.
std::pair<DirectoryDataset, DirectoryDataset> image_datasets_from_directory(
    const std::string& directory, ImageDatasetOptions options);
ANTLER_KEYWORD_FUNCTION(image_datasets_from_directory, ImageDatasetOptions, const std::string&)

/// Arguments of audio_dataset_from_directory after the directory, in Keras's order.
struct AudioDatasetOptions {
  DirectoryLabels labels = "inferred";  ///< "inferred" from folders, none, or one per file
  std::string label_mode = "int";       ///< as for images
  /// The folders to read, in the order of their labels; empty: all, sorted.
  std::vector<std::string> class_names = {};
  std::optional<int64_t> batch_size = 32;     ///< nullopt: single sounds
  std::optional<int64_t> sampling_rate = {};  ///< required sampling rate of all files
  /// Samples to cut or zero-pad each sound to; not given: the longest of the batch.
  std::optional<int64_t> output_sequence_length = {};
  bool shuffle = true;  ///< a new order in each pass
  std::optional<uint64_t> seed = {};
  std::optional<double> validation_split = {};  ///< in (0, 1)
  std::string subset = {};                      ///< "training" or "validation", with the split
  bool follow_links = false;                    ///< also read folders that are symbolic links
};

/// Batches [audio, labels] of the .wav files below `directory`: float32 [n, samples, channels] in
/// [-1, 1). Throws like image_dataset_from_directory; while iterating, IOError with the name of a
/// file that is not linear PCM, ValueError if the files of a batch have different numbers of
/// channels, NotImplementedError for a file with another rate than `sampling_rate`.
DirectoryDataset audio_dataset_from_directory(const std::string& directory,
                                              const AudioDatasetOptions& options = {});
ANTLER_KEYWORD_FUNCTION(audio_dataset_from_directory, AudioDatasetOptions, const std::string&)
/// Both parts of the split: training and validation.
std::pair<DirectoryDataset, DirectoryDataset> audio_datasets_from_directory(
    const std::string& directory, AudioDatasetOptions options);
ANTLER_KEYWORD_FUNCTION(audio_datasets_from_directory, AudioDatasetOptions, const std::string&)

/// Arguments of text_dataset_from_directory after the directory, in Keras's order.
struct TextDatasetOptions {
  DirectoryLabels labels = "inferred";  ///< "inferred" from folders, none, or one per file
  std::string label_mode = "int";       ///< as for images
  /// The folders to read, in the order of their labels; empty: all, sorted.
  std::vector<std::string> class_names = {};
  std::optional<int64_t> batch_size = 32;  ///< nullopt: single texts
  int64_t max_length = -1;                 ///< bytes kept of each text; -1: all
  bool shuffle = true;                     ///< a new order in each pass
  std::optional<uint64_t> seed = {};
  std::optional<double> validation_split = {};  ///< in (0, 1)
  std::string subset = {};                      ///< "training" or "validation", with the split
  bool follow_links = false;                    ///< also read folders that are symbolic links
};

/// The .txt files of a directory. Texts are not tensors, so this is not a Dataset: map() makes one,
/// with a function that turns a batch of texts into a tensor, such as a TextVectorization layer.
///
///     auto texts = data::text_dataset_from_directory("reviews/train");
///     vectorize.adapt(texts.texts);
///     model.fit(texts.map([=](const StringTensor& batch) { return vectorize(batch); }));
struct TextDataset {
  StringTensor texts;                    ///< [files], in the order of file_paths
  std::vector<int64_t> labels;           ///< of the files; empty without labels
  std::vector<std::string> class_names;  ///< empty without labels
  std::vector<std::string> file_paths;

  /// Batches [vectorize(texts), labels]; `vectorize` receives the texts of a batch, [n].
  Dataset map(std::function<Tensor(const StringTensor&)> vectorize) const;

  TextDatasetOptions options;
};

/// Reads the texts. Throws like image_dataset_from_directory.
TextDataset text_dataset_from_directory(const std::string& directory,
                                        const TextDatasetOptions& options = {});
ANTLER_KEYWORD_FUNCTION(text_dataset_from_directory, TextDatasetOptions, const std::string&)
std::pair<TextDataset, TextDataset> text_datasets_from_directory(const std::string& directory,
                                                                 TextDatasetOptions options);
ANTLER_KEYWORD_FUNCTION(text_datasets_from_directory, TextDatasetOptions, const std::string&)

}  // namespace antler::data
