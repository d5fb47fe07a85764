// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/report/evidence"
	"github.com/draconform/draconform/e2e/run"
)

// printVerdict prints the failures and the verdict. It repeats the reasons,
// because often only the end of the output is stored.
func printVerdict(cmd *cobra.Command, got report.Report, err error) error {
	if errors.Is(err, run.ErrConfig) || errors.Is(err, run.ErrNotStarted) {
		return usageError(err)
	}
	if err != nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "draconform: %s\n", err)
	}
	if got.Verdict.Result != "" {
		for _, text := range evidence.Failures(got) {
			fmt.Fprint(cmd.OutOrStdout(), text)
		}
		for _, text := range evidence.Profiles(got) {
			fmt.Fprint(cmd.OutOrStdout(), text)
		}
		fmt.Fprintf(cmd.OutOrStdout(), "verdict: %s\n", got.Verdict)
	}
	if err != nil || !got.Verdict.Result.Succeeds() {
		return errVerdict
	}
	return nil
}
