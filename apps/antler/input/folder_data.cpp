#include "input/folder_data.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <tuple>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/data/directory_datasets.h"
#include "antler/io/image.h"
#include "base/strings.h"
#include "data/directory/file_tree.h"
#include "data/directory/resize.h"

namespace antler::cli {
namespace {

namespace fs = std::filesystem;
using data::DirectoryDataset;
using data::FileTree;
using data::TextDataset;

bool is_image(const std::string& path) {
  const std::string extension = to_lower(fs::path(path).extension().string());
  return extension == ".jpg" || extension == ".jpeg" || extension == ".png" ||
         extension == ".bmp" || extension == ".gif";
}

bool is_text(const std::string& path) {
  return to_lower(fs::path(path).extension().string()) == ".txt";
}

/// The folders that hold the class folders: the folder itself, or "train" and a test folder in it.
struct Splits {
  std::string training;
  std::string held_out;  // may be empty
};

Splits splits_of(const std::string& data, const FileTree& tree) {
  const auto has = [&](const char* name) {
    return std::binary_search(tree.folders().begin(), tree.folders().end(), name);
  };
  if (!has("train")) return {data, ""};
  Splits splits{data + "/train", ""};
  for (const char* name : {"test", "validation", "val", "valid"}) {
    if (splits.held_out.empty() && has(name)) splits.held_out = data + "/" + name;
  }
  return splits;
}

std::string class_list(const std::vector<std::string>& names) {
  constexpr ptrdiff_t kShown = 12;
  const std::vector<std::string> shown(names.begin(),
                                       names.begin() + std::min(std::ssize(names), kShown));
  return format("{} classes: {}{}", names.size(), join(shown),
                std::ssize(names) > kShown ? ", ..." : "");
}

/// Evenly spaced ones of these files: fewer than twice `most`, or all.
std::vector<size_t> some_of(const std::vector<size_t>& files, size_t most) {
  std::vector<size_t> some;
  const size_t step = std::max<size_t>(1, files.size() / most);
  for (size_t i = 0; i < files.size(); i += step) some.push_back(files[i]);
  return some;
}

std::vector<size_t> files_like(const FileTree& tree, bool (*matches)(const std::string&)) {
  std::vector<size_t> found;
  for (size_t i = 0; i < tree.files().size(); ++i) {
    if (matches(tree.files()[i])) found.push_back(i);
  }
  return found;
}

Tensor decode(const std::string& name, const std::string& bytes) {
  try {
    return io::decode_image(bytes);
  } catch (const IOError& error) {
    throw IOError("'{}': {}", name, error.what());
  }
}

/// The common size of some of the images if it is small enough for a first model, else 128 x 128.
ImagePlan infer_image_plan(const FileTree& tree) {
  constexpr int64_t kLargest = 224;
  constexpr size_t kSampled = 20;
  ImagePlan plan{0, 0, 1, {}};
  bool equal = true;
  for (const size_t i : some_of(files_like(tree, is_image), kSampled)) {
    const Tensor image = decode(tree.files()[i], tree.read(i));
    const int64_t height = image.shape()[0];
    const int64_t width = image.shape()[1];
    equal = equal && (plan.height == 0 || (plan.height == height && plan.width == width));
    plan.height = height;
    plan.width = width;
    if (image.shape()[2] >= 3) plan.channels = 3;
  }
  if (!equal || plan.height > kLargest || plan.width > kLargest) plan.height = plan.width = 128;
  return plan;
}

int64_t count_words(const std::string& text) {
  int64_t count = 0;
  bool inside = false;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    count += !space && !inside ? 1 : 0;
    inside = !space;
  }
  return count;
}

/// See describe_files().
class FileFacts {
 public:
  void add_image(const std::string& name, const std::string& bytes) {
    const Shape shape = decode(name, bytes).shape();
    formats_.insert(io::image_format(bytes));
    sizes_.emplace_back(shape[0] * shape[1], shape[0], shape[1]);
  }
  void add_text(const std::string& text) { words_.push_back(count_words(text)); }
  Json to_json() {
    std::sort(words_.begin(), words_.end());
    std::sort(sizes_.begin(), sizes_.end());
    if (!words_.empty()) {
      return {{"words",
               {{"min", words_.front()},
                {"median", words_[words_.size() / 2]},
                {"max", words_.back()}}}};
    }
    const auto size = [](const auto& pixels) {
      return Json::array({std::get<1>(pixels), std::get<2>(pixels)});
    };
    return {{"formats", formats_},
            {"measured", sizes_.size()},
            {"smallest", size(sizes_.front())},
            {"largest", size(sizes_.back())}};
  }

 private:
  std::set<std::string> formats_;
  std::vector<std::tuple<int64_t, int64_t, int64_t>> sizes_;  // pixels, height, width
  std::vector<int64_t> words_;
};

Samples samples_of(DirectoryDataset images) {
  return {{}, {}, images, std::move(images.file_paths), std::move(images.labels)};
}

LoadedData load_images(const std::string& path, const FileTree& tree, const DataOptions& options) {
  LoadedData data;
  ImagePlan plan = options.plan.image ? *options.plan.image
                   : options.image    ? *options.image
                                      : infer_image_plan(tree);
  data::ImageDatasetOptions images{.label_mode = options.label_mode,
                                   .class_names = plan.classes,
                                   .color_mode = plan.color_mode(),
                                   .batch_size = options.batch_size,
                                   .image_size = {plan.height, plan.width},
                                   .shuffle = options.shuffle};
  const Splits splits = splits_of(path, tree);
  if (!options.needs_y) {
    images.labels = std::nullopt;
    images.label_mode = "none";
    images.class_names.clear();
    data.samples = samples_of(image_dataset_from_directory(path, images));
    data.plan.image = plan;
    return data;
  }
  if (options.validation_split > 0) {
    images.validation_split = options.validation_split;
    // Files are sorted by class, so they must be shuffled before the split.
    images.shuffle = true;
    auto [training, validation] = image_datasets_from_directory(splits.training, images);
    plan.classes = training.class_names;
    data.samples = samples_of(std::move(training));
    data.held_out = samples_of(std::move(validation));
  } else {
    DirectoryDataset training = image_dataset_from_directory(splits.training, images);
    images.class_names = plan.classes = training.class_names;
    data.samples = samples_of(std::move(training));
    images.shuffle = false;
    if (!splits.held_out.empty()) {
      data.held_out = samples_of(image_dataset_from_directory(splits.held_out, images));
    }
  }
  data.found = format("  {} images of {}\n  read as {} x {} {}\n", data.samples.files.size(),
                      class_list(plan.classes), plan.height, plan.width, plan.color_mode());
  if (data.held_out.given()) {
    data.found += format("  held out: {} images\n", data.held_out.files.size());
  }
  data.plan.image = std::move(plan);
  return data;
}

/// A vocabulary of at most 10,000 words, and the sequence length at the 90th percentile.
TextPlan infer_text_plan(const TextDataset& texts) {
  constexpr int64_t kWords = 10000;
  constexpr int64_t kLongest = 250;
  TextVectorization words({.max_tokens = kWords});
  const auto is_blank = [](const std::string& text) {
    return text.find_first_not_of(" \n\t\r") == std::string::npos;
  };
  if (std::all_of(texts.texts.values.begin(), texts.texts.values.end(), is_blank)) {
    throw ValueError("All text files in the class folders are empty.");
  }
  words.adapt(texts.texts);
  std::vector<int64_t> lengths;
  for (const std::string& text : texts.texts.values) lengths.push_back(count_words(text));
  std::sort(lengths.begin(), lengths.end());
  const int64_t most = lengths[(lengths.size() - 1) * 9 / 10];
  return {words.get_vocabulary(/*include_special_tokens=*/false),
          std::clamp<int64_t>(most, 1, kLongest), texts.class_names};
}

Samples samples_of(const TextDataset& texts, const TextPlan& plan, const std::string& label_mode) {
  Samples samples;
  samples.x = plan.vectorizer()(texts.texts);
  samples.files = texts.file_paths;
  samples.labels = texts.labels;
  if (texts.labels.empty()) return samples;
  const auto rows = std::ssize(texts.labels);
  if (label_mode == "categorical") {
    const auto classes = std::ssize(plan.classes);
    samples.y = Tensor::zeros(DType::float32, {rows, classes});
    for (int64_t i = 0; i < rows; ++i) {
      samples.y.mutable_data<float>()[i * classes + texts.labels[static_cast<size_t>(i)]] = 1;
    }
    return samples;
  }
  samples.y = Tensor::empty(DType::int32, {rows});
  for (int64_t i = 0; i < rows; ++i) {
    samples.y.mutable_data<int32_t>()[i] =
        static_cast<int32_t>(texts.labels[static_cast<size_t>(i)]);
  }
  return samples;
}

/// The text conversion of a model, for data without targets.
const TextPlan& require_text_plan(const DataOptions& options) {
  if (options.plan.text) return *options.plan.text;
  throw ValueError(
      "There is no vocabulary beside the model: text files need the one that `antler new` writes.");
}

LoadedData load_texts(const std::string& path, const FileTree& tree, const DataOptions& options) {
  LoadedData data;
  data::TextDatasetOptions texts{.shuffle = false};
  if (options.plan.text) texts.class_names = options.plan.text->classes;
  if (!options.needs_y) {
    const TextPlan& plan = require_text_plan(options);
    texts.labels = std::nullopt;
    texts.label_mode = "none";
    texts.class_names.clear();
    data.samples = samples_of(text_dataset_from_directory(path, texts), plan, "none");
    data.plan = options.plan;
    return data;
  }
  const Splits splits = splits_of(path, tree);
  TextDataset training;
  TextDataset held_out;
  if (options.validation_split > 0) {
    texts.validation_split = options.validation_split;
    texts.shuffle = true;
    std::tie(training, held_out) = text_datasets_from_directory(splits.training, texts);
  } else {
    training = text_dataset_from_directory(splits.training, texts);
    if (!splits.held_out.empty()) {
      texts.class_names = training.class_names;
      held_out = text_dataset_from_directory(splits.held_out, texts);
    }
  }
  const TextPlan plan = options.plan.text ? *options.plan.text : infer_text_plan(training);
  data.samples = samples_of(training, plan, options.label_mode);
  data.found = format("  {} text files of {}\n  read as {} words of a vocabulary of {}\n",
                      training.labels.size(), class_list(plan.classes), plan.sequence_length,
                      plan.vocabulary.size());
  if (!held_out.labels.empty()) {
    data.held_out = samples_of(held_out, plan, options.label_mode);
    data.found += format("  held out: {} text files\n", held_out.labels.size());
  }
  data.plan.text = plan;
  return data;
}

LoadedData load_one_image(const std::string& path, const DataOptions& options) {
  LoadedData data;
  const auto& plan = options.plan.image ? options.plan.image : options.image;
  const Tensor image = io::load_image(path, {.channels = plan ? plan->channels : 3});
  const int64_t height = plan ? plan->height : image.shape()[0];
  const int64_t width = plan ? plan->width : image.shape()[1];
  const int64_t channels = image.shape()[2];
  data.samples.x = Tensor::empty(DType::float32, {1, height, width, channels});
  data::ImageResizer resizer("bilinear", data::ImageResizer::Fit::stretch, height, width, channels);
  resizer.resize(image.data<uint8_t>(), image.shape()[0], image.shape()[1],
                 data.samples.x.mutable_data<float>());
  data.samples.files = {path};
  data.plan = options.plan;
  return data;
}

LoadedData load_one_text(const std::string& path, const DataOptions& options) {
  LoadedData data;
  data.samples.x = require_text_plan(options).vectorizer()(
      StringTensor(std::vector<std::string>{read_file(path)}));
  data.samples.files = {path};
  data.plan = options.plan;
  return data;
}

}  // namespace

bool is_file_data(const std::string& data) {
  if (fs::is_directory(data) || is_image(data) || is_text(data)) return true;
  return data.find(".tar") != std::string::npos || data.find(".tgz") != std::string::npos;
}

Json describe_files(const std::string& data) {
  constexpr size_t kMeasured = 100;
  FileFacts facts;
  std::error_code error;  // for instance, of a name that is too long
  const bool is_file = fs::is_regular_file(data, error);
  if (is_file && is_image(data)) {
    facts.add_image(data, read_file(data));
  } else if (is_file && is_text(data)) {
    facts.add_text(read_file(data));
  } else {
    const auto tree = data::open_file_tree(data, /*follow_links=*/false);
    const std::vector<size_t> images = files_like(*tree, is_image);
    const std::vector<size_t> texts = files_like(*tree, is_text);
    if (images.size() >= texts.size()) {
      for (const size_t i : some_of(images, kMeasured)) {
        facts.add_image(tree->files()[i], tree->read(i));
      }
    } else {
      for (const size_t i : texts) facts.add_text(tree->read(i));
    }
  }
  return facts.to_json();
}

LoadedData load_file_data(const std::string& data, const DataOptions& options) {
  if (fs::is_regular_file(data) && (is_image(data) || is_text(data))) {
    if (options.needs_y) {
      throw ValueError(
          "'{}' is a single sample without a target: give a folder with a folder of files per "
          "class.",
          data);
    }
    return is_image(data) ? load_one_image(data, options) : load_one_text(data, options);
  }
  const auto tree = data::open_file_tree(data, /*follow_links=*/false);
  const auto& files = tree->files();
  const auto images = std::count_if(files.begin(), files.end(), is_image);
  const auto texts = std::count_if(files.begin(), files.end(), is_text);
  if (images == 0 && texts == 0) {
    throw ValueError(
        "'{}' has {} files, but no images (.jpg, .png, .bmp, .gif) and no text files (.txt).", data,
        files.size());
  }
  return images >= texts ? load_images(data, *tree, options) : load_texts(data, *tree, options);
}

}  // namespace antler::cli
