// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package drivers

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// ClaimCall is the part of a call that concerns one claim.
type ClaimCall struct {
	UID string
	// Claims are all claims of the call, as namespace/name.
	Claims []string
	// Devices lists the prepared devices, and CDIDevices the CDI devices that
	// containers get for them.
	Devices, CDIDevices []string
	// Shares are the IDs of the shares among these devices.
	Shares []string
	// Error is the error of the call, or of its part for the claim.
	Error string
	// Start and End are the times at which the driver was called and answered, by
	// the clock of its node. End is zero until the driver has answered.
	Start, End time.Time
}

// HasEnded reports whether the driver has answered.
func (c ClaimCall) HasEnded() bool { return !c.End.IsZero() }

// Succeeded reports whether the call has ended without an error.
func (c ClaimCall) Succeeded() bool { return c.HasEnded() && c.Error == "" }

// GetCalls returns the calls of a method that a driver received on a node for a
// claim of the spec.
func GetCalls(ctx context.Context, e *env.Env, driver, node, method, claim string) (got []ClaimCall) {
	ginkgo.GinkgoHelper()
	retry(ctx, e, driver, node, func(ctx context.Context) (err error) {
		got, err = listCalls(ctx, e, driver, node, method, claim)
		return err
	})
	return got
}

// WaitForCall waits until the kubelet of a node has called a method of a driver
// for a claim.
func WaitForCall(ctx context.Context, e *env.Env, driver, node, method, claim string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until %s is called for claim %s", method, claim))
	syncTrigger := pods.NewSyncTrigger(e)
	gomega.Eventually(ctx, func(ctx context.Context) ([]ClaimCall, error) {
		syncTrigger.TriggerUsers(ctx, claim)
		return listCalls(ctx, e, driver, node, method, claim)
	}).WithTimeout(e.Timeouts.PodStart).ShouldNot(gomega.BeEmpty(), "the kubelet should call %s for claim %s", method, claim)
}

// WaitForAnswer waits until a driver on a node has answered a call of a method for a claim,
// with or without an error.
func WaitForAnswer(ctx context.Context, e *env.Env, driver, node, method, claim string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until %s is answered for claim %s", method, claim))
	gomega.Eventually(ctx, func(ctx context.Context) ([]ClaimCall, error) {
		return listCalls(ctx, e, driver, node, method, claim)
	}).WithTimeout(e.Timeouts.Deletion).Should(gomega.ContainElement(gomega.HaveField("HasEnded()", true)), "the driver should answer %s for claim %s", method, claim)
}

// WaitForUnprepareCall waits until the kubelet of a node has called a driver to
// unprepare a claim, if it has called the driver to prepare the claim. It does
// nothing for a driver whose calls are not visible.
func WaitForUnprepareCall(ctx context.Context, e *env.Env, driver, node, claim string) {
	ginkgo.GinkgoHelper()
	if isControlled(e, driver) && len(GetCalls(ctx, e, driver, node, operations.Prepare, claim)) > 0 {
		WaitForCall(ctx, e, driver, node, operations.Unprepare, claim)
	}
}

// HasReturnedShares reports whether a driver has recorded that it returned the IDs of
// shares to the kubelet for a claim. A driver that records no calls has not.
func HasReturnedShares(ctx context.Context, e *env.Env, driver, node, claim string) bool {
	ginkgo.GinkgoHelper()
	return isControlled(e, driver) && slices.ContainsFunc(GetCalls(ctx, e, driver, node, operations.Prepare, claim), func(c ClaimCall) bool { return len(c.Shares) > 0 })
}

// listCalls is [GetCalls] without retries.
func listCalls(ctx context.Context, e *env.Env, driver, node, method, claim string) (got []ClaimCall, err error) {
	var all []operations.Call
	err = send(ctx, e, requestTimeout, driver, node, func(ctx context.Context, pod operations.Driver) (err error) {
		all, err = pod.Calls(ctx, driver, 0)
		return err
	})
	for _, call := range all {
		for _, claimCall := range call.Claims {
			if call.Method != method || claimCall.Namespace != e.Namespace || claimCall.Name != claim {
				continue
			}
			callErr := call.Error
			if callErr == "" {
				callErr = claimCall.Error
			}
			got = append(got, ClaimCall{
				UID: claimCall.UID, Claims: claimNames(call), Devices: claimCall.Devices, CDIDevices: claimCall.CDIDevices, Shares: claimCall.Shares,
				Error: callErr, Start: call.Start, End: ptr.Deref(call.End, time.Time{}),
			})
		}
	}
	return got, err
}

// claimNames returns the claims of a call as namespace/name.
func claimNames(call operations.Call) []string {
	var names []string
	for _, claim := range call.Claims {
		names = append(names, claim.Namespace+"/"+claim.Name)
	}
	return names
}
