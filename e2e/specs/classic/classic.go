// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package classic has the specs of the profile classic: claims that control plane
// controllers of drivers allocate, in coordination with the scheduler (KEP-3063).
// Kubernetes 1.31 was the last release that had them. In 1.30, claims could be allocated
// without a pod.
package classic

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
)

const profile = "classic"

var (
	classicFeatures = []features.Feature{features.ControlPlaneController}
	// earlierFeatures are those of specs for Kubernetes 1.30.
	earlierFeatures = []features.Feature{features.ResourceClasses}
)

// Specs are the specs of the profile. Most of them play the drivers. Those of a driver
// judge one.
var Specs = []suite.Spec{
	classicPodHasContext,
	classicPotentialNodesFitPod,
	classicOneClaimSelectsAtOnce,
	classicSeveralClaimsWaitForDrivers,
	classicUnsuitableNodeIsReplaced,
	classicDriversAgreeOnNode,
	classicContextEndsWithBinding,
	classicContextEndsWithPod,
	classicContextHasTwoWriters,
	classicUselessAllocationIsUndone,
	classicOneAllocationIsUndone,
	classicUsedAllocationIsKept,
	classicLeavingClaimIsNotUsed,
	classicClassLimitsNodes,
	classicClassChangeLetsPodsIn,
	classicClassCreatedLetsPodsIn,
	classicAbsentDriverBlocksNoOthers,
	classicClaimIsShared,
	classicPodsWaitForOneClaim,
	classicClaimHasLimitedUsers,
	classicAllocationDecidesNode,
	classicAllocatedClaimNeedsNoClass,
	classicAllocatedClaimNeedsNoAnswers,
	classicLastUserFreesClaim,
	classicEndedPodsFreeClaims,
	classicNodeShutdownFreesClaim,
	classicClaimIsUsedAgain,
	classicBoundPodGetsAllocation,
	classicBoundPodChangesSelection,
	classicDeletedClaimWaitsForDriver,
	classicDeallocationRequestIsValidated,
	classicLeavingClaimGetsNoUsers,
	classicReservationsAreLimited,
	classicAllocationIsImmutable,
	classicNodeListsAreValidated,
	classicControllerNameIsValidated,
	classicObjectsAreValidated,
	classicDriverGivesDevicesOnce,
	classicDriverAnswersAboutAllClaims,
	classicDriverLeavesOthersAlone,
	classicDriverTellsNamespacesApart,
	classicDriverHeedsParameters,
	classicDriverReservesClaim,
	classicDriverIgnoresDeletedPods,
	classicDriverKeepsAllocation,
	classicDriverRetriesAllocation,
	classicDriverSurvivesKill,
	classicDriverSurvivesKillWhileItFrees,
	classicDriverAbsentForAWhile,
	classicDriverRunsTwice,
	classicDriverFreesForceDeletedClaims,
	classicDriverGivesAllRequestedDevices,
	classicDriverSharesNetworkDevices,
	classicDriverHeedsLimit,
	classicSecondControllerTakesOver,
	classicKubeletWaitsForAllocation,
	classicKubeletWaitsForReservation,
	classicSharedClaimStaysPrepared,
	classicDriverWaitsForSelection,
	classicDriverAnswersAgain,
	classicDriverDeallocatesUnusedClaim,
	classicDriverFreesRequestedClaim,
	classicDriverWaitsForLastUser,
	classicDriverLetsFailedClaimsGo,
	classicPodUsesSeveralClaims,
	classicGeneratedClaimFollowsPod,
	classicGeneratedClaimIsAwaited,
	classicMixesWithStructuredClaims,
	classicSurvivesSchedulerRestart,
	classicPotentialNodesAreUpdated,
	classicPotentialNodesAreLimited,
	classicFieldsNeedGate,
	classicImmediateClaimIsAwaited,
	classicImmediateClaimComesFirst,
	classicImmediateClaimStaysAllocated,
	classicImmediateAllocationIsKept,
	classicClaimsAreDelayedByDefault,
	classicHandleDataIsLimited,
	classicHandleDataIsKept,
	classicUnshareableClaimHasOneUser,
	classicUnshareableClaimIsAwaited,
	classicUnshareableClaimIsUsedInTurn,
	classicDriverAllocatesImmediately,
	classicDriverGivesImmediateDevicesOnce,
	classicImmediateDriverContinues,
	classicEarlierDriverWaitsForPod,
	classicDriverKeepsDevicesInUse,
	classicDriverHeedsClassParameters,
	classicDriverHeedsClaimParameters,
	classicEarlierObjectsAreValidated,
	classicEarlierPodSeesDevice,
}

// rackOf returns the labels of a node with its number.
func rackOf(node int) map[string]string {
	return map[string]string{"draconform.dev/rack": fmt.Sprint(node)}
}

// sidesOf returns the labels of the first node, the last one of three, or both.
func sidesOf(node int) map[string]string {
	return []map[string]string{{left: "yes"}, {left: "yes", right: "yes"}, {right: "yes"}}[node]
}

const left, right = "draconform.dev/left", "draconform.dev/right"

// createWithAllocatedClaim creates a claim with the name claim, and a pod with the name
// user. It allocates the claim for the selected node and reserves it for the pod.
func createWithAllocatedClaim(ctx context.Context, c *classic.Cluster) *corev1.Pod {
	ginkgo.GinkgoHelper()
	c.CreateClaim(ctx, "claim", c.Driver("a"), c.Class)
	pod := c.CreatePod(ctx, "user", "claim")
	node := c.WaitForSelectedNode(ctx, pod.Name, "one claim is pending")
	c.Allocate(ctx, "claim", classic.AllocationOn(c.Driver("a"), node), pod)
	return pod
}

// expectNoneSelected asserts that no node is selected for the pod with the name pod.
func expectNoneSelected(ctx context.Context, e *env.Env, c *classic.Cluster, because string) {
	ginkgo.GinkgoHelper()
	env.ExpectStable(ctx, e, func(ctx context.Context) (violation, checkErr error) {
		found, err := c.GetContext(ctx, "pod")
		if node := found.Spec.SelectedNode; err == nil && node != "" {
			violation = fmt.Errorf("node %s is selected", node)
		}
		return violation, err
	}, "no node should be selected, because "+because)
}

// askedToDeallocate is the condition of a claim that is to be deallocated.
func askedToDeallocate(claim classic.Claim) error {
	switch {
	case !claim.Status.DeallocationRequested:
		return errors.New("deallocation of the claim is not requested")
	case len(claim.Status.ReservedFor) > 0:
		return fmt.Errorf("the claim is reserved for %v", claim.Status.ReservedFor)
	}
	return nil
}

// createPodOfTwoDrivers creates pod, which uses claim-a of driver a and claim-b of driver b, and
// waits until the scheduler asks the drivers.
func createPodOfTwoDrivers(ctx context.Context, c *classic.Cluster) *corev1.Pod {
	ginkgo.GinkgoHelper()
	c.CreateClaim(ctx, "claim-a", c.Driver("a"), c.Class)
	c.CreateClaim(ctx, "claim-b", c.Driver("b"), c.Class)
	pod := c.CreatePod(ctx, "pod", "claim-a", "claim-b")
	c.WaitForContext(ctx, "pod", "the scheduler should ask the drivers", func(classic.Context) error { return nil })
	return pod
}

// allocateApart creates two claims and allocates them for different nodes. It returns the
// nodes by the names of the claims.
func allocateApart(ctx context.Context, c *classic.Cluster) map[string]string {
	ginkgo.GinkgoHelper()
	nodes := map[string]string{"claim-a": c.Nodes[0], "claim-b": c.Nodes[1]}
	for claim, node := range nodes {
		c.CreateClaim(ctx, claim, c.Driver("a"), c.Class)
		c.Allocate(ctx, claim, classic.AllocationOn(c.Driver("a"), node))
	}
	return nodes
}

// waitForDeallocation waits until the deallocation of one of the claims of [allocateApart] is
// requested. It returns this claim and the other one.
func waitForDeallocation(ctx context.Context, e *env.Env, c *classic.Cluster, because string) (leaving, staying string) {
	ginkgo.GinkgoHelper()
	leaving, staying = "claim-a", "claim-b"
	gomega.Eventually(ctx, func(ctx context.Context) error {
		claim, err := c.GetClaim(ctx, leaving)
		if err != nil || askedToDeallocate(claim) == nil {
			return err
		}
		leaving, staying = staying, leaving // The scheduler may choose any.
		return errors.New("deallocation of none of the claims is requested")
	}).WithTimeout(e.Timeouts.PodStart).Should(gomega.Succeed(), because)
	return leaving, staying
}

// reservedFor returns the condition of a claim that is reserved for exactly these pods.
func reservedFor(users ...*corev1.Pod) func(classic.Claim) error {
	want := classic.Consumers(users...)
	return func(claim classic.Claim) error {
		got := claim.Status.ReservedFor
		if len(got) != len(want) || slices.ContainsFunc(want, func(one classic.Consumer) bool { return !slices.Contains(got, one) }) {
			return fmt.Errorf("the claim is reserved for %v, not for %v", got, want)
		}
		return nil
	}
}

// allocated is the condition of a claim that is allocated.
func allocated(claim classic.Claim) error {
	if claim.Status.Allocation == nil {
		return errors.New("the claim is not allocated")
	}
	return nil
}

// staysAllocated is the condition of a claim that nobody asks to deallocate.
func staysAllocated(claim classic.Claim) error {
	if claim.Status.DeallocationRequested {
		return errors.New("deallocation of the claim is requested")
	}
	return allocated(claim)
}

// deallocated is the condition of a claim whose deallocation was requested, and is done.
func deallocated(claim classic.Claim) error {
	if claim.Status.DeallocationRequested {
		return errors.New("its deallocation is requested still")
	}
	return classic.Pending(claim)
}

// expectInvalid asserts that the API server has rejected an object for a reason.
func expectInvalid(err error, reason, what string) {
	ginkgo.GinkgoHelper()
	gomega.Expect(err).To(gomega.MatchError(gomega.ContainSubstring(reason)), what+" should be rejected")
}
