// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Command classic is a fake driver of classic DRA (KEP-3063): a control plane
// controller that allocates claims with spec.controller in Kubernetes 1.31. Its devices
// are those of a network, which any node can use, or of nodes.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"

	"github.com/draconform/draconform/fakedriver/classic/calls"
	"github.com/draconform/draconform/fakedriver/classic/controller"
	"github.com/draconform/draconform/fakedriver/classic/endpoint"
	"github.com/draconform/draconform/fakedriver/classic/inventory"
	"github.com/draconform/draconform/fakedriver/classic/ledger"
)

// options are the flags.
type options struct {
	driver, inventory, kubeconfig, namespace string
	listen, tokenFile                        string
	elect, reserve                           bool
}

func main() {
	var o options
	flag.StringVar(&o.driver, "driver", "", "name of the driver, as in spec.controller of claims (required)")
	flag.StringVar(&o.inventory, "inventory", "{}", `devices, such as {"network": 4} or {"perNode": 2, "nodes": {"rack": "a"}}`)
	flag.StringVar(&o.kubeconfig, "kubeconfig", "", "kubeconfig (default the account of the pod)")
	flag.StringVar(&o.namespace, "namespace", "default", "namespace of the lease and of the ConfigMap with the devices in use")
	flag.StringVar(&o.listen, "control-address", "", "address of the control endpoint, such as 127.0.0.1:8080 (default none)")
	flag.StringVar(&o.tokenFile, "control-token-file", "", "file with the token of the control endpoint")
	flag.BoolVar(&o.elect, "leader-elect", true, "work only while this process holds the lease of the driver")
	flag.BoolVar(&o.reserve, "set-reserved-for", true, "reserve a claim for the pod that it is allocated for")
	klog.InitFlags(nil)
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintf(os.Stderr, "classic: %v\n", err)
		os.Exit(1) //nolint:gocritic // The process ends, which ends the notification.
	}
}

func run(ctx context.Context, o options) error {
	if o.driver == "" {
		return errors.New("--driver is required")
	}
	config, err := clientcmd.BuildConfigFromFlags("", o.kubeconfig)
	if err != nil {
		return fmt.Errorf("read the kubeconfig: %w", err)
	}
	config.QPS, config.Burst = 50, 100
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("create a client: %w", err)
	}
	host, err := os.Hostname()
	if err != nil {
		return fmt.Errorf("get the name of the host: %w", err)
	}
	identity := fmt.Sprintf("%s-%d-%d", host, os.Getpid(), time.Now().UnixNano())
	control := &endpoint.Driver{Name: o.driver, Process: identity, Calls: &calls.Recorder{}, Exit: func() { os.Exit(1) }}
	var devices inventory.Inventory
	if err := json.Unmarshal([]byte(o.inventory), &devices); err != nil {
		return fmt.Errorf("read --inventory: %w", err)
	}
	if err := control.SetInventory(devices); err != nil {
		return fmt.Errorf("read --inventory: %w", err)
	}
	driver := &controller.Driver{
		Name: o.driver, Client: client, Inventory: control.Inventory, Calls: control.Calls,
		Ledger: ledger.Ledger{Client: client, Namespace: o.namespace, Name: o.driver},
	}
	if o.listen != "" {
		stop, err := serve(ctx, o, control)
		if err != nil {
			return err
		}
		defer stop()
	}
	return driver.Run(ctx, controller.Options{Identity: identity, SetReservedFor: o.reserve, Elect: o.elect})
}

// serve serves the control endpoint until stop is called.
func serve(ctx context.Context, o options, control *endpoint.Driver) (stop func(), err error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", o.listen)
	if err != nil {
		return nil, fmt.Errorf("serve the control endpoint: %w", err)
	}
	server := &http.Server{Handler: control.Handler(o.tokenFile), ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			klog.ErrorS(err, "The control endpoint has ended")
		}
	}()
	return func() { _ = server.Close(); <-ended }, nil
}
