#include "io/hdf5_bytes.h"

#include "antler/base/error.h"

namespace antler::io::hdf5 {

std::string FileBytes::read(uint64_t at, uint64_t count) const {
  if (at > size() || count > size() - at) damaged("it is truncated or has an invalid address");
  return file_.read(at, count);
}

void FileBytes::damaged(std::string_view why) const {
  throw IOError("{} cannot be read as HDF5: {}.", name(), why);
}

void FileBytes::unsupported(std::string_view what) const {
  throw ValueError("{} has {}, which is not supported.", name(), what);
}

std::string_view Cursor::take(uint64_t count) {
  if (count > rest_.size()) file_->damaged("a part of it is truncated");
  const std::string_view part = rest_.substr(0, count);
  rest_.remove_prefix(count);
  return part;
}

uint64_t Cursor::number(uint64_t bytes) {
  const std::string_view part = take(bytes);
  uint64_t value = 0;
  for (size_t i = part.size(); i-- > 0;) value = value << 8 | static_cast<uint8_t>(part[i]);
  return value;
}

}  // namespace antler::io::hdf5
