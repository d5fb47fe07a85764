// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Command faulty is Kubernetes' own DRA test driver with one fault, or without
// one. The suite must find the fault with nothing but a driver file. Nothing of
// the suite is in it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"google.golang.org/grpc"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/dynamic-resource-allocation/api/metadata/v1beta1"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
	"k8s.io/dynamic-resource-allocation/resourceslice"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/test/e2e/dra/test-driver/app"
)

const (
	// cdiDir is the folder for CDI specs.
	cdiDir = "/var/run/cdi"
	// numDevices is the number of devices of a node.
	numDevices = 8
)

// config is what a fault can change.
type config struct {
	driver, node string
	// dataDir is a folder of the node that belongs to the driver.
	dataDir string
	client  kubernetes.Interface
	// device is the part of the names of devices before their number.
	device string
	files  app.FileOperations
	// calls and streams change what the kubelet gets.
	calls   []grpc.UnaryServerInterceptor
	streams []grpc.StreamServerInterceptor
	// unregistered disables the registration with the kubelet.
	unregistered bool
	// metadata enables device metadata files (KEP-5304).
	metadata bool
	// publish, if set, publishes the devices instead of the library.
	publish func(context.Context, *config) error
}

func main() {
	c := &config{device: "device-", metadata: true}
	flag.StringVar(&c.driver, "driver-name", "test-driver.cdi.k8s.io", "name of the driver")
	flag.StringVar(&c.node, "node-name", "", "name of the node of the pod")
	fault := flag.String("fault", "", "the fault, none if empty")
	klog.InitFlags(nil)
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, c, *fault)
	cancel()
	klog.Flush()
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// run publishes the devices of a node and prepares claims until the context
// ends.
func run(ctx context.Context, c *config, fault string) error {
	if c.node == "" {
		return errors.New("--node-name is not set")
	}
	config, err := rest.InClusterConfig()
	if err != nil {
		return fmt.Errorf("find the API server: %w", err)
	}
	if c.client, err = kubernetes.NewForConfig(config); err != nil {
		return fmt.Errorf("create a client: %w", err)
	}
	c.dataDir = filepath.Join(kubeletplugin.KubeletPluginsDir, c.driver)
	if err := c.add(fault); err != nil {
		return err
	}
	return c.serve(ctx)
}

// add adds a fault.
func (c *config) add(fault string) error {
	if fault == "" {
		return nil
	}
	change, ok := faults[fault]
	if !ok {
		return fmt.Errorf("there is no fault %q, use one of %s", fault, strings.Join(slices.Sorted(maps.Keys(faults)), ", "))
	}
	return change(c)
}

func (c *config) serve(ctx context.Context) error {
	if c.publish == nil {
		c.files.DriverResources = &resourceslice.DriverResources{Pools: map[string]resourceslice.Pool{
			c.node: {Slices: []resourceslice.Slice{{Devices: c.devices()}}},
		}}
	}
	options := []any{app.Options{EnableHealthService: true}, kubeletplugin.RegistrationService(!c.unregistered)}
	for _, interceptor := range c.calls {
		options = append(options, kubeletplugin.GRPCInterceptor(interceptor))
	}
	for _, interceptor := range c.streams {
		options = append(options, kubeletplugin.GRPCStreamInterceptor(interceptor))
	}
	if c.metadata {
		options = append(options, kubeletplugin.EnableDeviceMetadata(true, []schema.GroupVersion{v1beta1.SchemeGroupVersion}))
	}
	plugin, err := app.StartPlugin(ctx, cdiDir, c.driver, c.client, c.node, c.files, options...)
	if err != nil {
		return fmt.Errorf("start the plugin: %w", err)
	}
	defer plugin.Stop()
	if c.publish != nil {
		if err := c.publish(ctx, c); err != nil {
			return fmt.Errorf("publish devices: %w", err)
		}
	}
	<-ctx.Done()
	return nil
}

// devices returns the devices of the node.
func (c *config) devices() []resourceapi.Device {
	var devices []resourceapi.Device
	for i := range numDevices {
		devices = append(devices, resourceapi.Device{Name: fmt.Sprintf("%s%02d", c.device, i)})
	}
	return devices
}
