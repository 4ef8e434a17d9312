# lint/layering: which file may include what.
#
# - Between folders, includes point down only, by relative path.
# - core, autograd and nn stand on the standard library and OpenMP alone; kernels on arithmetic.
# - Examples, tests and benchmarks are users: they write <tapehead/...>.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/source.cmake)

# The folders that each folder may include from. io and data do not know each other, nor do train
# and lens; the tests share what is in tests/support.
set(below_core)
set(below_autograd core)
set(below_nn core autograd)
set(below_data core autograd nn)
set(below_io core autograd nn)
set(below_train core autograd nn data io)
set(below_lens core autograd nn data io)
set(below_viz core autograd nn data io train lens)
set(below_cli core autograd nn data io train lens viz)
set(library core autograd nn data io train lens viz cli)
set(users examples tests bench)

# <header>s beyond the standard library's, which have neither a dot nor a slash in their name.
set(posix "(unistd|fcntl|pty|cxxabi|sys/[a-z]+)\\.h")
set(others_core "omp\\.h|unistd\\.h")
set(others_autograd "")
set(others_nn "cxxabi\\.h")
set(others_data "${posix}")
set(others_io "${posix}|nlohmann/json\\.hpp|zlib\\.h")
set(others_train "${posix}|nlohmann/json\\.hpp")
set(others_lens "${posix}|nlohmann/json\\.hpp")
set(others_viz "${posix}")
set(others_cli "${posix}|omp\\.h|nlohmann/json\\.hpp|CLI/CLI\\.hpp")
set(others_examples "tapehead/.*")
set(others_tests "tapehead/.*|${posix}|omp\\.h|nlohmann/json\\.hpp|doctest/doctest\\.h")
set(others_bench "tapehead/.*|omp\\.h|benchmark/benchmark\\.h|torch/torch\\.h")

function(check_relative file number folder target)
  string(REGEX REPLACE "/.*" "" other ${target})
  if(NOT other STREQUAL folder AND NOT other IN_LIST below_${folder})
    report("${file}:${number}: ${folder} must not include from ${other} (${target})")
  endif()
  if(NOT EXISTS ${ROOT}/${target})
    report("${file}:${number}: there is no ${target}")
  endif()
  set(failed ${failed} PARENT_SCOPE)
endfunction()

function(check_header file number folder header)
  set(allowed "[a-z_]+")
  if(file MATCHES "^core/kernels/.*" AND NOT file MATCHES "/dispatch\\.(h|cpp)$")
    set(allowed "cstdint|cstddef")  # anything else might leave one instruction set's code in another's
  endif()
  if(NOT header MATCHES "^(${allowed})$" AND NOT header MATCHES "^(${others_${folder}})$")
    report("${file}:${number}: ${folder} must not include <${header}>")
  endif()
  set(failed ${failed} PARENT_SCOPE)
endfunction()

foreach(folder ${library} ${users})
  sources(files ${folder})
  list(FILTER files EXCLUDE REGEX "^tests/consumer/")  # somebody else's project
  foreach(file ${files})
    get_filename_component(here ${ROOT}/${file} DIRECTORY)
    lines(text ${ROOT}/${file})
    set(number 0)
    foreach(line IN LISTS text)
      math(EXPR number "${number} + 1")
      if(line MATCHES "^ *# *include *\"([^\"]+)\"")
        get_filename_component(target ${CMAKE_MATCH_1} ABSOLUTE BASE_DIR ${here})
        file(RELATIVE_PATH target ${ROOT} ${target})
        check_relative(${file} ${number} ${folder} ${target})
      elseif(line MATCHES "^ *# *include *<([^>]+)>")
        check_header(${file} ${number} ${folder} ${CMAKE_MATCH_1})
      endif()
    endforeach()
  endforeach()
endforeach()
finish("includes must follow: cli, examples -> viz -> lens, train -> io, data -> nn -> autograd -> core")
