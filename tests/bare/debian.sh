#!/bin/bash
# debian.sh SUITE [ROUND...]: commands.sh in a minimal Debian (bookworm, trixie, testing) that debootstrap makes, on a clone
# of the last commit. Needs root and debootstrap, and some 10 GB in BARE (by default /var/tmp/bare).
#   MIRROR=URL    Debian's packages from elsewhere
#   BIND=/a:/b    folders that pip's configuration reads packages from, at the same place inside
#   PLACE=PATH    where the clone lies inside (by default /root/course)
# pip's configuration, PIP_* variables and trusted certificates of this machine go along; nothing else does.
set -euo pipefail
suite=${1:?usage: debian.sh SUITE [ROUND...]}
shift
[ "$(id -u)" = 0 ] || { echo "debian.sh: needs root, to make a Debian and to enter it" >&2; exit 2; }
command -v debootstrap >/dev/null || { echo "debian.sh: install debootstrap, or run commands.sh in a container" >&2; exit 2; }
checkout=$(git -C "$(dirname "$0")" rev-parse --show-toplevel)
bare=${BARE:-/var/tmp/bare}
base=$bare/$suite.base
root=$bare/$suite
place=${PLACE:-/root/course}
mkdir -p "$bare"

if [ ! -e "$base/.complete" ]; then
  rm -rf "$base"
  debootstrap --variant=minbase --include=python3,python3-venv,make,git,ca-certificates \
    "$suite" "$base" "${MIRROR:-http://deb.debian.org/debian}" >"$bare/$suite.log" ||
    { echo "debian.sh: no Debian was made; $bare/$suite.log and $base/debootstrap say why" >&2; exit 2; }
  touch "$base/.complete"
fi
rm -rf "$root" # nothing is ever mounted in it but in the namespace below
cp -a "$base" "$root"
git clone --quiet --no-local "$checkout" "$root$place"
cp /etc/resolv.conf /etc/hosts "$root/etc/"
cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
for path in /etc/pip.conf /etc/xdg/pip; do
  [ ! -e "$path" ] || { mkdir -p "$root$(dirname "$path")" && cp -rL "$path" "$root$path"; }
done
[ ! -d ~/.config/pip ] || { mkdir -p "$root/root/.config" && cp -rL ~/.config/pip "$root/root/.config/"; }
mapfile -t pip < <(env | grep '^PIP_' || true)

# In namespaces of its own: mounts and processes are gone with it, however it ends.
status=0 inside=
trap 'kill -KILL $inside 2>/dev/null || true' EXIT
BIND=${BIND:-} unshare --mount --pid --fork --kill-child bash -euc '
  root=$1
  shift
  mount -t proc proc "$root/proc"
  mount --rbind /dev "$root/dev"
  mount --rbind /sys "$root/sys"
  IFS=:
  for folder in $BIND; do
    mkdir -p "$root$folder"
    mount --bind -o ro "$folder" "$root$folder"
  done
  exec chroot "$root" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root "$@"
' - "$root" "${pip[@]}" sh "$place/tests/bare/commands.sh" "$@" &
inside=$!
wait "$inside" || status=$?
[ "$status" != 0 ] || rm -rf "$root"
exit "$status"
