// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/dynamic-resource-allocation/controller"
	"k8s.io/klog/v2"

	"github.com/draconform/draconform/fakedriver/classic/calls"
	"github.com/draconform/draconform/fakedriver/classic/endpoint"
	"github.com/draconform/draconform/fakedriver/classic/internal/fault"
	"github.com/draconform/draconform/fakedriver/classic/inventory"
	"github.com/draconform/draconform/fakedriver/classic/ledger"
)

// workers is the number of claims and pods that a controller handles at the same time.
const workers = 4

// Parts are what a controller consists of, and its options.
type Parts struct {
	// Name is the name of the driver.
	Name   string
	Client kubernetes.Interface
	// Inventory returns the devices.
	Inventory func() inventory.Inventory
	Ledger    ledger.Ledger
	Calls     *calls.Recorder
	// SetReservedFor lets the driver reserve a claim for the pod that it is allocated
	// for. Kubernetes works without it.
	SetReservedFor bool
}

// Controller runs the controller of a driver until the context ends.
type Controller func(context.Context, Parts)

// RunDriver runs the controller of a driver, whose API is that of the release that it is
// built for, until the context ends.
func RunDriver(ctx context.Context, p Parts, d controller.Driver) {
	if fault.ForgetsClaimsAtRestart {
		_ = p.Ledger.Change(ctx, func(held ledger.Held) error { clear(held); return nil })
	}
	factory := informers.NewSharedInformerFactory(p.Client, 0)
	c := controller.New(ctx, p.Name, d, p.Client, factory)
	c.SetReservedFor(p.SetReservedFor && !fault.NeverReserves)
	factory.Start(ctx.Done())
	c.Run(workers)
	factory.Shutdown()
}

// controllerOptions are the flags of the controller.
type controllerOptions struct {
	*Common

	inventory, namespace string
	listen, tokenFile    string
	elect, reserve       bool
}

// ForController returns the command that runs a controller.
func ForController(run Controller) Command {
	return func(flags *flag.FlagSet, c *Common) func(context.Context) error {
		o := controllerOptions{Common: c}
		flags.StringVar(&o.inventory, "inventory", "{}", `devices, such as {"network": 4} or {"perNode": 2, "nodes": {"rack": "a"}}`)
		flags.StringVar(&o.namespace, "namespace", os.Getenv("POD_NAMESPACE"), "namespace of the lease and of the ConfigMap with the devices in use (default $POD_NAMESPACE)")
		flags.StringVar(&o.listen, "control-address", "", "address of the control endpoint, such as 127.0.0.1:8080 (default none)")
		flags.StringVar(&o.tokenFile, "control-token-file", "", "file with the token of the control endpoint")
		flags.BoolVar(&o.elect, "leader-elect", true, "work only while this process holds the lease of the driver")
		flags.BoolVar(&o.reserve, "set-reserved-for", true, "reserve a claim for the pod that it is allocated for")
		return func(ctx context.Context) error { return o.run(ctx, run) }
	}
}

func (o controllerOptions) run(ctx context.Context, run Controller) error {
	if o.namespace == "" {
		return errors.New("--namespace is required outside of a pod")
	}
	client, err := o.Client()
	if err != nil {
		return err
	}
	host, err := os.Hostname()
	if err != nil {
		return fmt.Errorf("get the name of the host: %w", err)
	}
	identity := fmt.Sprintf("%s_%d", host, time.Now().UnixNano())
	control := &endpoint.Driver{Name: o.Driver, Process: identity, Calls: &calls.Recorder{}, Exit: restart}
	var devices inventory.Inventory
	if err := json.Unmarshal([]byte(o.inventory), &devices); err != nil {
		return fmt.Errorf("read --inventory: %w", err)
	}
	if err := control.SetInventory(devices); err != nil {
		return fmt.Errorf("read --inventory: %w", err)
	}
	if o.listen != "" {
		stop, err := o.serve(ctx, control)
		if err != nil {
			return err
		}
		defer stop()
	}
	p := Parts{
		Name: o.Driver, Client: client, Inventory: control.Inventory, Calls: control.Calls, SetReservedFor: o.reserve,
		Ledger: ledger.Ledger{Client: client, Namespace: o.namespace, Name: o.Driver},
	}
	if o.elect {
		return runElected(ctx, p, identity, run)
	}
	runLogged(ctx, p, identity, run)
	return nil
}

// serve serves the control endpoint until stop is called.
func (o controllerOptions) serve(ctx context.Context, control *endpoint.Driver) (stop func(), err error) {
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
