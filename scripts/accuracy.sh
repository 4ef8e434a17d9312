#!/usr/bin/env bash
# Held-out accuracy and time of each toy task for five seeds, with the defaults of `tapehead train`.
#   scripts/accuracy.sh [path of tapehead] [task...]
set -euo pipefail
tapehead=${1:-build/release/bin/tapehead}
tasks=("${@:2}")
((${#tasks[@]})) || tasks=(copy reverse sort addition recall induction brackets modular)

printf '%-10s %6s %6s %6s %6s %6s   %s\n' task 0 1 2 3 4 'seconds each, tokens/s of the last'
for task in "${tasks[@]}"; do
  line=$(printf '%-10s' "$task")
  start=$SECONDS
  for seed in 0 1 2 3 4; do
    log=$("$tapehead" train "$task" --seed "$seed")
    line+=$(sed -n 's/^held-out accuracy *\([0-9.]*\) %.*/\1/p' <<<"$log" | xargs printf ' %6s')
  done
  speed=$(grep '^step' <<<"$log" | tail -n 1 | grep -o '[0-9.]*[kM]* tokens/s')
  echo "$line   $(((SECONDS - start + 2) / 5)), ${speed% tokens/s}"
done
