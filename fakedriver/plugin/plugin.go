// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package plugin runs the fake drivers of a node: DRA kubelet plugins that
// publish the node's devices and prepare claims for them.
package plugin

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"github.com/draconform/draconform/fakedriver/control"
	"github.com/draconform/draconform/fakedriver/describe"
)

// Config configures a plugin: the devices that it publishes and the paths that
// it shares with the kubelet.
type Config struct {
	// DriverName is the name of the plugin's own DRA driver, a DNS subdomain of
	// at most 63 characters that begins with a letter. CDI uses it as vendor.
	// More drivers can be started through the control endpoint.
	DriverName string
	// NodeName is the name of the node and of all pools.
	NodeName string
	// Published is what the plugin's own driver publishes until it is changed
	// through the control endpoint.
	Published control.Published
	// Inventory compiles the devices of a node. Each call returns a new
	// inventory.
	Inventory func(node string, devices control.Devices) (*describe.Inventory, error)
	// PluginsDir is the directory that contains the plugin's own directory for
	// sockets and checkpoints. That directory has the name of the plugin's own
	// driver.
	PluginsDir string
	// RegistryDir is the directory where the kubelet looks for plugins.
	RegistryDir string
	// CDIDir is the directory where the container runtime looks for CDI specs.
	CDIDir string
	// PodUID is the UID of the plugin's pod. It must be set if two versions of
	// the plugin may run on the node at the same time during a rolling update.
	// Empty means that no other version runs.
	PodUID types.UID
	// OlderCheckpoint writes the checkpoint in the format of the previous
	// version, see [claims.Config].
	OlderCheckpoint bool
	// Address is the TCP address for HTTP requests to /readyz and to the
	// control endpoint.
	Address string
	// TokenFile is the file with the token for the control endpoint. The
	// endpoint rejects all requests while the file does not exist.
	TokenFile string
	// DeviceMetadata also provides the attributes of devices to containers as
	// the standard files of KEP-5304. They require only CDI support from the
	// cluster.
	DeviceMetadata bool
	// DeviceStatus also writes the status of prepared devices into their claims
	// (KEP-4817).
	DeviceStatus bool
	// Client accesses the API server.
	Client kubernetes.Interface
	// Exit ends the process immediately. The next process starts by itself.
	Exit func()
}

// dir returns the directory that contains the plugin's files.
func (c Config) dir() string { return filepath.Join(c.PluginsDir, c.DriverName) }

// driversDir returns the directory that contains one directory for each driver
// that was started through the control endpoint. It is separate from the files
// of the plugin's own driver, because a driver name may equal the name of such
// a file.
func (c Config) driversDir() string { return filepath.Join(c.dir(), "drivers") }

// Run runs the plugin until the context is done. It returns nil in that case.
// The ResourceSlices are kept, because they belong to the node, and a restart
// of the plugin must not remove its devices.
func Run(parent context.Context, config Config) error {
	if err := os.MkdirAll(config.driversDir(), 0o750); err != nil {
		return fmt.Errorf("create plugin directory: %w", err)
	}
	if err := config.countStart(); err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(parent, "tcp", config.Address)
	if err != nil {
		return fmt.Errorf("listen for HTTP requests: %w", err)
	}
	ctx, fail := context.WithCancelCause(parent)
	defer fail(nil)
	drivers := newFleet(ctx, config, fail)
	defer drivers.close()
	if err := drivers.start(); err != nil {
		return errors.Join(err, listener.Close())
	}
	fail(serve(ctx, listener, config.TokenFile, drivers))
	if parent.Err() != nil {
		return nil
	}
	return context.Cause(ctx)
}
