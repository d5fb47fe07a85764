// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Command fakedriver is a DRA driver for simulated devices.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	"k8s.io/klog/v2"
)

func main() {
	// A second signal terminates the process immediately.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	code := execute(ctx, command(), os.Stderr)
	klog.Flush()
	os.Exit(code)
}

// execute returns the exit code: 0 if the command succeeded or was stopped by a
// signal, and 1 after an error. It prints the error as one line to stderr.
func execute(ctx context.Context, root *cobra.Command, stderr io.Writer) int {
	if err := root.ExecuteContext(ctx); err != nil {
		fmt.Fprintf(stderr, "fakedriver: %v\n", err)
		return 1
	}
	return 0
}

// command returns the root command.
func command() *cobra.Command {
	root := &cobra.Command{
		Use:           "fakedriver",
		Short:         "A DRA driver for simulated devices",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	var logging flag.FlagSet
	klog.InitFlags(&logging)
	root.PersistentFlags().AddGoFlag(logging.Lookup("v"))
	root.AddCommand(pluginCommand(), renderCommand(), controllerCommand())
	return root
}
