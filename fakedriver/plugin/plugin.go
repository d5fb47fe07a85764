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

// Config says what a plugin offers and where it meets the kubelet.
type Config struct {
	// DriverName is the name of the plugin's own DRA driver, a DNS subdomain
	// of at most 63 characters that begins with a letter. CDI uses it as
	// vendor. More drivers can be started through the control endpoint.
	DriverName string
	// NodeName is the name of the node, and that of all pools.
	NodeName string
	// Published is what the plugin's own driver publishes as long as the
	// control endpoint did not change it.
	Published control.Published
	// Inventory compiles what a node has, anew with each call.
	Inventory func(node string, devices control.Devices) (*describe.Inventory, error)
	// PluginsDir is the directory in which the plugin has one of its own, by
	// the name of its own driver, for sockets and checkpoints.
	PluginsDir string
	// RegistryDir is where the kubelet looks for plugins.
	RegistryDir string
	// CDIDir is where the container runtime looks for CDI specs.
	CDIDir string
	// PodUID is that of the plugin's pod, if another version may run beside it
	// on the node while one replaces the other. Empty means that none does.
	PodUID types.UID
	// OlderCheckpoint writes the checkpoint as the version before does, see
	// [claims.Config].
	OlderCheckpoint bool
	// Address is the TCP address for HTTP requests to /readyz and to the
	// control endpoint.
	Address string
	// TokenFile has the token for the control endpoint, which is closed as
	// long as there is no such file.
	TokenFile string
	// DeviceMetadata also gives containers the attributes of their devices as
	// the standard files of KEP-5304, which need nothing from the cluster but
	// CDI.
	DeviceMetadata bool
	// Client accesses the API server.
	Client kubernetes.Interface
	// Exit ends the process at once.
	Exit func(code int)
}

// dir is where the plugin keeps its files.
func (c Config) dir() string { return filepath.Join(c.PluginsDir, c.DriverName) }

// driversDir has a directory for each driver that was started through the
// control endpoint, by its name. The files of the plugin's own driver are not in
// there: a driver may be called like one of them.
func (c Config) driversDir() string { return filepath.Join(c.dir(), "drivers") }

// Run runs the plugin until the context is done, which is no error. The
// ResourceSlices stay: they belong to the node, and a plugin that is only
// restarted should not make its devices disappear.
func Run(parent context.Context, config Config) error {
	if err := os.MkdirAll(config.driversDir(), 0o750); err != nil {
		return fmt.Errorf("create plugin directory: %w", err)
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
