#include "antler/io/tfrecord.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/io/gzip.h"
#include "io/crc32c.h"
#include "io/little_endian.h"

// Antler reads and writes TFRecord files by itself: the format is a frame of lengths and checksums
// around each record, and its only library is TensorFlow.

namespace antler::io {
namespace {

constexpr uint64_t kHeader = sizeof(uint64_t) + sizeof(uint32_t);
constexpr uint64_t kFooter = sizeof(uint32_t);

bool is_record_header(std::string_view bytes) {
  return checksum_fits(read_little_endian<uint32_t>(bytes.substr(sizeof(uint64_t))),
                       masked_crc32c(bytes.substr(0, sizeof(uint64_t))));
}

}  // namespace

TFRecordWriter::TFRecordWriter(const std::string& path, bool append)
    : path_(path), file_(path, std::ios::binary | (append ? std::ios::app : std::ios::trunc)) {
  if (!file_) throw IOError("Cannot write the record file '{}': {}.", path, std::strerror(errno));
}

void TFRecordWriter::write(std::string_view record) {
  std::string framed;
  framed.reserve(record.size() + kHeader + kFooter);
  append_little_endian(framed, static_cast<uint64_t>(record.size()));
  append_little_endian(framed, masked_crc32c(framed));
  framed += record;
  append_little_endian(framed, masked_crc32c(record));
  file_.write(framed.data(), static_cast<std::streamsize>(framed.size()));
  if (!file_)
    throw IOError("Cannot write to the record file '{}': {}.", path_, std::strerror(errno));
}

void TFRecordWriter::flush() {
  file_.flush();
  if (!file_)
    throw IOError("Cannot write to the record file '{}': {}.", path_, std::strerror(errno));
}

TFRecordReader::TFRecordReader(const std::string& path, uint64_t max_bytes)
    : path_(path), max_bytes_(max_bytes) {
  auto file = std::make_unique<std::ifstream>(path, std::ios::binary);
  if (!*file) throw NotFoundError("There is no record file '{}'.", path);
  std::error_code error;
  size_ = std::filesystem::file_size(path, error);
  if (error) throw IOError("Cannot read the record file '{}': {}.", path, error.message());
  std::string start(kHeader, '\0');
  file->read(start.data(), kHeader);
  const bool whole = file->gcount() == static_cast<std::streamsize>(kHeader);
  // The length of the first record may look like gzip's magic number, but then its checksum is
  // right.
  if (whole && is_gzip(start) && !is_record_header(start)) {
    std::string records = gunzip(read_file(path), max_bytes);
    size_ = records.size();
    file_ = std::make_unique<std::istringstream>(std::move(records));
    return;
  }
  file->clear();
  file->seekg(0);
  file_ = std::move(file);
}

void TFRecordReader::fail(const std::string& what) const {
  throw IOError("The record file '{}' is corrupt at byte {}: {}.", path_, at_, what);
}

std::optional<std::string> TFRecordReader::next() {
  if (at_ == size_) return std::nullopt;
  if (size_ - at_ < kHeader) fail("it ends inside a record's length");
  std::string header(kHeader, '\0');
  if (!file_->read(header.data(), kHeader)) fail("it cannot be read");
  const auto length = read_little_endian<uint64_t>(header);
  if (!is_record_header(header)) {
    fail("the checksum of a record's length does not match");
  }
  const uint64_t rest = size_ - at_ - kHeader;
  if (rest < kFooter || length > rest - kFooter) fail("it ends inside a record");
  if (length > max_bytes_) {
    fail(format("a record has {} bytes; at most {} are allowed", length, max_bytes_));
  }
  std::string record(length, '\0');
  std::string footer(kFooter, '\0');
  if (!file_->read(record.data(), static_cast<std::streamsize>(length)) ||
      !file_->read(footer.data(), kFooter)) {
    fail("it cannot be read");
  }
  if (!checksum_fits(read_little_endian<uint32_t>(footer), masked_crc32c(record))) {
    fail("the checksum of a record does not match");
  }
  at_ += kHeader + length + kFooter;
  return record;
}

}  // namespace antler::io
