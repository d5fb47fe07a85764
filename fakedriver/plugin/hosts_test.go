// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin_test

import (
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"tags.cncf.io/container-device-interface/pkg/cdi"

	"github.com/draconform/draconform/fakedriver/control"
	"github.com/draconform/draconform/fakedriver/devenv"
	"github.com/draconform/draconform/fakedriver/internal/fakeapi"
)

const (
	tpus      = "tpu.example.com"
	hostLabel = "draconform.dev/tpu-host"
)

var (
	fourByFour = control.Published{Devices: control.Devices{Topology: "4x4"}}
	byName     = control.Published{Devices: control.Devices{Topology: "4x4", AssignHostsByName: true}}
)

// hostNode returns a node with the label of a host, unless host is empty.
func hostNode(name, host string) *corev1.Node {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: "uid-of-node", Labels: map[string]string{corev1.LabelHostname: name}}}
	if host != "" {
		node.Labels[hostLabel] = host
	}
	return node
}

// fourHosts returns hosts whose order differs from that of their names.
func fourHosts() []runtime.Object {
	return []runtime.Object{hostNode("node-d", "0"), hostNode("node-c", "1"), hostNode("node-b", "2"), hostNode("node-a", "3"), hostNode("node-e", "")}
}

// startOn starts a separate plugin on a node of the cluster.
func startOn(t *testing.T, server *fakeapi.Server, name string, published control.Published) *running {
	t.Helper()
	config, _ := newConfig(t)
	config.NodeName, config.DriverName, config.Published, config.Client = name, tpus, published, server.Client
	return startWith(t, config, server)
}

// newSliceClaim returns a claim for a device of the topology 4x4.
func newSliceClaim(device, name string) *resourceapi.ResourceClaim {
	claim := newClaim(tpus, device, name)
	claim.Status.Allocation.Devices.Results[0].Pool = "4x4"
	return claim
}

// containerDevices returns the devices in the containerDevices of a container that gets
// all CDI devices of the plugin's node.
func (r *running) containerDevices() []devenv.Device {
	r.tb.Helper()
	cache, err := cdi.NewCache(cdi.WithSpecDirs(r.config.CDIDir), cdi.WithAutoRefresh(false))
	r.g.Expect(err).NotTo(HaveOccurred())
	var env []string
	for _, id := range cache.ListDevices() {
		env = append(env, cache.GetDevice(id).ContainerEdits.Env...)
	}
	devices, errs := devenv.Parse(env)
	r.g.Expect(errs).To(BeEmpty())
	return devices
}

// Guards that pods on all nodes can share one claim: each node prepares its own
// part, and all parts contain the same hosts.
func TestEachHostPreparesItsPart(t *testing.T) {
	claim := newSliceClaim("tpu-4x4-0-0", "claim")
	server := fakeapi.New(append(fourHosts(), claim))
	chips := map[string]bool{}
	for host, name := range []string{"node-d", "node-c", "node-b", "node-a"} {
		r := startOn(t, server, name, fourByFour)
		r.settle()
		kubelet := r.kubelet(tpus)
		devices, err := kubelet.prepare(t.Context(), claim)
		r.g.Expect(err).NotTo(HaveOccurred())
		r.g.Expect(devices).To(HaveExactElements(And(HaveField("PoolName", "4x4"), HaveField("DeviceName", "tpu-4x4-0-0"))))
		seen := r.containerDevices()
		r.g.Expect(seen).To(HaveLen(1))
		part := *seen[0].Part
		r.g.Expect(part.Chips).To(HaveLen(4))
		for _, chip := range part.Chips {
			r.g.Expect(chips).NotTo(HaveKey(chip))
			chips[chip] = true
		}
		part.Chips = nil
		r.g.Expect(part).To(Equal(devenv.Part{Shape: "4x4", Hosts: []string{"node-d", "node-c", "node-b", "node-a"}, Host: host}))
		r.g.Expect(seen[0].Attributes).To(HaveKeyWithValue("shape", "4x4"))

		r.g.Expect(kubelet.unprepare(t.Context(), claim)).To(Succeed())
		r.g.Expect(r.containerDevices()).To(BeEmpty(), "claims of other nodes have no effect")
	}
	NewWithT(t).Expect(chips).To(HaveLen(16))
}

// Guards that the plugin assigns hosts by the order of node names, as the
// controller does, and ignores labels.
func TestHostsAssignedByName(t *testing.T) {
	claim := newSliceClaim("tpu-2x4-0-0", "claim")
	controlPlane := hostNode("a-control-plane", "")
	controlPlane.Labels["node-role.kubernetes.io/control-plane"] = ""
	server := fakeapi.New(append(fourHosts(), controlPlane, claim))
	for host, name := range []string{"node-a", "node-b"} {
		r := startOn(t, server, name, byName)
		_, err := r.kubelet(tpus).prepare(t.Context(), claim)
		r.g.Expect(err).NotTo(HaveOccurred())
		r.g.Expect(r.containerDevices()).To(HaveExactElements(HaveField("Part", HaveValue(And(
			HaveField("Hosts", []string{"node-a", "node-b"}), HaveField("Host", host))))))
	}
}

func TestPartsAreRejected(t *testing.T) {
	held := newSliceClaim("tpu-2x4-0-0", "held")
	for _, test := range []struct {
		name, node string
		published  control.Published
		change     func(nodes []runtime.Object)
		device     string
		message    string
	}{
		{"a device of other hosts", "node-a", fourByFour, nil, "tpu-2x4-0-0", "device tpu-2x4-0-0: it spans hosts 0, 1 of topology 4x4, this node is host 3"},
		{"a device that does not exist", "node-a", fourByFour, nil, "tpu-8x8-0-0", "this node has no device tpu.example.com/4x4/tpu-8x8-0-0"},
		{"on a node that is not a host", "node-e", fourByFour, nil, "tpu-2x2-0-0", "prepare claim default/claim: node node-e is not a host of topology 4x4"},
		{"on the fifth node", "node-e", byName, nil, "tpu-2x2-0-0", "node node-e is not a host of topology 4x4"},
		{"with two nodes for a host", "node-a", fourByFour, func(nodes []runtime.Object) {
			nodes[4].(*corev1.Node).Labels[hostLabel] = "3"
		}, "tpu-2x2-2-2", "node node-a is not a host of topology 4x4: host 3 is missing because 2 nodes have its label"},
		{"without another host", "node-a", fourByFour, func(nodes []runtime.Object) {
			delete(nodes[2].(*corev1.Node).Labels, hostLabel)
		}, "tpu-2x4-2-0", "device tpu-2x4-2-0: it spans host 2 of topology 4x4, which has no node"},
		{"chips of another claim", "node-d", fourByFour, nil, "tpu-4x4-0-0", "device tpu-4x4-0-0 needs 1 of counter tpu-at-0-0 in counter set host-0, 0 is left; the rest is used by device tpu-2x4-0-0 of claim default/held"},
	} {
		t.Run(test.name, func(t *testing.T) {
			nodes, claim := fourHosts(), newSliceClaim(test.device, "claim")
			if test.change != nil {
				test.change(nodes)
			}
			r := startOn(t, fakeapi.New(append(nodes, claim, held)), test.node, test.published)
			kubelet := r.kubelet(tpus)
			if test.node == "node-d" {
				_, err := kubelet.prepare(t.Context(), held)
				r.g.Expect(err).NotTo(HaveOccurred())
			}
			before := r.containerDevices()
			_, err := kubelet.prepare(t.Context(), claim)
			r.g.Expect(err).To(MatchError(ContainSubstring(test.message)))
			r.g.Expect(r.containerDevices()).To(Equal(before))
		})
	}
}

// Guards that labels of nodes may change while the driver is running. A claim
// that is in use when its node loses the label is kept across a restart and can
// be unprepared.
func TestChangingHosts(t *testing.T) {
	claim, late := newSliceClaim("tpu-2x2-2-2", "claim"), newSliceClaim("tpu-4x4-0-0", "late")
	server := fakeapi.New(append(fourHosts(), claim, late))
	label := func(name, host string) {
		_, err := server.Client.CoreV1().Nodes().Update(t.Context(), hostNode(name, host), metav1.UpdateOptions{})
		NewWithT(t).Expect(err).NotTo(HaveOccurred())
	}
	label("node-a", "")
	r := startOn(t, server, "node-a", fourByFour)
	kubelet := r.kubelet(tpus)
	_, err := kubelet.prepare(t.Context(), claim)
	r.g.Expect(err).To(HaveOccurred())
	label("node-a", "3")
	first, err := kubelet.prepare(t.Context(), claim)
	r.g.Expect(err).NotTo(HaveOccurred())
	seen := r.containerDevices()

	label("node-a", "")
	r = r.restart()
	kubelet = r.kubelet(tpus)
	r.g.Expect(r.containerDevices()).To(Equal(seen))
	again, err := kubelet.prepare(t.Context(), claim)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(again[0].CdiDeviceIds).To(Equal(first[0].CdiDeviceIds))
	label("node-a", "3")
	_, err = kubelet.prepare(t.Context(), late)
	r.g.Expect(err).To(MatchError(ContainSubstring("the rest is used by device tpu-2x2-2-2 of claim default/claim")))
	label("node-a", "")
	r.g.Expect(kubelet.unprepare(t.Context(), claim)).To(Succeed())
	r.g.Expect(r.Status(t.Context(), tpus)).To(HaveField("Claims", BeEmpty()))
}

// Guards that the standard device metadata of a part contains the attributes of
// the device.
func TestMetadataOfParts(t *testing.T) {
	claim := newSliceClaim("tpu-2x4-0-0", "claim")
	r := startOn(t, fakeapi.New(append(fourHosts(), claim)), "node-c", fourByFour)
	_, err := r.kubelet(tpus).prepare(t.Context(), claim)
	r.g.Expect(err).NotTo(HaveOccurred())
	_, device := r.metadata(tpus)
	r.g.Expect(device.Name).To(Equal("tpu-2x4-0-0"))
	r.g.Expect(device.Attributes).To(HaveKeyWithValue(resourceapi.QualifiedName("shape"), resourceapi.DeviceAttribute{StringValue: ptr.To("2x4")}))
	r.g.Expect(device.Attributes).To(HaveKeyWithValue(resourceapi.QualifiedName("hosts"), resourceapi.DeviceAttribute{IntValue: ptr.To[int64](2)}))
}
