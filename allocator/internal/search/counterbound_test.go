// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/draconform/draconform/allocator/internal/bits"
	"github.com/draconform/draconform/allocator/internal/number"
)

func amount(n int64) number.N { return number.From(*resource.NewQuantity(n, resource.DecimalSI)) }

// turned returns a set of devices, of which each second one is in the second word.
func turned(set uint64) []uint64 { return []uint64{set & 0b101, set & 0b010} }

// kindOf returns the sum of one counter with the consumption of some devices.
func kindOf(consumption []int64) *kind {
	var m counterArenas
	k := &kind{counters: []int{0}, takes: m.words.take(2)}
	for i, n := range consumption {
		if n != 0 {
			m.add(k, amount(n), i%2, 1<<i)
		}
	}
	return k
}

// leaving returns a pruner with an amount that is left of one counter.
func leaving(left int64) *pruner {
	return &pruner{s: &searcher{pools: []poolState{{loaded: true, left: []number.N{amount(left)}}}}}
}

// subsets calls f with all subsets of a set of three devices, and the sum of their consumption.
func subsets(set uint64, consumption []int64, f func(n int, sum int64)) {
	for subset := range uint64(8) {
		if subset&^set != 0 {
			continue
		}
		var sum int64
		for i, n := range consumption {
			if subset&(1<<i) != 0 {
				sum += n
			}
		}
		f(bits.Ones(subset), sum)
	}
}

// The bounds of a sum are those of an exhaustive search. Devices may consume nothing or negative amounts.
func TestBoundsOfASumAreExact(t *testing.T) {
	values := []int64{-2, -1, 0, 1, 3}
	for i := range len(values) * len(values) * len(values) {
		consumption := []int64{values[i%5], values[i/5%5], values[i/25]}
		k := kindOf(consumption)
		for free := range uint64(8) {
			for left := int64(-3); left < 6; left++ {
				most := 0
				subsets(free, consumption, func(n int, sum int64) {
					if sum <= left {
						most = max(most, n)
					}
				})
				for enough := range 5 {
					if n := k.fit(leaving(left), 0, turned(free), turned(7), enough); n != min(most, enough) {
						t.Fatalf("of devices %b that consume %d, %d fit in %d, not %d; %d are enough", free, consumption, most, left, n, enough)
					}
				}
			}
			var sums [4][]int64 // Per number of devices.
			subsets(free, consumption, func(n int, sum int64) { sums[n] = append(sums[n], sum) })
			for need := range bits.Ones(free) + 1 {
				want := slices.Min(sums[need])
				if least := k.least(turned(free), turned(7), need); least.Cmp(amount(want)) != 0 {
					q := least.Quantity()
					t.Fatalf("%d of devices %b that consume %d need %d, not %s", need, free, consumption, want, q.String())
				}
			}
		}
	}
}
