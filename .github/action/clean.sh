#!/usr/bin/env bash
# Removes what the steps before have created, whether they passed, failed or were cancelled. All of it is tried.
# Copyright The draconform Authors.
# SPDX-License-Identifier: Apache-2.0

# shellcheck source=SCRIPTDIR/lib.sh
. "$ACTION_PATH/.github/action/lib.sh"

# Without a folder, the inputs were not valid, and nothing was created.
if [ -z "$FOLDER" ]; then exit 0; fi
status=0
run=$(basename "$FOLDER")
if [ -n "$KUBECONFIG_FILE" ]; then export KUBECONFIG=$KUBECONFIG_FILE; fi
if [ -n "$CLUSTER" ]; then
  # The creation of the cluster may have failed, or not have begun.
  clusters=$(draconform cluster list --output json) || status=$?
  if grep -q "\"$CLUSTER\"" <<< "$clusters"; then draconform cluster delete "$CLUSTER" || status=$?; fi
elif [ "$PROVIDER" = existing ] && [ -d "$FOLDER" ] && [ ! -f "$FOLDER/report.yaml" ]; then
  # The run was killed. One that has written its report has removed its objects itself, with fewer rights than this needs.
  draconform clean --provider existing --run "$run" || status=$?
elif [ "$PROVIDER" = kind ]; then
  draconform clean --provider kind --run "$run" || status=$?
fi
rm -rf "$RUNNER_TEMP/draconform/suite.tar"
exit "$status"
