#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "antler/core/keyword.h"
#include "antler/data/sequence.h"
#include "antler/io/csv.h"

/// Batches of augmented images as in Keras 2 (keras.preprocessing.image). New code should use
/// image_dataset_from_directory and the Random layers.
namespace antler::utils {

/// Arguments of apply_affine_transform after the image, in Keras's order.
struct AffineImageOptions {
  double theta = 0;                   ///< degrees
  double tx = 0;                      ///< pixels along the width
  double ty = 0;                      ///< pixels along the height
  double shear = 0;                   ///< degrees
  double zx = 1;                      ///< zoom along the width; above 1 the image shrinks
  double zy = 1;                      ///< zoom along the height
  int row_axis = 1;                   ///< of the image
  int col_axis = 2;                   ///< of the image
  int channel_axis = 0;               ///< of the image
  std::string fill_mode = "nearest";  ///< or "constant", "reflect", "wrap"
  double cval = 0;                    ///< fill value for "constant"
  int order = 1;                      ///< interpolation; 0: nearest pixel, 1: linear
};
/// Rotates, shifts, shears and zooms an image of rank 3 about its center; float32. As in Keras 2,
/// the coordinates of the center are swapped, which matters for images that are not square. Throws
/// ValueError for invalid axes and fill modes, NotImplementedError for other orders.
Tensor apply_affine_transform(const Tensor& x, const AffineImageOptions& options = {});
/// Adds `intensity` to all values and clips them to the range of `x`.
Tensor apply_channel_shift(const Tensor& x, double intensity);
/// Options of apply_brightness_shift(), random_brightness().
struct BrightnessOptions {
  bool scale = true;  ///< first stretch the values to 0 ... 255
};
/// Multiplies an image [height, width, channels] in bytes by `brightness`, as in Pillow.
Tensor apply_brightness_shift(const Tensor& x, double brightness, BrightnessOptions options = {});

/// Keras's random_rotation etc.: apply_* with random numbers, which depend on the seed. They
/// replace the corresponding fields of `options`.
Tensor random_rotation(const Tensor& x, double rg, uint64_t seed, AffineImageOptions options = {});
Tensor random_shift(const Tensor& x, double wrg, double hrg, uint64_t seed,
                    AffineImageOptions options = {});
Tensor random_shear(const Tensor& x, double intensity, uint64_t seed,
                    AffineImageOptions options = {});
Tensor random_zoom(const Tensor& x, std::pair<double, double> zoom_range, uint64_t seed,
                   AffineImageOptions options = {});
Tensor random_channel_shift(const Tensor& x, double intensity_range, uint64_t seed);
Tensor random_brightness(const Tensor& x, std::pair<double, double> brightness_range, uint64_t seed,
                         BrightnessOptions options = {});

/// Range of random shifts, in either direction. A floating-point number is the largest shift in
/// pixels, or below 1 the largest fraction of the size. An integer n stands for 0 ... n - 1 pixels.
/// A list has the shifts to choose from.
using ShiftRange = std::variant<double, int64_t, std::vector<double>>;

/// Arguments of ImageDataGenerator, in Keras's order.
struct ImageDataGeneratorOptions {
  bool featurewise_center = false;  ///< subtract the channel means of fit()'s images
  bool samplewise_center = false;   ///< subtract the mean of each image
  /// Divide by the standard deviation of each channel over fit()'s images.
  bool featurewise_std_normalization = false;
  bool samplewise_std_normalization = false;  ///< divide by the standard deviation of each image
  bool zca_whitening = false;                 ///< decorrelate the pixels, using fit()'s images
  double zca_epsilon = 1e-6;                  ///< added to the variances
  double rotation_range = 0;                  ///< degrees
  ShiftRange width_shift_range = 0.0;         ///< largest shift
  ShiftRange height_shift_range = 0.0;        ///< largest shift
  std::optional<std::pair<double, double>> brightness_range = {};  ///< smallest and largest factor
  double shear_range = 0;                                          ///< degrees
  /// A number z stands for the range [1 - z, 1 + z]. Width and height are zoomed independently.
  std::variant<double, std::pair<double, double>> zoom_range = 0.0;
  double channel_shift_range = 0;      ///< largest number that is added to a channel
  std::string fill_mode = "nearest";   ///< or "constant", "reflect", "wrap"
  double cval = 0;                     ///< for "constant"
  bool horizontal_flip = false;        ///< at random
  bool vertical_flip = false;          ///< at random
  std::optional<double> rescale = {};  ///< factor of all values
  /// Called after the random changes, before other changes. Must keep the shape.
  std::function<Tensor(const Tensor& image)> preprocessing_function = {};
  std::string data_format = "channels_last";  ///< or "channels_first"
  double validation_split = 0;                ///< fraction of the images used for validation
  int interpolation_order = 1;                ///< 0 or 1
};

/// Random changes of one image.
struct ImageTransform {
  double theta = 0, tx = 0, ty = 0, shear = 0, zx = 1, zy = 1;
  bool flip_horizontal = false, flip_vertical = false;
  std::optional<double> channel_shift_intensity = {};
  std::optional<double> brightness = {};
};

/// Arguments of fit after the images, in Keras's order.
struct FitImagesOptions {
  bool augment = false;               ///< use augmented versions of the images
  int64_t rounds = 1;                 ///< augmented versions of each image
  std::optional<uint64_t> seed = {};  ///< not given: 0
};
/// Arguments of flow after the images, in Keras's order.
struct FlowOptions {
  int64_t batch_size = 32;            ///< rows of a batch
  bool shuffle = true;                ///< images in a random order
  Tensor sample_weight = {};          ///< a weight per sample
  std::optional<uint64_t> seed = {};  ///< not given: 0
  std::string save_to_dir = {};       ///< folder for copies of the images; empty: none
  std::string save_prefix = {};       ///< of the names of copies
  std::string save_format = "png";    ///< the only format
  bool ignore_class_split = false;    ///< the parts of a split may have different classes
  std::string subset = {};            ///< "training" or "validation"
  Tensors misc = {};                  ///< further inputs, with a row for each image
};

/// Arguments of flow_from_directory after the directory, in Keras's order.
struct FlowFromDirectoryOptions {
  std::pair<int64_t, int64_t> target_size = {256, 256};  ///< height, width
  std::string color_mode = "rgb";                        ///< "grayscale", "rgb" or "rgba"
  std::vector<std::string> classes = {};                 ///< empty: all folders, sorted
  std::string class_mode = "categorical";                ///< "binary", "sparse", "input" or "none"
  int64_t batch_size = 32;                               ///< rows of a batch
  bool shuffle = true;                                   ///< images in a random order
  std::optional<uint64_t> seed = {};                     ///< not given: 0
  std::string save_to_dir = {};           ///< folder for copies of the images; empty: none
  std::string save_prefix = {};           ///< of the names of copies
  std::string save_format = "png";        ///< the only format
  bool follow_links = false;              ///< also read folders that are symbolic links
  std::string subset = {};                ///< "training" or "validation", with the split
  std::string interpolation = "nearest";  ///< as in load_img
  bool keep_aspect_ratio = false;         ///< first crop the center
};

/// Arguments of flow_from_dataframe after the table, in Keras's order.
struct FlowFromDataframeOptions {
  std::string directory = {};                            ///< of the files; empty: names are paths
  std::string x_col = "filename";                        ///< column of the file names
  std::vector<std::string> y_col = {"class"};            ///< several for "multi_output" and "raw"
  std::string weight_col = {};                           ///< column of sample weights; empty: none
  std::pair<int64_t, int64_t> target_size = {256, 256};  ///< height, width
  std::string color_mode = "rgb";                        ///< "grayscale", "rgb" or "rgba"
  std::vector<std::string> classes = {};                 ///< empty: all that occur, sorted
  /// "categorical", "binary", "sparse", "input", "multi_output" (a target per column), "raw" (the
  /// numbers of the columns) or "none".
  std::string class_mode = "categorical";
  int64_t batch_size = 32;                ///< rows of a batch
  bool shuffle = true;                    ///< images in a random order
  std::optional<uint64_t> seed = {};      ///< not given: 0
  std::string save_to_dir = {};           ///< folder for copies of the images; empty: none
  std::string save_prefix = {};           ///< of the names of copies
  std::string save_format = "png";        ///< the only format
  std::string subset = {};                ///< "training" or "validation", with the split
  std::string interpolation = "nearest";  ///< as in load_img
  bool keep_aspect_ratio = false;         ///< first crop the center
  bool validate_filenames = true;         ///< skip rows without an image file, with a warning
};

/// Batches for fit. Random numbers depend only on the seed, the pass and the image, not on batches
/// and threads.
class ImageIterator : public data::Sequence {
 public:
  struct Source;
  explicit ImageIterator(std::shared_ptr<Source> source);
  int64_t size() const override;
  /// Throws ValueError for an index out of range.
  Nest item(int64_t index) override;
  void on_epoch_end() override;

  int64_t samples() const;
  /// Only for images from files, in Keras's order: paths below the directory, class numbers, and
  /// the class number of each folder or label.
  const std::vector<std::string>& filenames() const;
  const std::vector<int64_t>& classes() const;
  const std::map<std::string, int64_t>& class_indices() const;

 private:
  std::shared_ptr<Source> source_;
};

/// Changes images at random and standardizes them. A copy is an alias.
///
///     utils::ImageDataGenerator augment({.rotation_range = 20, .horizontal_flip = true});
///     model.fit(augment.flow(x, y), {.epochs = 3});
class ImageDataGenerator {
 public:
  /// Throws ValueError for invalid arguments.
  explicit ImageDataGenerator(ImageDataGeneratorOptions options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(ImageDataGenerator, ImageDataGeneratorOptions)

  /// Batches of images [n, height, width, channels], with targets if given.
  std::shared_ptr<ImageIterator> flow(const Tensor& x, const Tensor& y = {},
                                      const FlowOptions& options = {}) const;
  template <class... K>
  requires KeywordArguments<K...>
  auto flow(const Tensor& x, const Tensor& y, K... keywords) const {
    return flow(x, y, from_keywords<FlowOptions>(std::move(keywords)...));
  }
  /// Batches of the PNG, JPEG and BMP files in the folders of a directory or tar archive, one
  /// folder per class. Throws NotFoundError; NotImplementedError for PPM and TIFF files, which
  /// Keras reads; while reading, IOError for files that cannot be decoded.
  std::shared_ptr<ImageIterator> flow_from_directory(
      const std::string& directory, const FlowFromDirectoryOptions& options = {}) const;
  template <class... K>
  requires KeywordArguments<K...>
  auto flow_from_directory(const std::string& directory, K... keywords) const {
    return flow_from_directory(directory,
                               from_keywords<FlowFromDirectoryOptions>(std::move(keywords)...));
  }

  /// Batches of the image files that a table lists, with targets from the table. Throws KeyError
  /// for a missing column, TypeError for names and classes that are not strings and for weights
  /// that are not numbers, ValueError for invalid arguments; for files, what flow_from_directory()
  /// throws.
  std::shared_ptr<ImageIterator> flow_from_dataframe(
      const io::CsvTable& dataframe, const FlowFromDataframeOptions& options = {}) const;
  /// The same for the table in a CSV file with a header line.
  std::shared_ptr<ImageIterator> flow_from_dataframe(
      const std::string& csv_path, const FlowFromDataframeOptions& options = {}) const;

  /// Computes the statistics for featurewise_center, featurewise_std_normalization and
  /// zca_whitening from images of rank 4.
  void fit(const Tensor& x, const FitImagesOptions& options = {});
  /// Random changes for an image of this shape (without the batch axis).
  ImageTransform get_random_transform(const Shape& image, uint64_t seed) const;
  Tensor apply_transform(const Tensor& image, const ImageTransform& transform) const;
  Tensor random_transform(const Tensor& image, uint64_t seed) const;
  /// Standardizes an image; float32. Warns if fit() is needed and was not called.
  Tensor standardize(const Tensor& image) const;

  /// Results of fit() per channel; empty before fit().
  const std::vector<double>& mean() const;
  const std::vector<double>& std() const;
  const ImageDataGeneratorOptions& options() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace antler::utils
