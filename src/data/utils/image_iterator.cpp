// Batches of ImageDataGenerator from arrays and from files.
#include "data/utils/image_iterator.h"

#include <algorithm>
#include <initializer_list>
#include <numeric>
#include <set>
#include <string_view>

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

/// Images for Keras, but not for decode_img().
constexpr std::initializer_list<const char*> kUndecodable = {".ppm", ".tif", ".tiff"};

bool ends_with_any(const std::string& name, std::initializer_list<const char*> endings) {
  const std::string lower = to_lower(name);
  return std::any_of(endings.begin(), endings.end(),
                     [&](const char* ending) { return lower.ends_with(ending); });
}

void check_rows(const Tensor& x, const Tensor& other, const char* what) {
  if (!other.defined() || (other.rank() > 0 && other.dim(0) == x.dim(0))) return;
  throw ValueError(
      "`x` (images tensor) and {} should have the same length. Found: x.shape = {}, {}", what,
      x.shape(), other.shape());
}

std::set<double> distinct_values(const Tensor& y, int64_t begin, int64_t end) {
  const std::vector<double> values = data::rows_of(y, begin, end - begin).to_doubles();
  return {values.begin(), values.end()};
}

/// The images in each of these folders, as indices of the tree's files.
std::map<std::string, std::vector<size_t>, std::less<>> images_in(
    const std::vector<std::string>& folders, const data::FileTree& tree) {
  std::map<std::string, std::vector<size_t>, std::less<>> images;
  for (const std::string& folder : folders) images[folder];
  for (size_t i = 0; i < tree.files().size(); ++i) {
    const std::string& file = tree.files()[i];
    if (!is_image_file(file)) continue;
    const std::string_view name = file;
    // A class may be a folder in a folder.
    for (size_t slash = name.find('/'); slash != std::string_view::npos;
         slash = name.find('/', slash + 1)) {
      const auto found = images.find(name.substr(0, slash));
      if (found != images.end()) found->second.push_back(i);
    }
  }
  return images;
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
  return ends_with_any(name, {".png", ".jpg", ".jpeg", ".bmp"}) ||
         ends_with_any(name, kUndecodable);
}

void check_decodable(const std::string& path) {
  if (!ends_with_any(path, kUndecodable)) return;
  throw NotImplementedError(
      "'{}': PPM and TIFF images cannot be read. Convert them to PNG, JPEG or BMP.", path);
}

Tensor array_of_file(std::string_view bytes, const std::string& path,
                     const LoadImageOptions& options, const std::string& data_format) {
  try {
    return img_to_array(decode_img(bytes, options), {.data_format = data_format});
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

std::shared_ptr<const std::vector<int64_t>> ImageIterator::Source::order(uint64_t of_pass) {
  const std::lock_guard lock(order_mutex_);
  if (order_ == nullptr || (shuffle && order_pass_ != of_pass)) {
    std::vector<int64_t> order(static_cast<size_t>(samples));
    if (shuffle) {
      data::random_permutation(order, seed, of_pass);
    } else {
      std::iota(order.begin(), order.end(), 0);
    }
    order_ = std::make_shared<const std::vector<int64_t>>(std::move(order));
    order_pass_ = of_pass;
  }
  return order_;
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
  Source& s = *source_;
  const uint64_t pass = s.pass;
  const std::shared_ptr<const std::vector<int64_t>> order = s.order(pass);
  const int64_t begin = index * s.batch_size;
  const int64_t end = std::min(begin + s.batch_size, s.samples);
  const std::vector<int64_t> rows(order->begin() + begin, order->begin() + end);

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
  for (const Tensor& m : o.misc) check_rows(given_x, m, "an array of `misc`");
  const int64_t all = given_x.dim(0);
  int64_t begin = 0, end = all;
  if (!o.subset.empty()) {
    const auto split = static_cast<int64_t>(static_cast<double>(all) * options().validation_split);
    if (given_y.defined() && !o.ignore_class_split &&
        distinct_values(given_y, 0, split) != distinct_values(given_y, split, all)) {
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
  const auto in_folder = images_in(folders, *tree);
  std::vector<size_t> files;
  for (size_t label = 0; label < folders.size(); ++label) {
    source->class_indices[folders[label]] = static_cast<int64_t>(label);
    const std::vector<size_t>& found = in_folder.at(folders[label]);
    const auto count = static_cast<double>(found.size());
    const auto split = static_cast<size_t>(options().validation_split * count);
    const size_t begin = o.subset == "training" ? split : 0;
    const size_t end = o.subset == "validation" ? split : found.size();
    for (size_t i = begin; i < end; ++i) {
      check_decodable(tree->files()[found[i]]);
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
