#include "antler/training/logs.h"

#include <cmath>
#include <numeric>
#include <ostream>

namespace antler {

void HostLogs::set(const std::string& name, const Tensor& value) {
  double& number = (*this)[name];
  if (value.size() == 1) {
    number =
        value.dtype() == DType::float32 ? static_cast<double>(*value.data<float>()) : value.item();
    return;
  }
  const std::vector<double> elements = value.to_doubles();
  number =
      std::accumulate(elements.begin(), elements.end(), 0.0) / static_cast<double>(elements.size());
  arrays_[name] = {value, number};
}

void HostLogs::copy(const HostLogs& from, const std::string& name, const std::string& as) {
  if (const Tensor* value = from.array(name)) {
    set(as, *value);
  } else if (const double* number = from.find(name)) {
    (*this)[as] = *number;
  }
}

std::ostream& operator<<(std::ostream& out, const HostLogs& logs) {
  const char* separator = "{";
  for (const auto& [name, value] : logs) {
    out << separator << "'" << name << "': " << value;
    separator = ", ";
  }
  return out << (logs.empty() ? "{}" : "}");
}

const Tensor* HostLogs::array(const std::string& name) const {
  const Array* array = arrays_.find(name);
  if (array == nullptr) return nullptr;
  const double number = *find(name);
  const bool same = number == array->mean || (std::isnan(number) && std::isnan(array->mean));
  return same ? &array->value : nullptr;
}

void HostLogs::clear() {
  OrderedMap::clear();
  arrays_.clear();
}

}  // namespace antler
