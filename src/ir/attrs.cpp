#include "antler/ir/attrs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "antler/base/error.h"

namespace antler::ir {
namespace {

/// With `identity`, the text of a literal contains the address of its TensorImpl, so that equal
/// literals differ.
std::string print(const Attr& attr, bool identity) {
  struct Visitor {
    bool identity;
    std::string operator()(bool v) const { return v ? "true" : "false"; }
    std::string operator()(int64_t v) const { return fmt::format("{}", v); }
    std::string operator()(double v) const { return fmt::format("{:.17g}", v); }
    std::string operator()(const std::string& v) const { return fmt::format("\"{}\"", v); }
    std::string operator()(const Ints& v) const { return fmt::format("[{}]", fmt::join(v, ", ")); }
    std::string operator()(const std::vector<double>& v) const {
      return fmt::format("[{:.17g}]", fmt::join(v, ", "));
    }
    std::string operator()(DType v) const { return dtype_name(v); }
    std::string operator()(const Tensor& v) const {
      if (!identity) return v.str();
      return fmt::format("{}@{}", v.str(), fmt::ptr(v.impl().get()));
    }
  };
  return std::visit(Visitor{identity}, attr);
}

}  // namespace

void Attrs::set(std::string name, Attr value) {
  for (auto& [key, old] : items_) {
    if (key == name) {
      old = std::move(value);
      return;
    }
  }
  items_.emplace_back(std::move(name), std::move(value));
}

const Attr* Attrs::find(std::string_view name) const {
  for (const auto& [key, value] : items_) {
    if (key == name) return &value;
  }
  return nullptr;
}

template <class T>
const T& Attrs::get(std::string_view name) const {
  const Attr* attr = find(name);
  if (attr == nullptr) throw InternalError("Attribute `{}` is missing in {}", name, str());
  const T* value = std::get_if<T>(attr);
  if (value == nullptr) throw InternalError("Attribute `{}` has the wrong type in {}", name, str());
  return *value;
}

template const bool& Attrs::get<bool>(std::string_view) const;
template const int64_t& Attrs::get<int64_t>(std::string_view) const;
template const double& Attrs::get<double>(std::string_view) const;
template const std::string& Attrs::get<std::string>(std::string_view) const;
template const Ints& Attrs::get<Ints>(std::string_view) const;
template const std::vector<double>& Attrs::get<std::vector<double>>(std::string_view) const;
template const DType& Attrs::get<DType>(std::string_view) const;
template const Tensor& Attrs::get<Tensor>(std::string_view) const;

std::string Attrs::str() const {
  std::string text;
  for (const auto& [name, value] : items_)
    text += (text.empty() ? "" : ", ") + name + "=" + print(value, false);
  return text;
}

std::string Attrs::key() const {
  std::string text;
  for (const auto& [name, value] : items_) text += name + "=" + print(value, true) + ";";
  return text;
}

}  // namespace antler::ir
