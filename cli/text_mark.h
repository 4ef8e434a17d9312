// What a run's text was when the run began, so that another one is noticed. It is kept in the run's
// folder, in text.json.
#pragma once

#include <string>

namespace tapehead::cli {

/// Writes down length and checksum of `file`. Nothing for a pipe, whose content is gone, or for no
/// file.
void keep_text(const std::string& folder, const std::string& file);

/// Error where `file` is not what was written down; nothing where nothing was.
void check_text(const std::string& folder, const std::string& file);

}  // namespace tapehead::cli
