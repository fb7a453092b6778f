#include "antler/estimator/params.h"

#include <algorithm>
#include <concepts>
#include <type_traits>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/base/json.h"
#include "base/strings.h"

namespace antler::estimator {
namespace {

Json to_json(const ParamValue& value) {
  return std::visit(
      [](const auto& v) -> Json {
        if constexpr (std::same_as<std::remove_cvref_t<decltype(v)>, NoneType>) {
          return nullptr;
        } else {
          return v;
        }
      },
      value.variant());
}

}  // namespace

bool operator==(const ParamValue& a, const ParamValue& b) { return to_json(a) == to_json(b); }

bool Params::contains(const std::string& name) const {
  return std::any_of(items_.begin(), items_.end(), [&](const auto& i) { return i.first == name; });
}

void Params::set(const std::string& name, ParamValue value) {
  for (auto& [key, old] : items_) {
    if (key != name) continue;
    old = std::move(value);
    return;
  }
  items_.emplace_back(name, std::move(value));
}

void Params::erase(const std::string& name) {
  std::erase_if(items_, [&](const auto& item) { return item.first == name; });
}

const ParamValue& Params::at(const std::string& name) const {
  for (const auto& [key, value] : items_) {
    if (key == name) return value;
  }
  throw KeyError("params has no '{}'. The names are: {}.", name,
                 join(items_, ", ", [](const auto& item) { return item.first; }));
}

template <class T>
T Params::get(const std::string& name) const {
  const ParamValue& value = at(name);
  if (const T* exact = std::get_if<T>(&value.variant())) return *exact;
  if constexpr (std::same_as<T, double>) {
    if (const auto* integer = std::get_if<int64_t>(&value.variant()))
      return static_cast<double>(*integer);
  }
  if constexpr (std::same_as<T, std::vector<double>>) {
    if (const auto* integers = std::get_if<std::vector<int64_t>>(&value.variant()))
      return {integers->begin(), integers->end()};
  }
  throw TypeError("params['{}'] is {}, which is not of the type that was asked for.", name,
                  to_json(value).dump());
}

template bool Params::get(const std::string&) const;
template int64_t Params::get(const std::string&) const;
template double Params::get(const std::string&) const;
template std::string Params::get(const std::string&) const;
template std::vector<int64_t> Params::get(const std::string&) const;
template std::vector<double> Params::get(const std::string&) const;
template std::vector<std::string> Params::get(const std::string&) const;

std::string Params::str() const {
  Json json = Json::object();
  for (const auto& [name, value] : items_) json[name] = to_json(value);
  return json.dump();
}

}  // namespace antler::estimator
