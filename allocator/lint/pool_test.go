// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package lint

import (
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"
)

func poolCases() []ruleCase {
	memory := func(text string) map[string]resourceapi.Counter {
		return map[string]resourceapi.Counter{"memory": {Value: resource.MustParse(text)}}
	}
	// moreGPUs adds a slice to the pool. It contains the device gpu-1, which the
	// pool has already.
	moreGPUs := func(w *world, node string) {
		slice := w.gpus().DeepCopy()
		slice.Name, slice.Spec.NodeName = "n1-more", &node
		slice.Spec.Devices = slice.Spec.Devices[2:]
		w.Add(slice)
		for _, s := range append(w.Slices[:2:2], slice) {
			s.Spec.Pool.ResourceSliceCount = 3
		}
	}
	incomplete := func(change func(*world)) func(*world) {
		return func(w *world) {
			w.counters().Spec.Pool.ResourceSliceCount, w.gpus().Spec.Pool.ResourceSliceCount = 3, 3
			change(w)
		}
	}
	unknownSet := func(w *world) { w.gpu().ConsumesCounters[0].CounterSet = "gpu-7" }
	unusedSet := func(w *world) { w.gpus().Spec.Devices = w.gpus().Spec.Devices[:2] }
	gpu1Memory := func(text string) func(*world) {
		return func(w *world) { w.gpus().Spec.Devices[2].ConsumesCounters[0].Counters = memory(text) }
	}
	const gpu1 = "ResourceSlice n1-devices: spec.devices[2].consumesCounters[0]"
	const set0, set1 = "ResourceSlice n1-counters: spec.sharedCounters[0]", "ResourceSlice n1-counters: spec.sharedCounters[1]"
	return []ruleCase{
		{"pool-duplicate-device", "on the same node", func(w *world) { moreGPUs(w, "n1") },
			[]string{`ResourceSlice n1-more: spec.devices[0].name: device "gpu-1" is also in ResourceSlice n1-devices: the pool is invalid`}},
		{"pool-duplicate-device", "on another node", func(w *world) { moreGPUs(w, "n2") }, nil},
		{"pool-ambiguous-device", "on the same node", func(w *world) { moreGPUs(w, "n1") }, nil},
		{"pool-ambiguous-device", "on another node", func(w *world) { moreGPUs(w, "n2") },
			[]string{`ResourceSlice n1-more: spec.devices[0].name: device "gpu-1" is also in ResourceSlice n1-devices: allocating one takes both, and claims cannot tell them apart`}},
		{"pool-duplicate-counter-set", "in another slice", func(w *world) {
			slice := w.counters().DeepCopy()
			slice.Name, slice.Spec.SharedCounters = "n1-other-counters", slice.Spec.SharedCounters[1:]
			w.Add(slice)
		}, []string{`ResourceSlice n1-other-counters: spec.sharedCounters[0].name: counter set "gpu-1" is also in ResourceSlice n1-counters: the pool is invalid`}},
		{"pool-unknown-counter-set", "complete pool", unknownSet,
			[]string{gpu0 + `.consumesCounters[0].counterSet: counter set "gpu-7" is not in pool n1`}},
		{"pool-unknown-counter-set", "maybe in the missing slice", incomplete(unknownSet), nil},
		{"pool-unknown-counter", "complete pool", func(w *world) { w.gpu().ConsumesCounters[0].Counters["cores"] = resourceapi.Counter{} },
			[]string{gpu0 + `.consumesCounters[0].counters[cores]: counter "cores" is not in counter set "gpu-0" of pool n1`}},
		{"pool-incomplete", "slice missing", incomplete(func(*world) {}),
			[]string{"ResourceSlice n1-counters: spec.pool.resourceSliceCount: is 3, but pool n1 has 2 slices of generation 1 here"}},
		{"pool-incomplete", "slices disagree", func(w *world) { w.gpus().Spec.Pool.ResourceSliceCount = 3 },
			[]string{"ResourceSlice n1-devices: spec.pool.resourceSliceCount: is 3, and 2 in ResourceSlice n1-counters of the same generation"}},
		{"pool-generations", "older slice", func(w *world) {
			slice := w.nics().DeepCopy()
			slice.Name, slice.Spec.Pool.Generation = "n1-nics-old", 0
			w.Add(slice)
		}, []string{"ResourceSlice n1-nics-old: spec.pool.generation: is 0, older than generation 1 of pool n1: the slice is obsolete"}},
		{"counter-negative", "consumption", func(w *world) { w.gpu().ConsumesCounters[0].Counters = memory("-1Gi") },
			[]string{gpu0 + ".consumesCounters[0].counters[memory]: is -1Gi, below 0"}},
		{"counter-unreachable", "more than there is", gpu1Memory("41Gi"),
			[]string{gpu1 + ".counters[memory]: device gpu-1 consumes 41Gi of counter memory, of which counter set gpu-1 has 40Gi: it can never be allocated"}},
		{"counter-set-unused", "complete pool", unusedSet, []string{set1 + ": no device of pool n1 consumes from counter set gpu-1"}},
		{"counter-set-unused", "maybe by the missing slice", incomplete(unusedSet), nil},
		{"counter-remainder", "less than there is", gpu1Memory("30Gi"),
			[]string{set1 + ".counters[memory]: all devices together consume 30Gi of 40Gi: 10Gi are always left"}},
		{"counter-remainder", "multiples that do not divide it", func(w *world) {
			w.gpu().ConsumesCounters[0].Counters = memory("15Gi")
			w.gpus().Spec.Devices[1].ConsumesCounters[0].Counters = memory("30Gi")
		}, []string{set0 + ".counters[memory]: devices consume multiples of 15Gi, which does not divide 40Gi: at least 10Gi are always left"}},
		{"counter-remainder", "a device that is out of reach does not count", func(w *world) {
			w.gpus().Spec.Devices[1].ConsumesCounters[0].Counters = memory("50Gi")
		}, []string{set0 + ".counters[memory]: all devices together consume 10Gi of 40Gi: 30Gi are always left"}},
		{"device-order", "large before small", func(w *world) {
			d := w.gpus().Spec.Devices
			d[0], d[1] = d[1], d[0]
		}, []string{gpu0 + ".consumesCounters[0]: device gpu-0 consumes more of counter set gpu-0 than device gpu-0-part, which comes after it: a request that both match gets gpu-0 first"}},
		{"device-order", "neither is larger", func(w *world) {
			w.gpu().ConsumesCounters[0].Counters["cores"] = resourceapi.Counter{Value: resource.MustParse("1")}
			w.gpus().Spec.Devices[0], w.gpus().Spec.Devices[1] = w.gpus().Spec.Devices[1], w.gpus().Spec.Devices[0]
		}, nil},
		{"capacity-no-default", "no policy", func(w *world) { w.capacity(func(c *resourceapi.DeviceCapacity) { c.RequestPolicy = nil }) },
			[]string{"ResourceSlice n1-nics: spec.devices[0].capacity[example.com/bandwidth]: has no requestPolicy with a default: a claim that does not request an amount consumes all 10G"}},
		{"capacity-no-default", "dedicated device", func(w *world) {
			w.nic().AllowMultipleAllocations = ptr.To(false)
			w.capacity(func(c *resourceapi.DeviceCapacity) { c.RequestPolicy = nil })
		}, nil},
	}
}
