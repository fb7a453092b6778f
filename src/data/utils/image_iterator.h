#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "antler/data/utils/image_generator.h"
#include "antler/data/utils/images.h"

namespace antler::utils {

/// The source of an ImageIterator's images.
struct ImageIterator::Source {
  explicit Source(ImageDataGenerator images_by) : generator(std::move(images_by)) {}

  ImageDataGenerator generator;
  int64_t samples = 0;
  int64_t batch_size = 32;
  bool shuffle = true;
  uint64_t seed = 0;
  std::string save_to_dir, save_prefix;
  /// Returns an unchanged image, [height, width, channels] or channels first.
  std::function<Tensor(int64_t sample)> image;
  /// Makes a batch of the final images of `samples`.
  std::function<Nest(const Tensor& images, const std::vector<int64_t>& samples)> batch;

  std::vector<std::string> filenames;
  std::vector<int64_t> classes;
  std::map<std::string, int64_t> class_indices;

  std::atomic<uint64_t> pass = 0;

  /// All samples in the order of a pass. The last one is kept, because all batches of a pass ask
  /// for it. Thread-safe.
  std::shared_ptr<const std::vector<int64_t>> order(uint64_t of_pass);

  /// Copies the options that flow() and the flow_from_...() functions share.
  template <class Options>
  void take(const Options& o) {
    batch_size = o.batch_size;
    shuffle = o.shuffle;
    seed = o.seed.value_or(0);
    save_to_dir = o.save_to_dir;
    save_prefix = o.save_prefix;
  }

 private:
  std::mutex order_mutex_;
  std::shared_ptr<const std::vector<int64_t>> order_;
  uint64_t order_pass_ = 0;  ///< of order_
};

/// The seed of the random changes of a sample in a pass.
uint64_t draw_seed(uint64_t seed, uint64_t pass, int64_t sample);
/// Throws ValueError for a format other than "png".
void check_save_format(const std::string& format);

/// These throw ValueError for values that Keras does not know.
void check_subset(const std::string& subset);
void check_color_mode(const std::string& mode);
/// Whether a file name has the extension of an image for Keras.
bool is_image_file(const std::string& name);
/// Throws NotImplementedError for images that decode_img() cannot read, going by their extension.
void check_decodable(const std::string& path);
/// Decodes an image file to an array in a data format. Errors name the file.
Tensor array_of_file(std::string_view bytes, const std::string& path,
                     const LoadImageOptions& options, const std::string& data_format);
/// A batch of images with their labels, encoded as `mode` says: "categorical", "binary", "sparse",
/// "input" or "none".
Nest labelled_batch(const std::string& mode, const std::vector<int64_t>& classes, int64_t count,
                    const Tensor& images, const std::vector<int64_t>& rows);

}  // namespace antler::utils
