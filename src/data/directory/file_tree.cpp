#include "data/directory/file_tree.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/io/tar.h"

namespace antler::data {
namespace {

namespace fs = std::filesystem;

/// Folder and name of a path, the sort key of files.
std::pair<std::string, std::string> sort_key(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::pair<std::string, std::string>{"", path}
                                    : std::pair{path.substr(0, slash), path.substr(slash + 1)};
}

std::vector<std::string> first_folders(const std::vector<std::string>& files) {
  std::set<std::string> names;
  for (const std::string& file : files) {
    const size_t slash = file.find('/');
    if (slash != std::string::npos && file[0] != '.') names.insert(file.substr(0, slash));
  }
  return {names.begin(), names.end()};
}

class Folder final : public FileTree {
 public:
  Folder(const std::string& root, bool follow_links) : root_(root) {
    auto flags = fs::directory_options::skip_permission_denied;
    // As in Keras, links in the root are always followed, deeper ones only on request.
    std::vector<fs::path> below;
    for (const auto& entry : fs::directory_iterator(root_, flags)) {
      if (entry.is_regular_file()) add(entry.path());
      if (!entry.is_directory()) continue;
      below.push_back(entry.path());
      const std::string name = entry.path().filename().string();
      if (!name.starts_with(".")) folders_.push_back(name);
    }
    std::sort(folders_.begin(), folders_.end());
    if (follow_links) flags |= fs::directory_options::follow_directory_symlink;
    for (const fs::path& folder : below) {
      for (const auto& entry : fs::recursive_directory_iterator(folder, flags)) {
        if (entry.is_regular_file()) add(entry.path());
      }
    }
    std::sort(files_.begin(), files_.end(),
              [](const std::string& a, const std::string& b) { return sort_key(a) < sort_key(b); });
  }

  const std::vector<std::string>& files() const override { return files_; }
  const std::vector<std::string>& folders() const override { return folders_; }
  std::string read(size_t index) const override {
    return read_file((root_ / files_[index]).string());
  }

 private:
  void add(const fs::path& path) { files_.push_back(path.lexically_relative(root_).string()); }

  fs::path root_;
  std::vector<std::string> files_;
  std::vector<std::string> folders_;
};

class TarFolder final : public FileTree {
 public:
  TarFolder(std::shared_ptr<const io::TarReader> archive, const std::string& prefix)
      : archive_(std::move(archive)) {
    std::vector<std::pair<std::string, size_t>> found;
    const auto& entries = archive_->entries();
    for (size_t i = 0; i < entries.size(); ++i) {
      if (!entries[i].name.starts_with(prefix)) continue;
      found.emplace_back(entries[i].name.substr(prefix.size()), i);
    }
    // If a name occurs twice, the later entry counts, as when the archive is unpacked.
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
      return sort_key(a.first) < sort_key(b.first);
    });
    for (const auto& [name, entry] : found) {
      if (!files_.empty() && files_.back() == name) {
        indices_.back() = entry;
        continue;
      }
      files_.push_back(name);
      indices_.push_back(entry);
    }
    folders_ = first_folders(files_);
  }

  const std::vector<std::string>& files() const override { return files_; }
  const std::vector<std::string>& folders() const override { return folders_; }
  std::string read(size_t index) const override { return archive_->read(indices_[index]); }

 private:
  std::shared_ptr<const io::TarReader> archive_;
  std::vector<std::string> files_;
  std::vector<size_t> indices_;
  std::vector<std::string> folders_;
};

/// Shares archives that are in use, because compressed ones are in memory as a whole.
std::shared_ptr<const io::TarReader> open_archive(const std::string& path) {
  struct Open {
    fs::file_time_type written;
    std::weak_ptr<const io::TarReader> archive;
  };
  static std::mutex mutex;
  static std::map<std::string, Open> all;
  const std::lock_guard lock(mutex);
  const fs::file_time_type written = fs::last_write_time(path);
  Open& open = all[fs::absolute(path).string()];
  std::shared_ptr<const io::TarReader> archive = open.archive.lock();
  if (archive == nullptr || open.written != written) {
    archive = std::make_shared<const io::TarReader>(io::TarReader::open(path));
    open = {written, archive};
  }
  return archive;
}

}  // namespace

std::shared_ptr<const FileTree> open_file_tree(const std::string& directory, bool follow_links) {
  std::string path = directory;
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  if (fs::is_directory(path)) return std::make_shared<Folder>(path, follow_links);
  // The first part of the path that is a file is the archive.
  for (size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    const std::string front = path.substr(0, slash);
    if (fs::is_regular_file(front)) {
      const std::string inner = slash == std::string::npos ? "" : path.substr(slash + 1) + "/";
      auto tree = std::make_shared<TarFolder>(open_archive(front), inner);
      if (!inner.empty() && tree->files().empty()) {
        throw NotFoundError("The archive '{}' has no folder '{}'.", front, path.substr(slash + 1));
      }
      return tree;
    }
    if (slash == std::string::npos) break;
  }
  throw NotFoundError("There is no folder or tar archive '{}'.", directory);
}

}  // namespace antler::data
