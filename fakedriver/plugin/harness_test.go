package plugin_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1"
	registerapi "k8s.io/kubelet/pkg/apis/pluginregistration/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/fakedriver/control"
	"github.com/draconform/draconform/fakedriver/describe"
	"github.com/draconform/draconform/fakedriver/internal/fakeapi"
	"github.com/draconform/draconform/fakedriver/internal/fakeproxy"
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
	oneGPU  = control.Published{Devices: control.Devices{Model: "a100-40gb", GPUs: 1}}
	twoGPUs = control.Published{Devices: control.Devices{Model: "a100-40gb", GPUs: 2}}
	// nics are what inventoryOf makes of the description "nics".
	nics = control.Published{Devices: control.Devices{Description: "nics"}}
)

// running is a plugin, seen from the kubelet on its node and from the suite.
type running struct {
	*control.Client
	g      *WithT
	tb     testing.TB
	config plugin.Config
	server *fakeapi.Server
	exited chan int
	stop   func() error
}

// newConfig returns the configuration of a plugin on a node of its own.
func newConfig(tb testing.TB, objects ...runtime.Object) (plugin.Config, *fakeapi.Server) {
	tb.Helper()
	g := NewWithT(tb)
	// The path of a socket may have 107 characters: the names of the tests
	// are short.
	dir := tb.TempDir()
	server := fakeapi.New(append(objects, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: node, UID: "node-uid"}}))
	config := plugin.Config{
		DriverName:     driver,
		NodeName:       node,
		Published:      oneGPU,
		Inventory:      inventoryOf,
		PluginsDir:     filepath.Join(dir, "plugins"),
		RegistryDir:    filepath.Join(dir, "registry"),
		CDIDir:         filepath.Join(dir, "cdi"),
		Address:        freeAddress(tb),
		TokenFile:      filepath.Join(dir, "token"),
		DeviceMetadata: true,
		Client:         server.Client,
	}
	g.Expect(os.Mkdir(config.RegistryDir, 0o750)).To(Succeed())
	g.Expect(os.WriteFile(config.TokenFile, []byte(token), 0o600)).To(Succeed())
	return config, server
}

// inventoryOf knows the models and one description.
func inventoryOf(node string, devices control.Devices) (*describe.Inventory, error) {
	if devices.Description == "nics" {
		return &describe.Inventory{Devices: []resourceapi.Device{{
			Name:                     "nic-0",
			AllowMultipleAllocations: ptr.To(true),
			Capacity:                 map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"slots": {Value: resource.MustParse("4")}},
		}}}, nil
	}
	if devices.Description != "" {
		return nil, errors.New("line 1: this is no description")
	}
	gpu, err := model.Load(devices.Model)
	if err != nil {
		return nil, err
	}
	return gpu.Inventory(node, devices.GPUs), nil
}

func start(tb testing.TB, objects ...runtime.Object) *running {
	tb.Helper()
	config, server := newConfig(tb, objects...)
	return startWith(tb, config, server)
}

func startWith(tb testing.TB, config plugin.Config, server *fakeapi.Server) *running {
	tb.Helper()
	g := NewWithT(tb)
	r := &running{
		Client: control.NewClient(fakeproxy.New(tb, "drivers", "pod-1", control.Port, config.Address), "drivers", "pod-1", token),
		g:      g, tb: tb, config: config, server: server, exited: make(chan int, 1),
	}
	config.Exit = func(code int) { r.exited <- code }
	ctx, cancel := context.WithCancel(tb.Context())
	ended := make(chan error, 1)
	go func() { ended <- plugin.Run(ctx, config) }()
	stopped := false
	r.stop = func() error {
		if stopped {
			return nil
		}
		stopped = true
		cancel()
		return <-ended
	}
	tb.Cleanup(func() { g.Expect(r.stop()).To(Succeed()) })
	g.Eventually(func() error {
		_, err := r.List(tb.Context())
		return err
	}, "10s", "10ms").Should(Succeed())
	return r
}

// restart ends the plugin and starts it again.
func (r *running) restart() *running {
	r.tb.Helper()
	r.g.Expect(r.stop()).To(Succeed())
	return startWith(r.tb, r.config, r.server)
}

func freeAddress(tb testing.TB) string {
	tb.Helper()
	listener, err := (&net.ListenConfig{}).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	NewWithT(tb).Expect(err).NotTo(HaveOccurred())
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}

func (r *running) dial(socket string) *grpc.ClientConn {
	r.tb.Helper()
	connection, err := grpc.NewClient("unix:"+socket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	r.g.Expect(err).NotTo(HaveOccurred())
	r.tb.Cleanup(func() { _ = connection.Close() })
	return connection
}

// registrar is where the kubelet finds a driver.
func (r *running) registrar(driver string) string {
	return filepath.Join(r.config.RegistryDir, driver+"-reg.sock")
}

// register does what the kubelet does with a socket in its registry, and
// returns what it then calls.
func (r *running) register(driver string) *grpc.ClientConn {
	r.tb.Helper()
	registry := registerapi.NewRegistrationClient(r.dial(r.registrar(driver)))
	info, err := registry.GetInfo(r.tb.Context(), &registerapi.InfoRequest{}, grpc.WaitForReady(true))
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(info.Type).To(Equal(registerapi.DRAPlugin))
	r.g.Expect(info.Name).To(Equal(driver))
	r.g.Expect(info.SupportedVersions).To(ConsistOf("v1.DRAPlugin", "v1beta1.DRAPlugin", "v1.DRAResourceHealth", "v1alpha1.DRAResourceHealth"))
	_, err = registry.NotifyRegistrationStatus(r.tb.Context(), &registerapi.RegistrationStatus{PluginRegistered: true})
	r.g.Expect(err).NotTo(HaveOccurred())
	return r.dial(info.Endpoint)
}

// kubelet calls a driver for one claim.
type kubelet struct {
	g      *WithT
	client drapb.DRAPluginClient
}

func (r *running) kubelet(driver string) kubelet {
	r.tb.Helper()
	return kubelet{r.g, drapb.NewDRAPluginClient(r.register(driver))}
}

func reference(claim *resourceapi.ResourceClaim) *drapb.Claim {
	return &drapb.Claim{Namespace: claim.Namespace, Name: claim.Name, Uid: string(claim.UID)}
}

func (k kubelet) prepare(ctx context.Context, claim *resourceapi.ResourceClaim) ([]*drapb.Device, error) {
	response, err := k.client.NodePrepareResources(ctx, &drapb.NodePrepareResourcesRequest{Claims: []*drapb.Claim{reference(claim)}})
	if err != nil {
		return nil, err
	}
	answer := response.Claims[string(claim.UID)]
	k.g.Expect(answer).NotTo(BeNil())
	if answer.Error != "" {
		return nil, errors.New(answer.Error)
	}
	return answer.Devices, nil
}

func (k kubelet) unprepare(ctx context.Context, claim *resourceapi.ResourceClaim) error {
	response, err := k.client.NodeUnprepareResources(ctx, &drapb.NodeUnprepareResourcesRequest{Claims: []*drapb.Claim{reference(claim)}})
	if err != nil {
		return err
	}
	if answer := response.Claims[string(claim.UID)]; answer.Error != "" {
		return errors.New(answer.Error)
	}
	return nil
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

// slices returns what a driver has published.
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

// newClaim returns a claim for a device; its UID is its name.
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
