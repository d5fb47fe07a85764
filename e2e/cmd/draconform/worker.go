// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"os"
	"os/exec"

	"github.com/spf13/cobra"

	"github.com/draconform/draconform/e2e/run"
	"github.com/draconform/draconform/e2e/specs"
	"github.com/draconform/draconform/internal/garbage"
)

// workerCommand is the hidden command that a run starts for specs that run in
// parallel.
const workerCommand = "run-worker"

func newRunWorker() *cobra.Command {
	return &cobra.Command{
		Use: workerCommand, Hidden: true, Args: noArgs,
		Short: "Run specs of a run that another process has begun",
		RunE: func(cmd *cobra.Command, _ []string) error {
			garbage.SetPercent(garbage.Specs)
			return run.Worker(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout(), specs.All())
		},
	}
}

// newWorker returns a function that creates the command of a worker from this
// executable. It returns nil if the path of the executable is unknown.
func newWorker() func(context.Context) *exec.Cmd {
	program, err := os.Executable()
	if err != nil {
		return nil
	}
	return func(ctx context.Context) *exec.Cmd { return exec.CommandContext(ctx, program, workerCommand) }
}
