// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// failedPodIsUnprepared runs a pod whose container fails, and expects that its claim is
// unprepared and deallocated while the pod still exists.
var failedPodIsUnprepared = suite.Spec{
	ID:           "failed-pod-is-unprepared",
	Description:  "The devices of a pod that has failed are unprepared although the pod still exists, and the next pod can use the same claim.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Kubelet,
	Kinds:        exclusiveKinds,
	MinNodes:     1,
	OneNode:      true,
	Requirements: []string{"4381-unprepared-after-last-pod", "4381-reservations-end"},
	Body: func(ctx context.Context, e *env.Env) {
		failed := pods.CreateSharingClaim(ctx, e, "claim", e.Subject.Exclusive.Device, 1, pods.Options{Change: func(pod *corev1.PodSpec) {
			pod.RestartPolicy = corev1.RestartPolicyNever
			pod.Containers[0] = pods.FailingContainer(pods.MainContainer, pod.Containers[0])
		}})[0]
		node := pods.WaitForFailed(ctx, e, failed)
		claims.WaitForDeallocated(ctx, e, "claim")
		drivers.WaitForUnprepared(ctx, e, e.Subject.Exclusive.Device.Driver, node, "claim")
		pods.CreateUsingClaims(ctx, e, "next", pods.Options{Node: node}, "claim")
		pods.WaitForRunning(ctx, e, "next")
	},
}
