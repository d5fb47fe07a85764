// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package journeys

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/journey"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
	"github.com/draconform/draconform/e2e/suite/taintrules"
)

// worn is the name of a pool, and of the DeviceTaintRule that taints its devices.
const worn = "worn"

// podsToRestart is the number of pods with devices in journeys whose steps each restart the
// container of one of them. Kubelets restart a container at once, and wait before they
// restart it again: 10 s, 20 s, and so on.
const podsToRestart = 6

// keptPods are pods on a simulated node whose claims come from all sources, and a
// DeviceTaintRule. Changes of the cluster must keep all of it.
type keptPods struct {
	*gpuNodes

	// hasRule is set if the cluster serves DeviceTaintRules.
	hasRule bool
}

// createKeptPods creates the pods and checks them after each step. Later pods of the spec
// are placed on the simulated node, except in journey.Run.OnNodes.
func createKeptPods(ctx context.Context, r *journey.Run) *keptPods {
	ginkgo.GinkgoHelper()
	served, err := taintrules.IsServed(r.Client)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	k := &keptPods{gpuNodes: createPlainNodes(ctx, r, 1), hasRule: served}
	if k.hasRule {
		// The scheduler knows the rule long before it knows the devices.
		k.CreateTaintRule(ctx, worn, resourceapi.DeviceTaintSelector{Driver: &k.Driver, Pool: ptr.To(worn)},
			resourceapi.DeviceTaint{Key: worn, Effect: resourceapi.DeviceTaintEffectNoExecute})
	}
	createCheckedPod(ctx, r, "plain", k.plain())
	claims.CreateTemplate(ctx, r.Env, "plain", devices.NewDeviceClaim(k.plain()))
	pods.CreateFromClaimTemplate(ctx, r.Env, "generated", "plain", "")
	k.CreateExtendedResource(ctx, "disks", "disks", "true")
	pods.CreateWithResources(ctx, r.Env, "extended", pods.ResourceUser{
		Container: pods.MainContainer, Amounts: map[corev1.ResourceName]int64{simulated.ExtendedResource(r.Env, "disks"): 1},
	})
	pods.WaitForScheduled(ctx, r.Env, "generated", "extended")
	r.CheckAfterEachStep(ctx, "generated", "extended")
	if k.hasRule {
		k.createTaintedPods(ctx, r)
	}
	return k
}

// createTaintedPods creates a pod that tolerates the rule for longer than the journey
// takes, and one that waits because it does not tolerate the rule.
func (k *keptPods) createTaintedPods(ctx context.Context, r *journey.Run) {
	ginkgo.GinkgoHelper()
	k.CreatePool(ctx, simulated.Pool{Node: k.Names[0], Name: worn}, loadDevices(worn))
	requested := devices.NewDeviceClaim(k.deviceWith("tape", "1Gi"))
	requested.Requests[0].Exactly.Tolerations = []resourceapi.DeviceToleration{{
		Key: worn, Operator: resourceapi.DeviceTolerationOpExists, Effect: resourceapi.DeviceTaintEffectNoExecute, TolerationSeconds: ptr.To[int64](24 * 3600),
	}}
	pods.CreateWithClaim(ctx, r.Env, "tolerates", requested)
	pods.WaitForScheduled(ctx, r.Env, "tolerates")
	r.CheckAfterEachStep(ctx, "tolerates")
	pods.CreateWithRequests(ctx, r.Env, "waits", k.deviceWith("tape", "1Gi"))
	k.expectWaits(ctx, r)
}

// expectWaits asserts that the pod that does not tolerate the rule waits.
func (k *keptPods) expectWaits(ctx context.Context, r *journey.Run) {
	ginkgo.GinkgoHelper()
	if k.hasRule {
		pods.WaitForPending(ctx, r.Env, "a device taint rule taints the devices that it requests", "waits")
	}
}

// deleteRule deletes the rule, for which a pod waits.
func (k *keptPods) deleteRule(ctx context.Context, r *journey.Run) {
	ginkgo.GinkgoHelper()
	if k.hasRule {
		k.expectWaits(ctx, r)
		k.DeleteTaintRule(ctx, worn)
		pods.WaitForScheduled(ctx, r.Env, "waits")
	}
}
