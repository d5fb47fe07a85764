// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeagent

import (
	"context"
	"fmt"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// Claim is an allocated claim.
type Claim struct {
	operations.PluginClaim
	// Results are the allocated devices, of all drivers.
	Results []resourceapi.DeviceRequestAllocationResult
}

// GetClaim returns an allocated claim of the spec.
func GetClaim(ctx context.Context, e *env.Env, name string) Claim {
	ginkgo.GinkgoHelper()
	return Claim{
		PluginClaim: operations.PluginClaim{Namespace: e.Namespace, Name: name, UID: claims.GetUID(ctx, e, name)},
		Results:     claims.GetAllocation(ctx, e, name).Results,
	}
}

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
	holder := name + holderSuffix
	pods.CreateUsingClaims(ctx, e, holder, pods.Options{Change: func(pod *corev1.PodSpec) {
		pod.SchedulingGates = []corev1.PodSchedulingGate{{Name: "draconform.dev/never"}}
	}}, name)
	gomega.Expect(claims.ReserveForPod(ctx, e, name, holder)).To(gomega.Succeed(), "claim %s should be reserved for another pod", name)
	pods.Delete(ctx, e, name)
	claim := GetClaim(ctx, e, name)
	unprepareAtEnd(e, p, claim.PluginClaim) //nolint:contextcheck // The spec's context has ended by then.
	return claim
}

// unprepareAtEnd unprepares a claim at the end of the spec.
func unprepareAtEnd(e *env.Env, p Plugin, claim operations.PluginClaim) {
	ginkgo.DeferCleanup(func(ctx ginkgo.SpecContext) {
		answers := GetAnswers(ctx, e, p, operations.Unprepare, operations.PluginCalls{Calls: Repeat(1, claim)})
		gomega.Expect(checkAnswer(answers[0], []operations.PluginClaim{claim})).To(gomega.Succeed(), "claim %s should be unprepared at the end of the spec", claim.Name)
	}, ginkgo.NodeTimeout(e.Timeouts.Deletion))
}

// ReleaseHeldClaim deletes a claim of [CreateHeldClaim], and waits until it is
// removed.
func ReleaseHeldClaim(ctx context.Context, e *env.Env, claim Claim) {
	ginkgo.GinkgoHelper()
	pods.DeleteWithClaim(ctx, e, claim.Name, claim.Name+holderSuffix)
}

// UnknownClaim returns a claim that does not exist and never has.
func UnknownClaim(e *env.Env) operations.PluginClaim {
	return operations.PluginClaim{Namespace: e.Namespace, Name: "never-created", UID: unknownUID}
}

// unknownUID is a UID that no object has.
const unknownUID = "00000000-0000-4000-8000-000000000000"

// WithOtherUID returns a claim with the same name and a UID that no claim has.
func WithOtherUID(claim Claim) operations.PluginClaim {
	other := claim.PluginClaim
	other.UID = unknownUID
	return other
}

// baseRequest returns the request of a request or subrequest.
func baseRequest(name string) string {
	base, _, _ := strings.Cut(name, "/")
	return base
}

// of returns the allocated devices of a driver as an answer describes them,
// without requests and CDI devices.
func (c Claim) of(driver string) map[string]bool {
	all := map[string]bool{}
	for _, result := range c.Results {
		if result.Driver == driver {
			all[deviceKey(result.Pool, result.Device, shareOf(result))] = true
		}
	}
	return all
}

func shareOf(result resourceapi.DeviceRequestAllocationResult) string {
	if result.ShareID == nil {
		return ""
	}
	return string(*result.ShareID)
}

func deviceKey(pool, device, share string) string {
	return strings.TrimSuffix(fmt.Sprintf("%s/%s %s", pool, device, share), " ")
}

// names returns the names of claims for messages.
func names(all []operations.PluginClaim) string {
	var out []string
	for _, claim := range all {
		out = append(out, claim.Name)
	}
	return strings.Join(out, ", ")
}
