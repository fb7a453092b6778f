#include "antler/estimator/summary_writer.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <map>
#include <mutex>

#include "antler/base/error.h"
#include "io/event_file.h"
#include "io/histogram.h"
#include "io/tf_tensor.h"
#include "io/wire.h"

namespace antler::estimator {
namespace {

namespace fs = std::filesystem;
using io::WireWriter;

// Field numbers of Summary.Value.
constexpr int kTag = 1;
constexpr int kSimpleValue = 2;
constexpr int kHistogram = 5;
constexpr int kTensor = 8;
// Field numbers of Event.
constexpr int kStep = 2;
constexpr int kGraphDef = 4;
constexpr int kSessionLog = 7;
constexpr int kMetaGraphDef = 9;

WireWriter tagged(const std::string& tag) {
  WireWriter value;
  value.bytes(kTag, tag);
  return value;
}

std::string as_summary(const WireWriter& value) {
  WireWriter summary;
  summary.message(1, value);
  return summary.str();
}

/// Creates an empty file, so that no other task can use the name; false if the file exists. If the
/// file cannot be created, opening it later throws the error.
bool claim(const std::string& path) {
  std::FILE* const file = std::fopen(path.c_str(), "wx");
  if (file == nullptr) return errno != EEXIST;
  std::fclose(file);
  return true;
}

/// An unused file name. Two processes may start in the same second.
std::string new_event_file(const std::string& directory) {
  std::error_code ignored;
  fs::create_directories(directory, ignored);
  std::string path = io::event_file_path(directory);
  if (claim(path)) return path;
  for (int i = 0;; ++i) {
    std::string other = format("{}.{}.{}", path, getpid(), i);
    if (claim(other)) return other;
  }
}

/// The writers of the process, and the paths of their files, by folder.
struct Writers {
  struct Entry {
    std::weak_ptr<SummaryWriter> writer;
    std::string path;
  };
  std::mutex mutex;
  std::map<std::string, Entry> by_folder;
};

Writers& writers() {
  static Writers all;
  return all;
}

}  // namespace

SummaryBuilder& SummaryBuilder::scalar(const std::string& tag, double value) {
  WireWriter message = tagged(tag);
  message.float32(kSimpleValue, static_cast<float>(value));
  bytes_ += as_summary(message);
  return *this;
}

SummaryBuilder& SummaryBuilder::tensor(const std::string& tag, const Tensor& value) {
  WireWriter message = tagged(tag);
  message.message(kTensor, io::tensor_message(value));
  bytes_ += as_summary(message);
  return *this;
}

SummaryBuilder& SummaryBuilder::text(const std::string& tag, const std::string& value) {
  WireWriter message = tagged(tag);
  message.message(kTensor, io::tensor_message(StringTensor({value}, Shape())));
  bytes_ += as_summary(message);
  return *this;
}

SummaryBuilder& SummaryBuilder::histogram(const std::string& tag, const Tensor& values) {
  WireWriter message = tagged(tag);
  message.message(kHistogram, io::histogram_message(values.to_doubles()));
  bytes_ += as_summary(message);
  return *this;
}

SummaryBuilder& SummaryBuilder::summary(const std::string& bytes) {
  bytes_ += bytes;  // consecutive messages are equal to one message with the fields of both
  return *this;
}

struct SummaryWriter::Impl {
  std::string path;
  std::mutex mutex;
  io::EventFile file;
  bool has_graph = false;

  Impl(const std::string& file_path, bool append)
      : path(file_path), file(file_path, io::EventFileOptions{.append = append}) {}

  void write(const WireWriter& event) {
    const std::lock_guard lock(mutex);
    file.write(event);
  }
};

std::shared_ptr<SummaryWriter> SummaryWriter::of(const std::string& directory) {
  std::error_code error;
  const std::string folder = fs::weakly_canonical(directory, error).string();
  if (directory.empty() || error) throw IOError("'{}' cannot hold event files.", directory);
  Writers& all = writers();
  const std::lock_guard lock(all.mutex);
  Writers::Entry& entry = all.by_folder[folder];
  std::shared_ptr<SummaryWriter> writer = entry.writer.lock();
  // The user may have deleted the folder in the meantime.
  if (!entry.path.empty() && !fs::exists(entry.path)) {
    writer.reset();
    entry.path.clear();
  }
  if (writer) return writer;
  const bool append = !entry.path.empty();
  auto impl = std::make_unique<Impl>(append ? entry.path : new_event_file(folder), append);
  entry.path = impl->path;
  writer.reset(new SummaryWriter(std::move(impl)));
  entry.writer = writer;
  return writer;
}

SummaryWriter::SummaryWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SummaryWriter::~SummaryWriter() = default;

void SummaryWriter::scalar(const std::string& tag, double value, int64_t step) {
  summary(SummaryBuilder().scalar(tag, value).bytes(), step);
}

void SummaryWriter::tensor(const std::string& tag, const Tensor& value, int64_t step) {
  summary(SummaryBuilder().tensor(tag, value).bytes(), step);
}

void SummaryWriter::text(const std::string& tag, const std::string& value, int64_t step) {
  summary(SummaryBuilder().text(tag, value).bytes(), step);
}

void SummaryWriter::histogram(const std::string& tag, const Tensor& values, int64_t step) {
  summary(SummaryBuilder().histogram(tag, values).bytes(), step);
}

void SummaryWriter::summary(const std::string& bytes, int64_t step) {
  if (bytes.empty()) return;
  const std::lock_guard lock(impl_->mutex);
  impl_->file.write_summary(bytes, step);
}

void SummaryWriter::session_log(SessionStatus status, const std::string& checkpoint_path,
                                int64_t step) {
  WireWriter log;
  log.integer(1, static_cast<int64_t>(status));
  if (!checkpoint_path.empty()) log.bytes(2, checkpoint_path);
  WireWriter event = io::event_at_now();
  event.integer(kStep, step);
  event.message(kSessionLog, log);
  impl_->write(event);
}

void SummaryWriter::graph(const std::string& graph_def) {
  WireWriter event = io::event_at_now();
  event.bytes(kGraphDef, graph_def);
  impl_->write(event);
  const std::lock_guard lock(impl_->mutex);
  impl_->has_graph = true;
}

bool SummaryWriter::has_graph() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->has_graph;
}

void SummaryWriter::meta_graph(const std::string& meta_graph_def) {
  WireWriter event = io::event_at_now();
  event.bytes(kMetaGraphDef, meta_graph_def);
  impl_->write(event);
}

void SummaryWriter::flush() {
  const std::lock_guard lock(impl_->mutex);
  impl_->file.flush();
}

const std::string& SummaryWriter::path() const { return impl_->path; }

}  // namespace antler::estimator
