package multihost

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
	"github.com/draconform/draconform/fakedriver/describe"
	"github.com/draconform/draconform/fakedriver/topology"
)

// grid is a topology on a stage. The nodes of the stage are its hosts: host 5
// is node 5. A host has 2x2 chips, and hosts are numbered row by row.
type grid struct {
	*simulated.Nodes
	topology *topology.Topology
}

// stageGrid publishes a topology of the fake driver on simulated nodes.
func stageGrid(ctx context.Context, e *env.Env, name string) grid {
	ginkgo.GinkgoHelper()
	described, err := topology.Load(name)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	g := grid{simulated.CreateNodes(ctx, e, len(described.Hosts())), described}
	g.publish(ctx, 1)
	return g
}

// publish publishes a generation of the pool. No node has the devices that
// include a missing host.
func (g grid) publish(ctx context.Context, generation int64, missing ...int) {
	ginkgo.GinkgoHelper()
	// The example in KEP-4815 uses this label. It distinguishes the nodes from
	// those of other stages.
	nodes := topology.Nodes{Label: corev1.LabelHostname, Values: map[int]string{}}
	for host, node := range g.Names {
		if !slices.Contains(missing, host) {
			nodes.Values[host] = node
		}
	}
	pool := g.topology.Pool(nodes)
	g.CreatePool(ctx, simulated.Pool{Name: g.topology.Name(), Generation: generation}, &describe.Inventory{CounterSets: pool.CounterSets, Devices: pool.Devices})
}

// seen waits until the scheduler has observed everything that was published so
// far. The scheduler observes slices in the order of publication, so seen
// publishes one more device and waits until it is allocated.
func (g grid) seen(ctx context.Context, e *env.Env) {
	ginkgo.GinkgoHelper()
	const name = "seen"
	// Selectors access these attributes on all devices.
	marker := fixture.Devices(name)
	marker.Devices[0].Attributes[topology.AttributeShape] = resourceapi.DeviceAttribute{StringValue: ptr.To(name)}
	marker.Devices[0].Attributes[topology.AttributeOrigin] = resourceapi.DeviceAttribute{StringValue: ptr.To(name)}
	g.CreatePool(ctx, simulated.Pool{Node: g.Names[0]}, marker)
	startOne(ctx, e, name, g.of(name))
	pods.WaitForScheduled(ctx, e, name)
}

// of selects devices of the grid with a shape.
func (g grid) of(shape string) subject.Device {
	return g.Device(fmt.Sprintf("device.attributes[%q].shape == %q", g.Driver, shape))
}

// at selects the device with a shape that begins at a row and a column: "2,4".
func (g grid) at(shape, origin string) subject.Device {
	device := g.of(shape)
	device.Selector += subject.Selector(fmt.Sprintf(" && device.attributes[%q].origin == %q", g.Driver, origin))
	return device
}

// start starts a pod that uses a device such as "2x4 at 2,4". It returns the
// name of the pod, which is also that of the claim.
func (g grid) start(ctx context.Context, e *env.Env, slice string) string {
	ginkgo.GinkgoHelper()
	shape, origin, _ := strings.Cut(slice, " at ")
	name := strings.NewReplacer(" ", "-", ",", "-").Replace(slice)
	startOne(ctx, e, name, g.at(shape, origin))
	return name
}

// origin returns the row and the column where an allocated device begins.
func (g grid) origin(ctx context.Context, e *env.Env, device audit.DeviceID) string {
	ginkgo.GinkgoHelper()
	inventory, err := devices.GetInventory(ctx, e)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	origin, ok := inventory.Attribute(device, g.Driver+"/"+topology.AttributeOrigin)
	gomega.Expect(ok).To(gomega.BeTrue(), "device %s should have an origin", device)
	return origin
}

// nodesWith returns a node selector for nodes with one of the values of a
// label.
func nodesWith(label string, values ...string) *corev1.NodeSelector {
	return &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
		MatchExpressions: []corev1.NodeSelectorRequirement{{Key: label, Operator: corev1.NodeSelectorOpIn, Values: values}},
	}}}
}

// startOne starts a pod that uses a device. The claim has the name of the pod.
func startOne(ctx context.Context, e *env.Env, name string, device subject.Device) {
	ginkgo.GinkgoHelper()
	pods.CreateWithRequests(ctx, e, name, []devices.Request{{Name: "device", Device: device}})
}

// nodesOf waits until the pods are scheduled and returns their nodes.
func nodesOf(ctx context.Context, e *env.Env, podNames ...string) []string {
	ginkgo.GinkgoHelper()
	var nodes []string
	for _, pod := range podNames {
		pods.WaitForScheduled(ctx, e, pod)
		nodes = append(nodes, pods.GetNode(ctx, e, pod))
	}
	return nodes
}
