#pragma once

#include <memory>
#include <string>

#include "pjrt/c_api.h"

namespace antler::pjrt {

/// A PJRT plug-in, a shared library that drives one kind of device. It stays loaded until the
/// process ends, because such libraries have their own threads.
class Plugin {
 public:
  /// Loads the library at `path`. Throws NotFoundError if the file does not exist, and ValueError
  /// if it is not a PJRT plug-in or has a different version of the interface.
  static const Plugin& load(const std::string& path);

  /// Calls a function of the plug-in with the arguments `args`. An error of the plug-in becomes an
  /// exception (see throw_error) whose message starts with `what`.
  template <class Args>
  void call(c_api::Call function, Args& args, const char* what) const {
    // A later version of the interface may have fields that are not known here. Their default is
    // zero.
    struct {
      Args args;
      int64_t later_fields[8] = {};
    } padded{args};
    padded.args.size = sizeof(padded);
    using Signature = c_api::Error* (*)(Args*);
    if (auto* const error = reinterpret_cast<Signature>(find(function, what))(&padded.args))
      throw_error(error, what);
    args = padded.args;
  }
  /// For functions that destroy an object.
  template <class T>
  void destroy(c_api::Call function, T* object) const noexcept {
    if (object == nullptr) return;
    c_api::OneArgs<T> args;
    args.size = sizeof(args);
    args.object = object;
    using Signature = c_api::Error* (*)(c_api::OneArgs<T>*);
    if (auto* const error = reinterpret_cast<Signature>(api_->functions[index(function)])(&args))
      destroy_error(error);
  }
  bool has(c_api::Call function) const;
  /// Waits for an event and destroys it; throws its error, if any. Does nothing for a null event.
  void await(c_api::Event* event, const char* what) const;

  const std::string& path() const { return path_; }
  /// "0.81"
  std::string version() const;

 private:
  explicit Plugin(const std::string& path);
  static constexpr size_t index(c_api::Call function) { return static_cast<size_t>(function); }
  void* find(c_api::Call function, const char* what) const;
  [[noreturn]] void throw_error(c_api::Error* error, const char* what) const;
  void destroy_error(c_api::Error* error) const noexcept;

  std::string path_;
  const c_api::Api* api_ = nullptr;
};

/// The file of a plug-in: `name_or_path` itself if it contains a slash or ends in ".so". Otherwise
/// the environment variable ANTLER_PJRT_<NAME> gives the path, or `libpjrt_<name>.so` and
/// `pjrt_<name>.so` are searched in the folders of ANTLER_PJRT_PATH, which are separated by colons.
/// If there is no such file, throws NotFoundError with instructions for getting one.
std::string find_plugin(const std::string& name_or_path);

}  // namespace antler::pjrt
