// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"
	"strings"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// checkpointIsSurvived damages what the driver has stored about the claim of a
// running pod, which has two devices, and kills the process of the driver. The container
// must keep running, the new process must know the claim, another pod must run with both
// devices, and so must pods that replace the pod on the same node: the driver unprepares
// the old claim and prepares the new one.
var checkpointIsSurvived = forEachDamage(
	[]string{"truncated-checkpoint-is-survived", "zeroed-checkpoint-is-survived", "lost-checkpoint-is-survived", "older-checkpoint-is-survived"},
	func(ctx context.Context, e *env.Env, damage operations.CheckpointDamage) {
		exclusive := kindOfID(string(subject.KindExclusive) + "-")
		before := exclusive.startWithTwoDevices(ctx, e, "before")
		drivers.DamageCheckpoint(ctx, e, before.device.Driver, before.node(), damage)
		drivers.Restart(ctx, e, before.device.Driver, before.node())
		before.expectNotRestarted(ctx, e, "the damage of the driver's checkpoint")
		drivers.WaitForPrepared(ctx, e, before.device.Driver, before.node(), before.claim)
		before.join(ctx, e)
		before.replace(ctx, e)
	})

// damages are the kinds of damage by which the IDs of specs begin, and how their
// descriptions name the checkpoint.
var damages = []struct {
	kind operations.CheckpointDamage
	name string
}{
	{operations.Truncated, "is truncated"},
	{operations.Zeroed, "ends with zeros"},
	{operations.Lost, "is lost"},
	{operations.Older, "was written by the previous version of the driver"},
}

// forEachDamage returns a spec for each of the IDs, which begin with a kind of
// damage.
func forEachDamage(ids []string, body func(ctx context.Context, e *env.Env, damage operations.CheckpointDamage)) []suite.Spec {
	var specs []suite.Spec
	for i, id := range ids {
		damage := damages[i]
		if !strings.HasPrefix(id, strings.ToLower(string(damage.kind))+"-") {
			panic("no kind of damage for the spec " + id)
		}
		specs = append(specs, suite.Spec{
			ID:           id,
			Description:  "A driver whose checkpoint " + damage.name + " knows at its next start which claims are in use: their pods keep running, and it unprepares and prepares devices as before.",
			Profile:      profile,
			Level:        suite.Provisional,
			Features:     exclusiveFeatures,
			Component:    env.Driver,
			Kinds:        exclusiveKinds,
			Devices:      2,
			MinNodes:     1,
			OneNode:      true,
			Needs:        []env.Need{env.NeedsDriverDisks, env.NeedsDriverRestart},
			Requirements: []string{"4381-checkpoint-is-survived"},
			Body:         func(ctx context.Context, e *env.Env) { body(ctx, e, damage.kind) },
		})
	}
	return specs
}
