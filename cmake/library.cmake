# tapehead_library(core [DEPENDS ...]): the target of one folder, from every source file in it.
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

add_library(tapehead_options INTERFACE)
target_compile_options(tapehead_options INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow
                                                  -ffp-contract=off)
if(TAPEHEAD_STRICT)
  target_compile_options(tapehead_options INTERFACE -Werror)
endif()

# Users write #include <tapehead/core/ndarray.h>; the link makes that true in the tree.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/include)
file(CREATE_LINK ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/include/tapehead SYMBOLIC)

function(tapehead_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  add_library(tapehead_${name} STATIC ${sources})
  add_library(tapehead::${name} ALIAS tapehead_${name})
  target_include_directories(tapehead_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>)
  target_compile_features(tapehead_${name} PUBLIC cxx_std_20)
  target_link_libraries(tapehead_${name} PUBLIC ${ARG_DEPENDS} PRIVATE $<BUILD_INTERFACE:tapehead_options>)
endfunction()
