#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "antler/data/utils/image_generator.h"

namespace antler::utils {

/// What an ImageIterator takes its images from.
struct ImageIterator::Source {
  explicit Source(ImageDataGenerator images_by) : generator(std::move(images_by)) {}

  ImageDataGenerator generator;
  int64_t samples = 0;
  int64_t batch_size = 32;
  bool shuffle = true;
  uint64_t seed = 0;
  std::string save_to_dir, save_prefix;
  /// An image, [height, width, channels] or channels first, before any change.
  std::function<Tensor(int64_t sample)> image;
  /// A batch of what was made of the images of `samples`.
  std::function<Nest(const Tensor& images, const std::vector<int64_t>& samples)> batch;

  std::vector<std::string> filenames;
  std::vector<int64_t> classes;
  std::map<std::string, int64_t> class_indices;

  std::atomic<uint64_t> pass = 0;

  /// What the options of all flows have in common.
  template <class Options>
  void take(const Options& o) {
    batch_size = o.batch_size;
    shuffle = o.shuffle;
    seed = o.seed.value_or(0);
    save_to_dir = o.save_to_dir;
    save_prefix = o.save_prefix;
  }
};

/// A seed for the draws of one sample in one pass.
uint64_t draw_seed(uint64_t seed, uint64_t pass, int64_t sample);
/// Throws ValueError for another format than "png".
void check_save_format(const std::string& format);

/// Throw ValueError for other words than Keras's.
void check_subset(const std::string& subset);
void check_color_mode(const std::string& mode);
/// By the ending of its name.
bool is_image_file(std::string name);
/// Images, with the labels of their rows as `mode` says: "categorical", "binary", "sparse",
/// "input" or "none".
Nest labelled_batch(const std::string& mode, const std::vector<int64_t>& classes, int64_t count,
                    const Tensor& images, const std::vector<int64_t>& rows);

}  // namespace antler::utils
