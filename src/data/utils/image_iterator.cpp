// Batches of ImageDataGenerator from arrays and from files.
#include "data/utils/image_iterator.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "base/strings.h"
#include "data/directory/file_tree.h"
#include "data/gather.h"
#include "data/permutation.h"
#include "data/random_words.h"
#include "data/rows.h"
#include "data/utils/draws.h"

namespace antler::utils {
namespace {

void check_rows(const Tensor& x, const Tensor& other, const char* what) {
  if (!other.defined() || (other.rank() > 0 && other.dim(0) == x.dim(0))) return;
  throw ValueError(
      "`x` (images tensor) and {} should have the same length. Found: x.shape = {}, {}", what,
      x.shape(), other.shape());
}

std::set<std::vector<double>> different_rows(const Tensor& y, int64_t begin, int64_t end) {
  const std::vector<double> values = data::rows_of(y, begin, end - begin).to_doubles();
  std::set<std::vector<double>> all;
  for (const double v : values) all.insert({v});
  return all;
}

}  // namespace

uint64_t draw_seed(uint64_t seed, uint64_t pass, int64_t sample) {
  data::RandomWords words(seed, pass * 0x9E3779B97F4A7C15U + static_cast<uint64_t>(sample) + 1);
  const uint64_t low = words.next();
  return uint64_t{words.next()} << 32 | low;
}

void check_save_format(const std::string& format) {
  if (format != "png") {
    throw ValueError("`save_format` must be \"png\". Received: save_format={}", format);
  }
}

void check_subset(const std::string& subset) {
  if (subset.empty() || subset == "training" || subset == "validation") return;
  throw ValueError("Invalid subset name: {}; expected \"training\" or \"validation\".", subset);
}

bool is_image_file(const std::string& name) {
  const std::string lower = to_lower(name);
  for (const char* extension : {".png", ".jpg", ".jpeg", ".bmp", ".ppm", ".tif", ".tiff"}) {
    if (lower.ends_with(extension)) return true;
  }
  return false;
}

Tensor array_of_file(std::string_view bytes, const std::string& path,
                     const LoadImageOptions& options, const std::string& data_format) {
  try {
    return img_to_array(decode_img(bytes, options), data_format);
  } catch (const IOError& error) {
    throw IOError("'{}': {}", path, error.what());
  }
}

void check_color_mode(const std::string& mode) {
  if (mode == "rgb" || mode == "rgba" || mode == "grayscale") return;
  throw ValueError("Invalid color mode: {}; expected \"rgb\", \"rgba\", or \"grayscale\".", mode);
}

Nest labelled_batch(const std::string& mode, const std::vector<int64_t>& classes, int64_t count,
                    const Tensor& images, const std::vector<int64_t>& rows) {
  if (mode == "none") return images;
  if (mode == "input") return std::vector<Nest>{images, images};
  const bool categorical = mode == "categorical";
  const auto width = static_cast<size_t>(categorical ? count : 1);
  std::vector<float> labels(rows.size() * width, 0.0F);
  for (size_t i = 0; i < rows.size(); ++i) {
    const int64_t label = classes[static_cast<size_t>(rows[i])];
    if (categorical) {
      labels[i * width + static_cast<size_t>(label)] = 1;
    } else {
      labels[i] = static_cast<float>(label);
    }
  }
  const Shape shape = categorical ? Shape{std::ssize(rows), count} : Shape{std::ssize(rows)};
  return std::vector<Nest>{images, Tensor::of(labels, shape)};
}

ImageIterator::ImageIterator(std::shared_ptr<Source> source) : source_(std::move(source)) {
  if (source_->batch_size < 1) {
    throw ValueError("`batch_size` must be positive. Received: batch_size={}", source_->batch_size);
  }
}

int64_t ImageIterator::size() const {
  return (source_->samples + source_->batch_size - 1) / source_->batch_size;
}

void ImageIterator::on_epoch_end() { ++source_->pass; }
int64_t ImageIterator::samples() const { return source_->samples; }
const std::vector<std::string>& ImageIterator::filenames() const { return source_->filenames; }
const std::vector<int64_t>& ImageIterator::classes() const { return source_->classes; }
const std::map<std::string, int64_t>& ImageIterator::class_indices() const {
  return source_->class_indices;
}

Nest ImageIterator::item(int64_t index) {
  if (index < 0 || index >= size()) {
    throw ValueError("Asked to retrieve element {}, but the Sequence has length {}", index, size());
  }
  const Source& s = *source_;
  const uint64_t pass = s.pass;
  std::vector<int64_t> order(static_cast<size_t>(s.samples));
  std::iota(order.begin(), order.end(), 0);
  if (s.shuffle) data::random_permutation(order, s.seed, pass);
  const int64_t begin = index * s.batch_size;
  const int64_t end = std::min(begin + s.batch_size, s.samples);
  const std::vector<int64_t> rows(order.begin() + begin, order.begin() + end);

  std::vector<float> values;
  Shape image_shape;
  for (const int64_t row : rows) {
    Tensor x = s.image(row);
    const uint64_t draw = draw_seed(s.seed, pass, row);
    x = s.generator.standardize(s.generator.random_transform(x, draw));
    image_shape = x.shape();
    const std::vector<float> image = floats_of(x);
    values.insert(values.end(), image.begin(), image.end());
    if (!s.save_to_dir.empty()) {
      save_img(format("{}/{}_{}_{}.png", s.save_to_dir, s.save_prefix, row, draw % 10'000'000), x,
               {.data_format = s.generator.options().data_format});
    }
  }
  std::vector<int64_t> dims = {std::ssize(rows)};
  dims.insert(dims.end(), image_shape.begin(), image_shape.end());
  return s.batch(Tensor::of(values, Shape(dims)), rows);
}

std::shared_ptr<ImageIterator> ImageDataGenerator::flow(const Tensor& given_x,
                                                        const Tensor& given_y,
                                                        const FlowOptions& o) const {
  if (given_x.rank() != 4) {
    throw ValueError(
        "Input data in `NumpyArrayIterator` should have rank 4. You passed an array with shape {}",
        given_x.shape());
  }
  check_save_format(o.save_format);
  check_subset(o.subset);
  check_rows(given_x, given_y, "`y` (labels)");
  check_rows(given_x, o.sample_weight, "`sample_weight`");
  for (const Tensor& m : o.misc) check_rows(given_x, m, "further inputs");
  const int64_t all = given_x.dim(0);
  int64_t begin = 0, end = all;
  if (!o.subset.empty()) {
    const auto split = static_cast<int64_t>(static_cast<double>(all) * options().validation_split);
    if (given_y.defined() && !o.ignore_class_split &&
        different_rows(given_y, 0, split) != different_rows(given_y, split, all)) {
      throw ValueError(
          "Training and validation subsets have different number of classes after the split. If "
          "your arrays are sorted by the label, you might want to shuffle them.");
    }
    (o.subset == "validation" ? end : begin) = split;
  }
  const auto part = [&](const Tensor& t) {
    return t.defined() ? data::rows_of(t, begin, end - begin) : t;
  };
  const Tensor x = part(given_x);
  const Tensor y = part(given_y);
  // Keras does not split the weights, so its training images get the weights of other images.
  const Tensor weight = part(o.sample_weight);
  Tensors misc;
  for (const Tensor& m : o.misc) misc.push_back(part(m));

  const auto source = std::make_shared<ImageIterator::Source>(*this);
  source->samples = end - begin;
  source->take(o);
  source->image = [x](int64_t sample) {
    const Tensor one = data::rows_of(x, sample, 1);
    return Tensor::of(floats_of(one),
                      Shape(std::vector<int64_t>(x.shape().begin() + 1, x.shape().end())));
  };
  source->batch = [=](const Tensor& images, const std::vector<int64_t>& rows) -> Nest {
    Nest inputs = images;
    if (!misc.empty()) {
      std::vector<Nest> list = {images};
      for (const Tensor& m : misc) list.emplace_back(data::take_rows(m, rows));
      inputs = Nest(std::move(list));
    }
    if (!y.defined()) return misc.empty() ? inputs : Nest(std::vector<Nest>{inputs});
    std::vector<Nest> parts = {inputs, data::take_rows(y, rows)};
    if (weight.defined()) parts.emplace_back(data::take_rows(weight, rows));
    return parts;
  };
  return std::make_shared<ImageIterator>(source);
}

std::shared_ptr<ImageIterator> ImageDataGenerator::flow_from_directory(
    const std::string& directory, const FlowFromDirectoryOptions& o) const {
  check_save_format(o.save_format);
  check_subset(o.subset);
  static const std::set<std::string> kModes = {"categorical", "binary", "sparse", "input", "none"};
  if (!kModes.contains(o.class_mode)) {
    throw ValueError(
        "Invalid class_mode: {}; expected one of: categorical, binary, sparse, input, none",
        o.class_mode);
  }
  check_color_mode(o.color_mode);
  const std::shared_ptr<const data::FileTree> tree =
      data::open_file_tree(directory, o.follow_links);
  const std::vector<std::string> folders = o.classes.empty() ? tree->folders() : o.classes;

  const auto source = std::make_shared<ImageIterator::Source>(*this);
  std::vector<size_t> files;
  for (size_t label = 0; label < folders.size(); ++label) {
    source->class_indices[folders[label]] = static_cast<int64_t>(label);
    std::vector<size_t> found;
    for (size_t i = 0; i < tree->files().size(); ++i) {
      const std::string& name = tree->files()[i];
      if (name.starts_with(folders[label] + "/") && is_image_file(name)) found.push_back(i);
    }
    const auto count = static_cast<double>(found.size());
    const auto split = static_cast<size_t>(options().validation_split * count);
    const size_t begin = o.subset == "training" ? split : 0;
    const size_t end = o.subset == "validation" ? split : found.size();
    for (size_t i = begin; i < end; ++i) {
      files.push_back(found[i]);
      source->filenames.push_back(tree->files()[found[i]]);
      source->classes.push_back(static_cast<int64_t>(label));
    }
  }
  logging::print(
      format("Found {} images belonging to {} classes.\n", files.size(), folders.size()));
  source->samples = std::ssize(files);
  source->take(o);
  const LoadImageOptions load{.color_mode = o.color_mode,
                              .target_size = {o.target_size.first, o.target_size.second},
                              .interpolation = o.interpolation,
                              .keep_aspect_ratio = o.keep_aspect_ratio};
  source->image = [=, data_format = options().data_format](int64_t sample) {
    const size_t file = files[static_cast<size_t>(sample)];
    return array_of_file(tree->read(file), directory + "/" + tree->files()[file], load,
                         data_format);
  };
  source->batch = [classes = source->classes, mode = o.class_mode, count = std::ssize(folders)](
                      const Tensor& images, const std::vector<int64_t>& rows) {
    return labelled_batch(mode, classes, count, images, rows);
  };
  return std::make_shared<ImageIterator>(source);
}

}  // namespace antler::utils
