#include "antler/training/callbacks/csv_logger.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/distribute/strategy.h"
#include "antler/training/model.h"
#include "io/csv_field.h"
#include "training/callbacks/from_config.h"
#include "training/callbacks/python_format.h"

namespace antler::callbacks {
namespace {

constexpr std::string_view kEnd = "\r\n";

bool is_not_empty(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return file.peek() != std::ifstream::traits_type::eof();
}

/// Removes an incomplete last line from the file. Returns the other lines.
std::string complete_lines(const std::string& path) {
  if (!std::filesystem::exists(path)) return {};
  std::string lines = read_file(path);
  const size_t end = lines.rfind(kEnd);
  const size_t size = end == std::string::npos ? 0 : end + kEnd.size();
  if (size == lines.size()) return lines;
  std::filesystem::resize_file(path, size);
  return lines.substr(0, size);
}

/// An array as Keras writes it: a list between quotes, which are part of the cell.
std::string list_of(const Tensor& array) {
  std::string text;
  for (const double element : array.to_doubles())
    text += (text.empty() ? "" : ", ") +
            (array.dtype() == DType::float32
                 ? training::python_repr_float32(static_cast<float>(element))
                 : training::python_repr(element));
  return "\"[" + text + "]\"";
}

}  // namespace

CSVLogger::CSVLogger(const CSVLoggerOptions& options) : options_(options) {
  if (options_.separator.size() != 1) {
    throw ValueError("CSVLogger: `separator` must be one character. Received: separator='{}'",
                     options_.separator);
  }
}

void CSVLogger::on_train_begin(const Logs&) {
  keys_.clear();
  row_.clear();
  if (writes()) open(options_.append);
}

void CSVLogger::open(bool append) {
  header_ = !append || !is_not_empty(options_.filename);
  // The file stays open, so that changes of its folder do not stop training.
  file_ = std::make_shared<std::ofstream>(
      options_.filename, std::ios::binary | (append ? std::ios::app : std::ios::trunc));
  if (*file_) return;
  const std::filesystem::path folder = std::filesystem::path(options_.filename).parent_path();
  if (!folder.empty() && !std::filesystem::exists(folder)) {
    throw NotFoundError("CSVLogger cannot write '{}': there is no folder '{}'.", options_.filename,
                        folder.string());
  }
  throw IOError("CSVLogger cannot open the file {}.", options_.filename);
}

bool CSVLogger::writes() const {
  return model == nullptr || model->distribute_strategy().is_chief();
}

std::string CSVLogger::line_of(const std::vector<std::string>& cells) const {
  const char separator = options_.separator[0];
  std::string line;
  for (const std::string& cell : cells) {
    if (!line.empty()) line += separator;
    line += io::csv_field(cell, separator);
  }
  line += kEnd;
  return line;
}

void CSVLogger::write_row() {
  std::string lines;
  if (header_) {
    std::vector<std::string> names = {"epoch"};
    names.insert(names.end(), keys_.begin(), keys_.end());
    lines = line_of(names);
  }
  *file_ << lines + line_of(row_) << std::flush;
  if (!*file_) throw IOError("CSVLogger cannot write to the file {}.", options_.filename);
  header_ = false;
}

void CSVLogger::on_epoch_end(int epoch, const Logs& logs) {
  if (keys_.empty()) {
    for (const auto& [name, value] : logs) keys_.push_back(name);
    std::sort(keys_.begin(), keys_.end());
    const bool validated = std::any_of(
        keys_.begin(), keys_.end(), [](const std::string& key) { return key.starts_with("val_"); });
    if (!validated) {  // a later epoch may be validated
      const size_t count = keys_.size();
      for (size_t i = 0; i < count; ++i) keys_.push_back("val_" + keys_[i]);
    }
  }
  row_ = {std::to_string(epoch)};
  for (const std::string& key : keys_) {
    const Tensor* array = logs.array(key);
    const auto value = logs.find(key);
    row_.push_back(array != nullptr ? list_of(*array)
                   : value          ? training::python_repr(*value)
                                    : "NA");
  }
  if (!writes()) return;
  if (file_ != nullptr)
    write_row();
  else  // this process has become the chief during a hook of another callback
    take_over(epoch, logs);
}

void CSVLogger::take_over(std::optional<int64_t> ended, const Logs&) {
  // The last chief may have written the line, or a part of it.
  const std::string lines = complete_lines(options_.filename);
  open(true);
  if (ended && !row_.empty() && !lines.ends_with(line_of(row_))) write_row();
}

void CSVLogger::on_train_end(const Logs&) { file_.reset(); }

template <class V>
void fields(V& v, CSVLoggerOptions& o) {
  v("filename", o.filename);
  v("separator", o.separator);
  v("append", o.append);
}

CSVLogger CSVLogger::from_config(const Json& config) {
  return CSVLogger(read_options<CSVLogger, CSVLoggerOptions>(config));
}

}  // namespace antler::callbacks
