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

// Pool says where devices are that are published together. Without a node or a
// selector they are on all nodes; devices that say themselves where they are
// override both.
type Pool struct {
	// Name of the pool. Default: that of the node.
	Name string
	// Node is the name of the devices' node.
	Node string
	// Selector is what the devices' nodes have in common.
	Selector *corev1.NodeSelector
	// Generation of the pool. Zero means 1.
	Generation int64
}

// Publish publishes the devices and counters of a pool, in the form that the API
// server takes, and what claims that share the devices must agree on (KEP-5981) in
// the slices' annotation.
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

// put says where a slice's devices are.
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

// form is what shows in which form an API server takes counters.
var form = &describe.Inventory{
	CounterSets: []resourceapi.CounterSet{{Name: "set", Counters: map[string]resourceapi.Counter{"counter": {Value: resource.MustParse("1")}}}},
	Devices: []resourceapi.Device{{Name: "device", ConsumesCounters: []resourceapi.DeviceCounterConsumption{{
		CounterSet: "set", Counters: map[string]resourceapi.Counter{"counter": {Value: resource.MustParse("1")}},
	}}}},
}

// PublishSlices publishes slices as they are, with the stage's driver. A pool has
// generation 1 if none is set, and as many slices as are given for it.
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
		// Schedulers look at slices in the order of their names.
		name := fmt.Sprintf("%s-%03d", s.env.Namespace, s.slices)
		s.slices++
		slice := &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: s.env.labels}, Spec: spec}
		_, err := affinity.Annotate(slice, declared)
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		_, err = s.env.Client.ResourceV1().ResourceSlices().Create(ctx, slice, metav1.CreateOptions{})
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
	}
}

// Withdraw deletes the slices of a pool, only those of one generation if it is
// not zero.
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
		delete(s.env.kept.seen.others, sliceNamed(slice.Name))
	}
	return errors.Join(errs...)
}

// Slices are those of a pool that are published.
func (s *Stage) Slices(ctx context.Context, pool string) []resourceapi.ResourceSlice {
	ginkgo.GinkgoHelper()
	all, err := s.env.slicesOf(ctx, s.Driver)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	return slices.DeleteFunc(all, func(slice resourceapi.ResourceSlice) bool { return slice.Spec.Pool.Name != pool })
}
