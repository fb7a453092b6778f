#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "antler/core/tensor.h"

namespace antler::summary {

/// Options of FileWriter.
struct FileWriterOptions {
  std::string filename_suffix = ".v2";  ///< end of the file's name
  int64_t max_queue = 10;               ///< events before a flush
  double flush_seconds = 120.0;         ///< most seconds between flushes
};

/// Writes an event file for TensorBoard (tf.summary.create_file_writer). The folder and the file
/// are created by the first event. Thread-safe. Functions throw IOError if the event cannot be
/// written.
class FileWriter {
 public:
  explicit FileWriter(const std::string& log_dir, const FileWriterOptions& options = {});
  ~FileWriter();
  FileWriter(FileWriter&&) noexcept;
  FileWriter& operator=(FileWriter&&) noexcept;

  /// A point of a curve.
  void scalar(const std::string& tag, double value, int64_t step);
  /// A histogram of the elements of `values` (any numeric dtype and shape) with `buckets` buckets
  /// of equal width. Values that are not finite are ignored.
  void histogram(const std::string& tag, const Tensor& values, int64_t step, int64_t buckets = 30);
  /// Markdown.
  void text(const std::string& tag, const std::string& markdown, int64_t step);
  /// Images [count, height, width, channels] with 1, 3 or 4 channels, float32 in [0, 1] or uint8.
  /// At most `max_outputs` are written. Throws ValueError for other shapes and dtypes.
  void image(const std::string& tag, const Tensor& images, int64_t step, int64_t max_outputs = 3);
  /// A model's configuration (Model::to_json). TensorBoard shows it in the graph tab as "keras".
  void keras_model(const std::string& tag, const std::string& json, int64_t step);
  void flush();
  /// Path of the event file; empty before the first event.
  std::string path() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace antler::summary
