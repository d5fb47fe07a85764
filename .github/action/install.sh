#!/usr/bin/env bash
# Loads images into the cluster, installs the drivers, and waits until the driver files suit the cluster.
# Copyright The draconform Authors.
# SPDX-License-Identifier: Apache-2.0

# shellcheck source=SCRIPTDIR/lib.sh
. "$ACTION_PATH/.github/action/lib.sh"

if [ -n "$CLUSTER" ]; then
  suite=$RUNNER_TEMP/draconform/suite.tar
  (enter && draconform images "$suite")
  images=("$suite")
  add_image() { images+=("$1"); }
  lines "$INPUT_IMAGES" add_image
  draconform cluster load "$CLUSTER" "${images[@]}"
fi
if [ -n "$KUBECONFIG_FILE" ]; then export KUBECONFIG=$KUBECONFIG_FILE; fi
if [ -n "$INPUT_INSTALL" ]; then
  bash -euo pipefail -c "$INPUT_INSTALL"
fi
if [ -z "$INPUT_DRIVER_FILE" ]; then exit 0; fi

files=()
add_file() { files+=("$(absolute "$1")"); }
lines "$INPUT_DRIVER_FILE" add_file
# 0: the files suit the cluster. 1: not yet. 2: a file is not valid, which waiting does not change.
end=$((SECONDS + INPUT_READY_TIMEOUT))
while true; do
  status=0
  draconform driver check "${files[@]}" --live > "$RUNNER_TEMP/draconform/check.txt" 2>&1 || status=$?
  if [ "$status" -ne 1 ] || [ "$SECONDS" -ge "$end" ]; then break; fi
  sleep 5
done
cat "$RUNNER_TEMP/draconform/check.txt"
if [ "$status" -ne 0 ]; then fail "the driver files do not suit the cluster, see the output above"; fi
