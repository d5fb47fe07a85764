#!/usr/bin/env bash
# Builds draconform: the given version, or the source of the action.
# Copyright The draconform Authors.
# SPDX-License-Identifier: Apache-2.0

# shellcheck source=SCRIPTDIR/lib.sh
. "$ACTION_PATH/.github/action/lib.sh"

command=github.com/draconform/draconform/e2e/cmd/draconform
export GOBIN=$BIN CGO_ENABLED=0
if [ -n "$INPUT_VERSION" ]; then
  go install -trimpath "$command@$INPUT_VERSION"
else
  cd "$ACTION_PATH"
  go build -trimpath -o "$BIN/" "./${command#github.com/draconform/draconform/}"
fi
draconform --version
