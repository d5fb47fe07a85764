// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search_test

import (
	"maps"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/allocator/internal/search"
)

// rule is a small input that one rule decides, and the devices of the first solution, if there is one.
type rule struct {
	input func(w *world)
	want  []string
}

func gpu(i string) structured.DeviceID { return structured.MakeDeviceID("gpu", "pool", "dev-"+i) }

// allocated marks devices as allocated for one claim alone.
func (w *world) allocated(ids ...string) {
	w.state.AllocatedDevices = sets.New[structured.DeviceID]()
	for _, i := range ids {
		w.state.AllocatedDevices.Insert(gpu(i))
	}
}

// firstShared marks a share of one slot of the first device as allocated.
func (w *world) firstShared() {
	w.state.AllocatedSharedDeviceIDs = sets.New(structured.MakeSharedDeviceID(gpu("0"), ptr.To(types.UID("share"))))
	w.state.AggregatedCapacity = structured.NewConsumedCapacityCollection()
	w.state.AggregatedCapacity.Insert(structured.NewDeviceConsumedCapacity(gpu("0"), capacityOf("1")))
}

// without disables features.
func (w *world) without(change func(*structured.Features)) {
	features := allFeatures
	change(&features)
	w.features = &features
}

func tainted(taints ...string) func(int, *resourceapi.Device) {
	return func(i int, d *resourceapi.Device) {
		if taints[i] != "" {
			d.Taints = []resourceapi.DeviceTaint{{Key: "other", Effect: resourceapi.DeviceTaintEffectNone}, {Key: taints[i], Effect: resourceapi.DeviceTaintEffectNoSchedule}}
		}
	}
}

func tolerating(key string) func(*resourceapi.ExactDeviceRequest) {
	return func(r *resourceapi.ExactDeviceRequest) {
		r.Tolerations = []resourceapi.DeviceToleration{{Key: key, Operator: resourceapi.DeviceTolerationOpExists}}
	}
}

func asAdmin(r *resourceapi.ExactDeviceRequest) { r.AdminAccess = ptr.To(true) }

func slots(n string) func(*resourceapi.ExactDeviceRequest) {
	return func(r *resourceapi.ExactDeviceRequest) {
		r.Capacity = &resourceapi.CapacityRequirements{Requests: capacityOf(n)}
	}
}

func kind(values ...string) func(int, *resourceapi.Device) { return attribute("kind", of(values...)) }

func ofKind(value string) func(*resourceapi.ExactDeviceRequest) {
	return selecting(`device.attributes["gpu"].kind == "` + value + `"`)
}

var useRules = map[string]rule{
	"a taint": {func(w *world) {
		w.pool("gpu", nil, devices(2, tainted("broken", ""))...)
		w.claim(exactly("gpu", 1))
	}, []string{"dev-1"}},
	"a taint that is tolerated": {func(w *world) {
		w.pool("gpu", nil, devices(2, tainted("broken", ""))...)
		w.claim(exactly("gpu", 1, tolerating("broken")))
	}, []string{"dev-0"}},
	"a taint, and a toleration of another": {func(w *world) {
		w.pool("gpu", nil, devices(2, tainted("broken", "worn"))...)
		w.claim(exactly("gpu", 1, tolerating("worn")))
	}, []string{"dev-1"}},
	"taints without the feature": {func(w *world) {
		w.without(func(f *structured.Features) { f.DeviceTaints = false })
		w.pool("gpu", nil, devices(2, tainted("broken", ""))...)
		w.claim(exactly("gpu", 1))
	}, []string{"dev-0"}},
	"all devices, one of which is tainted": {func(w *world) {
		w.pool("gpu", nil, devices(2, tainted("", "broken"))...)
		w.claim(all("gpu"))
	}, nil},
	"binding conditions without the feature": {func(w *world) {
		w.without(func(f *structured.Features) { f.DeviceBindingAndStatus = false })
		list := devices(2)
		list[0].BindingConditions = []string{"Attached"}
		w.pool("gpu", nil, list...)
		w.claim(exactly("gpu", 1))
	}, []string{"dev-1"}},
	"partitions without the feature": {func(w *world) {
		w.without(func(f *structured.Features) { f.PartitionableDevices = false })
		memory := map[string]string{"memory": "1Gi"}
		w.pool("gpu", []resourceapi.CounterSet{counterSet("gpu", memory)}, append(devices(1, consumes(always("gpu"), memory)), named("whole")...)...)
		w.claim(exactly("gpu", 1))
	}, []string{"whole"}},
	"devices without operations on nodes": {func(w *world) {
		w.pool("gpu", nil, devices(1)...)
		w.slices[len(w.slices)-1].Spec.SkipNodeOperations = []resourceapi.SkipNodeOperation{resourceapi.SkipNodeOperationAll}
		w.claim(exactly("gpu", 1))
	}, nil},
	"a device in use": {func(w *world) {
		w.pool("gpu", nil, devices(2)...)
		w.allocated("0")
		w.claim(exactly("gpu", 1))
	}, []string{"dev-1"}},
	"all devices, one of which is in use": {func(w *world) {
		w.pool("gpu", nil, devices(2)...)
		w.allocated("1")
		w.claim(all("gpu"))
	}, nil},
	"admin access to a device in use": {func(w *world) {
		w.pool("gpu", nil, devices(2)...)
		w.allocated("0")
		w.claim(exactly("gpu", 1, asAdmin))
	}, []string{"dev-0"}},
	"admin access twice in each of two claims": {func(w *world) {
		w.pool("gpu", nil, devices(3)...)
		w.claim(exactly("gpu", 1, asAdmin), exactly("gpu", 1, asAdmin))
		w.claim(exactly("gpu", 1, asAdmin), exactly("gpu", 1, asAdmin))
	}, []string{"dev-0", "dev-1", "dev-0", "dev-1"}},
	"all devices of a kind": {func(w *world) {
		w.pool("gpu", nil, devices(4, kind("a", "b", "a", "b"))...)
		r := all("gpu")
		ofKind("b")(r.Exactly)
		w.claim(r)
	}, []string{"dev-1", "dev-3"}},
	"all devices of a kind that no device has": {func(w *world) {
		w.pool("gpu", nil, devices(2, kind("a", "a"))...)
		r := all("gpu")
		ofKind("b")(r.Exactly)
		w.claim(r)
	}, nil},
	"the first alternative": {func(w *world) {
		w.pool("gpu", nil, devices(2, kind("a", "b"))...)
		w.claim(firstAvailable(exactly("gpu", 1, ofKind("b")), exactly("gpu", 1, ofKind("a"))))
	}, []string{"dev-1"}},
	"the second alternative": {func(w *world) {
		w.pool("gpu", nil, devices(2, kind("a", "b"))...)
		w.claim(firstAvailable(exactly("gpu", 2, ofKind("b")), exactly("gpu", 1, ofKind("a"))))
	}, []string{"dev-0"}},
	"a later request that needs the only device of the first alternative": {func(w *world) {
		w.pool("gpu", nil, devices(2, kind("a", "b"))...)
		w.claim(firstAvailable(exactly("gpu", 1, ofKind("b")), exactly("gpu", 1, ofKind("a"))), exactly("gpu", 1, ofKind("b")))
	}, []string{"dev-0", "dev-1"}},
	"an alternative of more devices than a claim can have": {func(w *world) {
		w.pool("gpu", nil, devices(34)...)
		w.claim(firstAvailable(exactly("gpu", 33), exactly("gpu", 1)))
	}, []string{"dev-0"}},
	"a share that is left, and one that is not": {func(w *world) {
		w.pool("gpu", nil, devices(2, shared("2"))...)
		w.firstShared()
		w.claim(exactly("gpu", 1, slots("1")), exactly("gpu", 1, slots("1")))
	}, []string{"dev-0", "dev-1"}},
	"shares of different sizes": {func(w *world) {
		w.pool("gpu", nil, devices(2, shared("5"))...)
		w.claim(exactly("gpu", 1, slots("3")), exactly("gpu", 1, slots("3")), exactly("gpu", 1, slots("2")), exactly("gpu", 1, slots("2")))
	}, []string{"dev-0", "dev-1", "dev-0", "dev-1"}},
	"more shares than there are": {func(w *world) {
		w.pool("gpu", nil, devices(1, shared("2"))...)
		w.claim(exactly("gpu", 1, slots("1")), exactly("gpu", 1, slots("1")), exactly("gpu", 1, slots("1")))
	}, nil},
	"a share of a device that is shared without the feature": {func(w *world) {
		w.without(func(f *structured.Features) { f.ConsumableCapacity = false })
		w.pool("gpu", nil, devices(2, shared("5"))...)
		w.claim(exactly("gpu", 1), exactly("gpu", 1))
	}, []string{"dev-0", "dev-1"}},
	"a device that was shared, and of which a share is still allocated": {func(w *world) {
		w.pool("gpu", nil, large("2", "2")...)
		w.firstShared()
		w.claim(exactly("gpu", 1, slots("2")))
	}, []string{"dev-1"}},
	"what is left of a device that was shared": {func(w *world) {
		w.pool("gpu", nil, large("2", "2")...)
		w.firstShared()
		w.claim(exactly("gpu", 1, slots("1")))
	}, []string{"dev-0"}},
	"a device that is not large enough": {func(w *world) {
		w.pool("gpu", nil, large("1", "2")...)
		w.claim(exactly("gpu", 1, slots("2")))
	}, []string{"dev-1"}},
}

// large returns devices with capacities that are not shared.
func large(sizes ...string) []resourceapi.Device {
	list := devices(len(sizes))
	for i, size := range sizes {
		list[i].Capacity = map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"slots": {Value: resource.MustParse(size)}}
	}
	return list
}

// named returns a device with a name.
func named(name string) []resourceapi.Device { return []resourceapi.Device{{Name: name}} }

// The result is the same with prunings from the start and without any. It does not depend on other devices that come
// first and fill two words.
func TestRules(t *testing.T) {
	rules := maps.Clone(useRules)
	maps.Copy(rules, counterRules)
	maps.Copy(rules, valueRules)
	maps.Copy(rules, requestRules)
	for name, test := range rules {
		for place, before := range map[string]int{"in the first word": 0, "in the third word": 65} {
			t.Run(name+", "+place, func(t *testing.T) {
				g := NewWithT(t)
				w := &world{}
				w.behind(before)
				test.input(w)
				for _, limits := range []search.Limits{{}, {Skip: search.AllPrunings}, {PruneAtOnce: true}} {
					limits.Steps = 10_000
					p := w.problem(t)
					for range 2 { // The second search finds stored results of selectors.
						found, _, err := run(p, limits)
						g.Expect(err).NotTo(HaveOccurred())
						g.Expect(found).To(Equal(test.want), "%+v", limits)
					}
				}
			})
		}
	}
}
