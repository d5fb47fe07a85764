// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"
	"fmt"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// healthSince is the release in which the health of devices became beta. Before,
// a kubelet reports a device twice if two devices have the same CDI device.
const healthSince = "1.36"

// The needs of specs about the health of devices.
var (
	healthFeatures     = []features.Feature{features.Core, features.DeviceHealth}
	healthCapabilities = []subject.Capability{subject.Health}
)

// healthIsReported runs a pod with a claim for two devices, and reads the health
// of devices in the status of its container. Then it does so with a pod that has two claims.
var healthIsReported = suite.Spec{
	ID:           "health-is-reported",
	Description:  "The status of a pod's container has the health of the devices of each claim that the container uses, and of no others.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     healthFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Capabilities: healthCapabilities,
	Devices:      2,
	MinNodes:     1,
	OneNode:      true,
	Since:        healthSince,
	Requirements: []string{"4680-health-in-pod-status"},
	Body: func(ctx context.Context, e *env.Env) {
		device := e.Subject.Exclusive.Device
		pods.CreateWithRequests(ctx, e, "pod", []devices.Request{{Name: "one", Device: device}, {Name: "two", Device: device}})
		allocated := pods.WaitForRunning(ctx, e, "pod")
		reported := getReportedHealth(ctx, e, device.Driver, "pod")
		gomega.Expect(reported).To(gomega.HaveLen(1), "the container uses one claim")
		gomega.Expect(reported[0].Name).To(gomega.Equal(corev1.ResourceName("claim:"+pods.ClaimOf(0))), "the status should name the claim as the pod does")
		expectHealthOf(reported[0].Resources, allocated)
		pods.DeleteWithClaim(ctx, e, "pod", "pod")
		one := devices.NewDeviceClaim([]devices.Request{{Name: "device", Device: device}})
		pods.CreateWithClaims(ctx, e, "several", one, one)
		pods.WaitForRunning(ctx, e, "several")
		pods.WaitForHealthOfClaims(ctx, e, "several", 2)
	},
}

// startHealthy starts a pod on the node that uses such a device, and waits until its status
// reports the device as healthy. It returns the names of pod and device.
func (d deviceOnNode) startHealthy(ctx context.Context, e *env.Env, claim string) (pod, device string) {
	ginkgo.GinkgoHelper()
	pod = d.start(ctx, e, claim)
	pods.WaitForRunning(ctx, e, pod)
	pods.WaitForHealth(ctx, e, pod, corev1.ResourceHealthStatusHealthy)
	return pod, claims.GetAllocation(ctx, e, claim).Results[0].Device
}

// getReportedHealth returns the health of the devices of a running pod, which has
// a claim of the same name. Without any known health, the driver lacks the
// capability. Whether it reports the status of devices was then to be seen for as
// long.
func getReportedHealth(ctx context.Context, e *env.Env, driver, pod string) []corev1.ResourceStatus {
	ginkgo.GinkgoHelper()
	reported := pods.GetReportedHealth(ctx, e, driver, pod)
	missing := missingHealth(pod, reported)
	if missing != "" {
		env.NoteCapability(e, driver, subject.DeviceStatus, missingStatus(e, driver, pod, claims.GetDeviceStatus(ctx, e, pod)))
	}
	env.FindOutCapability(e, driver, subject.Health, missing)
	return reported
}

// missingHealth states that the health of no device of a pod is known. It is
// empty if one is.
func missingHealth(pod string, reported []corev1.ResourceStatus) string {
	if pods.IsHealthKnown(reported) {
		return ""
	}
	return fmt.Sprintf("the health of the devices of pod %s did not become known: %v", pod, reported)
}

// expectHealthOf asserts that the reported resources are allocated devices. A
// kubelet identifies a device by its first CDI device, which several devices of
// a claim can have in common, or by the names of driver, pool and device.
func expectHealthOf(reported []corev1.ResourceHealth, allocated []audit.DeviceID) {
	ginkgo.GinkgoHelper()
	var names []string
	for _, id := range allocated {
		names = append(names, strings.Join([]string{id.Driver, id.Pool, id.Device}, "/"))
	}
	gomega.Expect(len(reported)).To(gomega.BeNumerically("<=", len(allocated)), "only the devices of the claim should be reported: %v", reported)
	seen := map[corev1.ResourceID]bool{}
	for _, resource := range reported {
		gomega.Expect(seen).NotTo(gomega.HaveKey(resource.ResourceID), "each device should be reported once")
		seen[resource.ResourceID] = true
		if isCDIDevice := strings.Contains(string(resource.ResourceID), "="); !isCDIDevice {
			gomega.Expect(names).To(gomega.ContainElement(string(resource.ResourceID)), "only devices of the claim should be reported")
		}
	}
}
