// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1alpha2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	drivers "k8s.io/dynamic-resource-allocation/controller"

	"github.com/draconform/draconform/fakedriver/classic/internal/fixture"
	"github.com/draconform/draconform/fakedriver/classic/inventory"
	"github.com/draconform/draconform/fakedriver/classic/v1alpha2/handle"
)

var claimResource = resourceapi.SchemeGroupVersion.WithResource("resourceclaims")

// cluster is an API server without schedulers and other controllers.
type cluster struct{ fixture.Cluster }

func newCluster(objects ...runtime.Object) cluster { return cluster{fixture.New(Run, objects...)} }

// start starts a process of the driver. stop ends it without any cleanup.
func (c cluster) start(t *testing.T, devices inventory.Inventory) (stop func()) {
	t.Helper()
	return c.Start(t, c.Parts(devices))
}

// claim returns a claim as it is stored now.
func (c cluster) claim(g Gomega, name string) *resourceapi.ResourceClaim {
	object, err := c.Client.Tracker().Get(claimResource, fixture.Namespace, name)
	g.Expect(err).NotTo(HaveOccurred())
	return object.(*resourceapi.ResourceClaim)
}

// node returns a node with a label.
func node(name string) *corev1.Node { return fixture.Node(name, map[string]string{"name": name}) }

func class(driver string) *resourceapi.ResourceClass {
	return &resourceapi.ResourceClass{ObjectMeta: metav1.ObjectMeta{Name: "class"}, DriverName: driver}
}

func newClaim(name string, mode resourceapi.AllocationMode) *resourceapi.ResourceClaim {
	return &resourceapi.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: fixture.Namespace, Name: name, UID: types.UID("uid-" + name), ResourceVersion: "1"},
		Spec:       resourceapi.ResourceClaimSpec{ResourceClassName: "class", AllocationMode: mode},
	}
}

// podWith returns a pod with claims, and what the scheduler asks drivers for.
func podWith(selected string, potential []string, claims ...string) (runtime.Object, runtime.Object) {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: fixture.Namespace, Name: "pod", UID: "uid-pod"}}
	for _, claim := range claims {
		pod.Spec.ResourceClaims = append(pod.Spec.ResourceClaims, corev1.PodResourceClaim{Name: "of-" + claim, Source: corev1.ClaimSource{ResourceClaimName: &claim}})
	}
	return pod, &resourceapi.PodSchedulingContext{
		ObjectMeta: metav1.ObjectMeta{Namespace: fixture.Namespace, Name: "pod", OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(pod, corev1.SchemeGroupVersion.WithKind("Pod"))}},
		Spec:       resourceapi.PodSchedulingContextSpec{SelectedNode: selected, PotentialNodes: potential},
	}
}

// expectAllocated asserts that a claim has a device of a node.
func (c cluster) expectAllocated(g Gomega, name, device string) {
	status := c.claim(g, name).Status
	g.Expect(status.DriverName).To(Equal(fixture.Driver))
	g.Expect(status.Allocation).NotTo(BeNil())
	g.Expect(status.Allocation.Shareable).To(BeTrue())
	g.Expect(status.Allocation.ResourceHandles).To(HaveLen(1))
	data, err := handle.Decode(status.Allocation.ResourceHandles[0].Data)
	g.Expect(err).NotTo(HaveOccurred())
	on, of, _ := strings.Cut(device, "/")
	g.Expect(data.Devices).To(Equal([]inventory.Device{{Pool: on, Name: of}}))
	g.Expect(status.Allocation.AvailableOnNodes.NodeSelectorTerms[0].MatchFields[0].Values).To(Equal([]string{on}))
	g.Expect(c.claim(g, name).Finalizers).To(ConsistOf(fixture.Finalizer))
}

// Claims are allocated without pods, each where a device is free.
func TestImmediateClaimsAreAllocatedAtOnce(t *testing.T) {
	g := NewWithT(t)
	c := newCluster(node("n1"), node("n2"), class(fixture.Driver), newClaim("a", resourceapi.AllocationModeImmediate), newClaim("b", resourceapi.AllocationModeImmediate))
	defer c.start(t, inventory.Inventory{PerNode: 1})()
	g.Eventually(func(g Gomega) {
		a, b := c.claim(g, "a"), c.claim(g, "b")
		g.Expect(a.Status.Allocation).NotTo(BeNil())
		g.Expect(b.Status.Allocation).NotTo(BeNil())
		g.Expect(a.Status.ReservedFor).To(BeEmpty())
	}, fixture.Patience, fixture.Interval).Should(Succeed())
	g.Expect(c.InUse(g)).To(SatisfyAll(HaveKey("n1/device-0"), HaveKey("n2/device-0")))
	for device, claim := range c.InUse(g) {
		c.expectAllocated(g, claim, device)
	}
}

// Claims that wait for a pod, and those of another driver, are left alone without one.
func TestOthersAreNotAllocatedAtOnce(t *testing.T) {
	for name, test := range map[string]struct {
		driver string
		mode   resourceapi.AllocationMode
	}{
		"delayed":           {fixture.Driver, resourceapi.AllocationModeWaitForFirstConsumer},
		"of another driver": {"other.example.com", resourceapi.AllocationModeImmediate},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			c := newCluster(node("n1"), class(test.driver), newClaim("claim", test.mode))
			defer c.start(t, inventory.Inventory{PerNode: 1})()
			g.Consistently(c.Writes, "300ms", "10ms").Should(BeZero())
		})
	}
}

// A claim that waits for a pod is allocated on the selected node and reserved for the pod.
func TestDelayedClaimsAreAllocatedForPods(t *testing.T) {
	g := NewWithT(t)
	pod, asked := podWith("n2", []string{"n1", "n2"}, "claim")
	c := newCluster(node("n1"), node("n2"), class(fixture.Driver), newClaim("claim", resourceapi.AllocationModeWaitForFirstConsumer), pod, asked)
	defer c.start(t, inventory.Inventory{PerNode: 1})()
	g.Eventually(func(g Gomega) {
		c.expectAllocated(g, "claim", "n2/device-0")
		g.Expect(c.claim(g, "claim").Status.ReservedFor).To(HaveLen(1))
	}, fixture.Patience, fixture.Interval).Should(Succeed())
}

// A node without enough devices for all claims of a pod is unsuitable for all of them.
func TestUnsuitableNodes(t *testing.T) {
	g := NewWithT(t)
	pod, asked := podWith("", []string{"n1", "gone"}, "a", "b")
	delayed := resourceapi.AllocationModeWaitForFirstConsumer
	c := newCluster(node("n1"), class(fixture.Driver), newClaim("a", delayed), newClaim("b", delayed), pod, asked)
	defer c.start(t, inventory.Inventory{PerNode: 1})()
	g.Eventually(func(g Gomega) {
		object, err := c.Client.Tracker().Get(resourceapi.SchemeGroupVersion.WithResource("podschedulingcontexts"), fixture.Namespace, "pod")
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(object.(*resourceapi.PodSchedulingContext).Status.ResourceClaims).To(ConsistOf(
			resourceapi.ResourceClaimSchedulingStatus{Name: "of-a", UnsuitableNodes: []string{"n1", "gone"}},
			resourceapi.ResourceClaimSchedulingStatus{Name: "of-b", UnsuitableNodes: []string{"n1", "gone"}},
		))
	}, fixture.Patience, fixture.Interval).Should(Succeed())
}

// A driver that is killed at any write while it allocates a claim without a pod, before
// or after the write has arrived, gives it one device and loses none.
func TestImmediateAllocationSurvivesKills(t *testing.T) {
	before, after := fixture.AtEachWrite(t, killed)
	// The finalizer, the ledger and the status. Events can be among the writes.
	NewWithT(t).Expect(min(before, after)).To(BeNumerically(">=", 3))
}

// killed kills a driver at a write while it allocates a claim. It reports whether there
// was such a write.
func killed(t *testing.T, at int, after bool) bool {
	g := NewWithT(t)
	c := newCluster(node("n1"), node("n2"), class(fixture.Driver), newClaim("claim", resourceapi.AllocationModeImmediate))
	process := c.Kill(t, at, after, inventory.Inventory{PerNode: 1})
	g.Eventually(func(g Gomega) {
		process.Restart()
		c.expectAllocated(g, "claim", "n1/device-0")
		g.Expect(c.InUse(g)).To(Equal(map[string]string{"n1/device-0": "claim"}))
	}, fixture.Patience, fixture.Interval).Should(Succeed())
	return process.Killed
}

// A device is free again when its claim is deleted.
func TestDeletedClaimsFreeDevices(t *testing.T) {
	g := NewWithT(t)
	c := newCluster(node("n1"), class(fixture.Driver), newClaim("claim", resourceapi.AllocationModeImmediate))
	defer c.start(t, inventory.Inventory{PerNode: 1})()
	g.Eventually(func(g Gomega) { c.expectAllocated(g, "claim", "n1/device-0") }, fixture.Patience, fixture.Interval).Should(Succeed())
	deleted := c.claim(g, "claim").DeepCopy()
	deleted.DeletionTimestamp = &metav1.Time{Time: time.Now()}
	g.Expect(c.Client.Tracker().Update(claimResource, deleted, fixture.Namespace)).To(Succeed())
	g.Eventually(func(g Gomega) {
		g.Expect(c.claim(g, "claim").Finalizers).To(BeEmpty())
		g.Expect(c.claim(g, "claim").Status.Allocation).To(BeNil())
		g.Expect(c.InUse(g)).To(BeEmpty())
	}, fixture.Patience, fixture.Interval).Should(Succeed())
}

func configMap(namespace, name, content string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Data: map[string]string{parametersKey: content}}
}

// Parameters of the class and of the claim decide about the node, and are in the data for
// the plugin.
func TestParameters(t *testing.T) {
	g := NewWithT(t)
	withParameters := class(fixture.Driver)
	withParameters.ParametersRef = &resourceapi.ResourceClassParametersReference{Kind: "ConfigMap", Namespace: "kube-system", Name: "of-class"}
	claim := newClaim("claim", resourceapi.AllocationModeImmediate)
	claim.Spec.ParametersRef = &resourceapi.ResourceClaimParametersReference{Kind: "ConfigMap", Name: "of-claim"}
	c := newCluster(node("n1"), node("n2"), withParameters, claim, configMap("kube-system", "of-class", `{"nodes":["n2"]}`), configMap(fixture.Namespace, "of-claim", `{"shape":"round"}`))
	defer c.start(t, inventory.Inventory{PerNode: 1})()
	g.Eventually(func(g Gomega) { c.expectAllocated(g, "claim", "n2/device-0") }, fixture.Patience, fixture.Interval).Should(Succeed())
	g.Expect(c.claim(g, "claim").Status.Allocation.ResourceHandles[0].Data).To(MatchJSON(
		`{"devices":[{"pool":"n2","name":"device-0"}],"class":{"nodes":["n2"]},"claim":{"shape":"round"}}`))
}

// Parameters that cannot be read, or are too long for the data, are errors.
func TestParametersThatAreNotSupported(t *testing.T) {
	g := NewWithT(t)
	d := newDriver(newCluster(configMap(fixture.Namespace, "no-json", `nodes`)).Parts(inventory.Inventory{}))
	_, err := d.read(t.Context(), "example.com", "Parameters", fixture.Namespace, "any")
	g.Expect(err).To(MatchError(`parameters must be in a ConfigMap, not in a Parameters of the API group "example.com"`))
	_, err = d.read(t.Context(), "", "ConfigMap", fixture.Namespace, "gone")
	g.Expect(err).To(MatchError(ContainSubstring(`get the parameters: configmaps "gone" not found`)))
	_, err = d.read(t.Context(), "", "ConfigMap", fixture.Namespace, "no-json")
	g.Expect(err).To(MatchError(ContainSubstring("read the parameters in ConfigMap default/no-json: invalid character")))
	_, err = handle.Data{Claim: json.RawMessage(`"` + strings.Repeat("x", handle.Max) + `"`)}.Encode()
	g.Expect(err).To(MatchError(ContainSubstring("of which 16384 are allowed: the parameters are too long")))
}

// A claim whose parameters are too long for the data gets no device, and no node suits it.
func TestClaimsWithTooLongParametersHoldNoDevices(t *testing.T) {
	for _, selected := range []string{"", "n1"} {
		g := NewWithT(t)
		c := newCluster(node("n1"))
		d := newDriver(c.Parts(inventory.Inventory{PerNode: 1}))
		long := &drivers.ClaimAllocation{
			Claim: newClaim("claim", resourceapi.AllocationModeImmediate), ClaimParameters: parameters{raw: json.RawMessage(`"` + strings.Repeat("x", handle.Max) + `"`)},
		}
		g.Expect(d.UnsuitableNodes(t.Context(), nil, []*drivers.ClaimAllocation{long}, []string{"n1"})).To(Succeed())
		g.Expect(long.UnsuitableNodes).To(Equal([]string{"n1"}))
		d.Allocate(t.Context(), []*drivers.ClaimAllocation{long}, selected)
		g.Expect(long.Error).To(MatchError(ContainSubstring("the parameters are too long")))
		g.Expect(c.Writes()).To(BeZero(), "nothing is stored")
	}
}
