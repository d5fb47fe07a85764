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
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/draconform/draconform/internal/similar"
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
		context.AfterFunc(ctx, func() {
			bySignal := context.Cause(ctx) != context.Canceled //nolint:errorlint // The cause of a signal is context.Canceled for errors.Is, too.
			if bySignal && len(os.Args) > 1 && slices.Contains(removing, os.Args[1]) {
				fmt.Fprintln(os.Stderr, interrupted)
			}
			stop()
		})
	}
	return ctx, stop
}

// removing are the commands that remove what they have created when they are
// interrupted, which may take a minute.
var removing = []string{"run", "skew", "job"}

// interrupted is what users see meanwhile.
const interrupted = "draconform: interrupted, removes what it has created and writes the report; a second Ctrl-C ends it at once, and \"draconform clean\" removes the rest"

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
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return usageError(withMeant(cmd, err)) })
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
	if len(args) == 0 {
		return nil
	}
	var known []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			known = append(known, c.Name())
		}
	}
	return usageError(fmt.Errorf("unknown argument %q for %q%s", args[0], cmd.CommandPath(), meant(cmd, args[0], "", known)))
}

// withMeant adds flags that the user may have meant to the error about an unknown one.
// After a misspelt command, its flags are unknown, too.
func withMeant(cmd *cobra.Command, err error) error {
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return err
	}
	if args := cmd.Flags().Args(); cmd.HasSubCommands() && len(args) > 0 {
		if wrong := cmd.ValidateArgs(args); wrong != nil {
			return wrong
		}
	}
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
	return fmt.Errorf("%w%s", err, meant(cmd, unknown.GetSpecifiedName(), "--", known))
}

// meant returns the end of an error about an unknown name: similar known ones, if there
// are any, and where all of them are explained.
func meant(cmd *cobra.Command, name, prefix string, known []string) string {
	const least = 3 // Every name of two letters is similar to others.
	help := fmt.Sprintf("\"%s --help\"", cmd.CommandPath())
	names := similar.Names(name, known)
	if len(names) == 0 || len(name) < least {
		return ", see " + help
	}
	return fmt.Sprintf(", did you mean %s%s? See %s", prefix, strings.Join(names, ", "+prefix), help)
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
