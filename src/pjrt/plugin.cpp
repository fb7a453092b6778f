#include "pjrt/plugin.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <string_view>
#include <vector>

#include "antler/base/error.h"

namespace antler::pjrt {
namespace {

/// XLA's status codes, which PJRT passes on.
enum class StatusCode : int {
  invalid_argument = 3,
  deadline_exceeded = 4,
  not_found = 5,
  resource_exhausted = 8,
  aborted = 10,
  unimplemented = 12,
  unavailable = 14,
};

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::vector<std::string> split_path(std::string_view list) {
  std::vector<std::string> folders;
  while (!list.empty()) {
    const size_t end = std::min(list.find(':'), list.size());
    if (end > 0) folders.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return folders;
}

}  // namespace

const Plugin& Plugin::load(const std::string& path) {
  static std::mutex mutex;
  static auto* const plugins = new std::map<std::string, std::unique_ptr<Plugin>>;
  const std::lock_guard lock(mutex);
  std::unique_ptr<Plugin>& plugin = (*plugins)[path];
  if (plugin == nullptr) plugin.reset(new Plugin(path));
  return *plugin;
}

Plugin::Plugin(const std::string& path) : path_(path) {
  // Local: a plug-in contains its own LLVM and protobuf, whose symbols must not conflict with ours.
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const reason = dlerror();
    throw NotFoundError("The PJRT plug-in {} cannot be loaded: {}.", path,
                        reason == nullptr ? "unknown reason" : reason);
  }
  using GetApi = const c_api::Api* (*)();
  const auto get_api = reinterpret_cast<GetApi>(dlsym(library, "GetPjrtApi"));
  if (get_api == nullptr) {
    throw ValueError("{} is not a PJRT plug-in: it has no function GetPjrtApi.", path);
  }
  api_ = get_api();
  if (api_ == nullptr || api_->size < sizeof(c_api::Api)) {
    throw ValueError("{} is not a PJRT plug-in: it provides no table of functions.", path);
  }
  if (api_->version.major != c_api::kMajor || api_->version.minor < c_api::kOldestMinor) {
    throw ValueError(
        "The PJRT plug-in {} has version {} of the interface. Expected {}.{} or a later one of "
        "major version {}: use a newer plug-in.",
        path, version(), c_api::kMajor, c_api::kOldestMinor, c_api::kMajor);
  }
  c_api::Head args;
  call(c_api::Call::plugin_initialize, args, "initializing the plug-in");
}

std::string Plugin::version() const {
  return format("{}.{}", api_->version.major, api_->version.minor);
}

bool Plugin::has(c_api::Call function) const {
  const size_t end = offsetof(c_api::Api, functions) + (index(function) + 1) * sizeof(void*);
  return api_->size >= end && api_->functions[index(function)] != nullptr;
}

void* Plugin::find(c_api::Call function, const char* what) const {
  if (!has(function)) {
    throw NotImplementedError("{}: the PJRT plug-in {} (interface {}) has no such function.", what,
                              path_, version());
  }
  return api_->functions[index(function)];
}

void Plugin::destroy_error(c_api::Error* error) const noexcept {
  // Returns no error, unlike the other functions.
  c_api::OneArgs<c_api::Error> args;
  args.size = sizeof(args);
  args.object = error;
  using Signature = void (*)(c_api::OneArgs<c_api::Error>*);
  reinterpret_cast<Signature>(api_->functions[index(c_api::Call::error_destroy)])(&args);
}

void Plugin::throw_error(c_api::Error* error, const char* what) const {
  c_api::ListArgs<const c_api::Error, const char> text;
  text.size = sizeof(text);
  text.object = error;
  using MessageSignature = void (*)(decltype(text)*);
  reinterpret_cast<MessageSignature>(api_->functions[index(c_api::Call::error_message)])(&text);
  const std::string message = format("{}: {}", what, std::string(text.data, text.count));
  c_api::GetArgs<const c_api::Error, int> code;
  code.size = sizeof(code);
  code.object = error;
  using CodeSignature = c_api::Error* (*)(decltype(code)*);
  c_api::Error* const second =
      reinterpret_cast<CodeSignature>(api_->functions[index(c_api::Call::error_get_code)])(&code);
  if (second != nullptr) destroy_error(second);
  destroy_error(error);
  switch (static_cast<StatusCode>(code.result)) {
    case StatusCode::invalid_argument:
      throw ValueError(message);
    case StatusCode::deadline_exceeded:
      throw DeadlineExceededError(message);
    case StatusCode::not_found:
      throw NotFoundError(message);
    case StatusCode::resource_exhausted:
      throw ResourceExhaustedError(message);
    case StatusCode::aborted:
      throw AbortedError(message);
    case StatusCode::unimplemented:
      throw NotImplementedError(message);
    case StatusCode::unavailable:
      throw UnavailableError(message);
  }
  throw RuntimeError(message);
}

void Plugin::await(c_api::Event* event, const char* what) const {
  if (event == nullptr) return;
  struct Destroyer {
    const Plugin& plugin;
    c_api::Event* event;
    ~Destroyer() { plugin.destroy(c_api::Call::event_destroy, event); }
  } const destroyer{*this, event};
  c_api::OneArgs<c_api::Event> args;
  args.object = event;
  call(c_api::Call::event_await, args, what);
}

std::string find_plugin(const std::string& name_or_path) {
  const std::string& name = name_or_path;
  if (name.find('/') != std::string::npos || name.ends_with(".so")) return name;
  const std::string variable = "ANTLER_PJRT_" + upper(name);
  if (const char* const path = std::getenv(variable.c_str())) return path;
  std::string folders;
  if (const char* const list = std::getenv("ANTLER_PJRT_PATH")) folders = list;
  for (const std::string& folder : split_path(folders)) {
    for (const char* const prefix : {"libpjrt_", "pjrt_"}) {
      const auto file = std::filesystem::path(folder) / format("{}{}.so", prefix, name);
      if (std::filesystem::exists(file)) return file.string();
    }
  }
  throw NotFoundError(
      "There is no PJRT plug-in named `{}`. Give its path (`pjrt:/path/to/plugin.so`), set {} to "
      "it, or save it as libpjrt_{}.so in a folder of ANTLER_PJRT_PATH.",
      name, variable, name);
}

}  // namespace antler::pjrt
