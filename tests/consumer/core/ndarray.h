// Has nothing to do with tapehead's header of the same name.
#pragma once

inline const char* owner() { return "the consumer's core"; }
