// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite/components"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// survivesKubeletRestart kills the kubelet of a node while a pod uses a
// device, and expects that the same containers run. If the device is of one
// node, a further pod of the node uses the claim and must get the same CDI
// devices. Then the pods are replaced on the same node.
var survivesKubeletRestart = forEachKind(
	[]string{"exclusive-survives-kubelet-restart", "multi-host-survives-kubelet-restart", "shared-survives-kubelet-restart"},
	"keeps running when the kubelet is killed. The new kubelet finds the same devices prepared for it, and unprepares and prepares devices as before.",
	ofAllKinds("4381-containers-outlive-kubelet", "4381-allocation-outlives-restarts").and(proofs{
		// The further pod makes the new kubelet prepare the claim again, also if it
		// has forgotten it. Without such a pod, only memory tells it of the claim.
		subject.KindMultiHost: {"4381-kubelet-remembers-prepared-claims"},
		// A restart of one kubelet does not remove ResourceSlices that are not
		// local to one node.
		subject.KindExclusive: {"4381-slices-published-again", "4381-prepare-is-idempotent"},
		subject.KindShared:    {"4381-slices-published-again", "4381-prepare-is-idempotent"},
	}),
	[]env.Need{env.NeedsNodes},
	func(ctx context.Context, e *env.Env, k kind) {
		before := k.start(ctx, e, "before", pods.Options{})
		components.RestartKubelet(ctx, e, before.node())
		before.expectNotRestarted(ctx, e, "the kubelet's restart")
		before.addPod(ctx, e)
		// Only after another pod was started is it certain that the restarted
		// kubelet has handled the running pods.
		before.expectNotRestarted(ctx, e, "the start of the next kubelet")
		before.replace(ctx, e)
	})
