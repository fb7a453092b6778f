#include "saving/assets.h"

#include <unordered_set>
#include <vector>

#include "antler/base/error.h"
#include "antler/nn/layers/adaptable.h"
#include "nn/layer_state.h"
#include "saving/object_tree.h"

namespace antler::saving {
namespace {

/// One token a line; empty lines at the end are none.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = text.find('\n', begin);
    if (end == std::string::npos) end = text.size();
    std::string line = text.substr(begin, end - begin);
    if (!line.empty() && line.back() == '\r') line.pop_back();
    lines.push_back(std::move(line));
    begin = end + 1;
  }
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

void read(const AssetFile& file, Layer& layer, const std::string& path,
          std::unordered_set<const LayerState*>& seen) {
  if (!seen.insert(&LayerInternals::state(layer)).second) return;
  if (auto* owner = dynamic_cast<HasVocabulary*>(&layer)) {
    const std::string name = path + "/vocabulary.txt";
    if (const std::optional<std::string> text = file(name)) {
      try {
        owner->restore_vocabulary(lines_of(*text));
      } catch (const ValueError& error) {
        throw ValueError("'" + name + "': " + error.what());
      }
    }
  }
  for (const TreeEntry& child : children_of(layer)) {
    read(file, *child.layer, path + "/" + child.path, seen);
  }
}

}  // namespace

void read_assets(const AssetFile& file, Layer& layer) {
  std::unordered_set<const LayerState*> seen;
  read(file, layer, "assets", seen);
}

}  // namespace antler::saving
