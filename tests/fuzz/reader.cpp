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
  const auto* bytes = static_cast<const unsigned char*>(tensor.data());
  // Volatile: else nothing would be read.
  volatile unsigned char last = 0;
  for (size_t i = 0; i < tensor.bytes(); ++i) last = bytes[i];
  (void)last;
}

}  // namespace antler::fuzz
