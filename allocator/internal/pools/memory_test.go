// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pools_test

import (
	"runtime"
	"testing"
	"weak"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/allocator/internal/pools"
)

// An index must not keep the inventories of earlier updates alive.
func TestOldInventoriesAreReleased(t *testing.T) {
	g := NewWithT(t)
	list := twoPools()
	inventory := pools.NewInventory(partitionable, list, nil)
	var past []weak.Pointer[pools.Inventory]
	for i := range 10 {
		byName(g, inventory)
		past = append(past, weak.Make(inventory))
		list = append(published{}, list...)
		list[i%2] = list[i%2].DeepCopy() // The two pools change alternately.
		inventory = pools.NewInventory(partitionable, list, inventory)
	}
	byName(g, inventory)
	runtime.GC()
	alive := 0
	for _, p := range past {
		if p.Value() != nil {
			alive++
		}
	}
	g.Expect(alive).To(BeZero(), "unused inventories, of %d", len(past))
	runtime.KeepAlive(inventory)
}
