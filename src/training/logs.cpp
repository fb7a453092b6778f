#include "antler/training/logs.h"

#include <cmath>
#include <numeric>
#include <ostream>

#include "antler/base/error.h"

namespace antler {
namespace {

double number_of(const Tensor& value) {
  if (!value.defined()) throw ValueError("A value in the logs of a step is undefined.");
  if (value.size() == 1)
    return value.dtype() == DType::float32 ? static_cast<double>(*value.data<float>())
                                           : value.item();
  const std::vector<double> elements = value.to_doubles();
  return std::accumulate(elements.begin(), elements.end(), 0.0) /
         static_cast<double>(elements.size());
}

}  // namespace

Logs::Logs(const HostLogs& logs) {
  for (const auto& [name, number] : logs) {
    const Tensor* array = logs.array(name);
    entries_[name] = array != nullptr ? *array : Tensor::full(DType::float64, {}, number);
  }
}

Logs::Logs(const Nest& outputs) { add(outputs); }

void Logs::add(const Nest& outputs) {
  for (const auto& [name, value] : outputs.items()) {
    if (value.is_list()) {
      throw TypeError(
          "The value of '{}' in the logs must be a number, an array or a dictionary of them. "
          "Received a list.",
          name);
    }
    if (value.is_dict()) {
      add(value);
    } else {
      entries_[name] = value;
    }
  }
}

Logs::operator Nest() const { return Nest::dict({entries_.begin(), entries_.end()}); }

double Logs::number(const Nest& value) { return number_of(value.tensor()); }

Logs::Found Logs::find(const std::string& name) const {
  auto at = entries_.begin();
  while (at != entries_.end() && at->first != name) ++at;
  return Found(Iterator(at), end());
}

const Tensor* Logs::array(const std::string& name) const {
  const Nest* value = entries_.find(name);
  const bool is_array = value != nullptr && !value->is_none() && value->tensor().size() != 1;
  return is_array ? &value->tensor() : nullptr;
}

HostLogs::HostLogs(const Logs& logs) {
  for (const auto& [name, number] : logs) {
    (*this)[name] = number;
    if (const Tensor* array = logs.array(name)) arrays_[name] = *array;
  }
}

const Tensor* HostLogs::array(const std::string& name) const {
  const Tensor* array = arrays_.find(name);
  const double* number = find(name);
  if (array == nullptr || number == nullptr) return nullptr;
  const double mean = number_of(*array);
  return *number == mean || (std::isnan(*number) && std::isnan(mean)) ? array : nullptr;
}

std::ostream& operator<<(std::ostream& out, const Logs& logs) {
  const char* separator = "";
  out << "{";
  for (const auto& [name, value] : logs) {
    out << separator << "'" << name << "': " << value;
    separator = ", ";
  }
  return out << "}";
}

}  // namespace antler
