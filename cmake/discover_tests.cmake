# tapehead_discover_tests(<program> <prefix> <label>): makes each test case of a doctest program a
# test named <prefix>/<case>, whatever characters its name holds. The list is taken anew each time
# the program is linked.
#
# The same file, run as a script after linking, writes that list for CTest.

function(tapehead_discover_tests program prefix label)
  set(list ${CMAKE_CURRENT_BINARY_DIR}/${program}_tests.cmake)
  set(fail_log ${CMAKE_CURRENT_BINARY_DIR}/fail_log/${program}.txt)
  add_custom_command(
    TARGET ${program} POST_BUILD BYPRODUCTS ${list}
    COMMAND ${CMAKE_COMMAND} -D PROGRAM=$<TARGET_FILE:${program}> -D PREFIX=${prefix}
            -D LABEL=${label} -D LIST=${list} -D FAIL_LOG=${fail_log}
            -P ${PROJECT_SOURCE_DIR}/cmake/discover_tests.cmake VERBATIM)
  file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${program}_include.cmake CONTENT
"if(EXISTS [==[${list}]==])
  include([==[${list}]==])
else()
  add_test(${prefix}/not_built ${program})
endif()
")
  set_property(DIRECTORY APPEND PROPERTY
               TEST_INCLUDE_FILES ${CMAKE_CURRENT_BINARY_DIR}/${program}_include.cmake)
endfunction()

if(NOT CMAKE_SCRIPT_MODE_FILE)
  return()
endif()

# A fresh program has reached no error yet; see tests/lint/errors.cmake.
file(REMOVE ${FAIL_LOG})
get_filename_component(folder ${FAIL_LOG} DIRECTORY)
file(MAKE_DIRECTORY ${folder})

execute_process(COMMAND ${PROGRAM} --list-test-cases --no-version
                OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)

# Lines are taken off one by one: brackets and semicolons in names would confuse a CMake list.
set(script "")
set(seen "")
while(output MATCHES "^([^\n]*)\n(.*)$")
  set(name "${CMAKE_MATCH_1}")
  set(output "${CMAKE_MATCH_2}")
  if(name MATCHES "^=+$" OR name MATCHES "^\\[doctest\\]")
    continue()
  endif()
  string(FIND "${seen}" "\n${name}\n" earlier)
  if(NOT earlier EQUAL -1)
    message(FATAL_ERROR "${PREFIX}: two test cases are named \"${name}\"")
  endif()
  string(APPEND seen "\n${name}\n")
  # In a doctest filter a comma separates and a backslash escapes.
  string(REPLACE "\\" "\\\\" filter "${name}")
  string(REPLACE "," "\\," filter "${filter}")
  string(APPEND script
    "add_test([==[${PREFIX}/${name}]==] [==[${PROGRAM}]==] [==[--test-case=${filter}]==])\n"
    "set_tests_properties([==[${PREFIX}/${name}]==] PROPERTIES LABELS ${LABEL}"
    " FIXTURES_SETUP throws ENVIRONMENT"
    " [==[OMP_WAIT_POLICY=passive;TAPEHEAD_FAIL_LOG=${FAIL_LOG}]==])\n")
endwhile()
file(WRITE ${LIST} "${script}")
