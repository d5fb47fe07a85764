// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/subject/driverfile"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// users are the pods that use one device.
type users struct {
	kind
	claim string
	pods  []string
	// containers are the containers of the pods, in the order of the pods.
	containers []pods.Container
	device     subject.Device
	allocated  resourceapi.DeviceAllocationResult
}

// start starts the pods that use one device and waits until they run. If the
// options contain a node, the first pod runs on it.
func (k kind) start(ctx context.Context, e *env.Env, claim string, options pods.Options) users {
	u := users{kind: k, claim: claim, device: k.device(e.Subject)}
	u.pods = pods.CreateSharingClaim(ctx, e, claim, u.device, k.pods, options)
	for _, pod := range u.pods {
		pods.WaitForRunning(ctx, e, pod)
		u.containers = append(u.containers, pods.GetContainer(ctx, e, pod))
	}
	u.allocated = claims.GetAllocation(ctx, e, claim)
	return u
}

// startWithTwoDevices starts a pod with a claim of the same name for two devices of one node,
// and waits until it runs.
func (k kind) startWithTwoDevices(ctx context.Context, e *env.Env, claim string) users {
	u := users{kind: k, claim: claim, pods: []string{claim}, device: k.device(e.Subject)}
	pods.CreateWithRequests(ctx, e, claim, []devices.Request{{Name: "one", Device: u.device}, {Name: "two", Device: u.device}})
	pods.WaitForRunning(ctx, e, claim)
	u.containers = []pods.Container{pods.GetContainer(ctx, e, claim)}
	u.allocated = claims.GetAllocation(ctx, e, claim)
	return u
}

// node returns the node that specs disrupt.
func (u users) node() string { return u.containers[0].Node }

// expectNotRestarted asserts that the pods kept running and that the claim is
// unchanged.
func (u users) expectNotRestarted(ctx context.Context, e *env.Env, despite string) {
	for _, container := range u.containers {
		pods.ExpectNotRestarted(ctx, e, container, despite)
	}
	u.expectSameDevices(ctx, e, despite)
}

// expectSameDevices asserts that the allocation of the claim is unchanged.
func (u users) expectSameDevices(ctx context.Context, e *env.Env, despite string) {
	gomega.Expect(claims.GetAllocation(ctx, e, u.claim)).To(gomega.Equal(u.allocated), "claim %s should keep its devices despite %s", u.claim, despite)
}

// addPod starts another pod on the node that uses the claim too, and asserts
// that the driver's response for the claim does not change. If the claim has
// several pods, which must be on different nodes, or pods of a node cannot share it,
// the new pod has no claim.
func (u *users) addPod(ctx context.Context, e *env.Env) {
	if len(u.pods) > 1 || !u.mayShare(e) {
		const pod = "without-claim"
		pods.CreateUsingClaims(ctx, e, pod, pods.Options{Node: u.node()})
		pods.WaitForRunning(ctx, e, pod)
		return
	}
	u.join(ctx, e)
	drivers.ExpectSamePrepareResults(ctx, e, u.device.Driver, u.node(), u.claim, 1)
}

// mayShare reports whether pods of a node can share the claim.
func (u *users) mayShare(e *env.Env) bool {
	return e.Subject.Capabilities[u.device.Driver][subject.ClaimSharing].Answer != driverfile.No
}

// join starts another pod on the node that uses the claim too, if pods of a node can share
// it, and waits until it runs.
func (u *users) join(ctx context.Context, e *env.Env) {
	if !u.mayShare(e) {
		return
	}
	const pod = "joined"
	pods.CreateUsingClaims(ctx, e, pod, pods.Options{Node: u.node()}, u.claim)
	u.pods = append(u.pods, pod)
	pods.WaitForRunning(ctx, e, pod)
}

// deleteFirst deletes the first of several pods, and asserts that the claim is unprepared on
// its node and stays prepared for the others. It does nothing if there is only one pod.
func (u *users) deleteFirst(ctx context.Context, e *env.Env) {
	if len(u.pods) == 1 {
		return
	}
	pods.Delete(ctx, e, u.pods[0])
	u.pods = u.pods[1:]
	drivers.WaitForUnprepared(ctx, e, u.device.Driver, u.node(), u.claim)
	for _, container := range u.containers[1:] {
		drivers.WaitForPrepared(ctx, e, u.device.Driver, container.Node, u.claim)
		pods.ExpectNotRestarted(ctx, e, container, "the end of the pod on another node")
	}
}

// replace deletes the pods and their claim. It asserts that the claim is
// unprepared, and that new pods, one of them on the same node, can use a
// device.
func (u users) replace(ctx context.Context, e *env.Env) {
	pods.DeleteWithClaim(ctx, e, u.claim, u.pods...)
	for _, container := range u.containers {
		drivers.WaitForUnprepared(ctx, e, u.device.Driver, container.Node, u.claim)
	}
	after := u.start(ctx, e, "after", pods.Options{Node: u.node()})
	pods.DeleteWithClaim(ctx, e, after.claim, after.pods...)
}
