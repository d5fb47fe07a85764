// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package audit_test

import (
	"fmt"
	"math/big"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"pgregory.net/rapid"

	"github.com/draconform/draconform/e2e/audit"
)

func TestCheckCounters(t *testing.T) {
	for name, test := range map[string]struct {
		slices []resourceapi.ResourceSlice
		claims []resourceapi.ResourceClaim
		want   []string
	}{
		"exactly full": {
			slices: []resourceapi.ResourceSlice{slice("n1", gpu, parts)},
			claims: []resourceapi.ResourceClaim{claim("x", result("n1", "a")), claim("y", result("n1", "b"))},
		},
		"one unit over": {
			slices: []resourceapi.ResourceSlice{slice("n1", gpu, parts)},
			claims: []resourceapi.ResourceClaim{claim("x", result("n1", "a")), claim("y", result("n1", "b"), result("n1", "tiny"))},
			want: []string{
				"counter memory of counter set gpu in pool gpu.example.com/n1 is overdrawn: 42949672961 of 40Gi are consumed " +
					"(20Gi by a of ns/x; 20Gi by b of ns/y; 1 by tiny of ns/y)",
			},
		},
		"several counters, in their order": {
			slices: []resourceapi.ResourceSlice{slice("n1", gpu, parts, makeDevices(device("engine", consumes("gpu", values{"engines": "1"}))))},
			claims: []resourceapi.ResourceClaim{claim("x", result("n1", "whole")), claim("y", result("n1", "a"), result("n1", "engine"))},
			want: []string{
				"counter engines of counter set gpu in pool gpu.example.com/n1 is overdrawn: 2 of 1 are consumed (1 by engine of ns/y; 1 by whole of ns/x)",
				"counter memory of counter set gpu in pool gpu.example.com/n1 is overdrawn: 60Gi of 40Gi are consumed (20Gi by a of ns/y; 40Gi by whole of ns/x)",
			},
		},
		"counters in another slice of the pool": {
			slices: []resourceapi.ResourceSlice{slice("n1", inPoolOf(2), parts), slice("n1", inPoolOf(2), gpu)},
			claims: []resourceapi.ResourceClaim{claim("x", result("n1", "a"), result("n1", "b"), result("n1", "tiny"))},
			want: []string{
				"counter memory of counter set gpu in pool gpu.example.com/n1 is overdrawn: 42949672961 of 40Gi are consumed " +
					"(20Gi by a of ns/x; 20Gi by b of ns/x; 1 by tiny of ns/x)",
			},
		},
		"two counter sets of one device": {
			slices: []resourceapi.ResourceSlice{slice("n1", set("left", values{"m": "1"}), set("right", values{"m": "1"}), makeDevices(
				device("both", consumes("left", values{"m": "1"}), consumes("right", values{"m": "1"})),
				device("right", consumes("right", values{"m": "1"})),
			))},
			claims: []resourceapi.ResourceClaim{claim("x", result("n1", "both")), claim("y", result("n1", "right"))},
			want:   []string{"counter m of counter set right in pool gpu.example.com/n1 is overdrawn: 2 of 1 are consumed (1 by both of ns/x; 1 by right of ns/y)"},
		},
		"equal counter sets of several pools": {
			slices: []resourceapi.ResourceSlice{slice("n1", gpu, parts), slice("n2", gpu, parts)},
			claims: []resourceapi.ResourceClaim{claim("x", result("n1", "whole")), claim("y", result("n2", "whole"))},
		},
		"zero of a counter": {
			slices: []resourceapi.ResourceSlice{slice("n1", set("gpu", values{"memory": "1"}), makeDevices(
				device("a", consumes("gpu", values{"memory": "1"})), device("b", consumes("gpu", values{"memory": "0", "nothing has it": "0"}))))},
			claims: []resourceapi.ResourceClaim{claim("x", result("n1", "a"), result("n1", "b"))},
		},
		"a counter of value zero": {
			slices: []resourceapi.ResourceSlice{slice("n1", set("gpu", values{"memory": "0"}), makeDevices(device("a", consumes("gpu", values{"memory": "1"}))))},
			claims: []resourceapi.ResourceClaim{claim("x", result("n1", "a"))},
			want:   []string{"counter memory of counter set gpu in pool gpu.example.com/n1 is overdrawn: 1 of 0 are consumed (1 by a of ns/x)"},
		},
		"a counter that no slice has": {
			slices: []resourceapi.ResourceSlice{slice("n1", parts), slice("n2", gpu)},
			claims: []resourceapi.ResourceClaim{claim("x", result("n1", "a"))},
			want:   []string{"counter memory of counter set gpu in pool gpu.example.com/n1 is consumed (20Gi by a of ns/x), but no slice has it"},
		},
		// If anything, the driver causes the delay, so the earlier allocation
		// is not reported.
		"a counter that is not published yet": {
			slices: []resourceapi.ResourceSlice{slice("n1", inPoolOf(2), parts)},
			claims: []resourceapi.ResourceClaim{claim("x", result("n1", "a"))},
		},
		"the counters of an old generation do not count": {
			slices: []resourceapi.ResourceSlice{
				slice("n1", generation(1), set("gpu", values{"memory": "80Gi"}), makeDevices(device("old", consumes("gpu", values{"memory": "80Gi"})))),
				slice("n1", generation(2), set("gpu", values{"memory": "20Gi"}), parts),
			},
			claims: []resourceapi.ResourceClaim{claim("x", result("n1", "old")), claim("y", result("n1", "a")), claim("z", result("n1", "b"))},
			want:   []string{"counter memory of counter set gpu in pool gpu.example.com/n1 is overdrawn: 40Gi of 20Gi are consumed (20Gi by a of ns/y; 20Gi by b of ns/z)"},
		},
		"a device twice consumes once": {
			slices: []resourceapi.ResourceSlice{slice("n1", gpu, parts)},
			claims: []resourceapi.ResourceClaim{claim("x", result("n1", "whole")), claim("y", result("n1", "whole"))},
			want:   []string{"device gpu.example.com/n1/whole is allocated 2 times: to ns/x and ns/y"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			NewWithT(t).Expect(audit.NewInventory(test.slices).Check(driver, test.claims)).To(Equal(test.want))
		})
	}
}

// The sum over devices equals the sum of plain numbers, whatever the units.
func TestCheckAddsUpLikeNumbers(t *testing.T) {
	units := map[string]int64{"": 1000, "m": 1, "k": 1e6, "Ki": 1024 * 1000, "Mi": 1 << 20 * 1000, "G": 1e12}
	rapid.Check(t, func(t *rapid.T) {
		amount := func(name string) (string, *big.Int) {
			unit := rapid.SampledFrom([]string{"", "m", "k", "Ki", "Mi", "G"}).Draw(t, name+" unit")
			n := rapid.Int64Range(0, 5000).Draw(t, name)
			return fmt.Sprintf("%d%s", n, unit), new(big.Int).Mul(big.NewInt(n), big.NewInt(units[unit]))
		}
		text, available := amount("available")
		var all []resourceapi.Device
		var results []resourceapi.DeviceRequestAllocationResult
		sum := new(big.Int)
		for i := range rapid.IntRange(0, 6).Draw(t, "devices") {
			name := fmt.Sprintf("d%d", i)
			taken, milli := amount(name)
			all = append(all, device(name, consumes("gpu", values{"memory": taken})))
			if rapid.Bool().Draw(t, name+" is allocated") {
				results = append(results, result("n1", name))
				sum.Add(sum, milli)
			}
		}
		inventory := audit.NewInventory([]resourceapi.ResourceSlice{slice("n1", set("gpu", values{"memory": text}), makeDevices(all...))})
		problems := inventory.Check(driver, []resourceapi.ResourceClaim{claim("x", results...)})
		if over := sum.Cmp(available) > 0; over != (len(problems) > 0) {
			t.Fatalf("%s m of %s m are consumed, but the audit says %q", sum, available, problems)
		}
	})
}

// Check does not modify the slices of the inventory, although reading a
// quantity can change it.
func TestCheckLeavesSlicesAlone(t *testing.T) {
	g := NewWithT(t)
	s := slice("n1", gpu, parts)
	before := s.DeepCopy()
	inventory := audit.NewInventory([]resourceapi.ResourceSlice{s})
	claims := []resourceapi.ResourceClaim{claim("x", result("n1", "a"), result("n1", "b"), result("n1", "tiny"))}
	first := inventory.Check(driver, claims)
	g.Expect(inventory.Check(driver, claims)).To(Equal(first), "the second check returns the same")
	g.Expect(s.Spec.Devices[0].ConsumesCounters[0].Counters["memory"].Value.Equal(resource.MustParse("20Gi"))).To(BeTrue())
	g.Expect(s.Spec).To(BeComparableTo(before.Spec))
}
