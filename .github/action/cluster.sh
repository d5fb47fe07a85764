#!/usr/bin/env bash
# Gets the node image, from the cache if it had to be built once, and creates the cluster for driver files.
# Copyright The draconform Authors.
# SPDX-License-Identifier: Apache-2.0

# shellcheck source=SCRIPTDIR/lib.sh
. "$ACTION_PATH/.github/action/lib.sh"
enter

# An archive of another version is no reason to fail.
if [ -f "$NODE_IMAGE" ]; then
  draconform cache load "$NODE_IMAGE" || echo "::warning::draconform: the cached node image cannot be loaded"
fi
draconform node-image --release "$INPUT_RELEASE"
if [ ! -f "$NODE_IMAGE" ]; then
  draconform cache save "$NODE_IMAGE"
  if [ -f "$NODE_IMAGE" ]; then output saved true; fi
fi
if [ -n "$CLUSTER" ]; then
  draconform cluster create --name "$CLUSTER" --kubeconfig "$KUBECONFIG_FILE" --release "$INPUT_RELEASE" --gates "$INPUT_GATES" \
    --scheduler "$INPUT_SCHEDULER" --workers "$INPUT_WORKERS"
fi
