// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"testing"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/features"
)

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
