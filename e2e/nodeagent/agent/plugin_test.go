// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"context"
	"net"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/draconform/draconform/e2e/nodeagent/api"
	"github.com/draconform/draconform/fakedriver/control"
	"github.com/draconform/draconform/fakedriver/describe"
	"github.com/draconform/draconform/fakedriver/model"
	fakeplugin "github.com/draconform/draconform/fakedriver/plugin"
)

// newClaim returns a claim for a device. A claim without a device is not
// allocated.
func newClaim(name, device string) *resourceapi.ResourceClaim {
	c := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID(name)}}
	if device != "" {
		c.Status.Allocation = &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{
			Results: []resourceapi.DeviceRequestAllocationResult{{Request: "gpu", Driver: driver, Pool: "node-1", Device: device}},
		}}
	}
	return c
}

// startFakeDriver runs the fake driver with the kubelet plugin helper of
// Kubernetes.
func (n *node) startFakeDriver(claims ...*resourceapi.ResourceClaim) {
	n.t.Helper()
	objects := []runtime.Object{&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-1", UID: "node-uid"}}}
	for _, c := range claims {
		objects = append(objects, c)
	}
	client := fake.NewClientset(objects...)
	// The fake API server does not generate names.
	var names atomic.Int64
	client.PrependReactor("create", "resourceslices", func(action clienttesting.Action) (bool, runtime.Object, error) {
		slice := action.(clienttesting.CreateAction).GetObject().(*resourceapi.ResourceSlice)
		slice.Name = slice.GenerateName + strconv.FormatInt(names.Add(1), 10)
		return false, nil, nil
	})
	listener, err := (&net.ListenConfig{}).Listen(n.t.Context(), "tcp", "127.0.0.1:0")
	n.Expect(err).NotTo(HaveOccurred())
	n.Expect(listener.Close()).To(Succeed())
	config := fakeplugin.Config{
		DriverName: driver, NodeName: "node-1", PluginsDir: n.path("plugins"), RegistryDir: n.path("plugins_registry"),
		CDIDir: n.config.CDIDirs[0], Address: listener.Addr().String(), Client: client,
		Published: control.Published{Devices: control.Devices{Model: "a100-40gb", Count: 2}},
		Inventory: func(node string, devices control.Devices) (*describe.Inventory, error) {
			gpu, err := model.Load(devices.Model)
			if err != nil {
				return nil, err
			}
			return gpu.Inventory(node, devices.Count), nil
		},
		Exit: func() { panic("the driver exits") },
	}
	ctx, cancel := context.WithCancel(n.t.Context())
	ended := make(chan error, 1)
	go func() { ended <- fakeplugin.Run(ctx, config) }()
	n.t.Cleanup(func() {
		cancel()
		n.Expect(<-ended).To(Succeed())
	})
	n.Eventually(func() []api.Registration { return n.registrations().Plugins }, "60s", "20ms").Should(HaveLen(1))
}

func TestRegistration(t *testing.T) {
	n := newNode(t)
	n.startFakeDriver()
	n.Expect(n.registrations()).To(Equal(api.Registrations{Plugins: []api.Registration{{
		Socket: n.path("plugins_registry", driver+"-reg.sock"), Type: "DRAPlugin", Name: driver, Endpoint: n.path("plugins", driver, "dra.sock"),
		Versions: []string{"v1.DRAPlugin", "v1beta1.DRAPlugin", "v1.DRAResourceHealth", "v1alpha1.DRAResourceHealth"},
	}}}))
}

func TestPrepareAndUnprepare(t *testing.T) {
	n := newNode(t)
	n.startFakeDriver(newClaim("one", "gpu-0"), newClaim("other", "gpu-1"))
	n.Expect(n.cdiFiles()).To(BeEmpty())

	answers := n.prepare(once(claim("one"), claim("other")))
	n.Expect(answers).To(HaveLen(1))
	n.Expect(answers[0].Code).To(Equal(api.CodeOK))
	n.Expect(answers[0].Service).To(Equal("v1.DRAPlugin"))
	n.Expect(answers[0].Socket).To(Equal(n.registrations().Plugins[0].Socket))
	n.Expect(answers[0].Claims).To(HaveLen(2))
	one := answers[0].Claims["one"]
	n.Expect(one.Error).To(BeEmpty())
	n.Expect(one.Devices).To(HaveLen(1))
	n.Expect(one.Devices[0]).To(And(HaveField("Requests", Equal([]string{"gpu"})), HaveField("Pool", "node-1"), HaveField("Device", "gpu-0")))
	files := n.cdiFiles()
	n.Expect(files).To(HaveLen(2))
	n.Expect(append(files[0].Devices, files[1].Devices...)).To(ConsistOf(one.Devices[0].CDIDevices[0], answers[0].Claims["other"].Devices[0].CDIDevices[0]))

	n.Expect(n.unprepare(once(claim("one")))[0]).To(And(HaveField("Code", api.CodeOK), HaveField("Claims", Equal(map[string]api.ClaimAnswer{"one": {}}))))
	n.Expect(n.cdiFiles()).To(HaveLen(1))
	n.Expect(n.unprepare(once(claim("unknown")))[0].Claims).To(Equal(map[string]api.ClaimAnswer{"unknown": {}}))
}

func TestPrepareManyTimes(t *testing.T) {
	for name, parallel := range map[string]bool{"one after the other": false, "in parallel": true} {
		t.Run(name, func(t *testing.T) {
			n := newNode(t)
			n.startFakeDriver(newClaim("one", "gpu-0"))
			calls := api.Calls{Parallel: parallel}
			for range 20 {
				calls.Calls = append(calls.Calls, []api.Claim{claim("one")})
			}
			answers := n.prepare(calls)
			n.Expect(answers).To(HaveLen(20))
			for _, answer := range answers {
				n.Expect(answer.Claims["one"].Devices).To(HaveLen(1))
				n.Expect(answer.Claims).To(Equal(answers[0].Claims))
			}
		})
	}
}

// Older kubelets only know v1beta1.
func TestPrepareWithAnOlderService(t *testing.T) {
	n := newNode(t)
	n.startFakeDriver(newClaim("one", "gpu-0"))
	calls := once(claim("one"))
	calls.Service = "v1beta1.DRAPlugin"
	answer := n.prepare(calls)[0]
	n.Expect(answer.Service).To(Equal("v1beta1.DRAPlugin"))
	n.Expect(answer.Claims["one"].Devices).To(HaveLen(1))
	n.Expect(answer.Claims).To(Equal(n.prepare(once(claim("one")))[0].Claims))
}

// The helper of Kubernetes fails the whole call if it cannot get a claim. An
// error of the driver is reported for the claim.
func TestErrorsOfCallsAndClaims(t *testing.T) {
	n := newNode(t)
	n.startFakeDriver(newClaim("one", "gpu-0"), newClaim("unallocated", ""), newClaim("wrong", "gpu-7"))
	answer := n.prepare(once(claim("one"), claim("unallocated")))[0]
	n.Expect(answer.Code).To(Equal("Unknown"))
	n.Expect(answer.Message).To(ContainSubstring("unallocated not allocated"))
	n.Expect(answer.Claims).To(BeEmpty())
	answer = n.prepare(once(claim("one"), claim("wrong")))[0]
	n.Expect(answer.Code).To(Equal(api.CodeOK))
	n.Expect(answer.Claims["one"].Error).To(BeEmpty())
	n.Expect(answer.Claims["wrong"].Error).To(ContainSubstring("this node has no device"))
}

func TestHealth(t *testing.T) {
	n := newNode(t)
	n.startFakeDriver()
	for _, service := range []string{"", "v1alpha1.DRAResourceHealth"} {
		report := get[api.HealthReport](n, api.PathHealth, api.HealthRequest{Driver: driver, Service: service})
		want := service
		if want == "" {
			want = "v1.DRAResourceHealth"
		}
		n.Expect(report.Service).To(Equal(want))
		n.Expect(report.Code).To(BeEmpty())
		n.Expect(report.Devices).To(HaveLen(52))
		n.Expect(report.Devices).To(HaveEach(And(HaveField("Pool", "node-1"), HaveField("Health", "HEALTHY"))))
		n.Expect(time.Since(time.Unix(report.Devices[0].LastUpdated, 0))).To(BeNumerically("<", time.Minute))
	}
}
