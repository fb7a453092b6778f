#include "antler/io/summary.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "antler/base/error.h"
#include "antler/io/tfrecord.h"
#include "base/clock.h"
#include "io/histogram.h"
#include "io/little_endian.h"
#include "io/png.h"
#include "io/tf_data_type.h"
#include "io/tf_tensor.h"
#include "io/wire.h"

// Event files hold TensorFlow's messages of event.proto, summary.proto and tensor.proto, whose
// field numbers are used here. io/wire.h explains why there are no generated classes.

namespace antler::summary {
namespace {

using io::WireWriter;

/// DataClass of summary.proto.
enum DataClass : int64_t { unset = 0, scalar = 1, tensor = 2, blob_sequence = 3 };

WireWriter tensor_proto(int64_t dtype, const Shape& shape) {
  WireWriter proto;
  proto.integer(1, dtype);
  proto.message(2, io::shape_message(shape));
  return proto;
}

WireWriter string_tensor(const std::vector<std::string>& values, bool is_scalar) {
  WireWriter proto = tensor_proto(io::kTfString, is_scalar ? Shape() : Shape{std::ssize(values)});
  for (const std::string& value : values) proto.bytes(8, value);
  return proto;
}

struct Plugin {
  const char* name;
  DataClass data_class;
  const char* content = "";
};

WireWriter value_of(const std::string& tag, const Plugin& plugin, const WireWriter& tensor_value) {
  WireWriter plugin_data;
  plugin_data.bytes(1, plugin.name);
  plugin_data.bytes(2, plugin.content);
  WireWriter metadata;
  metadata.message(1, plugin_data);
  if (plugin.data_class != unset) metadata.integer(4, plugin.data_class);
  WireWriter value;
  value.bytes(1, tag);
  value.message(8, tensor_value);
  value.message(9, metadata);
  return value;
}

WireWriter event_at_now() {
  WireWriter event;
  event.float64(
      1,
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count());
  return event;
}

std::string host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 && name[0] != '\0' ? name : "localhost";
}

/// The pixels of image `index` of a batch, as bytes.
std::vector<uint8_t> samples_of(const Tensor& images, int64_t index) {
  const int64_t count = images.size() / images.shape()[0];
  std::vector<uint8_t> samples(static_cast<size_t>(count));
  if (images.dtype() == DType::uint8) {
    std::copy_n(images.data<uint8_t>() + index * count, count, samples.begin());
    return samples;
  }
  const float* from = images.data<float>() + index * count;
  std::transform(from, from + count, samples.begin(), [](float x) {
    return static_cast<uint8_t>(std::isfinite(x) ? std::clamp(x, 0.0F, 1.0F) * 255.0F + 0.5F
                                                 : 0.0F);
  });
  return samples;
}

}  // namespace

struct FileWriter::Impl {
  std::string log_dir;
  FileWriterOptions options;
  std::mutex mutex;
  std::string path;
  std::optional<io::TFRecordWriter> file;
  int64_t pending = 0;
  double last_flush = 0;

  void open() {
    static std::atomic<int> counter = 0;
    std::error_code error;
    std::filesystem::create_directories(log_dir, error);
    if (error) throw IOError("Cannot create the folder '{}': {}.", log_dir, error.message());
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(
                             std::chrono::system_clock::now().time_since_epoch())
                             .count();
    path = fmt::format("{}/events.out.tfevents.{:010}.{}.{}.{}{}", log_dir, seconds, host_name(),
                       getpid(), counter++, options.filename_suffix);
    file.emplace(path);
    WireWriter first = event_at_now();
    first.bytes(3, "brain.Event:2");
    file->write(first.str());
    file->flush();
    last_flush = steady_seconds();
  }

  void write(const WireWriter& value, int64_t step) {
    const std::lock_guard lock(mutex);
    if (!file) open();
    WireWriter summary;
    summary.message(1, value);
    WireWriter event = event_at_now();
    event.integer(2, step);
    event.message(5, summary);
    file->write(event.str());
    ++pending;
    if (pending >= options.max_queue || steady_seconds() - last_flush >= options.flush_seconds) {
      flush_locked();
    }
  }

  void flush_locked() {
    if (file) file->flush();
    pending = 0;
    last_flush = steady_seconds();
  }
};

FileWriter::FileWriter(const std::string& log_dir, const FileWriterOptions& options)
    : impl_(std::make_unique<Impl>()) {
  if (log_dir.empty()) throw ValueError("`log_dir` must not be empty.");
  impl_->log_dir = log_dir;
  impl_->options = options;
}

FileWriter::~FileWriter() = default;
FileWriter::FileWriter(FileWriter&&) noexcept = default;
FileWriter& FileWriter::operator=(FileWriter&&) noexcept = default;

void FileWriter::scalar(const std::string& tag, double value, int64_t step) {
  WireWriter proto = tensor_proto(io::tf_data_type(DType::float32), {});
  std::string content;
  io::append_little_endian(content, static_cast<float>(value));
  proto.bytes(4, content);
  impl_->write(value_of(tag, {"scalars", DataClass::scalar}, proto), step);
}

void FileWriter::histogram(const std::string& tag, const Tensor& values, int64_t step,
                           int64_t buckets) {
  if (buckets < 1) {
    throw ValueError("`buckets` must be at least 1. Received: {}.", buckets);
  }
  WireWriter proto = tensor_proto(io::tf_data_type(DType::float64), {buckets, 3});
  std::string content;
  for (const double x : io::histogram_rows(values.to_doubles(), buckets)) {
    io::append_little_endian(content, x);
  }
  proto.bytes(4, content);
  impl_->write(value_of(tag, {"histograms", DataClass::tensor}, proto), step);
}

void FileWriter::text(const std::string& tag, const std::string& markdown, int64_t step) {
  impl_->write(value_of(tag, {"text", DataClass::tensor}, string_tensor({markdown}, true)), step);
}

void FileWriter::image(const std::string& tag, const Tensor& images, int64_t step,
                       int64_t max_outputs) {
  const Shape& shape = images.shape();
  const bool dtype_fits = images.dtype() == DType::uint8 || images.dtype() == DType::float32;
  if (shape.rank() != 4 || !dtype_fits || (shape[3] != 1 && shape[3] != 3 && shape[3] != 4)) {
    throw ValueError(
        "Images must be [count, height, width, channels] with 1, 3 or 4 channels, float32 or "
        "uint8. "
        "Received: {}.",
        images);
  }
  std::vector<std::string> strings = {std::to_string(shape[2]), std::to_string(shape[1])};
  for (int64_t i = 0; i < std::min(shape[0], max_outputs); ++i) {
    strings.push_back(io::encode_png(samples_of(images, i), shape[1], shape[2], shape[3]));
  }
  impl_->write(value_of(tag, {"images", DataClass::blob_sequence}, string_tensor(strings, false)),
               step);
}

void FileWriter::keras_model(const std::string& tag, const std::string& json, int64_t step) {
  impl_->write(
      value_of(tag, {"graph_keras_model", DataClass::unset, "1"}, string_tensor({json}, true)),
      step);
}

void FileWriter::flush() {
  const std::lock_guard lock(impl_->mutex);
  impl_->flush_locked();
}

const std::string& FileWriter::path() const { return impl_->path; }

}  // namespace antler::summary
