// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Command workload is the container of all test pods. It reports what it can
// see of devices and then waits until it is terminated.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/draconform/draconform/e2e/workload/report"
)

func main() {
	// A process with PID 1 has no default signal handlers, so the handler is
	// installed before the report is printed.
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	switch err := run(ctx, os.Args[1:], os.Environ(), os.Stdout, os.Stderr); {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintf(os.Stderr, "workload: %v\n", err)
		os.Exit(1)
	}
}

// run prints a report to out and waits for the context, unless --once or --fail is set.
func run(ctx context.Context, args, environ []string, out, usage io.Writer) error {
	flags := flag.NewFlagSet("workload", flag.ContinueOnError)
	flags.SetOutput(usage)
	once := flags.Bool("once", false, "exit after the report")
	fail := flags.Bool("fail", false, "exit with an error after the report")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	// The encoder ends the line.
	if err := json.NewEncoder(out).Encode(report.New(environ, "/")); err != nil {
		return fmt.Errorf("print report: %w", err)
	}
	if *fail {
		return errors.New("failed because of --fail")
	}
	if !*once {
		<-ctx.Done()
	}
	return nil
}
