#include "pjrt/compile_cache.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/base/logging.h"
#include "base/digest.h"

namespace antler::pjrt {

namespace {

/// A module without the locations of its operations, which name layers.
std::string without_locations(const std::string& module) {
  constexpr std::string_view kBegin = " loc(\"";
  constexpr std::string_view kEnd = "\")";
  std::string text;
  size_t from = 0;
  for (size_t at = 0; (at = module.find(kBegin, from)) != std::string::npos;) {
    text.append(module, from, at - from);
    const size_t end = module.find(kEnd, at + kBegin.size());
    from = end == std::string::npos ? module.size() : end + kEnd.size();
  }
  return text.append(module, from);
}

}  // namespace

CompileCache::CompileCache(const std::string& compiler, const std::string& module) {
  const char* const folder = std::getenv("ANTLER_PJRT_CACHE");
  if (folder == nullptr) return;
  std::error_code ignored;  // save() reports a missing folder
  std::filesystem::create_directories(folder, ignored);
  path_ = format("{}/{}.pjrt", folder, sha256(compiler + '\n' + without_locations(module)));
}

c_api::LoadedExecutable* CompileCache::load(const Plugin& plugin, c_api::Client* client) const {
  if (path_.empty() || !std::filesystem::exists(path_)) return nullptr;
  try {
    const std::string bytes = read_file(path_);
    c_api::DeserializeArgs args;
    args.client = client;
    args.bytes = bytes.data();
    args.byte_count = bytes.size();
    plugin.call(c_api::Call::executable_deserialize_and_load, args, "loading a compiled program");
    return args.executable;
  } catch (const Error&) {
    return nullptr;  // it is compiled again and replaced
  }
}

void CompileCache::save(const Plugin& plugin, const c_api::Executable* executable) const {
  if (path_.empty()) return;
  c_api::SerializeArgs args;
  args.executable = executable;
  try {
    plugin.call(c_api::Call::executable_serialize, args, "serializing a program");
  } catch (const Error&) {
    return;  // not every plug-in can
  }
  try {
    AtomicFile file(path_);
    std::ofstream out(file.temporary_path(), std::ios::binary);
    out.write(args.bytes, static_cast<std::streamsize>(args.byte_count));
    out.close();
    if (!out) throw IOError("writing {} failed", file.temporary_path());
    file.commit();
  } catch (const Error& error) {
    logging::warning(format("ANTLER_PJRT_CACHE: cannot save a compiled program: {}", error.what()));
  }
  if (args.destroy_owner != nullptr) args.destroy_owner(args.owner);
}

}  // namespace antler::pjrt
