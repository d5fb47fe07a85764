// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package node

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"k8s.io/dynamic-resource-allocation/kubeletplugin"
)

// Options of [Plugin.Run].
type Options struct {
	// PluginsDir and RegistryDir are the directories of the kubelet for the sockets of
	// plugins and for their registration. Required.
	PluginsDir, RegistryDir string
	// Address is that of the readiness probe. Required.
	Address string
}

// Run registers the plugin with the kubelet and serves its calls until the context ends.
func (p *Plugin) Run(ctx context.Context, o Options) (err error) {
	dir := filepath.Join(o.PluginsDir, p.Driver)
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return fmt.Errorf("make the directory of the plugin: %w", err)
	}
	socket := filepath.Join(dir, "dra.sock")
	helper, err := kubeletplugin.Start(ctx, p,
		kubeletplugin.DriverName(p.Driver), kubeletplugin.NodeName(p.Node), kubeletplugin.KubeClient(p.Client),
		kubeletplugin.RegistrarSocketPath(filepath.Join(o.RegistryDir, p.Driver+"-reg.sock")),
		kubeletplugin.PluginSocketPath(socket), kubeletplugin.KubeletPluginSocketPath(socket),
	)
	if err != nil {
		return fmt.Errorf("start the kubelet plugin: %w", err)
	}
	defer helper.Stop()
	return serveReadiness(ctx, o.Address, func() error {
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
