// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package install_test

import (
	"context"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"

	. "github.com/onsi/gomega"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1"
	registerapi "k8s.io/kubelet/pkg/apis/pluginregistration/v1"

	"github.com/draconform/draconform/fakedriver/control"
	"github.com/draconform/draconform/fakedriver/describe"
	"github.com/draconform/draconform/fakedriver/internal/fakeapi"
	"github.com/draconform/draconform/fakedriver/plugin"
)

// node is a plugin and its environment.
type node struct {
	*control.Client
	t      *testing.T
	g      *WithT
	config plugin.Config
	client *fake.Clientset
}

// newNode returns a node with a claim for a device of a pool. Its plugin
// publishes the given devices.
func newNode(t *testing.T, pool, device string, devices control.Devices) *node {
	g := NewWithT(t)
	claim := &resourceapi.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "claim", UID: "claim"},
		Status: resourceapi.ResourceClaimStatus{
			Allocation: &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{
				Results: []resourceapi.DeviceRequestAllocationResult{{Request: "r", Driver: options.DriverName, Pool: pool, Device: device}},
			}},
			ReservedFor: []resourceapi.ResourceClaimConsumerReference{{Resource: "pods", Name: "pod", UID: "pod"}},
		},
	}
	objects := []runtime.Object{claim, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1", UID: "n1", Labels: map[string]string{hostLabel: "0"}}}}
	dir := t.TempDir()
	n := &node{t: t, g: g, client: fakeapi.New(objects).Client}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(listener.Close()).To(Succeed())
	n.config = plugin.Config{
		DriverName: options.DriverName, NodeName: "n1", Published: control.Published{Devices: devices},
		Inventory: func(_ string, devices control.Devices) (*describe.Inventory, error) {
			out := &describe.Inventory{}
			for _, name := range []string{"device-0", "device-1"}[:devices.Count] {
				out.Devices = append(out.Devices, resourceapi.Device{Name: name})
			}
			return out, nil
		},
		PluginsDir: filepath.Join(dir, "p"), RegistryDir: filepath.Join(dir, "r"), CDIDir: filepath.Join(dir, "c"),
		Address: listener.Addr().String(), TokenFile: filepath.Join(dir, "token"), Client: n.client,
	}
	g.Expect(os.Mkdir(n.config.RegistryDir, 0o750)).To(Succeed())
	g.Expect(os.WriteFile(n.config.TokenFile, []byte("token"), 0o400)).To(Succeed())
	n.Client = control.NewClient(fakeapi.NewPodProxy(t, "drivers", "pod", control.Port, n.config.Address), "drivers", "pod", "token")
	return n
}

// run runs the plugin until do returns.
func (n *node) run(do func()) {
	ctx, stop := context.WithCancel(n.t.Context())
	ended := make(chan error, 1)
	go func() { ended <- plugin.Run(ctx, n.config) }()
	defer func() {
		stop()
		n.g.Expect(<-ended).To(Succeed())
	}()
	registry := registerapi.NewRegistrationClient(n.dial(filepath.Join(n.config.RegistryDir, options.DriverName+"-reg.sock")))
	_, err := registry.NotifyRegistrationStatus(n.t.Context(), &registerapi.RegistrationStatus{PluginRegistered: true}, grpc.WaitForReady(true))
	n.g.Expect(err).NotTo(HaveOccurred())
	n.g.Eventually(func() (int, error) {
		request, err := http.NewRequestWithContext(n.t.Context(), http.MethodGet, "http://"+n.config.Address+"/readyz", nil)
		if err != nil {
			return 0, err
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return 0, err
		}
		return response.StatusCode, response.Body.Close()
	}, "1m", "20ms").Should(Equal(http.StatusOK), "the pod must become ready")
	do()
}

func (n *node) dial(socket string) *grpc.ClientConn {
	connection, err := grpc.NewClient("unix:"+socket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	n.g.Expect(err).NotTo(HaveOccurred())
	n.t.Cleanup(func() { _ = connection.Close() })
	return connection
}

// prepare calls the plugin like the kubelet for a pod with the claim.
func (n *node) prepare() {
	socket := filepath.Join(n.config.PluginsDir, options.DriverName, "dra.sock")
	response, err := drapb.NewDRAPluginClient(n.dial(socket)).NodePrepareResources(n.t.Context(), &drapb.NodePrepareResourcesRequest{
		Claims: []*drapb.Claim{{Namespace: "default", Name: "claim", Uid: "claim"}},
	})
	n.g.Expect(err).NotTo(HaveOccurred())
	n.g.Expect(response.Claims["claim"].Error).To(BeEmpty())
}

// corrupt damages the checkpoint file.
func (n *node) corrupt() {
	file := filepath.Join(n.config.PluginsDir, options.DriverName, "checkpoint.json")
	n.g.Expect(file).To(BeAnExistingFile())
	n.g.Expect(os.WriteFile(file, []byte("{"), 0o600)).To(Succeed())
}

// used returns the API requests of the plugin, as "verb resource.group".
func (n *node) used() []string {
	var out []string
	for _, action := range n.client.Actions() {
		resource := action.GetResource()
		name := resource.Resource
		if action.GetSubresource() != "" {
			name += "/" + action.GetSubresource()
		}
		out = append(out, action.GetVerb()+" "+name+"."+resource.Group)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// granted returns the permissions of a role in the same format.
func granted(g *WithT, client *fake.Clientset, role string) []string {
	var out []string
	for _, rule := range get[*rbacv1.ClusterRole](g, client, "ClusterRole /"+role).Rules {
		for _, verb := range rule.Verbs {
			for _, resource := range rule.Resources {
				out = append(out, verb+" "+resource+"."+rule.APIGroups[0])
			}
		}
	}
	return out
}

// The role grants exactly the requests that a plugin sends. The test of package
// multihost guards the same for the controller.
func TestPluginRole(t *testing.T) {
	g := NewWithT(t)
	n := newNode(t, "n1", "device-0", control.Devices{Count: 1})
	n.config.DeviceStatus = true
	additional := "nic." + options.DriverName
	n.run(func() {
		n.prepare()
		_, err := n.Publish(t.Context(), options.DriverName, control.Published{Devices: control.Devices{Count: 2}})
		g.Expect(err).NotTo(HaveOccurred())
		_, err = n.Publish(t.Context(), additional, control.Published{Devices: control.Devices{Count: 1}})
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(n.Stop(t.Context(), additional)).To(Succeed())
	})
	n.corrupt()
	n.run(func() {})
	// For the status of devices, API servers since 1.36 check the driver too.
	g.Expect(granted(g, installed(t), options.DriverName)).To(ConsistOf(append(n.used(), "associated-node:patch resourceclaims/driver.resource.k8s.io")))
	for _, rule := range get[*rbacv1.ClusterRole](g, installed(t), "ClusterRole /"+options.DriverName).Rules {
		if slices.Contains(rule.Resources, "resourceclaims/driver") {
			g.Expect(rule.ResourceNames).To(Equal([]string{options.DriverName}), "only the status of its own devices")
		}
	}
}

// With a topology, the plugin publishes no ResourceSlices.
func TestHostRole(t *testing.T) {
	g := NewWithT(t)
	n := newNode(t, "4x4", "tpu-2x2-0-0", control.Devices{Topology: "4x4"})
	n.run(func() { n.prepare() })
	n.corrupt()
	n.run(func() {})
	g.Expect(granted(g, installedTopology(t), byLabel.DriverName+"-node")).To(ConsistOf(n.used()))
}
