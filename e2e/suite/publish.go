package suite

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/fakedriver/affinity"
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

// Publish publishes the devices and counter sets of a pool in the layout that
// the API server supports. The sharing affinity of the devices (KEP-5981) is
// written to an annotation of the ResourceSlices.
func (s *Stage) Publish(ctx context.Context, pool Pool, inventory *describe.Inventory) {
	ginkgo.GinkgoHelper()
	offer, err := publish.Detect(ctx, s.env.Client.ResourceV1().ResourceSlices(), s.Driver, "probe", form)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	layout := publish.Slices(inventory, offer.Form)
	specs := make([]resourceapi.ResourceSliceSpec, 0, len(layout))
	for _, slice := range layout {
		spec := resourceapi.ResourceSliceSpec{
			Pool:    resourceapi.ResourcePool{Name: pool.Name, Generation: pool.Generation, ResourceSliceCount: int64(len(layout))},
			Devices: slice.Devices, SharedCounters: slice.SharedCounters,
		}
		pool.put(&spec, slices.ContainsFunc(inventory.Devices, saysWhere))
		specs = append(specs, spec)
	}
	s.publish(ctx, inventory.Affinity, specs)
}

// put sets the node selection of a ResourceSlice.
func (p Pool) put(spec *resourceapi.ResourceSliceSpec, perDevice bool) {
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

func saysWhere(device resourceapi.Device) bool {
	return device.NodeName != nil || device.NodeSelector != nil || device.AllNodes != nil
}

// form is an inventory with counters. It is used to detect the layout that the
// API server supports.
var form = &describe.Inventory{
	CounterSets: []resourceapi.CounterSet{{Name: "set", Counters: map[string]resourceapi.Counter{"counter": {Value: resource.MustParse("1")}}}},
	Devices: []resourceapi.Device{{Name: "device", ConsumesCounters: []resourceapi.DeviceCounterConsumption{{
		CounterSet: "set", Counters: map[string]resourceapi.Counter{"counter": {Value: resource.MustParse("1")}},
	}}}},
}

// PublishSlices publishes ResourceSlices unchanged, with the stage's driver.
// The default generation of a pool is 1. The default resourceSliceCount is the
// number of given ResourceSlices of the pool.
func (s *Stage) PublishSlices(ctx context.Context, specs ...resourceapi.ResourceSliceSpec) {
	ginkgo.GinkgoHelper()
	s.publish(ctx, nil, specs)
}

func (s *Stage) publish(ctx context.Context, declared map[string]affinity.Declaration, specs []resourceapi.ResourceSliceSpec) {
	ginkgo.GinkgoHelper()
	counts := map[resourceapi.ResourcePool]int64{}
	for i := range specs {
		specs[i].Pool.Generation = max(specs[i].Pool.Generation, 1)
		counts[specs[i].Pool]++
	}
	for _, spec := range specs {
		if spec.Pool.ResourceSliceCount == 0 {
			spec.Pool.ResourceSliceCount = counts[spec.Pool]
		}
		ginkgo.By(fmt.Sprintf("publishing a slice of pool %s, generation %d", spec.Pool.Name, spec.Pool.Generation))
		spec.Driver = s.Driver
		// Schedulers process ResourceSlices in the order of their names.
		name := fmt.Sprintf("%s-%03d", s.env.Namespace, s.slices)
		s.slices++
		slice := &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: s.env.Labels}, Spec: spec}
		_, err := affinity.Annotate(slice, declared)
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		_, err = s.env.Client.ResourceV1().ResourceSlices().Create(ctx, slice, metav1.CreateOptions{})
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
	}
}

// Withdraw deletes the ResourceSlices of a pool. If generation is not zero, it
// deletes only those of that generation.
func (s *Stage) Withdraw(ctx context.Context, pool string, generation int64) {
	ginkgo.GinkgoHelper()
	ginkgo.By("withdrawing slices of pool " + pool)
	gomega.Expect(s.withdraw(ctx, func(p resourceapi.ResourcePool) bool {
		return p.Name == pool && (generation == 0 || generation == p.Generation)
	})).To(gomega.Succeed())
}

func (s *Stage) withdraw(ctx context.Context, which func(resourceapi.ResourcePool) bool) error {
	client := s.env.Client.ResourceV1().ResourceSlices()
	all, err := client.List(ctx, metav1.ListOptions{FieldSelector: resourceapi.ResourceSliceSelectorDriver + "=" + s.Driver})
	if err != nil {
		return fmt.Errorf("list slices of driver %s: %w", s.Driver, err)
	}
	var errs []error
	for _, slice := range all.Items {
		if !which(slice.Spec.Pool) {
			continue
		}
		if err := client.Delete(ctx, slice.Name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			errs = append(errs, fmt.Errorf("remove slice %s: %w", slice.Name, err))
		}
		s.env.Deleted("ResourceSlice", slice.Name)
	}
	return errors.Join(errs...)
}

// Slices returns the published ResourceSlices of a pool.
func (s *Stage) Slices(ctx context.Context, pool string) []resourceapi.ResourceSlice {
	ginkgo.GinkgoHelper()
	all, err := s.env.slicesOf(ctx, s.Driver)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	return slices.DeleteFunc(all, func(slice resourceapi.ResourceSlice) bool { return slice.Spec.Pool.Name != pool })
}
