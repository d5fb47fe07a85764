// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// sharedClaimUnpreparedByLastPod creates two pods of one node that share a
// claim, and a third one that uses it and completes. It deletes the two one after the
// other. It compares the driver's prepared claims after each.
var sharedClaimUnpreparedByLastPod = suite.Spec{
	ID:           "shared-claim-unprepared-by-last-pod",
	Description:  "Two pods of a node share a claim. The claim stays prepared when a third pod has completed and when the first pod ends, and is unprepared when the second one ends.",
	Profile:      profile,
	Features:     exclusiveFeatures,
	Component:    env.Kubelet,
	Kinds:        exclusiveKinds,
	MinNodes:     1,
	OneNode:      true,
	Needs:        []env.Need{env.NeedsDriverCalls},
	Requirements: []string{"4381-prepared-until-last-pod"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		first := device.start(ctx, e, "shared")
		pods.CreateUsingClaims(ctx, e, "second", pods.Options{Node: device.node}, "shared")
		pods.WaitForRunning(ctx, e, first)
		pods.WaitForRunning(ctx, e, "second")
		pods.CreateUsingClaims(ctx, e, "third", pods.Options{Node: device.node, Change: func(pod *corev1.PodSpec) {
			pod.RestartPolicy = corev1.RestartPolicyNever
			pod.Containers[0] = pods.CompletingContainer(pods.MainContainer, pod.Containers[0])
		}}, "shared")
		pods.WaitForCompleted(ctx, e, "third")
		container := pods.GetContainer(ctx, e, "second")

		pods.Delete(ctx, e, first)
		pods.ExpectNotRestarted(ctx, e, container, "the end of the other pod")
		gomega.Expect(drivers.GetCalls(ctx, e, device.Driver, device.node, operations.Unprepare, "shared")).To(gomega.BeEmpty(), "pod second still uses claim shared")
		drivers.WaitForPrepared(ctx, e, device.Driver, device.node, "shared")

		pods.DeleteWithClaim(ctx, e, "shared", "second")
		drivers.WaitForUnprepared(ctx, e, device.Driver, device.node, "shared")
	},
}
