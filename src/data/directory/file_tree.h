#pragma once

#include <memory>
#include <string>
#include <vector>

namespace antler::data {

/// Files below a folder, or below a folder of a tar archive.
class FileTree {
 public:
  virtual ~FileTree() = default;
  /// Paths below the root, with "/", as Keras walks them: folders sorted by their path, files by
  /// their name within each.
  virtual const std::vector<std::string>& files() const = 0;
  /// Names of the folders in the root, sorted; not those that begin with a dot.
  virtual const std::vector<std::string>& folders() const = 0;
  /// Bytes of files()[index]. Any thread may call it. Throws IOError, NotFoundError.
  virtual std::string read(size_t index) const = 0;
};

/// Throws NotFoundError where neither a folder nor an archive is found, IOError for a damaged
/// archive.
std::shared_ptr<const FileTree> open_file_tree(const std::string& directory, bool follow_links);

}  // namespace antler::data
