# docs/readme: the program in README.md, from its first cpp block, compiles and does what it says.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/README.md)
file(READ ${PROJECT_SOURCE_DIR}/README.md text)
string(FIND "${text}" "```cpp\n" begin)
math(EXPR begin "${begin} + 7")
string(SUBSTRING "${text}" ${begin} -1 text)
string(FIND "${text}" "```" end)
string(SUBSTRING "${text}" 0 ${end} text)
file(CONFIGURE OUTPUT readme.cpp CONTENT "${text}" @ONLY)

add_executable(readme readme.cpp)
target_link_libraries(readme PRIVATE tapehead::tapehead tapehead_options)
add_test(NAME docs/readme COMMAND readme)
set_tests_properties(
  docs/readme PROPERTIES LABELS docs PASS_REGULAR_EXPRESSION
  "tensor\\(\\[\\[4, 3, 2, 1, 0\\],\n        \\[4, 3, 2, 1, 0\\]\\]\\)\n$")
