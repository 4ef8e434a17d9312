# tapehead_need(<package> <Debian package> [PUBLIC]): find_package, or an error that says what to
# install. PUBLIC: whoever links the installed library needs it too.
macro(tapehead_need package debian)
  find_package(${package} QUIET)
  if(NOT ${package}_FOUND)
    message(FATAL_ERROR "${package} is missing: apt-get install ${debian}")
  endif()
  if("${ARGN}" STREQUAL "PUBLIC")
    set_property(GLOBAL APPEND PROPERTY TAPEHEAD_DEPENDENCIES ${package})
  endif()
endmacro()
