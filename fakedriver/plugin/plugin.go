// Package plugin runs the fake driver on a node: a DRA kubelet plugin that
// publishes the node's devices and prepares claims for them.
package plugin

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"

	"k8s.io/client-go/kubernetes"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
	"k8s.io/klog/v2"

	"github.com/draconform/draconform/fakedriver/claims"
	"github.com/draconform/draconform/fakedriver/model"
	"github.com/draconform/draconform/fakedriver/publish"
)

// Config says what a plugin offers and where it meets the kubelet.
type Config struct {
	// DriverName is the name of the DRA driver, a DNS subdomain of at most
	// 63 characters that begins with a letter. CDI uses it as vendor.
	DriverName string
	// NodeName is the name of the node, and that of the pool.
	NodeName string
	// Inventory is what the node has.
	Inventory *model.Inventory
	// PluginsDir is the directory in which the plugin has one of its own, by
	// the name of the driver, for its socket and its checkpoint.
	PluginsDir string
	// RegistryDir is where the kubelet looks for plugins.
	RegistryDir string
	// CDIDir is where the container runtime looks for CDI specs.
	CDIDir string
	// ReadinessAddress is the TCP address for HTTP requests to /readyz.
	ReadinessAddress string
	// Client accesses the API server.
	Client kubernetes.Interface
}

// Run runs the plugin until the context is done, which is no error. The
// ResourceSlices stay: they belong to the node, and a plugin that is only
// restarted should not make its devices disappear.
func Run(ctx context.Context, config Config) error {
	dataDir := filepath.Join(config.PluginsDir, config.DriverName)
	if err := os.MkdirAll(dataDir, 0o750); err != nil {
		return fmt.Errorf("create plugin directory: %w", err)
	}
	store, err := claims.Open(claims.Config{
		Driver:    config.DriverName,
		Pool:      config.NodeName,
		Inventory: config.Inventory,
		DataDir:   dataDir,
		CDIDir:    config.CDIDir,
	})
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", config.ReadinessAddress)
	if err != nil {
		return fmt.Errorf("listen for readiness requests: %w", err)
	}
	return serve(ctx, config, dataDir, store, listener)
}

// serve runs what a plugin consists of until the context is done or a part
// fails for good.
func serve(parent context.Context, config Config, dataDir string, store *claims.Store, listener net.Listener) error {
	ctx, fail := context.WithCancelCause(parent)
	defer fail(nil)

	driver := &driver{store: store, fail: fail}
	registration := &registration{}
	publisher := publish.NewPublisher(publish.Config{
		Driver:    config.DriverName,
		Node:      config.NodeName,
		Inventory: config.Inventory,
		Client:    config.Client,
		Publish:   driver.publish,
	})
	driver.publisher = publisher

	helper, err := kubeletplugin.Start(ctx, driver,
		kubeletplugin.DriverName(config.DriverName),
		kubeletplugin.NodeName(config.NodeName),
		kubeletplugin.KubeClient(config.Client),
		kubeletplugin.PluginDataDirectoryPath(dataDir),
		kubeletplugin.RegistrarDirectoryPath(config.RegistryDir),
		kubeletplugin.GRPCInterceptor(registration.intercept),
		// Nothing here ever breaks: there is no health to report.
		kubeletplugin.HealthService(false),
	)
	if err != nil {
		return errors.Join(fmt.Errorf("start kubelet plugin: %w", err), listener.Close())
	}
	defer helper.Stop()
	driver.helper = helper
	klog.FromContext(ctx).Info("Started", "driver", config.DriverName, "node", config.NodeName)

	var parts sync.WaitGroup
	parts.Go(func() { publisher.Run(ctx) })
	parts.Go(func() { fail(serveReadiness(ctx, listener, registration, publisher)) })
	parts.Wait()
	if parent.Err() != nil {
		return nil
	}
	return context.Cause(ctx)
}
