#include "antler/io/summary.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "antler/base/error.h"
#include "io/event_file.h"
#include "io/histogram.h"
#include "io/png.h"
#include "io/tf_tensor.h"
#include "io/wire.h"

// Event files hold TensorFlow's messages of event.proto, summary.proto and tensor.proto, whose
// field numbers are used here. io/wire.h explains why there are no generated classes.

namespace antler::summary {
namespace {

using io::WireWriter;

/// DataClass of summary.proto.
enum DataClass : int64_t { unset = 0, scalar = 1, tensor = 2, blob_sequence = 3 };

WireWriter scalar_text(const std::string& text) {
  return io::tensor_message(StringTensor({text}, Shape()));
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

/// The samples (pixels x channels) of image `index` of a batch, as bytes.
std::vector<uint8_t> samples_of(const Tensor& images, int64_t index) {
  const int64_t count = images.size() / images.shape()[0];
  std::vector<uint8_t> samples(static_cast<size_t>(count));
  if (images.dtype() == DType::uint8) {
    std::copy_n(images.data<uint8_t>() + index * count, count, samples.begin());
    return samples;
  }
  const float* from = images.data<float>() + index * count;
  std::transform(from, from + count, samples.begin(), [](float x) {
    return static_cast<uint8_t>(std::isnan(x) ? 0.0F : std::clamp(x, 0.0F, 1.0F) * 255.0F + 0.5F);
  });
  return samples;
}

}  // namespace

struct FileWriter::Impl {
  std::string log_dir;
  FileWriterOptions options;
  std::mutex mutex;
  std::string path;
  std::optional<io::EventFile> file;

  void open() {
    static std::atomic<int> counter = 0;
    path = fmt::format("{}.{}.{}{}", io::event_file_path(log_dir), getpid(), counter++,
                       options.filename_suffix);
    file.emplace(path, io::EventFileOptions{.max_queue = options.max_queue,
                                            .flush_seconds = options.flush_seconds});
  }

  void write(const WireWriter& value, int64_t step) {
    const std::lock_guard lock(mutex);
    if (!file) open();
    WireWriter summary;
    summary.message(1, value);
    file->write_summary(summary.str(), step);
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
  const WireWriter proto = io::tensor_message(Tensor::full(DType::float32, {}, value));
  impl_->write(value_of(tag, {"scalars", DataClass::scalar}, proto), step);
}

void FileWriter::histogram(const std::string& tag, const Tensor& values, int64_t step,
                           int64_t buckets) {
  if (buckets < 1) {
    throw ValueError("`buckets` must be at least 1. Received: {}.", buckets);
  }
  const WireWriter proto = io::tensor_message(
      Tensor::of(io::histogram_rows(values.to_doubles(), buckets), {buckets, 3}));
  impl_->write(value_of(tag, {"histograms", DataClass::tensor}, proto), step);
}

void FileWriter::text(const std::string& tag, const std::string& markdown, int64_t step) {
  impl_->write(value_of(tag, {"text", DataClass::tensor}, scalar_text(markdown)), step);
}

void FileWriter::image(const std::string& tag, const Tensor& images, int64_t step,
                       int64_t max_outputs) {
  const Shape& shape = images.shape();
  const bool dtype_fits = images.dtype() == DType::uint8 || images.dtype() == DType::float32;
  if (shape.rank() != 4 || !dtype_fits || (shape[3] != 1 && shape[3] != 3 && shape[3] != 4)) {
    throw ValueError(
        "Images must be [count, height, width, channels] with 1, 3 or 4 channels, float32 or "
        "uint8. Received: {}.",
        images);
  }
  std::vector<std::string> strings = {std::to_string(shape[2]), std::to_string(shape[1])};
  for (int64_t i = 0; i < std::min(shape[0], max_outputs); ++i) {
    strings.push_back(io::encode_png(samples_of(images, i), shape[1], shape[2], shape[3]));
  }
  impl_->write(value_of(tag, {"images", DataClass::blob_sequence},
                        io::tensor_message(StringTensor(strings))),
               step);
}

void FileWriter::keras_model(const std::string& tag, const std::string& json, int64_t step) {
  impl_->write(value_of(tag, {"graph_keras_model", DataClass::unset, "1"}, scalar_text(json)),
               step);
}

void FileWriter::flush() {
  const std::lock_guard lock(impl_->mutex);
  if (impl_->file) impl_->file->flush();
}

std::string FileWriter::path() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->path;
}

}  // namespace antler::summary
