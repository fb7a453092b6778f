#include "distribute/devices.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <set>
#include <string_view>

#include "antler/base/error.h"

namespace antler::distribute {
namespace {

/// "CPU:0" of "/device:CPU:0", "/cpu:0", "cpu" and the like.
std::string canonical(const char* strategy, const std::string& device) {
  std::string name = device;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  if (const size_t slash = name.rfind('/'); slash != std::string::npos) name.erase(0, slash + 1);
  if (name.starts_with("DEVICE:")) name.erase(0, std::string_view("DEVICE:").size());
  if (name == "CPU") name += ":0";
  const std::string index = name.starts_with("CPU:") ? name.substr(4) : "";
  const bool is_number =
      !index.empty() &&
      std::all_of(index.begin(), index.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  if (!is_number) {
    throw ValueError(
        "{}: expected a device of the form \"CPU:<number>\". Received: \"{}\". Accelerators are "
        "chosen by `config::set_device`; TPUStrategy or MirroredStrategy(N) then uses several.",
        strategy, device);
  }
  return name;
}

}  // namespace

int64_t distinct_devices(const char* strategy, const std::vector<std::string>& devices) {
  if (devices.empty()) throw ValueError("{}: `devices` must not be empty.", strategy);
  std::set<std::string> names;
  for (const std::string& device : devices) {
    if (names.insert(canonical(strategy, device)).second) continue;
    throw ValueError("{}: `devices` must not contain duplicates. Received \"{}\" more than once.",
                     strategy, device);
  }
  return static_cast<int64_t>(devices.size());
}

}  // namespace antler::distribute
