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

#include "antler/data/sequence.h"
#include "antler/io/csv.h"

/// Augmented images batch by batch, as Keras 2 has them (keras.preprocessing.image). New code takes
/// image_dataset_from_directory and the Random layers.
namespace antler::utils {

/// Arguments of apply_affine_transform behind the image, Keras's, in its order.
struct AffineImageOptions {
  double theta = 0;  ///< degrees
  double tx = 0;     ///< pixels along the width
  double ty = 0;     ///< pixels along the height
  double shear = 0;  ///< degrees
  double zx = 1;     ///< along the width; above 1 shrinks
  double zy = 1;
  int row_axis = 1;
  int col_axis = 2;
  int channel_axis = 0;
  std::string fill_mode = "nearest";  ///< or "constant", "reflect", "wrap"
  double cval = 0;                    ///< under "constant"
  int order = 1;                      ///< 0: the nearest pixel, 1: linear
};
/// An image of rank 3 turned, shifted, sheared and zoomed about its centre; float32. As in Keras 2
/// the centre of an image that is not square has height and width exchanged. Throws
/// ValueError for axes that do not fit and unknown words, NotImplementedError for another order.
Tensor apply_affine_transform(const Tensor& x, const AffineImageOptions& options = {});
/// All values plus `intensity`, cut to those that there were.
Tensor apply_channel_shift(const Tensor& x, double intensity);
/// The image [height, width, channels] in bytes times `brightness`, as Pillow enhances it; with
/// `scale` its values are stretched to 0 ... 255 first.
Tensor apply_brightness_shift(const Tensor& x, double brightness, bool scale = true);

/// Keras's random_rotation and so on: one draw for the seed, then apply_*; the draw replaces the
/// field of `options` that it is about.
Tensor random_rotation(const Tensor& x, double rg, uint64_t seed, AffineImageOptions options = {});
Tensor random_shift(const Tensor& x, double wrg, double hrg, uint64_t seed,
                    AffineImageOptions options = {});
Tensor random_shear(const Tensor& x, double intensity, uint64_t seed,
                    AffineImageOptions options = {});
Tensor random_zoom(const Tensor& x, std::pair<double, double> zoom_range, uint64_t seed,
                   AffineImageOptions options = {});
Tensor random_channel_shift(const Tensor& x, double intensity_range, uint64_t seed);
Tensor random_brightness(const Tensor& x, std::pair<double, double> brightness_range, uint64_t seed,
                         bool scale = true);

/// How far images shift: a number is up to that many pixels either way, or below 1 that part of the
/// size; an integer n is one of 0 ... n - 1 pixels either way; a list holds what to choose from,
/// either way.
using ShiftRange = std::variant<double, int64_t, std::vector<double>>;

/// Arguments of ImageDataGenerator, Keras's, in its order.
struct ImageDataGeneratorOptions {
  bool featurewise_center = false;  ///< minus the mean of fit()'s images, per channel
  bool samplewise_center = false;
  bool featurewise_std_normalization = false;
  bool samplewise_std_normalization = false;
  bool zca_whitening = false;
  double zca_epsilon = 1e-6;
  double rotation_range = 0;  ///< degrees
  ShiftRange width_shift_range = 0.0;
  ShiftRange height_shift_range = 0.0;
  std::optional<std::pair<double, double>> brightness_range = {};
  double shear_range = 0;  ///< degrees
  /// [1 - z, 1 + z], or a range; one number for each side of the image
  std::variant<double, std::pair<double, double>> zoom_range = 0.0;
  double channel_shift_range = 0;
  std::string fill_mode = "nearest";  ///< or "constant", "reflect", "wrap"
  double cval = 0;
  bool horizontal_flip = false;
  bool vertical_flip = false;
  std::optional<double> rescale = {};
  /// After the random changes, before everything else; keeps the shape
  std::function<Tensor(const Tensor& image)> preprocessing_function = {};
  std::string data_format = "channels_last";  ///< or "channels_first"
  double validation_split = 0;
  int interpolation_order = 1;  ///< 0 or 1
};

/// What one image is changed by.
struct ImageTransform {
  double theta = 0, tx = 0, ty = 0, shear = 0, zx = 1, zy = 1;
  bool flip_horizontal = false, flip_vertical = false;
  std::optional<double> channel_shift_intensity = {};
  std::optional<double> brightness = {};
};

/// Arguments of flow behind the images, Keras's, in its order.
struct FlowOptions {
  int64_t batch_size = 32;
  bool shuffle = true;
  Tensor sample_weight = {};
  std::optional<uint64_t> seed = {};  ///< not given: 0
  std::string save_to_dir = {};       ///< where to write what comes out; empty: nowhere
  std::string save_prefix = {};
  std::string save_format = "png";  ///< only this
  bool ignore_class_split = false;  ///< the parts of a split may have other classes
  std::string subset = {};          ///< "training" or "validation"
  Tensors misc = {};                ///< further inputs, row by row beside the images
};

/// Arguments of flow_from_directory behind the directory, Keras's, in its order.
struct FlowFromDirectoryOptions {
  std::pair<int64_t, int64_t> target_size = {256, 256};
  std::string color_mode = "rgb";          ///< "grayscale", "rgb" or "rgba"
  std::vector<std::string> classes = {};   ///< empty: all folders, sorted
  std::string class_mode = "categorical";  ///< "binary", "sparse", "input" or "none"
  int64_t batch_size = 32;
  bool shuffle = true;
  std::optional<uint64_t> seed = {};  ///< not given: 0
  std::string save_to_dir = {};
  std::string save_prefix = {};
  std::string save_format = "png";
  bool follow_links = false;
  std::string subset = {};
  std::string interpolation = "nearest";  ///< as load_img
  bool keep_aspect_ratio = false;
};

/// Arguments of flow_from_dataframe behind the table, Keras's, in its order.
struct FlowFromDataframeOptions {
  std::string directory = {};                  ///< before the names; empty: they are paths
  std::string x_col = "filename";              ///< column of the names
  std::vector<std::string> y_col = {"class"};  ///< several for "multi_output" and "raw"
  std::string weight_col = {};                 ///< column of sample weights; empty: none
  std::pair<int64_t, int64_t> target_size = {256, 256};
  std::string color_mode = "rgb";
  std::vector<std::string> classes = {};  ///< empty: all that there are, sorted
  /// "categorical", "binary", "sparse", "input", "multi_output" (a target for each column), "raw"
  /// (numbers of the columns) or "none"
  std::string class_mode = "categorical";
  int64_t batch_size = 32;
  bool shuffle = true;
  std::optional<uint64_t> seed = {};  ///< not given: 0
  std::string save_to_dir = {};
  std::string save_prefix = {};
  std::string save_format = "png";
  std::string subset = {};
  std::string interpolation = "nearest";
  bool keep_aspect_ratio = false;
  bool validate_filenames = true;  ///< rows without an image file are left out, with a warning
};

/// Batches for fit. Each draw depends on seed, pass and image alone: not on batches and threads.
class ImageIterator : public data::Sequence {
 public:
  struct Source;
  explicit ImageIterator(std::shared_ptr<Source> source);
  int64_t size() const override;
  /// Throws ValueError for a batch that there is not.
  Nest item(int64_t index) override;
  void on_epoch_end() override;

  int64_t samples() const;
  /// Of files alone, in Keras's order: folder/file, the class of each, numbers by folder.
  const std::vector<std::string>& filenames() const;
  const std::vector<int64_t>& classes() const;
  const std::map<std::string, int64_t>& class_indices() const;

 private:
  std::shared_ptr<Source> source_;
};

/// Changes images at random and standardises them. A copy is an alias.
///
///     utils::ImageDataGenerator augment({.rotation_range = 20, .horizontal_flip = true});
///     model.fit(augment.flow(x, y), {.epochs = 3});
class ImageDataGenerator {
 public:
  /// Throws ValueError for arguments that do not fit.
  explicit ImageDataGenerator(ImageDataGeneratorOptions options = {});

  /// Batches of images [n, height, width, channels] with targets, or without.
  std::shared_ptr<ImageIterator> flow(const Tensor& x, const Tensor& y = {},
                                      const FlowOptions& options = {}) const;
  /// Batches of the PNG, JPEG and BMP files of the folders in a directory (or a tar archive), one
  /// folder per class. Throws NotFoundError; while reading, IOError for what cannot be decoded.
  std::shared_ptr<ImageIterator> flow_from_directory(
      const std::string& directory, const FlowFromDirectoryOptions& options = {}) const;

  /// Batches of the image files that a table names, with what it says of them. Throws KeyError for
  /// a column that there is not, TypeError for names and classes that are no texts and weights that
  /// are no numbers, ValueError for arguments that do not fit.
  std::shared_ptr<ImageIterator> flow_from_dataframe(
      const io::CsvTable& dataframe, const FlowFromDataframeOptions& options = {}) const;
  /// The same for the table in a CSV file with a line of names.
  std::shared_ptr<ImageIterator> flow_from_dataframe(
      const std::string& csv_path, const FlowFromDataframeOptions& options = {}) const;

  /// What featurewise_center, featurewise_std_normalization and zca_whitening need, of images of
  /// rank 4; with `augment` of `rounds` changed versions of them.
  void fit(const Tensor& x, bool augment = false, int64_t rounds = 1,
           std::optional<uint64_t> seed = {});
  /// One draw for images of this shape (without batch).
  ImageTransform get_random_transform(const Shape& image, uint64_t seed) const;
  Tensor apply_transform(const Tensor& image, const ImageTransform& transform) const;
  Tensor random_transform(const Tensor& image, uint64_t seed) const;
  /// An image standardised; float32. Warns where fit() was needed and not called.
  Tensor standardize(const Tensor& image) const;

  /// fit()'s results, per channel; empty before.
  const std::vector<double>& mean() const;
  const std::vector<double>& std() const;
  const ImageDataGeneratorOptions& options() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace antler::utils
