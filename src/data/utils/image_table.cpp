// Batches of ImageDataGenerator from files that a table lists.
#include <algorithm>
#include <filesystem>
#include <set>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/base/logging.h"
#include "base/strings.h"
#include "data/utils/image_iterator.h"

namespace antler::utils {
namespace {

using Strings = std::vector<std::string>;

const io::CsvColumn& column_of(const io::CsvTable& table, const std::string& name) {
  const int64_t at = table.find(name);
  if (at >= 0) return table.columns[static_cast<size_t>(at)];
  const auto quoted_name = [](const io::CsvColumn& column) { return "'" + column.name + "'"; };
  throw KeyError("flow_from_dataframe: the table has no column '{}'. Columns: {}.", name,
                 join(table.columns, ", ", quoted_name));
}

const Strings& strings_of_column(const io::CsvTable& table, const std::string& name,
                                 const std::string& message) {
  const io::CsvColumn& column = column_of(table, name);
  if (column.is_number) throw TypeError(message);
  return column.strings;
}

bool has_classes(const std::string& mode) {
  return mode == "categorical" || mode == "binary" || mode == "sparse";
}

void check_mode(const FlowFromDataframeOptions& o) {
  static const std::set<std::string> kModes = {"binary", "categorical", "input", "multi_output",
                                               "raw",    "sparse",      "none"};
  if (!kModes.contains(o.class_mode)) {
    throw ValueError(
        "Invalid class_mode: {}; expected one of: binary, categorical, input, multi_output, raw, "
        "sparse, none",
        o.class_mode);
  }
  const bool needs_one = has_classes(o.class_mode);
  if (o.y_col.empty() || (needs_one && o.y_col.size() != 1)) {
    throw ValueError(
        "flow_from_dataframe: class_mode=\"{}\" needs {} in `y_col`. Received: {} columns.",
        o.class_mode, needs_one ? "one column" : "at least one column", o.y_col.size());
  }
  if (!o.classes.empty() && !needs_one) {
    logging::warning(format("`classes` will be ignored given the class_mode=\"{}\"", o.class_mode));
  }
}

/// Rows of the table that name image files.
std::vector<size_t> valid_rows(const Strings& names, const FlowFromDataframeOptions& o) {
  std::vector<size_t> rows;
  for (size_t row = 0; row < names.size(); ++row) {
    const auto path = std::filesystem::path(o.directory) / names[row];
    const bool valid = !o.validate_filenames ||
                       (is_image_file(names[row]) && std::filesystem::is_regular_file(path));
    if (valid) rows.push_back(row);
  }
  if (rows.size() < names.size()) {
    logging::warning(format(
        "Found {} invalid image filename(s) in x_col=\"{}\". These filename(s) will be ignored.",
        names.size() - rows.size(), o.x_col));
  }
  return rows;
}

/// The classes in order. Rows of other classes are dropped.
Strings take_classes(const Strings& labels, const FlowFromDataframeOptions& o,
                     std::vector<size_t>& rows) {
  Strings classes;
  if (o.classes.empty()) {
    std::set<std::string> found;
    for (const size_t row : rows) found.insert(labels[row]);
    classes.assign(found.begin(), found.end());
  }
  for (const std::string& name : o.classes) {
    if (std::find(classes.begin(), classes.end(), name) == classes.end()) classes.push_back(name);
  }
  std::erase_if(rows, [&](size_t row) {
    return std::find(classes.begin(), classes.end(), labels[row]) == classes.end();
  });
  return classes;
}

void check_binary(const Strings& labels, const FlowFromDataframeOptions& o) {
  if (o.class_mode != "binary") return;
  const Strings& given = o.classes.empty() ? labels : o.classes;
  const size_t count = std::set<std::string>(given.begin(), given.end()).size();
  if (count == 2) return;
  throw ValueError("If class_mode=\"binary\" there must be 2 classes. {}",
                   o.classes.empty() ? format("Found {} classes.", count)
                                     : format("{} class/es were given.", count));
}

/// The numbers of a column in these rows.
std::vector<float> numbers_of(const io::CsvTable& table, const std::string& name,
                              const std::vector<size_t>& rows, const char* argument) {
  const io::CsvColumn& column = column_of(table, name);
  if (!column.is_number) {
    throw TypeError("Column {}={} must be numeric.", argument, name);
  }
  std::vector<float> numbers;
  numbers.reserve(rows.size());
  for (const size_t row : rows) numbers.push_back(static_cast<float>(column.numbers[row]));
  return numbers;
}

/// The values of these samples: [samples] for one column, else [samples, columns].
Tensor picked(const std::vector<std::vector<float>>& columns, const std::vector<int64_t>& samples) {
  std::vector<float> values;
  for (const int64_t sample : samples) {
    for (const std::vector<float>& column : columns) {
      values.push_back(column[static_cast<size_t>(sample)]);
    }
  }
  const Shape shape = columns.size() == 1 ? Shape{std::ssize(samples)}
                                          : Shape{std::ssize(samples), std::ssize(columns)};
  return Tensor::of(values, shape);
}

}  // namespace

std::shared_ptr<ImageIterator> ImageDataGenerator::flow_from_dataframe(
    const io::CsvTable& table, const FlowFromDataframeOptions& o) const {
  check_save_format(o.save_format);
  check_subset(o.subset);
  check_color_mode(o.color_mode);
  check_mode(o);
  const Strings& names = strings_of_column(
      table, o.x_col, format("All values in column x_col={} must be strings.", o.x_col));
  std::vector<size_t> rows = valid_rows(names, o);
  const auto source = std::make_shared<ImageIterator::Source>(*this);
  Strings classes;
  if (has_classes(o.class_mode)) {
    const Strings& labels = strings_of_column(
        table, o.y_col[0],
        format("If class_mode=\"{}\", y_col=\"{}\" column values must be strings.", o.class_mode,
               o.y_col[0]));
    check_binary(labels, o);
    classes = take_classes(labels, o, rows);
    for (size_t i = 0; i < classes.size(); ++i) {
      source->class_indices[classes[i]] = static_cast<int64_t>(i);
    }
  }
  if (!o.subset.empty()) {
    const auto split =
        static_cast<size_t>(options().validation_split * static_cast<double>(rows.size()));
    rows = o.subset == "validation"
               ? std::vector<size_t>(rows.begin(), rows.begin() + static_cast<int64_t>(split))
               : std::vector<size_t>(rows.begin() + static_cast<int64_t>(split), rows.end());
  }
  Strings paths;
  for (const size_t row : rows) {
    check_decodable(names[row]);
    source->filenames.push_back(names[row]);
    paths.push_back((std::filesystem::path(o.directory) / names[row]).string());
    if (!classes.empty()) {
      source->classes.push_back(
          source->class_indices.at(column_of(table, o.y_col[0]).strings[row]));
    }
  }
  logging::print(format("Found {} {} image filenames{}.\n", rows.size(),
                        o.validate_filenames ? "validated" : "non-validated",
                        has_classes(o.class_mode)
                            ? format(" belonging to {} classes", classes.size())
                            : std::string()));
  source->samples = std::ssize(rows);
  source->take(o);
  const LoadImageOptions load{.color_mode = o.color_mode,
                              .target_size = {o.target_size.first, o.target_size.second},
                              .interpolation = o.interpolation,
                              .keep_aspect_ratio = o.keep_aspect_ratio};
  source->image = [=, data_format = options().data_format](int64_t sample) {
    const std::string& path = paths[static_cast<size_t>(sample)];
    return array_of_file(read_file(path), path, load, data_format);
  };
  std::vector<std::vector<float>> targets;
  if (o.class_mode == "raw" || o.class_mode == "multi_output") {
    for (const std::string& name : o.y_col)
      targets.push_back(numbers_of(table, name, rows, "y_col"));
  }
  std::vector<float> weights;
  if (!o.weight_col.empty()) weights = numbers_of(table, o.weight_col, rows, "weight_col");
  source->batch = [=, mode = o.class_mode, labels = source->classes](
                      const Tensor& images, const std::vector<int64_t>& samples) -> Nest {
    Nest batch;
    if (mode == "multi_output") {
      std::vector<Nest> outputs;
      outputs.reserve(targets.size());
      for (const std::vector<float>& column : targets) {
        outputs.emplace_back(picked({column}, samples));
      }
      batch = Nest(std::vector<Nest>{images, Nest(std::move(outputs))});
    } else if (mode == "raw") {
      batch = Nest(std::vector<Nest>{images, picked(targets, samples)});
    } else {
      batch = labelled_batch(mode, labels, std::ssize(classes), images, samples);
    }
    if (weights.empty() || !batch.is_list()) return batch;
    return std::vector<Nest>{batch.at(0), batch.at(1), picked({weights}, samples)};
  };
  return std::make_shared<ImageIterator>(source);
}

std::shared_ptr<ImageIterator> ImageDataGenerator::flow_from_dataframe(
    const std::string& csv_path, const FlowFromDataframeOptions& options) const {
  return flow_from_dataframe(io::read_csv(csv_path, {.header = "yes"}), options);
}

}  // namespace antler::utils
