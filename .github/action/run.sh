#!/usr/bin/env bash
# Runs the specs. The status is that of draconform run.
# Copyright The draconform Authors.
# SPDX-License-Identifier: Apache-2.0

# shellcheck source=SCRIPTDIR/lib.sh
. "$ACTION_PATH/.github/action/lib.sh"

args=(--run-id "$(basename "$FOLDER")" --artifacts "$(dirname "$FOLDER")")
add_driver() { args+=(--driver "$(absolute "$1")"); }
add_flag() { args+=("$1"); }
if [ -n "$INPUT_DRIVER_FILE" ]; then
  lines "$INPUT_DRIVER_FILE" add_driver
else
  args+=(--provider "$PROVIDER")
  if [ "$PROVIDER" != existing ]; then
    args+=(--release "$INPUT_RELEASE" --gates "$INPUT_GATES" --scheduler "$INPUT_SCHEDULER")
  fi
fi
if [ -n "$KUBECONFIG_FILE" ]; then args+=(--kubeconfig "$KUBECONFIG_FILE"); fi
# With the name of the cluster, specs may restart its nodes, and the report names its scheduler.
if [ -n "$CLUSTER" ]; then args+=(--kind-cluster "$CLUSTER" --scheduler "$INPUT_SCHEDULER"); fi
if [ -n "$INPUT_CLAIM" ]; then args+=(--claim "$INPUT_CLAIM"); fi
if [ -n "$INPUT_LABELS" ]; then args+=(--labels "$INPUT_LABELS"); fi
lines "$INPUT_FLAGS" add_flag

enter
status=0
draconform run "${args[@]}" || status=$?
verdict=none
if [ -f "$FOLDER/report.yaml" ]; then
  verdict=$(draconform report "$FOLDER" | sed -n 's/^verdict: \([a-z]*\).*/\1/p' | head -n 1)
  output report "$FOLDER/report.yaml"
  output evidence "$FOLDER/evidence.md"
fi
output verdict "$verdict"
exit "$status"
