// Batches of ImageDataGenerator, of the files that a table names.
#include <algorithm>
#include <filesystem>
#include <set>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/base/logging.h"
#include "antler/data/utils/images.h"
#include "data/utils/image_iterator.h"

namespace antler::utils {
namespace {

using Texts = std::vector<std::string>;

const io::CsvColumn& column_of(const io::CsvTable& table, const std::string& name) {
  const int64_t at = table.find(name);
  if (at >= 0) return table.columns[static_cast<size_t>(at)];
  std::string names;
  for (const io::CsvColumn& column : table.columns) {
    names += (names.empty() ? "'" : ", '") + column.name + "'";
  }
  throw KeyError("flow_from_dataframe: the table has no column '" + name + "'. It has: " + names +
                 ".");
}

const Texts& texts_of_column(const io::CsvTable& table, const std::string& name,
                             const std::string& message) {
  const io::CsvColumn& column = column_of(table, name);
  if (column.is_number) throw TypeError(message);
  return column.texts;
}

bool has_classes(const std::string& mode) {
  return mode == "categorical" || mode == "binary" || mode == "sparse";
}

void check_mode(const FlowFromDataframeOptions& o) {
  static const std::set<std::string> kModes = {"binary", "categorical", "input", "multi_output",
                                               "raw",    "sparse",      "none"};
  if (!kModes.contains(o.class_mode)) {
    throw ValueError("Invalid class_mode: " + o.class_mode +
                     "; expected one of: binary, categorical, input, multi_output, raw, sparse, "
                     "none");
  }
  const bool needs_one = has_classes(o.class_mode);
  if (o.y_col.empty() || (needs_one && o.y_col.size() != 1)) {
    throw ValueError("flow_from_dataframe: class_mode=\"" + o.class_mode + "\" takes " +
                     (needs_one ? "one column" : "columns") +
                     " in `y_col`. Received: " + std::to_string(o.y_col.size()) + ".");
  }
  if (!o.classes.empty() && !needs_one) {
    logging::warning("`classes` will be ignored given the class_mode=\"" + o.class_mode + "\"");
  }
}

/// Rows of the table that name image files.
std::vector<size_t> valid_rows(const Texts& names, const FlowFromDataframeOptions& o) {
  std::vector<size_t> rows;
  for (size_t row = 0; row < names.size(); ++row) {
    const auto path = std::filesystem::path(o.directory) / names[row];
    const bool valid = !o.validate_filenames ||
                       (is_image_file(names[row]) && std::filesystem::is_regular_file(path));
    if (valid) rows.push_back(row);
  }
  if (rows.size() < names.size()) {
    logging::warning("Found " + std::to_string(names.size() - rows.size()) +
                     " invalid image filename(s) in x_col=\"" + o.x_col +
                     "\". These filename(s) will be ignored.");
  }
  return rows;
}

/// Classes in their order; rows of others are dropped.
Texts take_classes(const Texts& labels, const FlowFromDataframeOptions& o,
                   std::vector<size_t>& rows) {
  Texts classes;
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

void check_binary(const Texts& labels, const FlowFromDataframeOptions& o) {
  if (o.class_mode != "binary") return;
  const Texts& given = o.classes.empty() ? labels : o.classes;
  const size_t count = std::set<std::string>(given.begin(), given.end()).size();
  if (count == 2) return;
  throw ValueError("If class_mode=\"binary\" there must be 2 classes. " +
                   (o.classes.empty() ? "Found " + std::to_string(count) + " classes."
                                      : std::to_string(count) + " class/es were given."));
}

/// Numbers of a column, of these rows.
std::vector<float> numbers_of(const io::CsvTable& table, const std::string& name,
                              const std::vector<size_t>& rows, const char* argument) {
  const io::CsvColumn& column = column_of(table, name);
  if (!column.is_number) {
    throw TypeError("Column " + std::string(argument) + "=" + name + " must be numeric.");
  }
  std::vector<float> numbers;
  numbers.reserve(rows.size());
  for (const size_t row : rows) numbers.push_back(static_cast<float>(column.numbers[row]));
  return numbers;
}

/// The values of these samples, [samples] or [samples, columns] of one or more columns.
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
  const Texts& names = texts_of_column(
      table, o.x_col, "All values in column x_col=" + o.x_col + " must be strings.");
  std::vector<size_t> rows = valid_rows(names, o);
  const auto source = std::make_shared<ImageIterator::Source>(*this);
  Texts classes;
  if (has_classes(o.class_mode)) {
    const Texts& labels = texts_of_column(table, o.y_col[0],
                                          "If class_mode=\"" + o.class_mode + "\", y_col=\"" +
                                              o.y_col[0] + "\" column values must be strings.");
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
  Texts paths;
  for (const size_t row : rows) {
    source->filenames.push_back(names[row]);
    paths.push_back((std::filesystem::path(o.directory) / names[row]).string());
    if (!classes.empty()) {
      source->classes.push_back(source->class_indices.at(column_of(table, o.y_col[0]).texts[row]));
    }
  }
  logging::print("Found " + std::to_string(rows.size()) +
                 (o.validate_filenames ? " validated" : " non-validated") + " image filenames" +
                 (has_classes(o.class_mode)
                      ? " belonging to " + std::to_string(classes.size()) + " classes.\n"
                      : std::string(".\n")));
  source->samples = std::ssize(rows);
  source->take(o);
  source->image = [=, format = options().data_format](int64_t sample) {
    const std::string& path = paths[static_cast<size_t>(sample)];
    try {
      return img_to_array(decode_img(read_file(path), {.color_mode = o.color_mode,
                                                       .target_size = o.target_size,
                                                       .interpolation = o.interpolation,
                                                       .keep_aspect_ratio = o.keep_aspect_ratio}),
                          format);
    } catch (const IOError& error) {
      throw IOError("'" + path + "': " + error.what());
    }
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
    return std::vector<Nest>{batch[0], batch[1], picked({weights}, samples)};
  };
  return std::make_shared<ImageIterator>(source);
}

std::shared_ptr<ImageIterator> ImageDataGenerator::flow_from_dataframe(
    const std::string& csv_path, const FlowFromDataframeOptions& options) const {
  return flow_from_dataframe(io::read_csv(csv_path, {.header = "yes"}), options);
}

}  // namespace antler::utils
