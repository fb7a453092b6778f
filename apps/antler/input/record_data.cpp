#include "input/record_data.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <set>

#include "antler/base/error.h"
#include "antler/io/example.h"
#include "antler/io/image.h"
#include "antler/io/tfrecord.h"
#include "base/strings.h"
#include "data/directory/resize.h"

namespace antler::cli {
namespace {

using Strings = std::vector<std::string>;
using Examples = std::vector<io::Example>;

/// Facts about one feature of all examples.
struct Column {
  bool is_string = false;
  bool is_integer = true;
  int64_t fewest = std::numeric_limits<int64_t>::max();  ///< values per example
  int64_t most = 0;
};
using Columns = std::map<std::string, Column>;

int64_t count_of(const io::Feature& feature) {
  return std::visit([](const auto& values) { return static_cast<int64_t>(values.size()); },
                    feature);
}

double number_at(const io::Feature& feature, size_t i) {
  if (const auto* floats = std::get_if<std::vector<float>>(&feature)) return (*floats)[i];
  return static_cast<double>(std::get<std::vector<int64_t>>(feature)[i]);
}

Examples read_examples(const std::string& path) {
  Examples examples;
  io::TFRecordReader reader(path);
  while (const auto record = reader.next()) {
    try {
      examples.push_back(io::parse_example(*record));
    } catch (const IOError& error) {
      throw IOError("'{}': record {} is not a tf.Example: {}", path, examples.size(), error.what());
    }
  }
  if (examples.empty()) throw ValueError("'{}' has no records.", path);
  return examples;
}

Columns columns_of(const Examples& examples) {
  Columns columns;
  for (const io::Example& example : examples) {
    for (const auto& [name, feature] : example) {
      if (count_of(feature) == 0) continue;
      auto [it, first] = columns.try_emplace(name);
      const bool is_string = std::holds_alternative<Strings>(feature);
      if (!first && it->second.is_string != is_string) {
        throw ValueError("Feature '{}' has strings in one example and numbers in another.", name);
      }
      it->second.is_string = is_string;
      if (std::holds_alternative<std::vector<float>>(feature)) it->second.is_integer = false;
    }
  }
  for (auto& [name, column] : columns) {
    for (const io::Example& example : examples) {
      const auto it = example.find(name);
      const int64_t count = it == example.end() ? 0 : count_of(it->second);
      column.fewest = std::min(column.fewest, count);
      column.most = std::max(column.most, count);
    }
  }
  return columns;
}

std::string names_of(const Columns& columns) {
  Strings names;
  for (const auto& [name, column] : columns) names.push_back(name);
  return join(names);
}

/// The name of the feature to predict; empty if there is none and none is needed.
std::string target_of(const std::string& path, const Columns& columns, const DataOptions& options) {
  std::string target = options.target;
  if (target.empty() && options.plan.records) target = options.plan.records->target;
  if (target.empty() && options.plan.table) target = options.plan.table->target;
  if (target.empty()) {
    for (const char* name : {"label", "labels", "target", "class", "y"}) {
      if (columns.contains(name)) return name;
    }
  }
  if (columns.contains(target)) return target;
  if (!options.needs_y) return "";
  if (target.empty()) {
    throw ValueError("'{}' has no feature 'label': choose the target with --target. Features: {}.",
                     path, names_of(columns));
  }
  throw ValueError("'{}' has no feature '{}'. Features: {}.", path, target, names_of(columns));
}

/// Makes features of at most one value each the columns of a table. The target is the last column.
io::CsvTable table_of(const Examples& examples, const Columns& columns, const std::string& target) {
  io::CsvTable table;
  table.rows = std::ssize(examples);
  std::vector<std::string> names;
  for (const auto& [name, column] : columns) {
    if (name != target) names.push_back(name);
  }
  if (!target.empty()) names.push_back(target);
  for (const std::string& name : names) {
    io::CsvColumn column;
    column.name = name;
    column.is_number = !columns.at(name).is_string;
    for (const io::Example& example : examples) {
      const auto it = example.find(name);
      const bool missing = it == example.end() || count_of(it->second) == 0;
      column.missing.push_back(missing);
      if (column.is_number) {
        column.numbers.push_back(missing ? std::numeric_limits<double>::quiet_NaN()
                                         : number_at(it->second, 0));
      } else {
        column.strings.push_back(missing ? "" : std::get<Strings>(it->second)[0]);
      }
    }
    table.columns.push_back(std::move(column));
  }
  return table;
}

[[noreturn]] void refuse(const std::string& name, const std::string& why) {
  throw ValueError("Feature '{}' {}.", name, why);
}

/// [rows, width] of int32, or float32 if the feature has floats. Shorter lists are padded with
/// zeros, longer ones truncated.
Tensor numbers_of(const Examples& examples, const std::string& name, const Column& column,
                  int64_t width) {
  const auto rows = std::ssize(examples);
  Tensor result = Tensor::zeros(column.is_integer ? DType::int32 : DType::float32, {rows, width});
  int64_t at = 0;
  for (const io::Example& example : examples) {
    const auto feature = example.find(name);
    const int64_t count = feature == example.end() ? 0 : count_of(feature->second);
    for (int64_t i = 0; i < width; ++i, ++at) {
      if (i >= count) continue;
      const double number = number_at(feature->second, static_cast<size_t>(i));
      if (!column.is_integer) {
        result.mutable_data<float>()[at] = static_cast<float>(number);
      } else if (std::abs(number) <= std::numeric_limits<int32_t>::max()) {
        result.mutable_data<int32_t>()[at] = static_cast<int32_t>(number);
      } else {
        refuse(name,
               format("has the integer {}, which does not fit in 32 bits", std::llround(number)));
      }
    }
  }
  return result;
}

/// uint8 [rows, height, width, channels]. Without `wanted` the size is that of all images, or
/// 128 x 128 if they differ.
Tensor images_of(const Examples& examples, const std::string& name,
                 const std::optional<ImagePlan>& wanted) {
  constexpr int64_t kDefaultSize = 128;
  std::vector<Tensor> images;
  bool equal = true;
  for (const io::Example& example : examples) {
    const std::string& file = std::get<Strings>(example.at(name))[0];
    const int64_t channels = wanted ? wanted->channels : images.empty() ? 0 : images[0].shape()[2];
    try {
      images.push_back(io::decode_image(file, {.channels = channels == 2 ? 0 : channels}));
    } catch (const IOError& error) {
      refuse(name, format("has an image that cannot be read: {}", error.what()));
    }
    equal = equal && images.back().shape() == images[0].shape();
  }
  const auto rows = std::ssize(images);
  const int64_t channels = images[0].shape()[2];
  const int64_t height = wanted ? wanted->height : equal ? images[0].shape()[0] : kDefaultSize;
  const int64_t width = wanted ? wanted->width : equal ? images[0].shape()[1] : kDefaultSize;
  Tensor result = Tensor::empty(DType::uint8, {rows, height, width, channels});
  auto* to = result.mutable_data<uint8_t>();
  const auto size = static_cast<size_t>(height * width * channels);
  data::ImageResizer resizer("bilinear", data::ImageResizer::Fit::stretch, height, width, channels);
  std::vector<float> resized(size);
  for (const Tensor& image : images) {
    if (image.shape() == Shape{height, width, channels}) {
      std::memcpy(to, image.data(), size);
    } else {
      resizer.resize(image.data<uint8_t>(), image.shape()[0], image.shape()[1], resized.data());
      std::transform(resized.begin(), resized.end(), to, [](float level) {
        return static_cast<uint8_t>(std::clamp(std::lround(level), 0L, 255L));
      });
    }
    to += size;
  }
  return result;
}

/// uint8 [rows, bytes].
Tensor bytes_of(const Examples& examples, const std::string& name) {
  const size_t size = std::get<Strings>(examples[0].at(name))[0].size();
  Tensor result = Tensor::empty(DType::uint8, {std::ssize(examples), static_cast<int64_t>(size)});
  auto* to = result.mutable_data<uint8_t>();
  for (const io::Example& example : examples) {
    const std::string& bytes = std::get<Strings>(example.at(name))[0];
    if (bytes.size() != size) {
      refuse(name, "has byte strings of different lengths that are not images");
    }
    std::copy(bytes.begin(), bytes.end(), to);
    to += size;
  }
  return result;
}

void require_equal_counts(const std::string& name, const Column& column) {
  if (column.fewest == column.most) return;
  refuse(name,
         format("has {} values in one example and {} in another", column.fewest, column.most));
}

/// `width`: the number of values per example; 0: the length of the longest list.
Tensor array_of(const Examples& examples, const std::string& name, const Column& column,
                const std::optional<ImagePlan>& image, int64_t width = 0) {
  if (!column.is_string) {
    return numbers_of(examples, name, column, width > 0 ? width : column.most);
  }
  require_equal_counts(name, column);
  if (column.most != 1) refuse(name, "has several strings per example");
  const bool is_image = !io::image_format(std::get<Strings>(examples[0].at(name))[0]).empty();
  return is_image ? images_of(examples, name, image) : bytes_of(examples, name);
}

/// int32 [rows] classes or float32 [rows, values]. If a string target has no `classes` yet, they
/// are set.
Tensor targets_of(const Examples& examples, const std::string& name, const Column& column,
                  Strings& classes) {
  if (column.is_string) {
    if (column.fewest != 1 || column.most != 1) refuse(name, "needs one string per example");
    if (classes.empty()) {
      std::set<std::string> names;
      for (const io::Example& example : examples) {
        names.insert(std::get<Strings>(example.at(name))[0]);
      }
      classes.assign(names.begin(), names.end());
    }
    Tensor y = Tensor::empty(DType::int32, {std::ssize(examples)});
    for (size_t row = 0; row < examples.size(); ++row) {
      const std::string& text = std::get<Strings>(examples[row].at(name))[0];
      const auto it = std::find(classes.begin(), classes.end(), text);
      if (it == classes.end()) {
        refuse(name, format("has the value '{}', which is not in the training data", text));
      }
      y.mutable_data<int32_t>()[row] = static_cast<int32_t>(it - classes.begin());
    }
    return y;
  }
  require_equal_counts(name, column);
  Tensor y = array_of(examples, name, column, {});
  if (!column.is_integer || column.most != 1) return y;
  Tensor labels = Tensor::empty(DType::int32, {y.shape()[0]});
  std::memcpy(labels.mutable_data(), y.data(), y.bytes());
  return labels;
}

/// Concatenates arrays of numbers along axis 1.
Tensor concatenated(const std::vector<Tensor>& arrays) {
  const int64_t rows = arrays[0].shape()[0];
  int64_t width = 0;
  for (const Tensor& array : arrays) width += array.shape()[1];
  Tensor result = Tensor::empty(DType::float32, {rows, width});
  int64_t first = 0;
  for (const Tensor& array : arrays) {
    const std::vector<double> numbers = array.to_doubles();
    const int64_t own = array.shape()[1];
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t i = 0; i < own; ++i) {
        result.mutable_data<float>()[row * width + first + i] =
            static_cast<float>(numbers[static_cast<size_t>(row * own + i)]);
      }
    }
    first += own;
  }
  return result;
}

LoadedData from_arrays(const std::string& path, const Examples& examples, const Columns& columns,
                       const std::string& target, const DataOptions& options) {
  LoadedData data;
  RecordPlan plan = options.plan.records.value_or(RecordPlan());
  if (options.input_names.size() > 1 || options.output_names.size() > 1) {
    io::NamedTensors arrays;
    for (const auto& [name, column] : columns) {
      arrays.emplace_back(name, array_of(examples, name, column, {}));
      if (name == target)
        arrays.emplace_back("y", targets_of(examples, name, column, plan.classes));
    }
    return data_of_named_arrays(path, arrays, options);
  }
  if (plan.features.empty()) {
    for (const auto& [name, column] : columns) {
      if (name != target) plan.features.push_back(name);
    }
  }
  plan.widths.resize(plan.features.size());
  std::vector<Tensor> arrays;
  for (size_t i = 0; i < plan.features.size(); ++i) {
    const std::string& name = plan.features[i];
    const auto column = columns.find(name);
    if (column == columns.end()) {
      throw ValueError("'{}' has no feature '{}'. Features: {}.", path, name, names_of(columns));
    }
    arrays.push_back(array_of(examples, name, column->second, options.image, plan.widths[i]));
    const Shape& shape = arrays.back().shape();
    if (shape.rank() == 2 && !column->second.is_string) plan.widths[i] = shape[1];
    data.found += format("  {}: {} {}", name, dtype_name(arrays.back().dtype()), shape);
    if (plan.widths[i] > column->second.fewest) data.found += ", shorter lists padded with zeros";
    if (plan.widths[i] > 0 && plan.widths[i] < column->second.most) {
      data.found += ", longer lists truncated";
    }
    data.found += "\n";
  }
  if (arrays.empty()) throw ValueError("'{}' has no features other than the target.", path);
  for (const Tensor& array : arrays) {
    if (arrays.size() > 1 && array.rank() != 2) {
      throw ValueError(
          "'{}' has images among other features. This needs a model with an input for each "
          "feature, of the same name.",
          path);
    }
  }
  data.samples.x = arrays.size() == 1 ? arrays[0] : concatenated(arrays);
  if (!target.empty()) {
    data.samples.y = targets_of(examples, target, columns.at(target), plan.classes);
  }
  if (!target.empty()) plan.target = target;
  data.plan.records = std::move(plan);
  return data;
}

}  // namespace

bool is_record_data(const std::string& data) {
  std::string_view name = data;
  if (name.ends_with(".gz")) name.remove_suffix(3);
  return name.ends_with(".tfrecord") || name.ends_with(".tfrecords");
}

LoadedData load_record_data(const std::string& path, const DataOptions& options) {
  const Examples examples = read_examples(path);
  const Columns columns = columns_of(examples);
  const std::string target = target_of(path, columns, options);
  const auto has_one_value = [](const auto& entry) { return entry.second.most == 1; };
  const auto has_image = [&](const auto& entry) {
    const auto it = examples[0].find(entry.first);
    return entry.second.is_string && it != examples[0].end() && count_of(it->second) == 1 &&
           !io::image_format(std::get<Strings>(it->second)[0]).empty();
  };
  const bool is_table =
      options.plan.table || (!options.plan.records && options.input_names.size() <= 1 &&
                             std::all_of(columns.begin(), columns.end(), has_one_value) &&
                             std::none_of(columns.begin(), columns.end(), has_image));
  if (!is_table) return from_arrays(path, examples, columns, target, options);
  if (!std::all_of(columns.begin(), columns.end(), has_one_value)) {
    throw ValueError(
        "'{}' has features with several values per example; the training data did not.", path);
  }
  DataOptions table = options;
  table.target = target;
  return data_of_table(table_of(examples, columns, target), table);
}

}  // namespace antler::cli
