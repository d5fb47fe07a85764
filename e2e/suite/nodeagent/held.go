// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeagent

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// holderSuffix is the suffix of the name of a pod that keeps a claim allocated.
const holderSuffix = "-holder"

// CreateHeldClaim creates a claim that is allocated on the node of a plugin and
// that no kubelet prepares, so that the spec can act as the kubelet. The claim
// is unprepared at the end of the spec.
//
// A scheduler allocates the claim for a pod, which is deleted again. Meanwhile
// the claim is reserved for another pod that is never scheduled, so that it
// stays allocated.
func CreateHeldClaim(ctx context.Context, e *env.Env, p Plugin, name string, requests ...devices.Request) Claim {
	ginkgo.GinkgoHelper()
	pods.CreateWithClaimOnNode(ctx, e, name, p.Node, devices.NewDeviceClaim(requests))
	pods.WaitForScheduled(ctx, e, name)
	hold(ctx, e, name)
	pods.DeleteStarting(ctx, e, name)
	claim := GetClaim(ctx, e, name)
	UnprepareAtEnd(e, p, claim.PluginClaim) //nolint:contextcheck // The spec's context has ended by then.
	return claim
}

// hold reserves an allocated claim for a pod that is never scheduled.
func hold(ctx context.Context, e *env.Env, claim string) {
	ginkgo.GinkgoHelper()
	holder := claim + holderSuffix
	pods.CreateUsingClaims(ctx, e, holder, pods.Options{Change: func(pod *corev1.PodSpec) {
		pod.SchedulingGates = []corev1.PodSchedulingGate{{Name: "draconform.dev/never"}}
	}}, claim)
	gomega.Expect(claims.ReserveForPod(ctx, e, claim, holder)).To(gomega.Succeed(), "claim %s should be reserved for another pod", claim)
}

// DeallocateHeldClaim deallocates a claim of [CreateHeldClaim] that is not
// prepared. The claim stays.
func DeallocateHeldClaim(ctx context.Context, e *env.Env, claim Claim) {
	ginkgo.GinkgoHelper()
	pods.Delete(ctx, e, claim.Name+holderSuffix)
	gomega.Expect(claims.Deallocate(ctx, e, claim.Name)).To(gomega.Succeed(), "claim %s should be deallocated", claim.Name)
}

// AllocateHeldClaim has a claim allocated again that [DeallocateHeldClaim] has
// deallocated, and returns it with its devices.
func AllocateHeldClaim(ctx context.Context, e *env.Env, p Plugin, claim Claim) Claim {
	ginkgo.GinkgoHelper()
	pods.CreateUsingClaims(ctx, e, claim.Name, pods.Options{Node: p.Node}, claim.Name)
	pods.WaitForScheduled(ctx, e, claim.Name)
	hold(ctx, e, claim.Name)
	pods.DeleteStarting(ctx, e, claim.Name)
	return GetClaim(ctx, e, claim.Name)
}

// CreateAdminClaim creates a claim with admin access to the devices of a claim of
// [CreateHeldClaim], in a namespace that allows it. The spec allocates it, because
// a scheduler may choose other devices. It is held, and unprepared at the end of
// the spec, like that claim.
func CreateAdminClaim(ctx context.Context, admins *env.Env, p Plugin, name string, e *env.Env, user Claim) Claim {
	ginkgo.GinkgoHelper()
	used := claims.Get(ctx, e, user.Name)
	_, err := claims.Create(ctx, admins, name, devices.WithAdminAccess(used.Spec.Devices))
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	for i := range used.Status.Allocation.Devices.Results {
		used.Status.Allocation.Devices.Results[i].AdminAccess = ptr.To(true)
	}
	gomega.Expect(claims.Allocate(ctx, admins, name, used.Status.Allocation)).To(gomega.Succeed())
	hold(ctx, admins, name)
	claim := GetClaim(ctx, admins, name)
	UnprepareAtEnd(admins, p, claim.PluginClaim) //nolint:contextcheck // The spec's context has ended by then.
	return claim
}

// UnprepareAtEnd unprepares a claim at the end of the spec. Like a kubelet, it tries
// again if the driver fails.
func UnprepareAtEnd(e *env.Env, p Plugin, claim operations.PluginClaim) {
	ginkgo.DeferCleanup(func(ctx ginkgo.SpecContext) {
		WaitForUnprepared(ctx, e, p, claim)
	}, ginkgo.NodeTimeout(2*e.Timeouts.Deletion))
}

// ReleaseHeldClaim deletes a claim of [CreateHeldClaim], and waits until it is
// removed.
func ReleaseHeldClaim(ctx context.Context, e *env.Env, claim Claim) {
	ginkgo.GinkgoHelper()
	pods.DeleteWithClaim(ctx, e, claim.Name, claim.Name+holderSuffix)
}
