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
	exitFailed = 1 // The verdict is failed or incomplete, or a command failed.
	exitUsage  = 2 // Flags or arguments are invalid or do not suit the state of a cluster; nothing was changed.
)

// errUsage is wrapped by errors about flags and arguments.
var errUsage = errors.New("usage")

// errReported is wrapped by errors that the output of a command already
// reports.
var errReported = errors.New("see the output")

func main() {
	ctx, stop := interruptible()
	err := newCommand().ExecuteContext(ctx)
	stop()
	if err != nil && !errors.Is(err, errVerdict) && !errors.Is(err, errReported) {
		fmt.Fprintf(os.Stderr, "draconform: %s\n", err)
	}
	os.Exit(exitStatus(err))
}

// interruptible returns a context that ends with the first signal. A second
// signal ends the process, unless it is a part of a run: it then has both the
// signal of the terminal and that of the process that started it.
func interruptible() (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	if len(os.Args) < 2 || os.Args[1] != workerCommand && os.Args[1] != journeyCommand {
		context.AfterFunc(ctx, stop)
	}
	return ctx, stop
}

// exitStatus returns the exit status of a command with this error.
func exitStatus(err error) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errUsage):
		return exitUsage
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

Exit status: 0 if the command succeeded; 1 if it failed, and for "run" and "skew" if
the verdict is failed or incomplete; 2 if flags, arguments or files are invalid, or if
the state of the cluster or of the machine does not allow the command. Nothing was
changed then.`,
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

// someArgs requires at least one argument. what describes the arguments.
func someArgs(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usageError(fmt.Errorf("%q takes %s, see \"%s --help\"", cmd.CommandPath(), what, cmd.CommandPath()))
		}
		return nil
	}
}
