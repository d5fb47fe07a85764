// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"context"
	"errors"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	authorizationapi "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject/discover"
	"github.com/draconform/draconform/e2e/subject/driverfile"
)

// cluster is the objects of an in-memory cluster, and the rights of the caller.
type cluster struct {
	discover.Input
	more []runtime.Object
	// denied are the reviews that are not allowed, as resource/subresource.
	denied []string
	client *fake.Clientset
}

// clusterOf returns the cluster of a file of the package discover, with the
// nodes that its slices name.
func clusterOf(t *testing.T, name string, nodes ...string) *cluster {
	t.Helper()
	in, err := discover.Read([]string{"../discover/testdata/" + name + ".yaml"}, nil)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	c := &cluster{Input: in}
	for _, node := range nodes {
		in.Objects.Add(&corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: node, Labels: map[string]string{
				corev1.LabelHostname: node, corev1.LabelOSStable: "linux", corev1.LabelArchStable: "amd64",
			}},
			Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}},
		})
	}
	for _, set := range in.DaemonSets {
		set.Status = appsv1.DaemonSetStatus{DesiredNumberScheduled: 2, NumberReady: 2}
	}
	return c
}

// allocate allocates devices of a driver to a claim.
func (c *cluster) allocate(claim, driver, pool string, devices ...string) {
	object := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: claim}}
	object.Status.Allocation = &resourceapi.AllocationResult{}
	for _, d := range devices {
		object.Status.Allocation.Devices.Results = append(object.Status.Allocation.Devices.Results, resourceapi.DeviceRequestAllocationResult{Request: "r", Driver: driver, Pool: pool, Device: d})
	}
	c.more = append(c.more, object)
}

// allocateAll allocates the devices of all slices.
func (c *cluster) allocateAll() {
	for _, slice := range c.Objects.Slices {
		for _, device := range slice.Spec.Devices {
			c.allocate(slice.Name+"-"+device.Name, slice.Spec.Driver, slice.Spec.Pool.Name, device.Name)
		}
	}
}

// share allocates a share of a device.
func (c *cluster) share(claim, driver, pool, device, capacity, amount string) {
	c.allocate(claim, driver, pool, device)
	result := &c.more[len(c.more)-1].(*resourceapi.ResourceClaim).Status.Allocation.Devices.Results[0]
	result.ShareID = ptr.To(types.UID("1b671a64-40d5-491e-99b0-da01ff1f3341"))
	result.ConsumedCapacity = map[resourceapi.QualifiedName]resource.Quantity{resourceapi.QualifiedName(capacity): resource.MustParse(amount)}
}

func (c *cluster) start() *fake.Clientset {
	objects := c.more
	for _, o := range c.Objects.Slices {
		objects = append(objects, o)
	}
	for _, o := range c.Objects.Classes {
		objects = append(objects, o)
	}
	for _, o := range c.Objects.Nodes {
		objects = append(objects, o)
	}
	for _, o := range c.DaemonSets {
		objects = append(objects, o)
	}
	c.client = fake.NewClientset(objects...)
	c.client.PrependReactor("create", "selfsubjectaccessreviews", func(action clienttesting.Action) (bool, runtime.Object, error) {
		review := action.(clienttesting.CreateAction).GetObject().(*authorizationapi.SelfSubjectAccessReview).DeepCopy()
		review.Status.Allowed = true
		for _, denied := range c.denied {
			if a := review.Spec.ResourceAttributes; a != nil && a.Verb+" "+a.Resource+"/"+a.Subresource == denied {
				review.Status.Allowed = false
			}
		}
		return true, review, nil
	})
	return c.client
}

// decode returns the driver of a valid file.
func decode(t *testing.T, content string) *driverfile.Driver {
	t.Helper()
	g := NewWithT(t)
	drivers, err := driverfile.Decode("my-driver.yaml", []byte("apiVersion: draconform.dev/v1alpha1\nkind: Driver\n"+content))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(drivers[0].Validate()).To(Succeed())
	return drivers[0]
}

// check returns the messages of the findings that are not OK.
func (c *cluster) check(t *testing.T, d *driverfile.Driver, o Options) []string {
	t.Helper()
	found, err := Check(t.Context(), c.start(), []*driverfile.Driver{d}, o)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	var messages []string
	for _, f := range found {
		if f.Result != OK {
			messages = append(messages, string(f.Result)+" "+f.Check+" "+f.Field+": "+f.Message)
		}
	}
	return messages
}

const upstreamFile = `name: test-driver.cdi.k8s.io
daemonSet: {namespace: dra, name: plugin, container: plugin}
roles:
  exclusive:
    device: {class: test-devices}
`

// The files that init writes suit the clusters that they were written from, but
// for what init does not find.
func TestInitWritesWhatCheckAccepts(t *testing.T) {
	for name, test := range map[string]struct {
		driver string
		nodes  []string
		want   []string
	}{
		"upstream": {"test-driver.cdi.k8s.io", []string{"worker-1", "worker-2"}, nil},
		"gpu": {"gpu.vendor.example", []string{"node-a", "node-b"}, []string{
			"warning devices roles.exclusive.device: specs use up to 4 devices of a node, and node-a has 3, node-b has 3 free: specs that need more fail. Use nodes with more devices, or delete claims",
		}},
		"nic": {"nic.vendor.example", []string{"node-a", "node-b"}, []string{
			"warning devices roles.exclusive.device: specs use up to 4 devices of a node, and node-a has 1 free: specs that need more fail. Use nodes with more devices, or delete claims",
		}},
		"cpu": {"dra.cpu", []string{"node-a"}, nil},
		"tpu": {"tpu.vendor.example", []string{"tpu-a", "tpu-b", "tpu-c", "tpu-d"}, []string{
			"warning devices roles.exclusive.device: specs use up to 4 devices of a node, and tpu-a has 1, tpu-b has 1, tpu-c has 1 and 1 more free: specs that need more fail. Use nodes with more devices, or delete claims",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			c := clusterOf(t, name, test.nodes...)
			content, err := discover.File(t.Context(), c.Input, test.driver)
			g.Expect(err).NotTo(HaveOccurred())
			drivers, err := driverfile.Decode("my-driver.yaml", content)
			g.Expect(err).NotTo(HaveOccurred())
			want := test.want
			if drivers[0].DaemonSet == nil {
				want = append(want, "warning daemonset daemonSet: not given: specs that restart the driver cannot run. Add daemonSet, and allow what a run may do with it")
			}
			g.Expect(c.check(t, drivers[0], Options{})).To(Equal(want))
		})
	}
}

// Nothing is changed in the cluster: what specs create is created in dry runs.
func TestCheckOnlyReads(t *testing.T) {
	g := NewWithT(t)
	c := clusterOf(t, "upstream", "worker-1", "worker-2")
	c.more = append(c.more, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "conformance"}})
	g.Expect(c.check(t, decode(t, upstreamFile), Options{Namespace: "conformance", Image: "workload"})).To(BeEmpty())
	tried := 0
	for _, action := range c.client.Actions() {
		if action.Matches("create", "pods") || action.Matches("create", "resourceclaims") {
			tried++
			g.Expect(action.(clienttesting.CreateActionImpl).CreateOptions.DryRun).To(Equal([]string{metav1.DryRunAll}))
		} else if !action.Matches("create", "selfsubjectaccessreviews") {
			g.Expect(action.GetVerb()).To(BeElementOf("get", "list"))
		}
	}
	g.Expect(tried).To(Equal(2))
}

func TestDriverAndPools(t *testing.T) {
	g := NewWithT(t)
	c := clusterOf(t, "upstream", "worker-1", "worker-2")
	slices := c.Objects.Slices
	c.Objects.Slices[1].Spec.Pool.ResourceSliceCount = 2
	g.Expect(c.check(t, decode(t, upstreamFile), Options{})).To(ConsistOf(
		"problem pool name: schedulers do not use pool worker-2: ResourceSlice worker-2-test-driver.cdi.k8s.io-b, spec.pool.resourceSliceCount is 2, but pool worker-2 has 1 slices of generation 1 here. Wait until the driver has published all slices, or correct the driver"))

	c.Objects.Slices = nil
	g.Expect(c.check(t, decode(t, upstreamFile), Options{})).To(ConsistOf(
		"problem driver name: the driver publishes nothing, the cluster has no ResourceSlices: check the name, and that the driver's pods run"))
	slices[0].Spec.Driver = "other"
	slices[1].Spec.Driver = "another"
	c.Objects.Slices = slices
	g.Expect(c.check(t, decode(t, upstreamFile), Options{})).To(ConsistOf(
		"problem driver name: the driver publishes nothing, the cluster only has ResourceSlices of another, other: check the name, and that the driver's pods run"))
	slices[0].Spec.Driver, slices[1].Spec.Driver = "test-driver.cdi.k8s.io", "test-driver.cdi.k8s.io"
	slices[1].Spec.Pool.ResourceSliceCount = 1
	slices[0].Spec.Devices, slices[1].Spec.Devices = nil, nil
	g.Expect(c.check(t, decode(t, upstreamFile), Options{})).To(ConsistOf(
		"problem driver name: the driver publishes no devices: look at the logs of its pods"))
}

func TestClassesAndSelectors(t *testing.T) {
	for name, test := range map[string]struct{ device, want string }{
		"a missing class": {
			"class: testdevices",
			"problem class roles.exclusive.device: DeviceClass testdevices does not exist: create it, use inlineClass, or use one that selects devices of the driver: test-devices",
		},
		"a selector that fails": {
			`class: test-devices, selectors: ['device.attributes["test-driver.cdi.k8s.io"].type == "gpu"']`,
			"problem selector roles.exclusive.device: the selectors fail on 8 devices, such as worker-1/device-00 of driver test-driver.cdi.k8s.io: ",
		},
		"a selector that selects nothing": {
			"class: test-devices, selectors: [device.allowMultipleAllocations == true]",
			"problem selector roles.exclusive.device: the class and the selectors select none of the 8 devices of the driver: ",
		},
		"a class of other drivers, too": {
			"inlineClass: {selectors: ['true']}",
			`problem selector roles.exclusive.device: the class and the selectors also select devices of other drivers, such as p/d of other.example: add the selector device.driver == "test-driver.cdi.k8s.io"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := clusterOf(t, "upstream", "worker-1", "worker-2")
			c.more = append(c.more, &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: "other"}, Spec: resourceapi.ResourceSliceSpec{
				Driver: "other.example", NodeName: ptr.To("worker-1"), Pool: resourceapi.ResourcePool{Name: "p", ResourceSliceCount: 1}, Devices: []resourceapi.Device{{Name: "d"}},
			}})
			d := decode(t, "name: test-driver.cdi.k8s.io\ndaemonSet: {namespace: dra, name: plugin}\nroles: {exclusive: {device: {"+test.device+"}}}\n")
			found := c.check(t, d, Options{})
			NewWithT(t).Expect(found).To(ContainElement(HavePrefix(test.want)))
		})
	}
}

// Devices of claims are not free, and a share is not a whole device.
func TestFreeDevices(t *testing.T) {
	g := NewWithT(t)
	c := clusterOf(t, "upstream", "worker-1", "worker-2")
	c.allocate("a", "test-driver.cdi.k8s.io", "worker-1", "device-00")
	g.Expect(c.check(t, decode(t, upstreamFile), Options{})).To(ConsistOf(HavePrefix("warning devices roles.exclusive.device: specs use up to 4 devices of a node, and worker-1 has 3 free: ")))
	c.allocate("b", "test-driver.cdi.k8s.io", "worker-1", "device-01", "device-02", "device-03")
	c.allocate("c", "test-driver.cdi.k8s.io", "worker-2", "device-00", "device-01", "device-02", "device-03")
	g.Expect(c.check(t, decode(t, upstreamFile), Options{})).To(ConsistOf(
		"problem devices roles.exclusive.device: none of the 8 devices is free: worker-1/device-00 is allocated to claim team/a, worker-1/device-01 is allocated to claim team/b, worker-1/device-02 is allocated to claim team/b and 5 more. Delete the claims, or wait"))
}

func TestFreeShares(t *testing.T) {
	g := NewWithT(t)
	four := decode(t, "name: dra.cpu\nroles: {shared: {share: {class: dra.cpu, capacity: {dra.cpu/cpu: 4}}}}\n")
	c := clusterOf(t, "cpu", "node-a")
	c.share("a", "dra.cpu", "node-a", "cpudevnuma000", "dra.cpu/cpu", "9")
	g.Expect(c.check(t, four, Options{})).To(ConsistOf(HavePrefix("warning daemonset")), "one device has no room for two shares, the other has")
	c.share("b", "dra.cpu", "node-a", "cpudevnuma001", "dra.cpu/cpu", "9")
	g.Expect(c.check(t, four, Options{})).To(ContainElement(
		"problem devices roles.shared.share: none of the 2 devices has room for 2 more shares: node-a/cpudevnuma000 is allocated to claim team/a, node-a/cpudevnuma001 is allocated to claim team/b. Delete the claims, or wait"))

	much := decode(t, "name: dra.cpu\nroles: {shared: {share: {class: dra.cpu, capacity: {dra.cpu/cpu: 9}}}}\n")
	g.Expect(c.check(t, much, Options{})).To(ContainElement(HavePrefix("problem capacity roles.shared.share: device node-a/cpudevnuma000 has no room for 2 shares even if nothing is allocated: ")))
}

// gpuFile has the attribute of parents and a list of partitions in full.
func gpuFile(attribute, full string) string {
	return `name: gpu.vendor.example
daemonSet: {namespace: gpu, name: plugin}
roles:
  partitions:
    parents:
      attribute: ` + attribute + `
      whole: {class: gpu.vendor.example}
    profile: $(name)/profile
    small: {class: mig.vendor.example, selectors: ['device.attributes["$(name)"].profile == "1g"']}
    big: {class: mig.vendor.example, selectors: ['device.attributes["$(name)"].profile == "2g"']}
    full: ` + full + "\n"
}

func TestPartitions(t *testing.T) {
	g := NewWithT(t)
	half := `{class: mig.vendor.example, selectors: ['device.attributes["$(name)"].profile == "2g"']}`
	c := clusterOf(t, "gpu", "node-a", "node-b")
	set := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: "gpu", Name: "plugin"}, Status: appsv1.DaemonSetStatus{DesiredNumberScheduled: 2, NumberReady: 2}}
	c.DaemonSets = append(c.DaemonSets, set)

	// The PCI bus ID is equal on both nodes.
	d := decode(t, gpuFile("resource.kubernetes.io/pciBusID", "["+half+", "+half+"]"))
	g.Expect(c.check(t, d, Options{})).To(ConsistOf(
		`problem parent roles.partitions.parents.attribute: devices node-a/gpu-0 and node-b/gpu-0 have different parents, and both have resource.kubernetes.io/pciBusID "0000:01:00.0": use an attribute that differs between all parents of the cluster`))
	d = decode(t, gpuFile("$(name)/uuid", "["+half+", "+half+"]"))
	g.Expect(c.check(t, d, Options{})).To(ConsistOf(
		"problem parent roles.partitions.parents.attribute: device node-a/gpu-0-quarter-0 has no string attribute gpu.vendor.example/uuid: use one that whole devices and partitions have"))

	// With one half in use, there is room for small ones, and a third half never
	// fits.
	d = decode(t, gpuFile("$(name)/type", "["+half+"]"))
	g.Expect(c.check(t, d, Options{})).To(ConsistOf(
		"problem counters roles.partitions.full: all of full can be on the parent of node-a/gpu-0 so that there is room for one of small: choose partitions that use up a counter of which small consumes",
		HavePrefix(`problem parent roles.partitions.parents.attribute: devices node-a/gpu-0 and node-a/gpu-0-quarter-0 consume counters of one parent, and gpu.vendor.example/type is "gpu" and "mig"`)))
	d = decode(t, gpuFile("$(name)/type", "["+half+", "+half+", "+half+"]"))
	g.Expect(c.check(t, d, Options{})).To(ContainElement(
		"problem counters roles.partitions.full: all of full do not fit on any of 2 parents by their counters: choose smaller partitions"))

	// A partition in use keeps its parent from being free.
	c.allocate("a", "gpu.vendor.example", "node-a", "gpu-0-quarter-0")
	g.Expect(c.check(t, d, Options{})).NotTo(ContainElement(ContainSubstring("are in use")), "the other parent is free")
	c.allocate("b", "gpu.vendor.example", "node-b", "gpu-0")
	g.Expect(c.check(t, d, Options{})).To(ContainElement(
		"problem devices roles.partitions.small: specs need a parent of which nothing is allocated, and all 2 are in use: node-a/gpu-0-quarter-0 is allocated to claim team/a, node-b/gpu-0 is allocated to claim team/b. Delete the claims, or wait"))
}

// Without its feature, the API server drops what a role needs, which is no mistake in
// the file.
func TestRolesOfMissingFeatures(t *testing.T) {
	g := NewWithT(t)
	four := decode(t, "name: dra.cpu\nroles: {shared: {share: {class: dra.cpu, capacity: {dra.cpu/cpu: 4}}}}\n")
	c := clusterOf(t, "cpu", "node-a")
	for _, slice := range c.Objects.Slices {
		for i := range slice.Spec.Devices {
			slice.Spec.Devices[i].AllowMultipleAllocations = nil
		}
	}
	g.Expect(c.check(t, four, Options{})).To(ContainElement(HaveSuffix("which does not have allowMultipleAllocations: restrict the selectors, or use the devices for another role")))
	absent := features.Set{features.SharedDevices: {Source: "the feature gate is disabled"}}
	g.Expect(c.check(t, four, Options{Features: absent})).To(ConsistOf(HavePrefix("warning daemonset"),
		"warning feature roles.shared.share: feature consumable-capacity is absent: the feature gate is disabled: specs that use it are not supported by the cluster"))
	present := features.Set{features.SharedDevices: {Present: true}}
	g.Expect(c.check(t, four, Options{Features: present})).To(ContainElement(HavePrefix("problem selector roles.shared.share")))
}

func TestIdentity(t *testing.T) {
	g := NewWithT(t)
	c := clusterOf(t, "nic", "node-a", "node-b")
	d := decode(t, "name: nic.vendor.example\nroles: {shared: {share: {class: network, selectors: ['device.driver == \"$(name)\"', device.allowMultipleAllocations == true]}, identity: $(name)/ifName}}\n")
	g.Expect(c.check(t, d, Options{})).To(ContainElement(
		`problem identity roles.shared.identity: devices node-a/nic-0 and node-b/nic-0 both have nic.vendor.example/ifName "eth1": use an attribute that is unique in the cluster`))
}

// A device that every node can use is usable if any node is.
func TestDevicesOfAllNodes(t *testing.T) {
	g := NewWithT(t)
	c := clusterOf(t, "upstream", "worker-1", "worker-2")
	c.Objects.Slices = c.Objects.Slices[:1]
	c.Objects.Slices[0].Spec.NodeName, c.Objects.Slices[0].Spec.AllNodes = nil, ptr.To(true)
	c.Objects.Nodes[0].Spec.Unschedulable = true
	g.Expect(c.check(t, decode(t, upstreamFile), Options{})).To(BeEmpty())
	c.Objects.Nodes[1].Spec.Unschedulable = true
	g.Expect(c.check(t, decode(t, upstreamFile), Options{})).To(ConsistOf(HavePrefix("problem nodes roles.exclusive.device: pods cannot run on any node")))
}

// The parents of exclusive devices have different values.
func TestExclusiveParents(t *testing.T) {
	g := NewWithT(t)
	c := clusterOf(t, "gpu", "node-a", "node-b")
	d := decode(t, "name: gpu.vendor.example\nroles: {exclusive: {device: {class: gpu.vendor.example}, parents: {attribute: $(name)/uuid, whole: {class: gpu.vendor.example}}}}\n")
	g.Expect(c.check(t, d, Options{})).To(ContainElement(
		`problem identity roles.exclusive.parents.attribute: devices node-a/gpu-0 and node-b/gpu-0 both have gpu.vendor.example/uuid "GPU-A": use an attribute that is unique in the cluster`))
}

func TestMultiHost(t *testing.T) {
	g := NewWithT(t)
	c := clusterOf(t, "tpu", "tpu-a", "tpu-b", "tpu-c", "tpu-d")
	d := decode(t, `name: tpu.vendor.example
roles:
  multiHost:
    pair: {class: tpu.vendor.example, selectors: ['device.attributes["$(name)"].hosts == 2']}
    quad: {class: tpu.vendor.example, selectors: ['device.attributes["$(name)"].hosts == 1']}
`)
	g.Expect(c.check(t, d, Options{})).To(ContainElement(HavePrefix("problem selector roles.multiHost.quad: selects device pod/slice-2x2-a, which can be used on 1 known nodes, not 4: ")))
	// A chip of each of two hosts leaves no pair.
	c.allocate("a", "tpu.vendor.example", "pod", "slice-2x2-a", "slice-2x2-d")
	g.Expect(c.check(t, d, Options{})).To(ContainElement("problem devices roles.multiHost.pair: none of the 4 devices is free: allocated devices consume their counters. Delete the claims, or wait"))
}

func TestNodes(t *testing.T) {
	g := NewWithT(t)
	c := clusterOf(t, "upstream", "worker-1", "worker-2")
	c.Objects.Nodes[0].Spec.Taints = []corev1.Taint{{Key: "dra", Effect: corev1.TaintEffectNoSchedule}}
	g.Expect(c.check(t, decode(t, upstreamFile), Options{})).To(ConsistOf(
		"warning nodes roles.exclusive.device: pods cannot run on some nodes with these devices: worker-1: pods do not tolerate its taint dra:NoSchedule"))
	c.Objects.Nodes[1].Spec.Unschedulable = true
	g.Expect(c.check(t, decode(t, upstreamFile), Options{})).To(ConsistOf(
		"problem nodes roles.exclusive.device: pods cannot run on any node with these devices: worker-1: pods do not tolerate its taint dra:NoSchedule, worker-2: it is cordoned. Change pods.nodeSelector and pods.tolerations, or the nodes"))
	g.Expect(c.check(t, decode(t, upstreamFile+"pods: {tolerations: [{key: dra, operator: Exists}]}\n"), Options{})).To(ConsistOf(HavePrefix("warning nodes roles.exclusive.device: pods cannot run on some nodes with these devices: worker-2")))
}

// The rule is the one by which specs find nodes.
func TestNodesThatSpecsDoNotUse(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*corev1.Node)
		want   string
	}{
		"Windows":                {func(n *corev1.Node) { n.Labels[corev1.LabelOSStable] = "windows" }, `its label kubernetes.io/os is "windows", pods need "linux"`},
		"another architecture":   {func(n *corev1.Node) { n.Labels[corev1.LabelArchStable] = "arm64" }, "its architecture is arm64, the workload image is for [amd64]"},
		"not ready":              {func(n *corev1.Node) { n.Status.Conditions[0].Status = corev1.ConditionUnknown }, "it is not ready"},
		"no condition":           {func(n *corev1.Node) { n.Status.Conditions = nil }, "it is not ready"},
		"without a wanted label": {func(n *corev1.Node) { n.Labels["pool"] = "small" }, `its label pool is "small", pods need "large"`},
	} {
		t.Run(name, func(t *testing.T) {
			c := clusterOf(t, "upstream", "worker-1", "worker-2")
			for _, node := range c.Objects.Nodes {
				node.Labels["pool"] = "large"
				test.change(node)
			}
			found := c.check(t, decode(t, upstreamFile+"pods: {nodeSelector: {pool: large}}\n"), Options{Architectures: []string{"amd64"}})
			NewWithT(t).Expect(found).To(ConsistOf(
				"problem nodes roles.exclusive.device: pods cannot run on any node with these devices: worker-1: " + test.want + ", worker-2: " + test.want + ". Change pods.nodeSelector and pods.tolerations, or the nodes"))
		})
	}
}

func TestDaemonSet(t *testing.T) {
	g := NewWithT(t)
	c := clusterOf(t, "upstream", "worker-1", "worker-2")
	g.Expect(c.check(t, decode(t, upstreamFile+"allow: {update: {image: registry.example.com/test-driver:v1}}\n"), Options{})).To(ConsistOf(
		"problem daemonset allow.update.image: container plugin already has the image registry.example.com/test-driver:v1: an update needs another one"))
	c.DaemonSets[0].Status.NumberReady = 1
	g.Expect(c.check(t, decode(t, upstreamFile), Options{})).To(ConsistOf(
		"warning daemonset daemonSet: 1 of 2 pods of DaemonSet dra/plugin are ready: specs on the nodes of the others fail. Look at their events and logs"))
	c.DaemonSets[0].Status = appsv1.DaemonSetStatus{}
	c.DaemonSets[0].Spec.Template.Spec.Containers[1].Name = "driver"
	g.Expect(c.check(t, decode(t, upstreamFile), Options{})).To(ConsistOf(
		"problem daemonset daemonSet.container: DaemonSet dra/plugin has no container plugin, it has sidecar, driver",
		"problem daemonset daemonSet: no node matches the node selector and the tolerations of DaemonSet dra/plugin, so that it has no pods"))
	c.DaemonSets = nil
	g.Expect(c.check(t, decode(t, upstreamFile), Options{})).To(ConsistOf(
		`problem daemonset daemonSet: DaemonSet dra/plugin does not exist: list those of the cluster with "kubectl get daemonsets -A"`))
}

func TestDriverThatCrashes(t *testing.T) {
	g := NewWithT(t)
	c := clusterOf(t, "upstream", "worker-1", "worker-2")
	set := c.DaemonSets[0]
	set.UID = "set"
	set.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "plugin"}}
	set.Status.NumberReady = 0
	pod := func(name string, owner types.UID, state corev1.ContainerState, last corev1.ContainerState) *corev1.Pod {
		return &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: "dra", Name: name, Labels: map[string]string{"app": "plugin"},
				OwnerReferences: []metav1.OwnerReference{{UID: owner, Controller: ptr.To(true)}},
			},
			Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{Name: "sidecar", Ready: true}, {Name: "plugin", State: state, LastTerminationState: last}}},
		}
	}
	waits := func(reason, message string) corev1.ContainerState {
		return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}
	}
	exited := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 2}}
	c.more = append(c.more, pod("another", "another", waits("ContainerCreating", ""), corev1.ContainerState{}), pod("plugin-x", "set", waits("CrashLoopBackOff", "back-off 5m0s"), exited))
	g.Expect(c.check(t, decode(t, upstreamFile), Options{})).To(ConsistOf(
		"problem daemonset daemonSet: none of the 2 pods of DaemonSet dra/plugin is ready, container plugin of pod plugin-x is in CrashLoopBackOff after exit code 2: look at their events and logs"))
	c.more = []runtime.Object{pod("plugin-x", "set", waits("ImagePullBackOff", "not found"), corev1.ContainerState{})}
	g.Expect(c.check(t, decode(t, upstreamFile), Options{})).To(ConsistOf(
		"problem daemonset daemonSet: none of the 2 pods of DaemonSet dra/plugin is ready, container plugin of pod plugin-x is in ImagePullBackOff: not found: look at their events and logs"))
}

// A run does not start if specs would fail for another reason than the driver. What
// it judges, and what can change, does not keep it from starting.
func TestBlocking(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*cluster)
		file   string
		blocks bool
	}{
		"right":           {func(*cluster) {}, upstreamFile, false},
		"absent":          {func(c *cluster) { c.Objects.Slices = nil }, upstreamFile, true},
		"an invalid pool": {func(c *cluster) { c.Objects.Slices[0].Spec.Pool.ResourceSliceCount = 2 }, upstreamFile, false},
		"only invalid pools": {func(c *cluster) {
			c.Objects.Slices[0].Spec.Pool.ResourceSliceCount, c.Objects.Slices[1].Spec.Pool.ResourceSliceCount = 2, 2
		}, upstreamFile, false},
		"devices in use":      {func(c *cluster) { c.allocateAll() }, upstreamFile, false},
		"more than there are": {func(*cluster) {}, strings.Replace(upstreamFile, "test-devices", "test-devices, count: 7", 1), true},
		"no such class":       {func(c *cluster) { c.Objects.Classes = nil }, upstreamFile, true},
		"cordoned nodes": {func(c *cluster) {
			c.Objects.Nodes[0].Spec.Unschedulable, c.Objects.Nodes[1].Spec.Unschedulable = true, true
		}, upstreamFile, true},
		"missing rights":          {func(c *cluster) { c.denied = []string{"create pods/"} }, upstreamFile, true},
		"missing optional rights": {func(c *cluster) { c.denied = []string{"get nodes/proxy"} }, upstreamFile, false},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			c := clusterOf(t, "upstream", "worker-1", "worker-2")
			test.change(c)
			found, err := Check(t.Context(), c.start(), []*driverfile.Driver{decode(t, test.file)}, Options{})
			g.Expect(err).NotTo(HaveOccurred())
			if blocking := Blocking(found); test.blocks {
				g.Expect(blocking).NotTo(BeEmpty())
			} else {
				g.Expect(blocking).To(BeEmpty())
			}
		})
	}
}

func TestRights(t *testing.T) {
	g := NewWithT(t)
	c := clusterOf(t, "upstream", "worker-1", "worker-2")
	c.denied = []string{"delete pods/", "get nodes/proxy"}
	g.Expect(c.check(t, decode(t, upstreamFile+"allow: {restart: true}\n"), Options{Namespace: ""})).To(ConsistOf(
		`problem rights : not allowed to delete pods, which a run needs to create pods that use devices, make the kubelet sync them, and delete them: ask for the rights that "draconform rbac" prints`,
		`warning rights : not allowed to get nodes/proxy, which a run needs to read from the kubelet how many claims are prepared: ask for the rights that "draconform rbac" prints`))
	// In a given namespace, the namespace of the driver is another one.
	c.denied = []string{"delete pods/"}
	g.Expect(c.check(t, decode(t, upstreamFile+"allow: {restart: true}\n"), Options{Namespace: "team"})).To(ContainElements(
		ContainSubstring("not allowed to delete pods in namespace team"), ContainSubstring("not allowed to delete pods in namespace dra")))
	// Only what the file allows is needed.
	c.denied = []string{"patch daemonsets/"}
	g.Expect(c.check(t, decode(t, upstreamFile), Options{})).To(BeEmpty())
}

func TestNamespace(t *testing.T) {
	g := NewWithT(t)
	c := clusterOf(t, "upstream", "worker-1", "worker-2")
	o := Options{Namespace: "conformance"}
	g.Expect(c.check(t, decode(t, upstreamFile), o)).To(ConsistOf("problem namespace : namespace conformance does not exist: create it, or leave out --namespace so that a run creates one"))

	quota := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: "conformance", Name: "small"}, Status: corev1.ResourceQuotaStatus{
		Hard: corev1.ResourceList{"pods": resource.MustParse("12"), "count/resourceclaims.resource.k8s.io": resource.MustParse("10"), "cpu": resource.MustParse("1")},
		Used: corev1.ResourceList{"pods": resource.MustParse("5")},
	}}
	c.more = append(c.more, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "conformance"}}, quota)
	g.Expect(c.check(t, decode(t, upstreamFile+"pods: {imagePullSecrets: [registry], runtimeClassName: gpu}\n"), o)).To(ConsistOf(
		"problem pod pods.runtimeClassName: RuntimeClass gpu does not exist",
		"problem image pods.imagePullSecrets: namespace conformance has no Secret registry to pull the image with",
		"problem quota : ResourceQuota small of namespace conformance has 7 left of pods, specs have up to 10 at the same time: raise it, or use another namespace"))
}

// Admission decides about the pod: the sentence has its reason.
func TestPodIsRejected(t *testing.T) {
	g := NewWithT(t)
	c := clusterOf(t, "upstream", "worker-1", "worker-2")
	c.more = append(c.more, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "conformance"}})
	client := c.start()
	client.PrependReactor("create", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
		pod := action.(clienttesting.CreateAction).GetObject().(*corev1.Pod)
		if ptr.Deref(pod.Spec.Containers[0].SecurityContext.Privileged, false) {
			return true, nil, apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, pod.Name, errors.New(`violates PodSecurity "restricted:latest": privileged`))
		}
		return true, pod, nil
	})
	for content, want := range map[string]string{
		upstreamFile: "",
		upstreamFile + "pods: {securityContext: {privileged: true}}\n": `a pod for exclusive devices of driver test-driver.cdi.k8s.io cannot be created in namespace conformance: create pod try: pods "try" is forbidden: violates PodSecurity "restricted:latest": privileged; change pods.securityContext of the driver file, or use a namespace whose pod security level permits it`,
	} {
		found, err := Check(t.Context(), client, []*driverfile.Driver{decode(t, content)}, Options{Namespace: "conformance"})
		g.Expect(err).NotTo(HaveOccurred())
		rejected := ""
		for _, f := range found {
			if f.Check == "pod" && f.Result == Problem {
				rejected = f.Message
			}
		}
		g.Expect(rejected).To(Equal(want))
	}
}

func TestWhatCannotBeRead(t *testing.T) {
	for name, test := range map[string]struct {
		err  error
		want string // of a finding
		fail string // of an error
	}{
		"no rights": {
			err:  apierrors.NewForbidden(schema.GroupResource{Group: "resource.k8s.io", Resource: "resourceslices"}, "", errors.New("no rights")),
			want: "problem read : cannot list ResourceSlices, so that nothing about devices was checked: resourceslices.resource.k8s.io is forbidden: no rights",
		},
		"no DRA": {
			err:  apierrors.NewNotFound(schema.GroupResource{Group: "resource.k8s.io", Resource: "resourceslices"}, ""),
			want: "problem read : the API server does not serve resource.k8s.io/v1: it needs Kubernetes 1.34 or newer, with Dynamic Resource Allocation enabled",
		},
		"a lost API server": {err: errors.New("connection refused"), fail: "list ResourceSlices: connection refused"},
		"a timeout":         {err: context.DeadlineExceeded, fail: "list ResourceSlices: context deadline exceeded"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			c := clusterOf(t, "upstream")
			client := c.start()
			client.PrependReactor("list", "resourceslices", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, test.err })
			found, err := Check(t.Context(), client, []*driverfile.Driver{decode(t, upstreamFile)}, Options{})
			if test.fail != "" {
				g.Expect(err).To(MatchError(test.fail))
				return
			}
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(Failed(found)).To(BeTrue())
			f := found[0]
			g.Expect(string(f.Result) + " " + f.Check + " " + f.Field + ": " + f.Message).To(Equal(test.want))
		})
	}
}

// A finding has the line of the field, so that an editor can open it.
func TestPositions(t *testing.T) {
	g := NewWithT(t)
	c := clusterOf(t, "upstream", "worker-1", "worker-2")
	found, err := Check(t.Context(), c.start(), []*driverfile.Driver{decode(t, upstreamFile)}, Options{})
	g.Expect(err).NotTo(HaveOccurred())
	positions := map[string]string{}
	for _, f := range found {
		positions[f.Field] = f.Position
	}
	g.Expect(positions).To(HaveKeyWithValue("daemonSet", "my-driver.yaml, line 4"))
	g.Expect(positions).To(HaveKeyWithValue("roles.exclusive.device", "my-driver.yaml, line 7"))
	g.Expect(Failed(found)).To(BeFalse())
}
