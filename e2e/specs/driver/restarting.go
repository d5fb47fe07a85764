// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// startRestarting starts a pod on the node that uses such a device, and whose container
// ends and is restarted again and again. It waits until the container was restarted, and
// returns the name of the pod.
func (d deviceOnNode) startRestarting(ctx context.Context, e *env.Env) string {
	ginkgo.GinkgoHelper()
	pod := pods.CreateSharingClaim(ctx, e, "pod", d.Device, 1, pods.Options{Node: d.node, Restarts: true, Change: func(pod *corev1.PodSpec) {
		pod.Containers[0] = pods.CompletingContainer(pods.MainContainer, pod.Containers[0])
	}})[0]
	pods.WaitForContainerRestarted(ctx, e, pod, 1)
	return pod
}

// restartDriverAndContainer restarts the driver, and waits until the container of a pod of
// startRestarting is restarted after that. It returns the devices of the pod's claim.
func (d deviceOnNode) restartDriverAndContainer(ctx context.Context, e *env.Env, pod string) []audit.DeviceID {
	ginkgo.GinkgoHelper()
	drivers.Restart(ctx, e, d.Driver, d.node)
	return pods.WaitForContainerRestarted(ctx, e, pod, pods.GetRestartCount(ctx, e, pod)+1)
}
