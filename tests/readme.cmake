# docs/readme: the program in README.md, its first cpp block, compiles and prints what the block
# behind it shows.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/README.md)

# cut(<variable> <from> <begin> <end>): what stands between the first `begin` and the next `end`;
# `from`, a variable too, loses all up to there.
function(cut variable from begin end)
  string(FIND "${${from}}" "${begin}" at)
  string(LENGTH "${begin}" length)
  math(EXPR at "${at} + ${length}")
  string(SUBSTRING "${${from}}" ${at} -1 rest)
  string(FIND "${rest}" "${end}" at)
  string(SUBSTRING "${rest}" 0 ${at} found)
  string(LENGTH "${end}" length)
  math(EXPR at "${at} + ${length}")
  string(SUBSTRING "${rest}" ${at} -1 rest)
  set(${variable} "${found}" PARENT_SCOPE)
  set(${from} "${rest}" PARENT_SCOPE)
endfunction()

file(READ ${PROJECT_SOURCE_DIR}/README.md text)
cut(program text "```cpp\n" "```\n")
cut(printed text "```\n" "```\n")
file(CONFIGURE OUTPUT readme.cpp CONTENT "${program}" @ONLY)
file(CONFIGURE OUTPUT readme.txt CONTENT "${printed}" @ONLY)

add_executable(readme readme.cpp)
target_link_libraries(readme PRIVATE tapehead::tapehead tapehead_options)
add_test(NAME docs/readme COMMAND sh -c "\"$0\" >readme.out && diff readme.txt readme.out"
                                  $<TARGET_FILE:readme>)
set_tests_properties(docs/readme PROPERTIES LABELS docs)

# docs/own_op: the whole program of docs/adding_an_op.md, its one c++ block, compiles and finds the
# derivative right.
set(page ${PROJECT_SOURCE_DIR}/docs/adding_an_op.md)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${page})
file(READ ${page} text)
cut(program text "```c++\n" "```\n")
file(CONFIGURE OUTPUT own_op.cpp CONTENT "${program}" @ONLY)
add_executable(own_op own_op.cpp)
target_link_libraries(own_op PRIVATE tapehead::tapehead tapehead_options)
add_test(NAME docs/own_op COMMAND own_op)
set_tests_properties(docs/own_op PROPERTIES LABELS docs)
