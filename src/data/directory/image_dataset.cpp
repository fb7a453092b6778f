#include <algorithm>
#include <thread>

#include "antler/base/error.h"
#include "antler/data/directory_datasets.h"
#include "antler/io/image.h"
#include "data/directory/file_index.h"
#include "data/directory/resize.h"

namespace antler::data {
namespace {

constexpr const char* kFunction = "image_dataset_from_directory";

int64_t channels_of(const std::string& color_mode) {
  if (color_mode == "grayscale") return 1;
  if (color_mode == "rgb") return 3;
  if (color_mode == "rgba") return 4;
  throw ValueError(
      "{}: `color_mode` must be \"grayscale\", \"rgb\" or \"rgba\". Received: color_mode={}",
      kFunction, color_mode);
}

ImageResizer::Fit fit_of(const ImageDatasetOptions& o) {
  if (o.crop_to_aspect_ratio && o.pad_to_aspect_ratio) {
    throw ValueError("{}: only one of `crop_to_aspect_ratio` and `pad_to_aspect_ratio` can be set.",
                     kFunction);
  }
  if (o.crop_to_aspect_ratio) return ImageResizer::Fit::crop;
  return o.pad_to_aspect_ratio ? ImageResizer::Fit::pad : ImageResizer::Fit::stretch;
}

FileIndexOptions image_index_options(const ImageDatasetOptions& o) {
  return index_options(kFunction, {".bmp", ".gif", ".jpeg", ".jpg", ".png"}, o);
}

/// Decodes the images of a batch. Thread-safe.
class BatchDecoder {
 public:
  BatchDecoder(FileIndex index, const ImageDatasetOptions& options)
      : index_(std::move(index)),
        options_(options),
        channels_(channels_of(options.color_mode)),
        resizer_(options.interpolation, fit_of(options), options.image_size.first,
                 options.image_size.second, channels_) {}

  Nest operator()(const Nest& element) const {
    const std::vector<size_t> rows = rows_of(element);
    const auto [height, width] = options_.image_size;
    const bool batched = options_.batch_size.has_value();
    const Shape shape = batched ? Shape{std::ssize(rows), height, width, channels_}
                                : Shape{height, width, channels_};
    Tensor images = Tensor::empty(DType::float32, shape);
    ImageResizer resizer = resizer_;
    float* to = images.mutable_data<float>();
    for (const size_t row : rows) {
      const Tensor image = decode(row);
      resizer.resize(image.data<uint8_t>(), image.shape()[0], image.shape()[1], to);
      to += height * width * channels_;
    }
    if (options_.label_mode == "none") return images;
    return std::vector<Nest>{images, encode_labels(index_, rows, options_.label_mode, batched)};
  }

 private:
  Tensor decode(size_t row) const {
    const size_t file = index_.files[row];
    try {
      return io::decode_image(index_.tree->read(file), {.channels = channels_});
    } catch (const IOError& error) {
      throw IOError("'{}/{}': {}", index_.directory, index_.tree->files()[file], error.what());
    }
  }

  FileIndex index_;
  ImageDatasetOptions options_;
  int64_t channels_;
  ImageResizer resizer_;
};

DirectoryDataset make_images(FileIndex index, const ImageDatasetOptions& o) {
  const auto [height, width] = o.image_size;
  constexpr int64_t kMaxSide = 1 << 20;
  if (height < 1 || width < 1 || height > kMaxSide || width > kMaxSide) {
    throw ValueError(
        "{}: `image_size` must be positive and at most {}. Received: image_size=({}, {})",
        kFunction, kMaxSide, height, width);
  }
  const int64_t threads = o.num_parallel_calls > 0
                              ? o.num_parallel_calls
                              : std::max<int64_t>(1, std::thread::hardware_concurrency());
  Dataset rows = batches_of_rows(index, o.batch_size, o.shuffle, o.seed);
  std::vector<std::string> paths = index.paths();
  std::vector<std::string> names = index.class_names;
  std::vector<int64_t> labels = index.labels;
  const auto decoder = std::make_shared<const BatchDecoder>(std::move(index), o);
  Dataset images = rows.map([decoder](const Nest& element) { return (*decoder)(element); },
                            {.num_parallel_calls = threads});
  if (threads == 1) images = images.prefetch(2);
  return {std::move(images), std::move(names), std::move(paths), std::move(labels)};
}

}  // namespace

DirectoryDataset image_dataset_from_directory(const std::string& directory,
                                              const ImageDatasetOptions& options) {
  return make_images(chosen_index(directory, image_index_options(options)), options);
}

std::pair<DirectoryDataset, DirectoryDataset> image_datasets_from_directory(
    const std::string& directory, ImageDatasetOptions options) {
  options.subset.clear();
  SplitIndex split = index_files(directory, image_index_options(options), /*both=*/true);
  DirectoryDataset training = make_images(std::move(split.training), options);
  options.shuffle = false;  // the order does not matter for validation
  return {std::move(training), make_images(std::move(split.validation), options)};
}

}  // namespace antler::data
