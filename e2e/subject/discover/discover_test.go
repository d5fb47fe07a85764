// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package discover

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject/driverfile"
	"github.com/draconform/draconform/fakedriver/model"
	"github.com/draconform/draconform/fakedriver/publish"
)

func read(t *testing.T, name string) Input {
	t.Helper()
	in, err := Read([]string{"testdata/" + name + ".yaml"}, nil)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return in
}

// write returns the driver file as text and decoded.
func write(t *testing.T, in Input, name string) (string, *driverfile.Driver) {
	t.Helper()
	g := NewWithT(t)
	content, err := File(t.Context(), in, name)
	g.Expect(err).NotTo(HaveOccurred())
	drivers, err := driverfile.Decode("", content)
	g.Expect(err).NotTo(HaveOccurred())
	return string(content), drivers[0]
}

// plain returns a text without line breaks and comment signs.
func plain(text string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(text, "#", "")), " ")
}

// A driver without attributes and capacity has a valid file. Its DaemonSet is
// found by its arguments, and the container with the driver by its mounts.
func TestUpstreamTestDriver(t *testing.T) {
	g := NewWithT(t)
	text, d := write(t, read(t, "upstream"), "")
	g.Expect(d.Name).To(Equal("test-driver.cdi.k8s.io"))
	g.Expect(d.Roles).To(Equal(driverfile.Roles{Exclusive: &driverfile.Exclusive{Device: driverfile.Device{Class: "test-devices"}}}))
	g.Expect(d.DaemonSet).To(Equal(&driverfile.DaemonSet{Namespace: "dra", Name: "plugin", Container: "plugin"}))
	g.Expect(d.Allow).To(Equal(driverfile.Allow{}), "nothing is allowed that the vendor did not allow")
	g.Expect(d.Containers).To(Equal([]driverfile.Source{{Metadata: true}}))
	g.Expect(plain(text)).To(ContainSubstring("Container plugin of the DaemonSet has the argument --enable-device-metadata."))
	g.Expect(plain(text)).To(ContainSubstring("At the same time, each node has at least 4 of them."))
}

// Whole GPUs and partitions are in classes of their own. What they have in
// common does not identify a parent in the cluster.
func TestPartitionsWithoutParents(t *testing.T) {
	g := NewWithT(t)
	text, d := write(t, read(t, "gpu"), "")
	ofProfile := func(profile string) driverfile.Device {
		return driverfile.Device{Class: "mig.vendor.example", Selectors: []string{
			`"profile" in device.attributes["gpu.vendor.example"] && device.attributes["gpu.vendor.example"].profile == "` + profile + `"`,
		}}
	}
	quarter, half := ofProfile("1g"), ofProfile("2g")
	g.Expect(d.Roles.Partitions).To(Equal(&driverfile.Partitions{
		Profile: "gpu.vendor.example/profile", Small: quarter, Big: &half, Mix: []driverfile.Device{quarter, half}, Full: []driverfile.Device{half, half},
	}))
	g.Expect(plain(text)).To(ContainSubstring("the attribute resource.kubernetes.io/pciBusID groups the devices of a parent, but devices on several nodes have the same values"))
	// A GPU is one device, and three quarters of it are more, though fewer than
	// specs use.
	g.Expect(d.Roles.Exclusive).To(Equal(&driverfile.Exclusive{Device: quarter, Features: []features.Feature{features.Partitions}}))
	g.Expect(plain(text)).To(ContainSubstring("a node has only 3 of them, and specs use up to 4"))
	g.Expect(text).To(ContainSubstring("\n  # shared: no device has allowMultipleAllocations.\n"))
}

// A class of all vendors' devices needs a selector for the driver.
func TestSharedAndExclusiveDevices(t *testing.T) {
	g := NewWithT(t)
	_, d := write(t, read(t, "nic"), "nic.vendor.example")
	ofDriver := `device.driver == "nic.vendor.example"`
	g.Expect(d.Roles).To(Equal(driverfile.Roles{
		Exclusive: &driverfile.Exclusive{Device: driverfile.Device{Class: "network", Selectors: []string{ofDriver, "device.allowMultipleAllocations == false"}}},
		Shared: &driverfile.Shared{
			Share: driverfile.Device{Class: "network", Selectors: []string{ofDriver, "device.allowMultipleAllocations == true"}},
			// The interfaces have the same names on both nodes.
			Identity: "nic.vendor.example/mac",
		},
	}))
}

// Without a request policy, a share without a requested capacity is the whole
// device.
func TestSharesRequestCapacity(t *testing.T) {
	g := NewWithT(t)
	text, d := write(t, read(t, "cpu"), "")
	g.Expect(d.Roles).To(Equal(driverfile.Roles{Shared: &driverfile.Shared{
		Share: driverfile.Device{Class: "dra.cpu", Capacity: map[string]resource.Quantity{"dra.cpu/cpu": resource.MustParse("4")}},
	}}))
	g.Expect(text).To(ContainSubstring("# identity: the devices have no string attribute."))
}

// Devices over hosts consume counters, and are no partitions.
func TestMultiHost(t *testing.T) {
	g := NewWithT(t)
	_, d := write(t, read(t, "tpu"), "")
	hosts := func(n string) driverfile.Device {
		return driverfile.Device{Class: "tpu.vendor.example", Selectors: []string{`device.attributes["tpu.vendor.example"].hosts == ` + n}}
	}
	quad := hosts("4")
	g.Expect(d.Roles.MultiHost).To(Equal(&driverfile.MultiHost{Pair: hosts("2"), Quad: &quad}))
	g.Expect(d.Roles.Exclusive.Device).To(Equal(hosts("1")))
	g.Expect(d.Roles.Partitions).To(BeNil())
}

// The file for the fake GPUs has the parts that their embedded file has.
func TestFakeGPUs(t *testing.T) {
	g := NewWithT(t)
	gpu, err := model.Load("a100-40gb")
	g.Expect(err).NotTo(HaveOccurred())
	in := read(t, "upstream")
	in.Objects.Slices = nil
	for _, node := range []string{"node-1", "node-2"} {
		for _, slice := range publish.NodeObjects("mig.example.com", node, publish.Slices(gpu.Inventory(node, 2), publish.SeparateCounters)) {
			in.Objects.Add(slice)
		}
	}
	_, d := write(t, in, "")
	driver := `device.attributes["mig.example.com"]`
	inline := func(selector string) driverfile.Device {
		return driverfile.Device{InlineClass: &driverfile.InlineClass{Selectors: []string{`device.driver == "mig.example.com"`, selector}}}
	}
	profile := func(name string) driverfile.Device {
		return inline(`"profile" in ` + driver + ` && ` + driver + `.profile == "` + name + `"`)
	}
	parents := &driverfile.Parents{Attribute: "mig.example.com/parentUUID", Whole: inline(driver + `.type == "gpu"`)}
	p := d.Roles.Partitions
	g.Expect(p.Parents).To(Equal(parents))
	g.Expect(p.Profile).To(Equal("mig.example.com/profile"))
	g.Expect(p.Small).To(Equal(profile("1g.5gb")), "seven of them fit")
	g.Expect(*p.Big).To(Equal(profile("3g.20gb")))
	g.Expect(p.Full).To(Equal([]driverfile.Device{profile("3g.20gb"), profile("3g.20gb")}))
	g.Expect(d.Roles.Exclusive.Device).To(Equal(profile("1g.5gb")), "a node has two GPUs")
	g.Expect(d.Roles.Exclusive.Parents).To(Equal(parents))
}

// The nodes of the devices decide on the node selector and the tolerations.
func TestPods(t *testing.T) {
	g := NewWithT(t)
	in := read(t, "upstream")
	node := func(name string, labels map[string]string, taints ...corev1.Taint) *corev1.Node {
		return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}, Spec: corev1.NodeSpec{Taints: taints}}
	}
	dedicated := corev1.Taint{Key: "example.com/dra", Value: "x", Effect: corev1.TaintEffectNoSchedule}
	pressure := corev1.Taint{Key: "node.kubernetes.io/disk-pressure", Effect: corev1.TaintEffectNoSchedule}
	in.Objects.Add(node("worker-1", map[string]string{"a": "1", "example.com/dra": "yes", corev1.LabelHostname: "worker-1"}, dedicated, pressure))
	in.Objects.Add(node("worker-2", map[string]string{"a": "1", "example.com/dra": "yes"}, dedicated))
	in.Objects.Add(node("worker-3", map[string]string{"a": "1"}))
	_, d := write(t, in, "")
	g.Expect(d.Pods.NodeSelector).To(Equal(map[string]string{"example.com/dra": "yes"}))
	g.Expect(d.Pods.Tolerations).To(Equal([]corev1.Toleration{{Key: "example.com/dra", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule}}))

	in.Objects.Nodes = in.Objects.Nodes[:2]
	text, d := write(t, in, "")
	g.Expect(d.Pods.NodeSelector).To(BeNil())
	g.Expect(text).To(ContainSubstring("# nodeSelector: all nodes have devices of the driver."))
}

func TestErrorsNameTheDrivers(t *testing.T) {
	nothing := Input{Source: "context kind", Objects: read(t, "upstream").Objects}
	nothing.Objects.Slices = nil
	incomplete := read(t, "gpu")
	incomplete.Objects.Slices = incomplete.Objects.Slices[:1]
	empty := read(t, "upstream")
	for _, slice := range empty.Objects.Slices {
		slice.Spec.Devices = nil
	}
	for name, test := range map[string]struct {
		in           Input
		driver, want string
	}{
		"no driver": {nothing, "", "driver: context kind has no ResourceSlices, so no driver publishes devices: install the driver, and look at the logs of its pods if they run"},
		"several drivers": {
			read(t, "nic"), "", "driver: testdata/nic.yaml has ResourceSlices of several drivers, choose one with --name: nic.vendor.example, other.example",
		},
		"another driver": {
			read(t, "nic"), "nic.vendor.exmaple", `driver: testdata/nic.yaml has no ResourceSlice of driver "nic.vendor.exmaple", did you mean "nic.vendor.example"? (found: nic.vendor.example, other.example)`,
		},
		"an incomplete pool": {
			incomplete, "", "driver: driver gpu.vendor.example has no usable pool: pool node-a: ResourceSlice 0-node-a-counters, spec.pool.resourceSliceCount is 2, but pool node-a has 1 slices of generation 3 here",
		},
		"no devices": {
			empty, "", "driver: driver test-driver.cdi.k8s.io publishes ResourceSlices without devices: check that the nodes have devices, and look at the logs of the driver's pods",
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			_, err := File(t.Context(), test.in, test.driver)
			g.Expect(err).To(MatchError(test.want))
			g.Expect(err).To(MatchError(ErrDriver))
		})
	}
}

// A class that cannot be used is named, and the run creates one.
func TestUnusableClasses(t *testing.T) {
	g := NewWithT(t)
	in := read(t, "upstream")
	in.Objects.Classes = nil
	for name, expression := range map[string]string{"fails": `device.attributes["test-driver.cdi.k8s.io"].type == "gpu"`, "others": `device.driver == "other"`} {
		in.Objects.Add(&resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: resourceapi.DeviceClassSpec{
			Selectors: []resourceapi.DeviceSelector{{CEL: &resourceapi.CELDeviceSelector{Expression: expression}}},
		}})
	}
	text, d := write(t, in, "")
	g.Expect(d.Roles.Exclusive.Device).To(Equal(driverfile.Device{InlineClass: &driverfile.InlineClass{Selectors: []string{`device.driver == "test-driver.cdi.k8s.io"`}}}))
	g.Expect(plain(text)).To(ContainSubstring("DeviceClass fails is not used: its selectors fail on device worker-1/device-00 of driver test-driver.cdi.k8s.io"))
}
