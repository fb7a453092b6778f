#pragma once

#include <string>

#include "pjrt/plugin.h"

namespace antler::pjrt {

/// A compiled module on disk, in the folder that the environment variable ANTLER_PJRT_CACHE names;
/// without it nothing is kept. Files of another plug-in, or that the plug-in refuses, are ignored.
class CompileCache {
 public:
  /// `compiler` identifies what compiles, with its options; `module` is what is compiled.
  CompileCache(const std::string& compiler, const std::string& module);
  /// Null if the module is not there.
  c_api::LoadedExecutable* load(const Plugin& plugin, c_api::Client* client) const;
  /// Does nothing if the plug-in cannot serialize; a folder that cannot be written is a warning.
  void save(const Plugin& plugin, const c_api::Executable* executable) const;

 private:
  std::string path_;  ///< empty: no cache
};

}  // namespace antler::pjrt
