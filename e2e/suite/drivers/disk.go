// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package drivers

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"

	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// FillDisk fills disks that a driver on a node writes to. They have room again
// after [EmptyDisk], or at the end of the spec.
func FillDisk(ctx context.Context, e *env.Env, driver, node string, disk operations.Disk) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("filling disks of driver %s on node %s: %+v", driver, node, disk))
	// If all answers are lost, the disks are full nevertheless.
	ginkgo.DeferCleanup(func(ctx ginkgo.SpecContext) { //nolint:contextcheck // The spec's context has ended by then.
		setDisk(ctx, e, driver, node, operations.Disk{})
	}, ginkgo.NodeTimeout(e.Timeouts.Deletion))
	setDisk(ctx, e, driver, node, disk)
}

// EmptyDisk makes room on all disks of a driver on a node.
func EmptyDisk(ctx context.Context, e *env.Env, driver, node string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("making room on the disks of driver %s on node %s", driver, node))
	setDisk(ctx, e, driver, node, operations.Disk{})
}

func setDisk(ctx context.Context, e *env.Env, driver, node string, disk operations.Disk) {
	ginkgo.GinkgoHelper()
	sendChange(ctx, e, driver, node, func(ctx context.Context, pod operations.Driver) error { return pod.SetDisk(ctx, driver, disk) })
}

// DamageCheckpoint damages what a driver on a node has stored about its prepared
// claims. The driver finds the damage when it is restarted.
func DamageCheckpoint(ctx context.Context, e *env.Env, driver, node string, damage operations.CheckpointDamage) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("damaging the checkpoint of driver %s on node %s: %s", driver, node, damage))
	sendChange(ctx, e, driver, node, func(ctx context.Context, pod operations.Driver) error {
		return pod.Damage(ctx, driver, operations.Damage{Checkpoint: damage})
	})
}
