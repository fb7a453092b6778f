#include "antler/nn/layers/vocabulary.h"

#include <algorithm>

#include "antler/base/file.h"

namespace antler {

std::vector<std::string> vocabulary_lines(std::string_view text) {
  std::vector<std::string> lines;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    std::string line(text.substr(begin, end - begin));
    if (!line.empty() && line.back() == '\r') line.pop_back();
    lines.push_back(std::move(line));
    begin = end + 1;
  }
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

std::vector<std::string> read_vocabulary(const std::string& path) {
  return vocabulary_lines(read_file(path));
}

}  // namespace antler
