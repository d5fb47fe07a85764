package simulated

import (
	"context"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/fakedriver/describe"
	"github.com/draconform/draconform/fakedriver/publish"
)

// Pool describes a resource pool and its node selection. Without a node or a
// selector the devices are available on all nodes. The node selection of
// individual devices overrides both.
type Pool struct {
	// Name is the name of the pool. The default is the name of the node.
	Name string
	// Node is the name of the node of the devices.
	Node string
	// Selector selects the nodes of the devices.
	Selector *corev1.NodeSelector
	// Generation is the generation of the pool. Zero means 1.
	Generation int64
}

// CreatePool publishes the devices and counter sets of a pool in the layout
// that the API server supports. The sharing affinity of the devices (KEP-5981)
// is written to an annotation of the ResourceSlices.
func (s *Nodes) CreatePool(ctx context.Context, pool Pool, inventory *describe.Inventory) {
	ginkgo.GinkgoHelper()
	detected, err := publish.Detect(ctx, s.env.Client.ResourceV1().ResourceSlices(), s.Driver, "probe", probe)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	layout := publish.Slices(inventory, detected.Form)
	specs := make([]resourceapi.ResourceSliceSpec, 0, len(layout))
	for _, slice := range layout {
		spec := resourceapi.ResourceSliceSpec{
			Pool:    resourceapi.ResourcePool{Name: pool.Name, Generation: pool.Generation, ResourceSliceCount: int64(len(layout))},
			Devices: slice.Devices, SharedCounters: slice.SharedCounters,
		}
		pool.selectNodes(&spec, slices.ContainsFunc(inventory.Devices, selectsNodes))
		specs = append(specs, spec)
	}
	s.create(ctx, inventory.Affinity, specs)
}

// selectNodes sets the node selection of a ResourceSlice.
func (p Pool) selectNodes(spec *resourceapi.ResourceSliceSpec, perDevice bool) {
	if spec.Pool.Name == "" {
		spec.Pool.Name = p.Node
	}
	switch {
	case perDevice:
		spec.PerDeviceNodeSelection = ptr.To(true)
	case p.Node != "":
		spec.NodeName = &p.Node
	case p.Selector != nil:
		spec.NodeSelector = p.Selector
	default:
		spec.AllNodes = ptr.To(true)
	}
}

func selectsNodes(device resourceapi.Device) bool {
	return device.NodeName != nil || device.NodeSelector != nil || device.AllNodes != nil
}

// probe is an inventory with counters. It is used to detect the layout that the
// API server supports.
var probe = &describe.Inventory{
	CounterSets: []resourceapi.CounterSet{{Name: "set", Counters: map[string]resourceapi.Counter{"counter": {Value: resource.MustParse("1")}}}},
	Devices: []resourceapi.Device{{Name: "device", ConsumesCounters: []resourceapi.DeviceCounterConsumption{{
		CounterSet: "set", Counters: map[string]resourceapi.Counter{"counter": {Value: resource.MustParse("1")}},
	}}}},
}
