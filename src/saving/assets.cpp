#include "saving/assets.h"

#include <unordered_set>

#include "antler/base/error.h"
#include "antler/nn/layers/adaptable.h"
#include "antler/nn/layers/vocabulary.h"
#include "nn/layer_state.h"
#include "saving/object_tree.h"

namespace antler::saving {
namespace {

void read(const AssetFile& file, Layer& layer, const std::string& path,
          std::unordered_set<const LayerState*>& seen) {
  if (!seen.insert(&LayerInternals::state(layer)).second) return;
  if (auto* owner = dynamic_cast<HasVocabulary*>(&layer)) {
    const std::string name = path + "/vocabulary.txt";
    if (const std::optional<std::string> text = file(name)) {
      try {
        owner->restore_vocabulary(vocabulary_lines(*text));
      } catch (const ValueError& error) {
        throw ValueError("'{}': {}", name, error.what());
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
