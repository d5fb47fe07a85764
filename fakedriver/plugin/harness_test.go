// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/fakedriver/control"
	"github.com/draconform/draconform/fakedriver/describe"
	"github.com/draconform/draconform/fakedriver/internal/fakeapi"
	"github.com/draconform/draconform/fakedriver/internal/loopback"
	"github.com/draconform/draconform/fakedriver/model"
	"github.com/draconform/draconform/fakedriver/plugin"
)

const (
	driver = "mig.example.com"
	second = "nic.example.com"
	node   = "node-1"
	token  = "token"
)

var (
	oneGPU  = control.Published{Devices: control.Devices{Model: "a100-40gb", Count: 1}}
	twoGPUs = control.Published{Devices: control.Devices{Model: "a100-40gb", Count: 2}}
	// inventoryOf compiles the description "nics".
	nics = control.Published{Devices: control.Devices{Description: "nics"}}
)

// running is a running plugin, with the clients of the kubelet and of the
// suite.
type running struct {
	*control.Client
	g      *WithT
	tb     testing.TB
	config plugin.Config
	server *fakeapi.Server
	exited chan struct{}
	// ended has the result of a plugin that has ended. It is nil if that is in another
	// process.
	ended chan error
	stop  func() error
}

// newConfig returns the configuration of a plugin on a separate node.
func newConfig(tb testing.TB, objects ...runtime.Object) (plugin.Config, *fakeapi.Server) {
	tb.Helper()
	g := NewWithT(tb)
	// The path of a socket has at most 107 characters. tb.TempDir is too long,
	// because it contains the name of the test.
	dir, err := os.MkdirTemp("", "") //nolint:usetesting // see above
	g.Expect(err).NotTo(HaveOccurred())
	tb.Cleanup(func() { g.Expect(os.RemoveAll(dir)).To(Succeed()) })
	server := newServer(objects...)
	config := configIn(dir, loopback.FreeAddress(tb), server)
	g.Expect(os.Mkdir(config.RegistryDir, 0o750)).To(Succeed())
	g.Expect(os.WriteFile(config.TokenFile, []byte(token), 0o600)).To(Succeed())
	return config, server
}

// newServer returns an API server that contains the node and the objects.
func newServer(objects ...runtime.Object) *fakeapi.Server {
	return fakeapi.New(append(objects, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: node, UID: "node-uid"}}))
}

// configIn returns the configuration of a plugin with all its files in a
// directory.
func configIn(dir, address string, server *fakeapi.Server) plugin.Config {
	return plugin.Config{
		DriverName:     driver,
		NodeName:       node,
		Published:      oneGPU,
		Inventory:      inventoryOf,
		PluginsDir:     filepath.Join(dir, "plugins"),
		RegistryDir:    filepath.Join(dir, "registry"),
		CDIDir:         filepath.Join(dir, "cdi"),
		Address:        address,
		TokenFile:      filepath.Join(dir, "token"),
		DeviceMetadata: true,
		Client:         server.Client,
	}
}

// inventoryOf supports the models and one description.
func inventoryOf(node string, devices control.Devices) (*describe.Inventory, error) {
	if devices.Description == "nics" {
		return &describe.Inventory{Devices: []resourceapi.Device{{
			Name:                     "nic-0",
			AllowMultipleAllocations: ptr.To(true),
			Capacity:                 map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"slots": {Value: resource.MustParse("4")}},
		}}}, nil
	}
	if devices.Description != "" {
		return nil, errors.New("line 1: this is not a description")
	}
	gpu, err := model.Load(devices.Model)
	if err != nil {
		return nil, err
	}
	return gpu.Inventory(node, devices.Count), nil
}

func start(tb testing.TB, objects ...runtime.Object) *running {
	tb.Helper()
	config, server := newConfig(tb, objects...)
	return startWith(tb, config, server)
}

// connect returns a running for a plugin in another process.
func connect(tb testing.TB, config plugin.Config, server *fakeapi.Server) *running {
	tb.Helper()
	return &running{
		Client: control.NewClient(fakeapi.NewPodProxy(tb, "drivers", "pod-1", control.Port, config.Address), "drivers", "pod-1", token),
		g:      NewWithT(tb), tb: tb, config: config, server: server, exited: make(chan struct{}, 1),
	}
}

// waitUntilReady waits until a plugin has started. A new process may need seconds on a
// machine with few processors.
func (r *running) waitUntilReady() {
	r.tb.Helper()
	r.g.Eventually(func() error {
		select {
		case err := <-r.ended:
			r.ended <- err // For stop.
			return StopTrying("the plugin has ended").Wrap(err)
		default:
		}
		_, err := r.List(r.tb.Context())
		return err
	}, "60s", "10ms").Should(Succeed())
}

func startWith(tb testing.TB, config plugin.Config, server *fakeapi.Server) *running {
	tb.Helper()
	r := connect(tb, config, server)
	config.Exit = func() { r.exited <- struct{}{} }
	ctx, cancel := context.WithCancel(tb.Context())
	r.ended = make(chan error, 1)
	go func() { r.ended <- plugin.Run(ctx, config) }()
	stopped := false
	r.stop = func() error {
		if stopped {
			return nil
		}
		stopped = true
		cancel()
		return <-r.ended
	}
	tb.Cleanup(func() { r.g.Expect(r.stop()).To(Succeed()) })
	r.waitUntilReady()
	return r
}

// restart stops the plugin and starts it again.
func (r *running) restart() *running {
	r.tb.Helper()
	r.g.Expect(r.stop()).To(Succeed())
	return startWith(r.tb, r.config, r.server)
}

func (r *running) readiness() (int, string) {
	r.tb.Helper()
	request, err := http.NewRequestWithContext(r.tb.Context(), http.MethodGet, "http://"+r.config.Address+"/readyz", nil)
	r.g.Expect(err).NotTo(HaveOccurred())
	response, err := http.DefaultClient.Do(request)
	r.g.Expect(err).NotTo(HaveOccurred())
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	r.g.Expect(err).NotTo(HaveOccurred())
	return response.StatusCode, string(body)
}

// slices returns the slices that a driver has published.
func (r *running) slices(driver string) []resourceapi.ResourceSlice {
	r.tb.Helper()
	list, err := r.server.Client.ResourceV1().ResourceSlices().List(r.tb.Context(), metav1.ListOptions{
		FieldSelector: fields.OneTermEqualSelector(resourceapi.ResourceSliceSelectorDriver, driver).String(),
	})
	r.g.Expect(err).NotTo(HaveOccurred())
	return list.Items
}

// devices returns the names of the devices that a driver has published.
func (r *running) devices(driver string) []string {
	r.tb.Helper()
	var names []string
	for _, slice := range r.slices(driver) {
		for _, device := range slice.Spec.Devices {
			names = append(names, device.Name)
		}
	}
	return names
}

// newClaim returns a claim for a device. The UID of the claim is its name.
func newClaim(driver, device, name string) *resourceapi.ResourceClaim {
	return &resourceapi.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID(name)},
		Status: resourceapi.ResourceClaimStatus{Allocation: &resourceapi.AllocationResult{
			Devices: resourceapi.DeviceAllocationResult{Results: []resourceapi.DeviceRequestAllocationResult{{
				Request: "gpu", Driver: driver, Pool: node, Device: device,
			}}},
		}},
	}
}
