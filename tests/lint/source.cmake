# For the lint scripts: walking over source text line by line, and over data.

# lines(<variable> <file>): its lines as a list that is safe to walk over. Comments are gone, and
# so are brackets, semicolons and backslashes, which would confuse a CMake list.
function(lines variable file)
  file(READ ${file} text)
  string(REGEX REPLACE "[][;\\]" " " text "${text}")
  string(REGEX REPLACE " *//[^\n]*" "" text "${text}")
  string(REPLACE "\n" ";" text "${text}")
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()

# entries(<variable> <file> <list> <key>): that key of each entry of a list in a JSON file.
function(entries variable file list key)
  file(READ ${file} json)
  string(JSON length LENGTH "${json}" ${list})
  set(found "")
  math(EXPR last "${length} - 1")
  foreach(i RANGE ${last})
    string(JSON value GET "${json}" ${list} ${i} ${key})
    list(APPEND found "${value}")
  endforeach()
  set(${variable} "${found}" PARENT_SCOPE)
endfunction()

# sources(<variable> <folder>...): the headers and source files in these folders of ROOT.
function(sources variable)
  list(TRANSFORM ARGN PREPEND ${ROOT}/ OUTPUT_VARIABLE folders)
  set(globs "")
  foreach(folder ${folders})
    list(APPEND globs ${folder}/*.h ${folder}/*.cpp)
  endforeach()
  file(GLOB_RECURSE files RELATIVE ${ROOT} ${globs})
  set(${variable} "${files}" PARENT_SCOPE)
endfunction()

# report(<line>): one finding; finish() fails if there was any.
macro(report line)
  message("${line}")
  set(failed TRUE)
endmacro()
macro(finish advice)
  if(failed)
    message(FATAL_ERROR "${advice}")
  endif()
endmacro()
