#include "record_data.h"

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
#include "data/directory/resize.h"

namespace antler::cli {
namespace {

using Texts = std::vector<std::string>;
using Examples = std::vector<io::Example>;

/// One feature of all examples.
struct Column {
  bool is_text = false;
  bool is_whole = true;
  int64_t fewest = std::numeric_limits<int64_t>::max();  ///< values in an example
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
      throw IOError("'" + path + "', record " + std::to_string(examples.size()) +
                    " is no tf.Example: " + error.what());
    }
  }
  if (examples.empty()) throw ValueError("'" + path + "' has no records.");
  return examples;
}

Columns columns_of(const Examples& examples) {
  Columns columns;
  for (const io::Example& example : examples) {
    for (const auto& [name, feature] : example) {
      if (count_of(feature) == 0) continue;
      auto [it, first] = columns.try_emplace(name);
      const bool is_text = std::holds_alternative<Texts>(feature);
      if (!first && it->second.is_text != is_text) {
        throw ValueError("Feature '" + name + "' has texts in one example and numbers in another.");
      }
      it->second.is_text = is_text;
      if (std::holds_alternative<std::vector<float>>(feature)) it->second.is_whole = false;
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
  std::string text;
  for (const auto& [name, column] : columns) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// The feature that the model predicts; empty where none is needed or there.
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
  throw ValueError("'" + path + "' has " +
                   (target.empty()
                        ? std::string("no feature 'label': name the one to predict with --target.")
                        : "no feature '" + target + "'.") +
                   " There are: " + names_of(columns) + ".");
}

/// Features of at most one value each, as the columns of a table; the target is the last one.
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
    column.is_number = !columns.at(name).is_text;
    for (const io::Example& example : examples) {
      const auto it = example.find(name);
      const bool missing = it == example.end() || count_of(it->second) == 0;
      column.missing.push_back(missing);
      if (column.is_number) {
        column.numbers.push_back(missing ? std::numeric_limits<double>::quiet_NaN()
                                         : number_at(it->second, 0));
      } else {
        column.texts.push_back(missing ? "" : std::get<Texts>(it->second)[0]);
      }
    }
    table.columns.push_back(std::move(column));
  }
  return table;
}

[[noreturn]] void refuse(const std::string& name, const std::string& why) {
  throw ValueError("Feature '" + name + "' " + why + ".");
}

/// [rows, width]: int32, or float32 where there is one that is no whole number. Examples with fewer
/// values end in zeros, of longer ones the rest is left out.
Tensor numbers_of(const Examples& examples, const std::string& name, const Column& column,
                  int64_t width) {
  const auto rows = std::ssize(examples);
  Tensor result = Tensor::zeros(column.is_whole ? DType::int32 : DType::float32, {rows, width});
  int64_t at = 0;
  for (const io::Example& example : examples) {
    const auto feature = example.find(name);
    const int64_t count = feature == example.end() ? 0 : count_of(feature->second);
    for (int64_t i = 0; i < width; ++i, ++at) {
      if (i >= count) continue;
      const double number = number_at(feature->second, static_cast<size_t>(i));
      if (!column.is_whole) {
        result.mutable_data<float>()[at] = static_cast<float>(number);
      } else if (std::abs(number) <= std::numeric_limits<int32_t>::max()) {
        result.mutable_data<int32_t>()[at] = static_cast<int32_t>(number);
      } else {
        refuse(name, "has the integer " + std::to_string(std::llround(number)) +
                         ", which does not fit into 32 bits");
      }
    }
  }
  return result;
}

/// uint8 [rows, height, width, channels]. The size is that of the model; without one that of all
/// images, or 128 x 128 where they differ.
Tensor images_of(const Examples& examples, const std::string& name,
                 const std::optional<ImagePlan>& wanted) {
  constexpr int64_t kOtherwise = 128;
  std::vector<Tensor> images;
  bool equal = true;
  for (const io::Example& example : examples) {
    const std::string& file = std::get<Texts>(example.at(name))[0];
    const int64_t channels = wanted ? wanted->channels : images.empty() ? 0 : images[0].shape()[2];
    try {
      images.push_back(io::decode_image(file, {.channels = channels == 2 ? 0 : channels}));
    } catch (const IOError& error) {
      refuse(name, "has an image that cannot be read: " + std::string(error.what()));
    }
    equal = equal && images.back().shape() == images[0].shape();
  }
  const auto rows = std::ssize(images);
  const int64_t channels = images[0].shape()[2];
  const int64_t height = wanted ? wanted->height : equal ? images[0].shape()[0] : kOtherwise;
  const int64_t width = wanted ? wanted->width : equal ? images[0].shape()[1] : kOtherwise;
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
  const size_t size = std::get<Texts>(examples[0].at(name))[0].size();
  Tensor result = Tensor::empty(DType::uint8, {std::ssize(examples), static_cast<int64_t>(size)});
  auto* to = result.mutable_data<uint8_t>();
  for (const io::Example& example : examples) {
    const std::string& bytes = std::get<Texts>(example.at(name))[0];
    if (bytes.size() != size) {
      refuse(name, "has texts of several lengths, which are neither images nor arrays of bytes");
    }
    std::copy(bytes.begin(), bytes.end(), to);
    to += size;
  }
  return result;
}

void require_equal_counts(const std::string& name, const Column& column) {
  if (column.fewest == column.most) return;
  refuse(name, "has " + std::to_string(column.fewest) + " values in one example and " +
                   std::to_string(column.most) + " in another");
}

/// `width`: values of an example, 0 for as many as the longest has.
Tensor array_of(const Examples& examples, const std::string& name, const Column& column,
                const std::optional<ImagePlan>& image, int64_t width = 0) {
  if (!column.is_text) {
    return numbers_of(examples, name, column, width > 0 ? width : column.most);
  }
  require_equal_counts(name, column);
  if (column.most != 1) refuse(name, "has several texts in each example");
  const bool is_image = !io::image_format(std::get<Texts>(examples[0].at(name))[0]).empty();
  return is_image ? images_of(examples, name, image) : bytes_of(examples, name);
}

/// int32 [rows] classes, or float32 [rows, values]. Finds the classes of texts unless they are
/// given.
Tensor targets_of(const Examples& examples, const std::string& name, const Column& column,
                  Texts& classes) {
  if (column.is_text) {
    if (column.fewest != 1 || column.most != 1) refuse(name, "needs one text in each example");
    if (classes.empty()) {
      std::set<std::string> names;
      for (const io::Example& example : examples) {
        names.insert(std::get<Texts>(example.at(name))[0]);
      }
      classes.assign(names.begin(), names.end());
    }
    Tensor y = Tensor::empty(DType::int32, {std::ssize(examples)});
    for (size_t row = 0; row < examples.size(); ++row) {
      const std::string& text = std::get<Texts>(examples[row].at(name))[0];
      const auto it = std::find(classes.begin(), classes.end(), text);
      if (it == classes.end()) {
        refuse(name, "has the value '" + text + "', which the training data did not have");
      }
      y.mutable_data<int32_t>()[row] = static_cast<int32_t>(it - classes.begin());
    }
    return y;
  }
  require_equal_counts(name, column);
  Tensor y = array_of(examples, name, column, {});
  if (!column.is_whole || column.most != 1) return y;
  Tensor labels = Tensor::empty(DType::int32, {y.shape()[0]});
  std::memcpy(labels.mutable_data(), y.data(), y.bytes());
  return labels;
}

/// Several arrays of numbers, side by side.
Tensor joined(const std::vector<Tensor>& arrays) {
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
      throw ValueError("'" + path + "' has no feature '" + name +
                       "'. There are: " + names_of(columns) + ".");
    }
    arrays.push_back(array_of(examples, name, column->second, options.image, plan.widths[i]));
    const Shape& shape = arrays.back().shape();
    if (shape.rank() == 2 && !column->second.is_text) plan.widths[i] = shape[1];
    data.found += "  " + name + ": " + dtype_name(arrays.back().dtype()) + " " + shape.str();
    if (plan.widths[i] > column->second.fewest) data.found += ", shorter ones end in zeros";
    if (plan.widths[i] > 0 && plan.widths[i] < column->second.most) {
      data.found += ", longer ones are cut off";
    }
    data.found += "\n";
  }
  if (arrays.empty()) throw ValueError("'" + path + "' has no feature but the target.");
  for (const Tensor& array : arrays) {
    if (arrays.size() > 1 && array.rank() != 2) {
      throw ValueError("'" + path +
                       "' has images among other features, which needs a model with an input for "
                       "each feature, of the same name.");
    }
  }
  data.samples.x = arrays.size() == 1 ? arrays[0] : joined(arrays);
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
  const auto is_cell = [](const auto& entry) { return entry.second.most == 1; };
  const auto is_picture = [&](const auto& entry) {
    const auto it = examples[0].find(entry.first);
    return entry.second.is_text && it != examples[0].end() && count_of(it->second) == 1 &&
           !io::image_format(std::get<Texts>(it->second)[0]).empty();
  };
  const bool is_table =
      options.plan.table || (!options.plan.records && options.input_names.size() <= 1 &&
                             std::all_of(columns.begin(), columns.end(), is_cell) &&
                             std::none_of(columns.begin(), columns.end(), is_picture));
  if (!is_table) return from_arrays(path, examples, columns, target, options);
  if (!std::all_of(columns.begin(), columns.end(), is_cell)) {
    throw ValueError("'" + path + "' has features of several values; the training data did not.");
  }
  DataOptions table = options;
  table.target = target;
  return data_of_table(table_of(examples, columns, target), table);
}

}  // namespace antler::cli
