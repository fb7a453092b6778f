#include "antler/core/string_tensor.h"

#include "antler/base/error.h"

namespace antler {

StringTensor::StringTensor(std::vector<std::string> texts, Shape given)
    : shape(std::move(given)), values(std::move(texts)) {
  if (shape.num_elements() != static_cast<int64_t>(values.size())) {
    throw ValueError("StringTensor: " + std::to_string(values.size()) +
                     " values do not fill shape " + shape.str() + ".");
  }
}

}  // namespace antler
