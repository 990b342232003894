#!/bin/sh
# commands.sh [ROUND...]: the README's two commands on a machine that has nothing but python3, python3-venv, make, git and
# ca-certificates. Rounds (all by default):
#   first     as they are written
#   again     the same once more; fails if work is done twice
#   offline   from `make clean`, with the network taken away (needs root)
# Its last lines say how each command ended, how long it took, what came over the network, and what is stored.
set -u
cd "$(dirname "$0")/../.." || exit 2
export SERVE=0 # `make course` ends instead of serving
commands=$(sed -n '/^## Two commands/,/^## The map/s/^make [a-z]* .*/&/p' README.md)
[ "$(echo "$commands" | wc -l)" = 2 ] || { echo "README.md no longer lists two commands" >&2; exit 2; }
table=$(mktemp)
mark=$(mktemp)
failed=0

received() { # MB that all cards but the loopback have received, other programs' included
  awk 'NR > 2 && $1 !~ /^lo:/ { sub(/.*:/, ""); bytes += $1 } END { printf "%d", bytes / 1e6 }' /proc/net/dev
}

run() { # run ROUND [PREFIX...]: both commands
  round=$1
  shift
  IFS='
'
  for command in $commands; do
    unset IFS
    echo "== $round: $command"
    touch "$mark"
    began=$(date +%s) before=$(received)
    "$@" sh -c "$command" </dev/null
    status=$?
    took=$(($(date +%s) - began))
    twice=
    if [ "$round" = again ]; then
      twice=$(find .venv/.ready build/*.ready -newer "$mark")
      [ -z "$twice" ] || twice="did again what was done: $(echo $twice)"
    fi
    [ "$status" = 0 ] && [ -z "$twice" ] || failed=1
    printf '%-8s %-12s ended with %-3s %5s s %6s MB received  %s\n' \
      "$round" "${command%% \#*}" "$status" "$took" "$(($(received) - before))" "$twice" | tee -a "$table"
  done
}

# A new network namespace has no card and its loopback down; tests serve pages on localhost.
loopback='import fcntl, os, socket, struct, sys
fcntl.ioctl(socket.socket(), 0x8914, struct.pack("16sh22x", b"lo", 0x49))  # SIOCSIFFLAGS, up
os.execvp(sys.argv[1], sys.argv[1:])'

for round in ${*:-first again offline}; do
  if [ "$round" = offline ]; then
    make clean && run offline unshare --net python3 -c "$loopback"
  else
    run "$round"
  fi
done

echo
. /etc/os-release
echo "$PRETTY_NAME, $(python3 --version), $(nproc) cores"
cat "$table"
du -sm .venv build "$HOME" | awk '{ print $1 " MB stored in " substr($0, index($0, "\t") + 1) }'
rm -f "$table" "$mark"
exit $failed
