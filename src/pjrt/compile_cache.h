#pragma once

#include <string>

#include "pjrt/plugin.h"

namespace antler::pjrt {

/// A compiled module on disk, in the folder named by the environment variable ANTLER_PJRT_CACHE. If
/// it is not set, nothing is cached. Files that belong to another plug-in or that the plug-in
/// rejects are ignored.
class CompileCache {
 public:
  /// `compiler` identifies the compiler and its options; `module` is the text to compile.
  CompileCache(const std::string& compiler, const std::string& module);
  /// Null if the module is not in the cache.
  c_api::LoadedExecutable* load(const Plugin& plugin, c_api::Client* client) const;
  /// Does nothing if the plug-in cannot serialize. Warns if the folder is not writable.
  void save(const Plugin& plugin, const c_api::Executable* executable) const;

 private:
  std::string path_;  ///< empty: no cache
};

}  // namespace antler::pjrt
