// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Command boards is a kubelet plugin for imaginary boards, which can be
// partitioned, and for their links, which claims share. It publishes these
// devices through Kubernetes' own DRA test driver, which does everything else.
// The suite judges it as a driver that is not its own: nothing of the suite is
// in it.
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
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/test/e2e/dra/test-driver/app"
)

// driverName is the name of the driver and the domain of its attributes.
const driverName = "boards.example.com"

// cdiDir is the folder for CDI specs.
const cdiDir = "/var/run/cdi"

func main() {
	node := flag.String("node-name", "", "name of the node of the pod")
	klog.InitFlags(nil)
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, *node)
	cancel()
	klog.Flush()
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// run publishes the devices of a node and prepares claims until the context
// ends.
func run(ctx context.Context, node string) error {
	if node == "" {
		return errors.New("--node-name is not set")
	}
	config, err := rest.InClusterConfig()
	if err != nil {
		return fmt.Errorf("find the API server: %w", err)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("create a client: %w", err)
	}
	resources := published(node, countersWithDevices)
	options := append([]any{app.Options{EnableHealthService: true}}, metadata()...)
	plugin, err := app.StartPlugin(ctx, cdiDir, driverName, client, node, app.FileOperations{DriverResources: &resources}, options...)
	if err != nil {
		return fmt.Errorf("start the plugin: %w", err)
	}
	defer plugin.Stop()
	<-ctx.Done()
	return nil
}
