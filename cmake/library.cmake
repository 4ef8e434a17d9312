# How a folder becomes a library.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)
if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
endif()

# Kernels, where time is spent, are optimised further; of the rest, -O1 builds a file in 1.4 s rather
# than 2.2 (io/llama2c.cpp, GCC 12).
add_compile_options($<$<CONFIG:Release>:-O1>)

# What our own code is compiled with, and nobody else's.
add_library(tapehead_options INTERFACE)
set(contract $<TARGET_PROPERTY:TAPEHEAD_FP_CONTRACT>)
target_compile_options(tapehead_options INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow
  -ffp-contract=$<IF:$<BOOL:${contract}>,${contract},off>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 suspects std::string(op) + ": …" of copying past an end (its bug 105651).
  target_compile_options(tapehead_options INTERFACE -Wno-restrict -Wno-array-bounds
                                                    -Wno-stringop-overflow -Wno-stringop-overread)
endif()
if(TAPEHEAD_STRICT)
  target_compile_options(tapehead_options INTERFACE -Werror)
endif()

# tapehead_precompile(<name> <options> [header...]): reads the standard headers that nearly every file
# includes, and these, once for all targets that REUSE_FROM <name> and are compiled with <options>.
# A file still names what it uses: preset dev builds without (CMAKE_DISABLE_PRECOMPILE_HEADERS).
function(tapehead_precompile name options)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/precompiled.cpp CONTENT "")
  add_library(${name} OBJECT ${PROJECT_BINARY_DIR}/precompiled.cpp)
  target_link_libraries(${name} PRIVATE ${options} OpenMP::OpenMP_CXX)
  target_compile_features(${name} PRIVATE cxx_std_20)
  target_precompile_headers(${name} PRIVATE <algorithm> <array> <cmath> <functional> <memory>
                            <optional> <sstream> <string> <vector> ${ARGN})
endfunction()

# tapehead_units(<target>): with TAPEHEAD_UNITS, its files are compiled a few at a time. So what a
# source file has to itself is named as nothing else in its folder is.
function(tapehead_units target)
  if(TAPEHEAD_UNITS)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
  endif()
endfunction()

# Users write #include <tapehead/core/ndarray.h>; the link makes that true in the tree.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/include)
file(CREATE_LINK ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/include/tapehead SYMBOLIC)

# tapehead_library(core [DEPENDS ...]): the target of one folder, from every source file in it.
function(tapehead_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  add_library(tapehead_${name} STATIC ${sources})
  add_library(tapehead::${name} ALIAS tapehead_${name})
  set_target_properties(tapehead_${name} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(
    tapehead_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
                            $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(tapehead_${name} PUBLIC cxx_std_20)
  target_link_libraries(tapehead_${name} PUBLIC ${ARG_DEPENDS}
                                         PRIVATE $<BUILD_INTERFACE:tapehead_options>)
  target_precompile_headers(tapehead_${name} REUSE_FROM tapehead_headers)
  tapehead_units(tapehead_${name})
  set_property(GLOBAL APPEND PROPERTY TAPEHEAD_LIBRARIES ${name})
  tapehead_install_library(${name})
endfunction()

# Reads a folder's CMakeLists.txt, and counts its targets among what `product` builds.
function(tapehead_folder folder)
  if(EXISTS ${PROJECT_SOURCE_DIR}/${folder}/CMakeLists.txt)
    add_subdirectory(${folder})
    if(NOT PROJECT_IS_TOP_LEVEL)
      return()
    endif()
    get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
    if(NOT TARGET product)
      add_custom_target(product COMMENT "The libraries, the command and the examples")
    endif()
    if(targets)
      add_dependencies(product ${targets})
    endif()
  endif()
endfunction()

# tapehead::tapehead: all libraries in one.
function(tapehead_umbrella)
  get_property(libraries GLOBAL PROPERTY TAPEHEAD_LIBRARIES)
  list(TRANSFORM libraries PREPEND tapehead::)
  add_library(tapehead_tapehead INTERFACE)
  add_library(tapehead::tapehead ALIAS tapehead_tapehead)
  set_target_properties(tapehead_tapehead PROPERTIES EXPORT_NAME tapehead)
  target_link_libraries(tapehead_tapehead INTERFACE ${libraries})
endfunction()
