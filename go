#!/usr/bin/env bash
# tapehead's workshop: installs what is missing, then calls the CMake presets.
# Without arguments it lists what it can do.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")"

say() { printf '%s\n' "$*" >&2; }
have() { command -v "$1" >/dev/null 2>&1; }

# ---- what each job needs -------------------------------------------------------------------------

# What every build needs, each with its Debian package.
compiler=${CXX:-c++}
needs=(cmake:cmake "${compiler%% *}:g++" doctest/doctest.h:doctest-dev CLI/CLI.hpp:libcli11-dev
  nlohmann/json.hpp:nlohmann-json3-dev zlib.h:zlib1g-dev)

have_header() {  # <header> [compiler and flags]
  echo "#include <$1>" | ${2:-$compiler} -x c++ -std=c++20 -E - >/dev/null 2>&1
}

# The packages of those tools and headers (tool:package, header.h:package) that are not here. They
# are looked for themselves, so that systems with other packages will do.
missing() {
  local need
  have ninja || have make || echo ninja-build
  for need in "$@"; do
    case ${need%:*} in
      *.h | *.hpp) have_header "${need%:*}" ;;
      *) have "${need%:*}" ;;
    esac || echo "${need##*:}"
  done
}

# Installs what is missing of `needs` and "$@".
prepare() {
  local packages
  mapfile -t packages < <(missing "${needs[@]}" "$@")
  ((${#packages[@]} == 0)) || install "${packages[@]}"
}

# Installs Debian packages. Where that cannot be done here, it says what to install.
install() {
  local sudo=()
  if ! have apt-get; then
    say "Not found here, by Debian's names: $*. Trying without."
    return 0
  fi
  if ((EUID != 0)); then
    if have sudo && { [[ -t 0 ]] || sudo -n true 2>/dev/null; }; then
      sudo=(sudo)
    else
      say "Please install what is missing, as root: apt-get install $*"
      exit 1
    fi
  fi
  say "Installing $*"
  local apt=("${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y)
  "${apt[@]}" update >/dev/null || say "apt-get update failed; trying with the lists that are here."
  "${apt[@]}" install --no-install-recommends "$@" >/dev/null || {
    say "That failed. Please install, as root: apt-get install $*"
    exit 1
  }
}

prepare_clang() {  # [the flag that chooses its standard library]
  local packages=()
  prepare
  have clang++ || packages+=(clang)
  have_header omp.h "clang++ -fopenmp" || packages+=(libomp-dev)
  [[ -z $* ]] || have_header vector "clang++ $*" || packages+=(libc++-dev libc++abi-dev)
  ((${#packages[@]} == 0)) || install "${packages[@]}"
}

# ---- building ------------------------------------------------------------------------------------

export CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$(getconf _NPROCESSORS_ONLN)}

configure() {  # <preset>
  have cmake || {
    say "cmake is not here, without which nothing can be built."
    exit 1
  }
  local generator=() cache=build/$1/CMakeCache.txt
  if [[ -e $cache ]]; then
    cmake --preset "$1" --log-level=WARNING >/dev/null
    return
  fi
  if have ninja; then
    generator=(-G Ninja)
  fi
  # A first attempt that fails must leave nothing that a second one would take for true.
  cmake --preset "$1" "${generator[@]}" --log-level=WARNING >/dev/null || {
    rm -rf "$cache" "build/$1/CMakeFiles"
    exit 1
  }
}

build() {  # <preset> [target...]
  local preset=$1
  shift
  configure "$preset"
  cmake --build --preset "$preset" ${1+--target "$@"}
}

run_tests() {  # <preset> [ctest's arguments...]
  local preset=$1
  shift
  build "$preset"
  ctest --preset "$preset" "$@"
}

# Every header and source file, each ended by a zero byte; find's tests may narrow them down.
sources() {
  find . \( -path ./build -o -name ".?*" \) -prune -o \( -name "*.h" -o -name "*.cpp" \) \
    "$@" -print0
}

# A real text to train on: a licence that Debian has, else our own documentation.
demo_text() {
  local file
  for file in /usr/share/common-licenses/{GPL-3,GPL-2,LGPL-3,Apache-2.0}; do
    if [[ -r $file ]]; then
      echo "$file"
      return
    fi
  done
  cat README.md docs/*.md >build/release/demo.txt
  echo build/release/demo.txt
}

# ---- the commands --------------------------------------------------------------------------------

go_build() {  # the libraries, the tapehead command and the examples, into build/release
  prepare
  build release product
}

go_demo() {  # train an attention model and look inside, then write text (2 minutes)
  go_build
  local tapehead=build/release/bin/tapehead
  "$tapehead" train reverse "$@"
  "$tapehead" train text --file "$(demo_text)" "$@"
}

go_test() {  # every test; more arguments go to ctest: ./go test -R matmul
  prepare strace:strace
  run_tests release "$@"
}

go_bench() {  # benchmarks, beside LibTorch's where that is installed: ./go bench --benchmark_filter=mha
  prepare benchmark/benchmark.h:libbenchmark-dev
  build bench benches
  bench/compare build/bench 3 "$@"
}

go_format() {  # clang-format on every source file; --check only looks
  prepare clang-format:clang-format
  local how=(-i)
  [[ ${1:-} == --check ]] && how=(--dry-run --Werror)
  sources | xargs -0 clang-format "${how[@]}"
}

go_tidy() {  # clang-tidy on every source file
  prepare clang-tidy:clang-tidy
  configure dev
  sources -name '*.cpp' ! -path './tests/consumer/*' ! -path './bench/*' |
    xargs -0 -P "$CMAKE_BUILD_PARALLEL_LEVEL" -n 4 clang-tidy -p build/dev --quiet
}

go_sanitize() {  # the unit tests under AddressSanitizer and UndefinedBehaviorSanitizer
  prepare
  run_tests sanitize "$@"
}

go_libcxx() {  # the unit tests built by Clang with libc++
  prepare_clang -stdlib=libc++
  run_tests clang-libcxx "$@"
}

go_tsan() {  # the unit tests under ThreadSanitizer (Clang and libomp)
  prepare_clang
  run_tests tsan "$@"
}

go_oldcpu() {  # core's unit tests on an emulated x86-64 CPU without AVX
  prepare qemu-x86_64:qemu-user
  build release test_core
  OMP_NUM_THREADS=2 qemu-x86_64 -cpu Nehalem build/release/bin/test_core "$@"
}

go_mutants() {  # plant faults in every op, one at a time, and see whether the tests notice
  prepare
  build mutants mutants
  build/mutants/bin/mutants "$@"
}

go_parity() {  # random graphs, compared with LibTorch's: ./go parity --seed 7 --graph 12 shows one
  prepare torch/csrc/Export.h:libtorch-dev
  build parity parity
  build/parity/bin/parity "$@"
}

go_fuzz() {  # damaged files for every reader, a million each: ./go fuzz -runs=10000
  prepare_clang
  build fuzz fuzzers
  local bin=build/fuzz/bin fuzzer name
  "$bin/fuzz_seeds" build/fuzz/corpus
  for fuzzer in tests/fuzz/*.cpp; do
    name=$(basename "$fuzzer" .cpp)
    [[ $name == seeds ]] && continue
    say "fuzz_$name"
    "$bin/fuzz_$name" -runs=1000000 -timeout=10 -rss_limit_mb=1024 -verbosity=0 \
      -print_final_stats=1 -artifact_prefix="build/fuzz/$name-" "$@" "build/fuzz/corpus/$name"
  done
}

go_goldens() {  # write tests/goldens anew with PyTorch; where that is 1.13.1, nothing changes
  # Debian's PyTorch belongs to Debian's Python, whatever else comes first on the PATH.
  local script python=/usr/bin/python3
  have "$python" || python=python3
  "$python" -c 'import torch' 2>/dev/null || install python3-torch
  for script in scripts/goldens/*.py; do
    "$python" "$script"
  done
}

go_docs() {  # write docs/reference.md anew from the headers and the table of ops
  prepare
  build release reference
  build/release/bin/reference >build/reference.md
  mv build/reference.md docs/reference.md
}

go_coverage() {  # which lines the unit tests reach; fails where core or autograd lack too many
  prepare gcovr:gcovr
  find build/coverage -name '*.gcda' -delete 2>/dev/null || true
  run_tests coverage "$@"
  local report=(gcovr --root . --exclude-throw-branches --exclude-unreachable-branches
    --print-summary build/coverage)
  "${report[@]}" --filter '(core|autograd|nn|data|io|train|lens|viz|cli)/' \
    --html-details build/coverage/index.html
  say "Every line: build/coverage/index.html. core and autograd alone:"
  "${report[@]}" --filter '(core|autograd)/' --fail-under-line 97 --fail-under-branch 90
}

go_clean() {  # remove everything built
  rm -rf build
}

usage() {
  echo "usage: ./go COMMAND"
  sed -n 's/^go_\([a-z]*\)() {  # \(.*\)/\1\t\2/p' go | while IFS=$'\t' read -r name what; do
    printf '  %-10s %s\n' "$name" "$what"
  done
}

if (($# == 0)) || [[ $1 == help || $1 == --help || $1 == -h ]]; then
  usage
elif declare -F "go_$1" >/dev/null; then
  "go_$1" "${@:2}"
else
  say "./go: there is no command \"$1\""
  usage >&2
  exit 2
fi
