# ./go where neither apt nor cmake is to be had: it says what is needed, and ends with 1.
#   cmake -D GO=<path of go> -D WORK=<folder> -P go.cmake
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
foreach(tool bash dirname env getconf readlink)
  find_program(${tool} ${tool} REQUIRED)
  file(CREATE_LINK ${${tool}} ${WORK}/${tool} SYMBOLIC)
endforeach()
execute_process(COMMAND ${CMAKE_COMMAND} -E env PATH=${WORK} ${bash} ${GO} build
                RESULT_VARIABLE code ERROR_VARIABLE said OUTPUT_VARIABLE printed)
set(expected "Not found here, by Debian's names: ninja-build cmake g\\+\\+ doctest-dev libcli11-dev \
nlohmann-json3-dev zlib1g-dev. Trying without.\n\
cmake is not here, without which nothing can be built.\n")
if(NOT code EQUAL 1 OR NOT printed STREQUAL "" OR NOT said MATCHES "^${expected}$")
  message(FATAL_ERROR "expected 1 and\n${expected}got ${code} and\n${printed}${said}")
endif()
