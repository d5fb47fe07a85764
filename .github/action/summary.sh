#!/usr/bin/env bash
# Writes the summary of the job, with the failed specs first.
# Copyright The draconform Authors.
# SPDX-License-Identifier: Apache-2.0

# shellcheck source=SCRIPTDIR/lib.sh
. "$ACTION_PATH/.github/action/lib.sh"

if [ -n "$FOLDER" ] && [ -f "$FOLDER/report.yaml" ]; then
  draconform report "$FOLDER" --output summary >> "$GITHUB_STEP_SUMMARY"
else
  printf '## ! draconform: no verdict\n\nThe run has not started. The log of the job has the reason.\n' >> "$GITHUB_STEP_SUMMARY"
fi
