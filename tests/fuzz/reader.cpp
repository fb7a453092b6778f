#include "fuzz/reader.h"

#include <algorithm>
#include <stdexcept>

#include "antler/base/error.h"

namespace antler::fuzz {

const Reader& find_reader(const std::string& name) {
  std::string known;
  for (const Reader& reader : readers()) {
    if (reader.name == name) return reader;
    known += " " + reader.name;
  }
  throw std::invalid_argument("There is no reader '" + name + "'. Known are:" + known);
}

void read_once(const Reader& reader, std::string_view bytes) {
  try {
    reader.read(bytes);
  } catch (const InternalError&) {
    throw;
  } catch (const Error&) {
  }
}

void use(const Tensor& tensor) {
  // A line of the cache each, and the end: all of a large array would take a sanitizer minutes.
  constexpr size_t kStride = 64;
  const auto* bytes = static_cast<const unsigned char*>(tensor.data());
  const size_t count = tensor.bytes();
  // Volatile: else nothing would be read.
  volatile unsigned char last = 0;
  for (size_t i = 0; i < count; i += kStride) last = bytes[i];
  if (count > 0) last = bytes[count - 1];
  (void)last;
}

}  // namespace antler::fuzz
