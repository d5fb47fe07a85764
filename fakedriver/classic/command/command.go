// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package command has the command lines of classic drivers, and what their processes
// have in common.
package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
)

// Command is a part of a driver. It defines its flags and returns what it does.
type Command func(*flag.FlagSet, *Common) func(context.Context) error

// Common has the flags of all commands.
type Common struct{ Driver, Kubeconfig string }

// Main runs the command that the arguments of the process name, and ends the process.
func Main(name string, commands map[string]Command) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], commands); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1) //nolint:gocritic // The process ends, which ends the notification.
	}
}

func run(ctx context.Context, args []string, commands map[string]Command) error {
	if len(args) == 0 || commands[args[0]] == nil {
		return fmt.Errorf("the first argument must be one of: %s", strings.Join(slices.Sorted(maps.Keys(commands)), ", "))
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	var c Common
	flags.StringVar(&c.Driver, "driver-name", "", "name of the driver, as in the specs of claims or classes (required)")
	flags.StringVar(&c.Kubeconfig, "kubeconfig", "", "kubeconfig (default the account of the pod)")
	do := commands[args[0]](flags, &c)
	klog.InitFlags(flags)
	switch err := flags.Parse(args[1:]); {
	case errors.Is(err, flag.ErrHelp):
		return nil
	case err != nil:
		return fmt.Errorf("read the flags: %w", err)
	case c.Driver == "":
		return errors.New("--driver-name is required")
	}
	return do(ctx)
}

// Client returns a client of the cluster.
func (c *Common) Client() (kubernetes.Interface, error) {
	config, err := clientcmd.BuildConfigFromFlags("", c.Kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("read the kubeconfig: %w", err)
	}
	config.QPS, config.Burst = 50, 100
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("create a client: %w", err)
	}
	return client, nil
}
