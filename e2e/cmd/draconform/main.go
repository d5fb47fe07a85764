// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Command draconform tests the conformance of Dynamic Resource Allocation in
// Kubernetes clusters.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/draconform/draconform/internal/version"
)

// Exit codes.
const (
	exitFailed = 1 // The verdict is not "passed", or a command failed.
	exitUsage  = 2 // Flags or arguments are invalid or do not suit the state of a cluster; nothing was changed.
)

// errUsage is wrapped by errors about flags and arguments.
var errUsage = errors.New("usage")

// errReported is wrapped by errors that the output of a command already
// reports.
var errReported = errors.New("see the output")

func main() { os.Exit(execute()) }

func execute() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := newCommand().ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	if errors.Is(err, errUsage) {
		fmt.Fprintf(os.Stderr, "draconform: %s\n", err)
		return exitUsage
	}
	if !errors.Is(err, errVerdict) && !errors.Is(err, errReported) {
		fmt.Fprintf(os.Stderr, "draconform: %s\n", err)
	}
	return exitFailed
}

func newCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "draconform",
		Short: "Test the conformance of Dynamic Resource Allocation in Kubernetes clusters",
		Long: `draconform tests Dynamic Resource Allocation (DRA) in Kubernetes clusters. It
creates a kind cluster, or uses an existing one, installs drivers of fake devices,
runs specs and writes a report with a verdict.

Exit status: 0 if the command succeeded, and for "run" and "skew" if the verdict is
passed; 1 if it failed; 2 if flags or arguments are invalid, or if the state of the
cluster does not allow the change. Nothing was changed then.`,
		Version:       version.String(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noArgs,
		RunE:          printHelp,
	}
	if isPlugin(os.Args[0]) {
		cmd.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl draconform"}
	}
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError(err) })
	cmd.AddCommand(newRun(), newList(), newRequirements(), newReport(), newCluster(), newNodeImage(), newImages(), newCache(), newReleases(), newDoctor(),
		newClean(), newDriver(), newRBAC(), newJob(), newVersion(), newLint(), newAllocate(), newExplain(connectTo), newPools(connectTo), newScheduler(), newSkew(), newRunWorker(), newRunJourney(), newDocs())
	completeFlags(cmd)
	return cmd
}

// isPlugin reports whether kubectl runs this program as a plugin, by its name.
func isPlugin(program string) bool {
	return strings.HasPrefix(filepath.Base(program), "kubectl-")
}

// usageError marks an error as a usage error.
func usageError(err error) error { return wrongUsage{err} }

type wrongUsage struct{ error }

func (e wrongUsage) Is(target error) bool { return target == errUsage }
func (e wrongUsage) Unwrap() error        { return e.error }

// noArgs rejects arguments with a usage error.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usageError(fmt.Errorf("unknown argument %q for %q, see \"%s --help\"", args[0], cmd.CommandPath(), cmd.CommandPath()))
	}
	return nil
}

// printHelp is the action of a command that only has subcommands. Without an
// action, cobra would not validate the arguments and would print help for a
// misspelled subcommand.
func printHelp(cmd *cobra.Command, _ []string) error { return cmd.Help() }

// oneArg requires exactly one argument.
func oneArg(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != 1 {
			return usageError(fmt.Errorf("%q takes %s, see \"%s --help\"", cmd.CommandPath(), what, cmd.CommandPath()))
		}
		return nil
	}
}
