#pragma once

#include <memory>
#include <string>
#include <vector>

namespace antler::data {

/// The files below a folder on disk or in a tar archive.
class FileTree {
 public:
  virtual ~FileTree() = default;
  /// Paths relative to the root, with "/", in Keras's order: folders are sorted by path, and files
  /// by name within each folder.
  virtual const std::vector<std::string>& files() const = 0;
  /// Names of the folders in the root, sorted, without those that begin with a dot.
  virtual const std::vector<std::string>& folders() const = 0;
  /// Content of files()[index]. Thread-safe. Throws IOError, NotFoundError.
  virtual std::string read(size_t index) const = 0;
};

/// Throws NotFoundError if there is neither a folder nor an archive; IOError for a corrupt archive.
std::shared_ptr<const FileTree> open_file_tree(const std::string& directory, bool follow_links);

}  // namespace antler::data
