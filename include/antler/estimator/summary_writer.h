#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "antler/core/tensor.h"

namespace antler::estimator {

/// Builds a Summary message: the values of one event.
class SummaryBuilder {
 public:
  SummaryBuilder& scalar(const std::string& tag, double value);
  /// A tensor without a plugin.
  SummaryBuilder& tensor(const std::string& tag, const Tensor& value);
  SummaryBuilder& text(const std::string& tag, const std::string& value);
  SummaryBuilder& histogram(const std::string& tag, const Tensor& values);
  /// The values of a Summary message.
  SummaryBuilder& summary(const std::string& bytes);
  /// Bytes of the message.
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Writes the event file of a folder in the form of tf.compat.v1.summary.FileWriter: simple values,
/// session logs, graphs. A process writes one file per folder. Thread-safe. Throws IOError.
class SummaryWriter {
 public:
  /// The writer of the folder. The same writer is returned as long as it exists; a later one
  /// continues its file. The file is created at once.
  static std::shared_ptr<SummaryWriter> of(const std::string& directory);
  ~SummaryWriter();

  /// Each of these writes an event with one value.
  void scalar(const std::string& tag, double value, int64_t step);
  /// A tensor summary: arrays.
  void tensor(const std::string& tag, const Tensor& value, int64_t step);
  void text(const std::string& tag, const std::string& value, int64_t step);
  void histogram(const std::string& tag, const Tensor& values, int64_t step);
  /// Writes an event with the values of a Summary message, see SummaryBuilder. Writes nothing if
  /// there are no values.
  void summary(const std::string& bytes, int64_t step);
  enum class SessionStatus : uint8_t { start = 1, stop = 2, checkpoint = 3 };
  void session_log(SessionStatus status, const std::string& checkpoint_path, int64_t step);
  /// The bytes of a GraphDef, and of a MetaGraphDef.
  void graph(const std::string& graph_def);
  void meta_graph(const std::string& meta_graph_def);
  /// Whether graph() was called.
  bool has_graph() const;
  void flush();
  /// Path of the file.
  const std::string& path() const;

 private:
  struct Impl;
  explicit SummaryWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace antler::estimator
