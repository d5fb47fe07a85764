// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package command contains code that the commands in this folder share.
package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// ErrUsage is wrapped by errors of an invalid command line.
var ErrUsage = errors.New("usage")

// Main runs a command with the arguments of this process until it ends or is
// interrupted. It exits with 2 if the command line is invalid, and with 1 on
// other errors.
func Main(run func(ctx context.Context, args []string, out io.Writer) error) {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, unix.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	cancel()
	switch {
	case errors.Is(err, flag.ErrHelp):
	case errors.Is(err, ErrUsage):
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// Parse parses flags. Positional arguments are an error. The error wraps
// ErrUsage or is [flag.ErrHelp].
func Parse(f *flag.FlagSet, args []string) error {
	err := f.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return err
	case err != nil:
		return fmt.Errorf("%w: %w", ErrUsage, err)
	case f.NArg() > 0:
		return fmt.Errorf("%w: there are only flags, no argument %q", ErrUsage, f.Arg(0))
	}
	return nil
}
