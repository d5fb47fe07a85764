// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"
	"fmt"
	"slices"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// job is a consumer of a claim that is neither a pod nor known to Kubernetes.
var job = resourceapi.ResourceClaimConsumerReference{APIGroup: "draconform.dev", Resource: "jobs", Name: "job", UID: "9d5dfdbe-2c4e-4d3b-8f0a-6f2f1f4a0c11"}

// reservationOfOthersStays reserves the claim of a pod for an object of a third party, too,
// and deletes the pod. The pod of another claim is deleted after it: when that claim is
// deallocated, the first deletion has been observed. At the end, it deallocates the claim.
var reservationOfOthersStays = suite.Spec{
	ID:           "reservation-of-others-stays",
	Description:  "A claim stays allocated and reserved for a consumer that is not a pod, until the reservation is removed by who made it.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.ControllerManager,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-other-consumers"},
	Body: func(ctx context.Context, e *env.Env) {
		boundWait(e)
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card", "disk"))
		createPodFor(ctx, e, sim, "user", "card")
		createPodFor(ctx, e, sim, "marker", "disk")
		pods.WaitForScheduled(ctx, e, "user", "marker")
		createPodFor(ctx, e, sim, "waiting", "card")
		e.Cleanups = append(e.Cleanups, func(ctx context.Context) error { return freeIfExists(ctx, e, "user") })
		gomega.Expect(claims.ReserveForOther(ctx, e, "user", job)).To(gomega.Succeed())
		pods.Delete(ctx, e, "user")
		pods.Delete(ctx, e, "marker")
		claims.WaitForDeallocated(ctx, e, "marker")
		env.ExpectStable(ctx, e, func(ctx context.Context) (violation, checkErr error) {
			claim, err := e.Client.ResourceV1().ResourceClaims(e.Namespace).Get(ctx, "user", metav1.GetOptions{})
			if err == nil && (claim.Status.Allocation == nil || !slices.Contains(claim.Status.ReservedFor, job)) {
				violation = fmt.Errorf("claim user has the allocation %v and is reserved for %v", claim.Status.Allocation, claim.Status.ReservedFor)
			}
			return violation, err
		}, "claim user should stay allocated and reserved for job job, which only its owner can end")
		pods.WaitForUnschedulable(ctx, e, "waiting", "job job has the device")
		gomega.Expect(claims.Deallocate(ctx, e, "user")).To(gomega.Succeed())
		pods.WaitForScheduled(ctx, e, "waiting")
	},
}

// freeIfExists deallocates a claim. Otherwise, it could not be removed.
func freeIfExists(ctx context.Context, e *env.Env, claim string) error {
	if err := claims.Deallocate(ctx, e, claim); !apierrors.IsNotFound(err) {
		return err
	}
	return nil
}
