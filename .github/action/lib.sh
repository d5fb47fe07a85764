# shellcheck shell=bash
# What the scripts of the action have in common.
# Copyright The draconform Authors.
# SPDX-License-Identifier: Apache-2.0

set -euo pipefail

# The draconform that build.sh has built comes first.
PATH="${BIN:+$BIN:}$PATH"

# fail prints an error of the workflow's author, and ends the step.
fail() {
  echo "::error::draconform: $1"
  exit 1
}

# output sets an output of the step.
output() { echo "$1=$2" >> "$GITHUB_OUTPUT"; }

# lines calls a command for each line that is not empty, without the blanks around it.
lines() {
  local text=$1 line
  shift
  while read -r line || [ -n "$line" ]; do
    if [ -n "$line" ]; then "$@" "$line"; fi
  done <<< "$text"
}

# enter goes to the source of draconform, if there is one: images and the bundled scheduler are built from it.
enter() { if [ -n "$SOURCE" ]; then cd "$SOURCE"; fi; }

# absolute prints the absolute path of a file, which is relative to the workspace.
absolute() {
  case $1 in
  /*) echo "$1" ;;
  *) echo "$GITHUB_WORKSPACE/$1" ;;
  esac
}
