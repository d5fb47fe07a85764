// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search_test

import (
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/allocator/internal/search"
)

// enough is much more than the number of steps of any input with prunings, and much less than without.
const enough = 20_000

// On these inputs the search of upstream runs out of time, although there is obviously no fit.
func TestInfeasibleInputsNeedFewSteps(t *testing.T) {
	gpus := func(n int) *world {
		w := &world{}
		w.pool("gpu", nil, devices(n)...)
		return w
	}
	slots := func(gpus, slots int) *world {
		w := &world{}
		var sets []resourceapi.CounterSet
		for i := range gpus {
			sets = append(sets, counterSet(fmt.Sprintf("gpu-%d", i), map[string]string{"memory": fmt.Sprintf("%dGi", 5*slots)}))
		}
		w.pool("gpu", sets, devices(gpus*(slots+2), consumes(func(i int) string { return fmt.Sprintf("gpu-%d", i/(slots+2)) },
			map[string]string{"memory": "5Gi"}))...)
		return w
	}
	for name, input := range map[string]func() *world{
		"S1: 32 of 31 devices": func() *world {
			w := gpus(31)
			w.claim(exactly("gpu", 32))
			return w
		},
		"S2: 31 devices for 32 requests": func() *world {
			w := gpus(31)
			w.claim(repeat(32, func() resourceapi.DeviceRequest { return exactly("gpu", 1) })...)
			return w
		},
		"S3: 16 NICs for 8 requests, and a GPU where there is none": func() *world {
			w := &world{}
			w.pool("nic", nil, devices(16)...)
			w.claim(append(repeat(8, func() resourceapi.DeviceRequest { return exactly("nic", 1) }), exactly("gpu", 1))...)
			return w
		},
		"S4: 16 of 32 GPUs, and a claim that cannot be satisfied": func() *world {
			w := gpus(32)
			w.claim(exactly("gpu", 16))
			w.claim(exactly("nic", 1))
			return w
		},
		"S5: 17 devices with the same of four roots of 16": func() *world {
			w := &world{}
			w.pool("gpu", nil, devices(64, attribute("root", func(i int) string { return fmt.Sprint(i / 16) }))...)
			w.claim(exactly("gpu", 17)).Spec.Devices.Constraints = []resourceapi.DeviceConstraint{match("gpu/root")}
			return w
		},
		"S5 with a derived attribute": func() *world {
			w := &world{}
			w.pool("gpu", nil, devices(64, attribute("derived", func(i int) string { return fmt.Sprint(i / 16) }))...)
			constrained(w.claim(exactly("gpu", 17, deriving)), match("gpu/root"))
			return w
		},
		"S5 after all devices of another kind, which satisfy a constraint": func() *world {
			w := &world{}
			w.pool("gpu", nil, devices(64, attribute("root", func(i int) string { return fmt.Sprint(i / 16) }))...)
			w.pool("nic", nil, roots("a", "a")...)
			constrained(w.claim(all("nic")), match("nic/root"))
			constrained(w.claim(exactly("gpu", 17)), match("gpu/root"))
			return w
		},
		"S6: 9 devices with different ones of 8 values": func() *world {
			w := &world{}
			w.pool("gpu", nil, devices(64, attribute("root", func(i int) string { return fmt.Sprint(i % 8) }))...)
			w.claim(exactly("gpu", 9)).Spec.Devices.Constraints = []resourceapi.DeviceConstraint{distinct("gpu/root")}
			return w
		},
		"S7: 10 of 32 partitions of 10Gi in 95Gi": func() *world {
			w := &world{}
			w.pool("gpu", []resourceapi.CounterSet{counterSet("gpu", map[string]string{"memory": "95Gi"})},
				devices(32, consumes(always("gpu"), map[string]string{"memory": "10Gi"}))...)
			w.claim(exactly("gpu", 10))
			return w
		},
		"S8: 29 slots on 4 GPUs with 7": func() *world {
			w := slots(4, 7)
			w.claim(exactly("gpu", 29))
			return w
		},
		"S9: 8 requests with 8 alternatives each, and one that cannot be satisfied": func() *world {
			w := &world{}
			w.pool("gpu", nil, devices(64, attribute("kind", func(i int) string { return fmt.Sprint(i / 8) }))...)
			alternatives := func() resourceapi.DeviceRequest {
				var list []resourceapi.DeviceRequest
				for i := range 8 {
					list = append(list, exactly("gpu", 1, selecting(fmt.Sprintf(`device.attributes["gpu"].kind == "%d"`, i))))
				}
				return firstAvailable(list...)
			}
			w.claim(append(repeat(8, alternatives), exactly("nic", 1))...)
			return w
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			found, stats, err := input().run(t, search.Limits{Steps: enough})
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(found).To(BeNil())
			g.Expect(stats.Steps).To(BeNumerically("<", 1000))
			t.Logf("%d steps", stats.Steps)
		})
	}
}
