// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Command classic is a fake driver of classic DRA (KEP-3063) for Kubernetes 1.31. Its
// control plane controller allocates claims with spec.controller, and its plugin makes
// the devices visible in containers. The devices are those of a network, which any node
// can use, or of nodes.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
)

// commands are the parts of the driver. Each defines its flags and returns what it does.
var commands = map[string]func(*flag.FlagSet, *common) func(context.Context) error{
	"controller": controllerCommand,
	"plugin":     pluginCommand,
}

// common has the flags of all commands.
type common struct{ driver, kubeconfig string }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "classic: %v\n", err)
		os.Exit(1) //nolint:gocritic // The process ends, which ends the notification.
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 0 || commands[args[0]] == nil {
		return errors.New("the first argument must be controller or plugin")
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	var c common
	flags.StringVar(&c.driver, "driver-name", "", "name of the driver, as in spec.controller of claims (required)")
	flags.StringVar(&c.kubeconfig, "kubeconfig", "", "kubeconfig (default the account of the pod)")
	do := commands[args[0]](flags, &c)
	klog.InitFlags(flags)
	switch err := flags.Parse(args[1:]); {
	case errors.Is(err, flag.ErrHelp):
		return nil
	case err != nil:
		return fmt.Errorf("read the flags: %w", err)
	case c.driver == "":
		return errors.New("--driver-name is required")
	}
	return do(ctx)
}

// client returns a client of the cluster.
func (c *common) client() (kubernetes.Interface, error) {
	config, err := clientcmd.BuildConfigFromFlags("", c.kubeconfig)
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
