#!/usr/bin/env bash
# Held-out accuracy and time of each toy task for five seeds, with the defaults of `tapehead train`.
# Then the held-out loss of names and of tinyshakespeare, where TAPEHEAD_DATA names a folder that has
# names.txt and tinyshakespeare.txt (docs/tasks.md says where they are from).
#   scripts/accuracy.sh [path of tapehead] [task...]
set -euo pipefail
tapehead=${1:-build/release/bin/tapehead}
tasks=("${@:2}")
((${#tasks[@]})) || tasks=(copy reverse sort addition recall induction brackets encdec modular names text)

# trained TASK [option...]: what the command prints.
trained() {
  local data=${TAPEHEAD_DATA:-}
  case $1 in
    names) "$tapehead" train "$@" --file "$data/names.txt" ;;
    text)
      "$tapehead" train "$@" --file "$data/tinyshakespeare.txt" --layers 4 --d-model 128 \
        --steps 2000 --batch 12 --lr 2e-3
      ;;
    encdec)
      "$tapehead" train copy "${@:2}" --arch encdec --schedule noam --lr 1 --label-smoothing 0.1 \
        --steps 400
      ;;
    *) "$tapehead" train "$@" ;;
  esac
}

printf '%-10s %6s %6s %6s %6s %6s   %s\n' task 0 1 2 3 4 'seconds each, tokens/s of the last'
for task in "${tasks[@]}"; do
  seeds=(0 1 2 3 4)
  if [[ $task == names || $task == text ]]; then
    [[ -n ${TAPEHEAD_DATA:-} ]] || continue
    seeds=(0)
  fi
  line=$(printf '%-10s' "$task")
  start=$SECONDS
  for seed in "${seeds[@]}"; do
    log=$(trained "$task" --seed "$seed")
    line+=$(sed -n 's/^held-out \(accuracy\|loss\) *\([0-9.]*\) .*/\2/p' <<<"$log" | xargs printf ' %6s')
  done
  speed=$(grep '^step' <<<"$log" | tail -n 1 | grep -o '[0-9.]*[kM]* tokens/s')
  echo "$line   $(((SECONDS - start + ${#seeds[@]} / 2) / ${#seeds[@]})), ${speed% tokens/s}"
done
