#pragma once

#include <cstdio>
#include <string>
#include <vector>

namespace antler::test {

/// One entry of a tar archive: its header with checksum, and its bytes, padded to whole blocks.
/// `size`: a different text for the size field.
inline std::string tar_entry(const std::string& name, const std::string& bytes, char type = '0',
                             const std::string& size = "") {
  std::string header(512, '\0');
  header.replace(0, name.size(), name);
  char text[24];
  std::snprintf(text, sizeof text, "%011zo", bytes.size());
  header.replace(124, 11, text);
  if (!size.empty()) header.replace(124, size.size(), size);
  header[156] = type;
  header.replace(257, 8, std::string("ustar\00000", 8));
  header.replace(148, 8, "        ");
  unsigned sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  std::snprintf(text, sizeof text, "%06o", sum);
  header.replace(148, 7, std::string(text, 7));
  const size_t fill = (512 - bytes.size() % 512) % 512;
  return header + bytes + std::string(fill, '\0');
}

inline std::string tar_archive(const std::vector<std::string>& entries) {
  std::string archive;
  for (const std::string& entry : entries) archive += entry;
  return archive + std::string(1024, '\0');
}

}  // namespace antler::test
