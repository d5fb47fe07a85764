// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Command podroutes connects the pods of a cluster whose nodes share one
// network. It writes its node's CNI configuration from the node's pod CIDR and
// maintains a route to the pod CIDR of every other node.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// resync is the interval at which all routes are written again, in case another
// process removed one.
const resync = 30 * time.Second

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		slog.Error("podroutes ended", "error", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	name, subnet := os.Getenv("NODE_NAME"), os.Getenv("POD_SUBNET")
	if name == "" || subnet == "" {
		return errors.New("the environment variables NODE_NAME and POD_SUBNET must be set")
	}
	_, podSubnet, err := net.ParseCIDR(subnet)
	if err != nil {
		return fmt.Errorf("read POD_SUBNET: %w", err)
	}
	config, err := rest.InClusterConfig()
	if err != nil {
		return err
	}
	// The API server's own address is reachable before kube-proxy has
	// configured the address of its service.
	if endpoint := os.Getenv("CONTROL_PLANE_ENDPOINT"); endpoint != "" {
		config.Host = "https://" + endpoint
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	if err := masquerade(ctx, podSubnet); err != nil {
		return err
	}
	return watch(ctx, client, name)
}

// watch synchronizes the node whenever the cluster's nodes change, until the
// context ends.
func watch(ctx context.Context, client kubernetes.Interface, name string) error {
	factory := informers.NewSharedInformerFactory(client, resync)
	nodes := factory.Core().V1().Nodes()
	changed := make(chan struct{}, 1)
	notify := func() {
		select {
		case changed <- struct{}{}:
		default: // a synchronization is already pending
		}
	}
	_, err := nodes.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { notify() },
		UpdateFunc: func(any, any) { notify() },
		DeleteFunc: func(any) { notify() },
	})
	if err != nil {
		return err
	}
	factory.Start(ctx.Done())
	defer factory.Shutdown()
	n := node{name: name, lister: nodes.Lister(), cniDir: "/etc/cni/net.d", routes: kernelRoutes{}}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-changed:
			if err := n.sync(); err != nil {
				slog.Warn("not in line with the cluster's nodes, trying again", "error", err)
			}
		}
	}
}
