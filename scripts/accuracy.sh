#!/usr/bin/env bash
# Held-out accuracy and time of each toy task for five seeds, with the defaults of `tapehead train`.
# Then the held-out loss of names and of tinyshakespeare, where TAPEHEAD_DATA names a folder that has
# names.txt and tinyshakespeare.txt (docs/tasks.md says where they are from).
#
# It ends with 1 where copy, reverse, sort or addition reaches less than 99 % by the median of its
# seeds, or less than 95 % with any, or takes more than 60 s for one.
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

# promised TASK SECONDS VALUE...: whether the median is 99 or more, each value 95 or more, and the
# longest run took no more than 60 seconds.
promised() {
  local task=$1 seconds=$2
  printf '%s\n' "${@:3}" | sort -n | awk -v task="$task" -v seconds="$seconds" '
    { value[NR] = $1 }
    END {
      median = (value[int((NR + 1) / 2)] + value[int((NR + 2) / 2)]) / 2
      if (median >= 99 && value[1] >= 95 && seconds <= 60) exit 0
      printf "%s: median %s %%, minimum %s %%, longest run %s s; expected at least 99 and 95, at most 60\n",
             task, median, value[1], seconds
      exit 1
    }' >&2
}

kept=0
printf '%-10s %6s %6s %6s %6s %6s   %s\n' task 0 1 2 3 4 'seconds each, tokens/s of the last'
for task in "${tasks[@]}"; do
  seeds=(0 1 2 3 4)
  if [[ $task == names || $task == text ]]; then
    [[ -n ${TAPEHEAD_DATA:-} ]] || continue
    seeds=(0)
  fi
  case $task in
    names | text) what=loss ;;
    *) what=accuracy ;;
  esac
  line=$(printf '%-10s' "$task")
  start=$SECONDS
  values=()
  longest=0
  for seed in "${seeds[@]}"; do
    begin=$SECONDS
    log=$(trained "$task" --seed "$seed")
    ((SECONDS - begin <= longest)) || longest=$((SECONDS - begin))
    value=$(sed -n "s/^held-out $what *\([0-9.]*\) .*/\1/p" <<<"$log")
    values+=("$value")
    line+=$(printf ' %6s' "$value")
  done
  speed=$(grep '^step' <<<"$log" | tail -n 1 | grep -o '[0-9.]*[kM]* tokens/s')
  echo "$line   $(((SECONDS - start + ${#seeds[@]} / 2) / ${#seeds[@]})), ${speed% tokens/s}"
  case $task in
    copy | reverse | sort | addition) promised "$task" "$longest" "${values[@]}" || kept=1 ;;
  esac
done
exit $kept
