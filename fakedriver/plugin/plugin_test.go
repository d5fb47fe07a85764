package plugin_test

import (
	"context"
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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1"
	registerapi "k8s.io/kubelet/pkg/apis/pluginregistration/v1"

	"github.com/draconform/draconform/fakedriver/internal/fakeapi"
	"github.com/draconform/draconform/fakedriver/model"
	"github.com/draconform/draconform/fakedriver/plugin"
)

const (
	driver = "mig.example.com"
	node   = "node-1"
)

// running is a plugin, seen from the kubelet on its node.
type running struct {
	g        *WithT
	config   plugin.Config
	registry registerapi.RegistrationClient
	socket   string
	stop     func() error
}

func start(t *testing.T, objects ...runtime.Object) *running {
	t.Helper()
	g := NewWithT(t)
	gpu, err := model.Load("a100-40gb")
	g.Expect(err).NotTo(HaveOccurred())
	// The path of a socket may have 107 characters: the names of the tests
	// are short.
	dir := t.TempDir()
	objects = append(objects, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: node, UID: "node-uid"}})
	config := plugin.Config{
		DriverName:       driver,
		NodeName:         node,
		Inventory:        gpu.Inventory(node, 1),
		PluginsDir:       filepath.Join(dir, "plugins"),
		RegistryDir:      filepath.Join(dir, "registry"),
		CDIDir:           filepath.Join(dir, "cdi"),
		ReadinessAddress: freeAddress(t),
		Client:           fakeapi.New(objects).Client,
	}
	g.Expect(os.Mkdir(config.RegistryDir, 0o750)).To(Succeed())

	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- plugin.Run(ctx, config) }()
	r := &running{
		g:        g,
		config:   config,
		registry: registerapi.NewRegistrationClient(dial(t, filepath.Join(config.RegistryDir, driver+"-reg.sock"))),
	}
	stopped := false
	r.stop = func() error {
		if stopped {
			return nil
		}
		stopped = true
		cancel()
		return <-ended
	}
	t.Cleanup(func() { g.Expect(r.stop()).To(Succeed()) })
	return r
}

func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}

func dial(t *testing.T, socket string) *grpc.ClientConn {
	t.Helper()
	connection, err := grpc.NewClient("unix:"+socket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() { _ = connection.Close() })
	return connection
}

// register does what the kubelet does with a socket in its registry.
func (r *running) register(ctx context.Context) {
	info, err := r.registry.GetInfo(ctx, &registerapi.InfoRequest{}, grpc.WaitForReady(true))
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(info.Type).To(Equal(registerapi.DRAPlugin))
	r.g.Expect(info.Name).To(Equal(driver))
	r.g.Expect(info.SupportedVersions).To(ConsistOf("v1.DRAPlugin", "v1beta1.DRAPlugin"), "device health is not offered")
	r.socket = info.Endpoint
	_, err = r.registry.NotifyRegistrationStatus(ctx, &registerapi.RegistrationStatus{PluginRegistered: true})
	r.g.Expect(err).NotTo(HaveOccurred())
}

func (r *running) readiness(ctx context.Context, g Gomega) (int, string) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+r.config.ReadinessAddress+"/readyz", nil)
	g.Expect(err).NotTo(HaveOccurred())
	response, err := http.DefaultClient.Do(request)
	g.Expect(err).NotTo(HaveOccurred())
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	g.Expect(err).NotTo(HaveOccurred())
	return response.StatusCode, string(body)
}

func newClaim(device string) *resourceapi.ResourceClaim {
	return &resourceapi.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "claim", UID: "uid"},
		Status: resourceapi.ResourceClaimStatus{Allocation: &resourceapi.AllocationResult{
			Devices: resourceapi.DeviceAllocationResult{Results: []resourceapi.DeviceRequestAllocationResult{{
				Request: "gpu", Driver: driver, Pool: node, Device: device,
			}}},
		}},
	}
}

func TestReady(t *testing.T) {
	r := start(t)
	r.g.Eventually(func(g Gomega) {
		status, body := r.readiness(t.Context(), g)
		g.Expect(status).To(Equal(http.StatusServiceUnavailable))
		g.Expect(body).To(ContainSubstring("the kubelet has not registered the plugin"))
	}, "10s").Should(Succeed())

	r.register(t.Context())
	r.g.Eventually(func(g Gomega) {
		status, body := r.readiness(t.Context(), g)
		g.Expect(status).To(Equal(http.StatusOK), body)
	}, "20s").Should(Succeed())
	list, err := r.config.Client.ResourceV1().ResourceSlices().List(t.Context(), metav1.ListOptions{})
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(list.Items).To(HaveLen(2))
	for _, slice := range list.Items {
		r.g.Expect(slice.OwnerReferences).To(HaveLen(1))
		r.g.Expect(slice.OwnerReferences[0].Name).To(Equal(node))
	}

	_, err = r.registry.NotifyRegistrationStatus(t.Context(), &registerapi.RegistrationStatus{Error: "no"})
	r.g.Expect(err).To(HaveOccurred())
	status, _ := r.readiness(t.Context(), r.g)
	r.g.Expect(status).To(Equal(http.StatusServiceUnavailable))

	r.g.Expect(r.stop()).To(Succeed())
	r.g.Expect(r.socket).NotTo(BeAnExistingFile())
	list, err = r.config.Client.ResourceV1().ResourceSlices().List(t.Context(), metav1.ListOptions{})
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(list.Items).To(HaveLen(2), "a restart must not make devices disappear")
}

func TestKubeletCalls(t *testing.T) {
	claim := newClaim("gpu-0-mig-2g-10gb-4")
	r := start(t, claim)
	r.register(t.Context())
	kubelet := drapb.NewDRAPluginClient(dial(t, r.socket))
	reference := &drapb.Claim{Namespace: claim.Namespace, Name: claim.Name, Uid: string(claim.UID)}

	prepared, err := kubelet.NodePrepareResources(t.Context(), &drapb.NodePrepareResourcesRequest{Claims: []*drapb.Claim{reference}})
	r.g.Expect(err).NotTo(HaveOccurred())
	answer := prepared.Claims[reference.Uid]
	r.g.Expect(answer.Error).To(BeEmpty())
	r.g.Expect(answer.Devices).To(HaveLen(1))
	r.g.Expect(answer.Devices[0].DeviceName).To(Equal("gpu-0-mig-2g-10gb-4"))
	r.g.Expect(answer.Devices[0].RequestNames).To(Equal([]string{"gpu"}))
	r.g.Expect(filepath.Glob(filepath.Join(r.config.CDIDir, "*"))).To(HaveLen(1))

	released, err := kubelet.NodeUnprepareResources(t.Context(), &drapb.NodeUnprepareResourcesRequest{Claims: []*drapb.Claim{reference}})
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(released.Claims[reference.Uid].Error).To(BeEmpty())
	r.g.Expect(filepath.Glob(filepath.Join(r.config.CDIDir, "*"))).To(BeEmpty())
}

// What is wrong with a claim is the answer for that claim, not for the call.
func TestRefusedClaim(t *testing.T) {
	claim := newClaim("gpu-9")
	r := start(t, claim)
	r.register(t.Context())
	kubelet := drapb.NewDRAPluginClient(dial(t, r.socket))
	reference := &drapb.Claim{Namespace: claim.Namespace, Name: claim.Name, Uid: string(claim.UID)}
	prepared, err := kubelet.NodePrepareResources(t.Context(), &drapb.NodePrepareResourcesRequest{Claims: []*drapb.Claim{reference}})
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(prepared.Claims[reference.Uid].Error).To(ContainSubstring("this node has no device mig.example.com/node-1/gpu-9"))
}

func TestRunFailsWithoutARegistry(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	err := plugin.Run(t.Context(), plugin.Config{
		DriverName:       driver,
		NodeName:         node,
		Inventory:        &model.Inventory{},
		PluginsDir:       dir,
		RegistryDir:      filepath.Join(dir, "missing"),
		CDIDir:           dir,
		ReadinessAddress: "127.0.0.1:0",
		Client:           fakeapi.New(nil).Client,
	})
	g.Expect(err).To(MatchError(ContainSubstring("start kubelet plugin")))
}
