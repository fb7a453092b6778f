#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "antler/core/tensor.h"

namespace antler::summary {

struct FileWriterOptions {
  std::string filename_suffix = ".v2";
  int64_t max_queue = 10;        ///< events that are kept back before a flush
  double flush_seconds = 120.0;  ///< and for how long at most
};

/// Writes an event file that TensorBoard reads (tf.summary.create_file_writer). The folder is made,
/// the file appears with the first event. Functions may be called from several threads; they throw
/// IOError when the disk does not take the event.
class FileWriter {
 public:
  explicit FileWriter(const std::string& log_dir, const FileWriterOptions& options = {});
  ~FileWriter();
  FileWriter(FileWriter&&) noexcept;
  FileWriter& operator=(FileWriter&&) noexcept;

  /// A point of a curve.
  void scalar(const std::string& tag, double value, int64_t step);
  /// How the elements of `values` (any numeric dtype and shape) are spread, in at most `buckets`
  /// ranges of equal width. Values that are not finite are left out.
  void histogram(const std::string& tag, const Tensor& values, int64_t step, int64_t buckets = 30);
  /// Markdown.
  void text(const std::string& tag, const std::string& markdown, int64_t step);
  /// Images [count, height, width, channels] with 1, 3 or 4 channels: floats in [0, 1] or uint8. At
  /// most `max_outputs` are written. Throws ValueError for other shapes.
  void image(const std::string& tag, const Tensor& images, int64_t step, int64_t max_outputs = 3);
  /// A model's configuration (Model::to_json), shown in TensorBoard's graph tab as "keras".
  void keras_model(const std::string& tag, const std::string& json, int64_t step);
  void flush();
  /// Of the event file; empty before the first event.
  const std::string& path() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace antler::summary
