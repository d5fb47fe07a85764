// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"
	"slices"
	"time"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// callsSurroundContainers delays the driver's call to prepare, and gives the
// container of the pod a hook that delays its end. It compares the times of the
// calls with those at which the containers started and ended. All of them are by
// the clock of the node, and those of containers are in whole seconds, which the
// delays exceed.
var callsSurroundContainers = suite.Spec{
	ID:           "calls-surround-containers",
	Description:  "No container of a pod, nor an init container, starts before the driver has prepared the claim. The driver is called to unprepare it only when the containers have ended.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Kubelet,
	Kinds:        exclusiveKinds,
	Capabilities: containerCapabilities,
	MinNodes:     1,
	OneNode:      true,
	Needs:        faultNeeds,
	Requirements: []string{"4381-prepared-before-containers", "4381-unprepared-after-containers"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		drivers.InjectFault(ctx, e, device.Driver, device.node, operations.Fault{
			Method: operations.Prepare, Action: operations.Delay, Count: 1, Delay: metav1.Duration{Duration: 1500 * time.Millisecond},
		})
		pod := pods.CreateSharingClaim(ctx, e, "slow", device.Device, 1, pods.Options{Node: device.node, Change: func(pod *corev1.PodSpec) {
			pod.InitContainers = []corev1.Container{pods.CompletingContainer("init", pod.Containers[0])}
			pod.Containers[0].Lifecycle = &corev1.Lifecycle{PreStop: &corev1.LifecycleHandler{Sleep: &corev1.SleepAction{Seconds: 2}}}
		}})[0]
		pods.WaitForRunning(ctx, e, pod)
		calls := drivers.GetCalls(ctx, e, device.Driver, device.node, operations.Prepare, "slow")
		i := slices.IndexFunc(calls, drivers.ClaimCall.Succeeded)
		gomega.Expect(i).NotTo(gomega.Equal(-1), "the driver should have prepared claim slow, because pod %s runs: %v", pod, calls)
		for _, started := range pods.GetContainerStarts(ctx, e, pod) {
			gomega.Expect(started.Unix()).To(gomega.BeNumerically(">=", calls[i].End.Unix()), "a container started at %s, and should not start before the driver prepared the claim at %s", started, calls[i].End)
		}

		drivers.InjectFault(ctx, e, device.Driver, device.node, operations.Fault{Method: operations.Unprepare, Action: operations.Hang, Count: 100})
		pods.DeleteWithoutWaiting(ctx, e, pod)
		ended := pods.WaitForContainersEnded(ctx, e, pod)
		drivers.WaitForCall(ctx, e, device.Driver, device.node, operations.Unprepare, "slow")
		first := drivers.GetCalls(ctx, e, device.Driver, device.node, operations.Unprepare, "slow")[0]
		gomega.Expect(first.Start.Unix()).To(gomega.BeNumerically(">=", ended.Unix()), "the driver was called to unprepare the claim at %s, and should not be called before the containers ended at %s", first.Start, ended)
		drivers.RemoveFaults(ctx, e, device.Driver, device.node)
		pods.WaitForDeleted(ctx, e, pod)
	},
}
