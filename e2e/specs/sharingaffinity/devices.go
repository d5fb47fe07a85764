// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package sharingaffinity

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// republish replaces the pool of the first simulated node, and waits until the
// scheduler has observed the new generation.
func republish(ctx context.Context, e *env.Env, sim *simulated.Nodes, inventory *simulated.Inventory) {
	const marker = "published-anew"
	inventory.Devices = append(inventory.Devices, fixture.Devices(marker).Devices...)
	pool := simulated.Pool{Node: sim.Names[0], Generation: 2}
	sim.CreatePool(ctx, pool, inventory)
	sim.DeleteSlices(ctx, pool.Node, 1)
	// The scheduler uses a pool only after it has observed all of its slices.
	pods.CreateWithRequests(ctx, e, marker, fixture.RequestFor(sim, marker))
	pods.WaitForScheduled(ctx, e, marker)
}

// expectDevice asserts that a pod is scheduled with exactly the device of this
// name.
func expectDevice(ctx context.Context, e *env.Env, device, pod, because string) {
	got := pods.WaitForScheduled(ctx, e, pod)
	gomega.Expect(got).To(gomega.HaveLen(1), "pod %s asks for one device", pod)
	gomega.Expect(got[0].Device).To(gomega.Equal(device), "pod %s should have device %s, because %s", pod, device, because)
}
