#include "antler/training/callbacks/csv_logger.h"

#include <algorithm>
#include <fstream>
#include <utility>

#include "antler/base/error.h"
#include "training/callbacks/from_config.h"
#include "training/callbacks/python_format.h"

namespace antler::callbacks {
namespace {

bool is_not_empty(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return file.peek() != std::ifstream::traits_type::eof();
}

/// A cell in Python's CSV dialect "excel": quoted only if it must be.
std::string quoted(const std::string& text, char separator) {
  if (text.find_first_of(std::string("\"\r\n") + separator) == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + '"';
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

CSVLogger::CSVLogger(const std::string& filename, CSVLoggerOptions options)
    : options_(std::move(options)) {
  options_.filename = filename;
  if (options_.separator.size() != 1) {
    throw ValueError("CSVLogger: `separator` must be one character. Received: separator='{}'",
                     options_.separator);
  }
}

void CSVLogger::on_train_begin(const Logs&) {
  if (options_.append) header_ = !is_not_empty(options_.filename);
  file_ = std::make_shared<std::ofstream>(
      options_.filename, std::ios::binary | (options_.append ? std::ios::app : std::ios::trunc));
  if (!*file_) throw IOError("CSVLogger cannot open the file {}.", options_.filename);
  keys_.clear();
}

void CSVLogger::write_row(const std::vector<std::string>& cells) {
  const char separator = options_.separator[0];
  std::string line;
  for (const std::string& cell : cells) {
    if (!line.empty()) line += separator;
    line += quoted(cell, separator);
  }
  *file_ << line << "\r\n" << std::flush;
  if (!*file_) throw IOError("CSVLogger cannot write to the file {}.", options_.filename);
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
    std::vector<std::string> names = {"epoch"};
    names.insert(names.end(), keys_.begin(), keys_.end());
    if (header_) write_row(names);
  }
  std::vector<std::string> cells = {std::to_string(epoch)};
  for (const std::string& key : keys_) {
    const Tensor* array = logs.array(key);
    const auto value = logs.find(key);
    cells.push_back(array != nullptr ? list_of(*array)
                    : value          ? training::python_repr(*value)
                                     : "NA");
  }
  write_row(cells);
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
