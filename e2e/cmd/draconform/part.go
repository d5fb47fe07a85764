package main

import (
	"context"
	"os"
	"os/exec"

	"github.com/spf13/cobra"

	"github.com/draconform/draconform/e2e/run"
	"github.com/draconform/draconform/e2e/specs"
)

// partCommand is the hidden command that a run starts for each of its parts.
const partCommand = "run-part"

func newRunPart() *cobra.Command {
	return &cobra.Command{
		Use: partCommand, Hidden: true, Args: noArgs,
		Short: "Run a part of the specs of another process",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return run.Part(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout(), specs.All())
		},
	}
}

// newPart returns a function that creates the command for a part from this
// executable. It returns nil if the path of the executable is unknown.
func newPart() func(context.Context) *exec.Cmd {
	program, err := os.Executable()
	if err != nil {
		return nil
	}
	return func(ctx context.Context) *exec.Cmd { return exec.CommandContext(ctx, program, partCommand) }
}
