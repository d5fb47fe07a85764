// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"

	"github.com/draconform/draconform/fakedriver/classic/containers"
)

// PluginParts are what a kubelet plugin consists of, and its options.
type PluginParts struct {
	// Driver is the name of the driver, and Node that of the node that the plugin runs on.
	Driver, Node string
	Client       kubernetes.Interface
	Specs        *containers.Specs
	// PluginsDir and RegistryDir are the directories of the kubelet for the sockets of
	// plugins and for their registration.
	PluginsDir, RegistryDir string
	// Address is that of the readiness probe.
	Address string
}

// Plugin runs the kubelet plugin of a driver until the context ends.
type Plugin func(context.Context, PluginParts) error

// ForPlugin returns the command that runs a kubelet plugin.
func ForPlugin(run Plugin) Command {
	return func(flags *flag.FlagSet, c *Common) func(context.Context) error {
		var p PluginParts
		var cdiDir string
		flags.StringVar(&p.Node, "node-name", os.Getenv("NODE_NAME"), "name of the node (default $NODE_NAME)")
		flags.StringVar(&p.PluginsDir, "plugins-dir", "/var/lib/kubelet/plugins", "directory of the kubelet for sockets of plugins")
		flags.StringVar(&p.RegistryDir, "registry-dir", "/var/lib/kubelet/plugins_registry", "directory of the kubelet for the registration of plugins")
		flags.StringVar(&cdiDir, "cdi-dir", "/var/run/cdi", "directory of the container runtime for CDI specs")
		flags.StringVar(&p.Address, "ready-address", ":8080", "address of the readiness probe")
		return func(ctx context.Context) (err error) {
			if p.Node == "" {
				return errors.New("--node-name is required outside of a pod")
			}
			if p.Client, err = c.Client(); err != nil {
				return err
			}
			p.Driver = c.Driver
			if p.Specs, err = containers.NewSpecs(cdiDir, p.Driver); err != nil {
				return err
			}
			return run(ctx, p)
		}
	}
}

// Starter starts to serve the kubelet's API for drivers, which depends on the release, with
// some options.
type Starter func(context.Context, ...kubeletplugin.Option) (kubeletplugin.DRAPlugin, error)

// RunPlugin registers a plugin with the kubelet and serves its calls until the context ends.
func RunPlugin(ctx context.Context, p PluginParts, start Starter) error {
	dir := filepath.Join(p.PluginsDir, p.Driver)
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return fmt.Errorf("make the directory of the plugin: %w", err)
	}
	socket := filepath.Join(dir, "dra.sock")
	helper, err := start(ctx,
		kubeletplugin.DriverName(p.Driver), kubeletplugin.RegistrarSocketPath(filepath.Join(p.RegistryDir, p.Driver+"-reg.sock")),
		kubeletplugin.PluginSocketPath(socket), kubeletplugin.KubeletPluginSocketPath(socket),
	)
	if err != nil {
		return fmt.Errorf("start the kubelet plugin: %w", err)
	}
	defer helper.Stop()
	return serveReadiness(ctx, p.Address, func() error {
		switch status := helper.RegistrationStatus(); {
		case status == nil:
			return errors.New("the kubelet has not registered the driver yet")
		case !status.PluginRegistered:
			return fmt.Errorf("the kubelet has not registered the driver: %s", status.Error)
		}
		return nil
	})
}

// serveReadiness serves the readiness probe until the context ends.
func serveReadiness(ctx context.Context, address string, ready func() error) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("serve the readiness probe: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if err := ready(); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
		}
	})
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve the readiness probe: %w", err)
	}
	return nil
}
