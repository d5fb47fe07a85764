// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// unknownAttributeIsAnError publishes a device with an attribute and one without.
// Claims request all devices with a certain value of the attribute, by the
// selector of the request and by that of a class. All devices have to be examined
// for them, in any order.
var unknownAttributeIsAnError = suite.Spec{
	ID:           "unknown-attribute-is-an-error",
	Description:  "A selector that refers to an attribute that a device lacks is an error: no device is allocated, and the status of the pod states the error.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-unknown-field-aborts", "4381-scheduling-unknown-field-is-told"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		inventory := fixture.Devices("with", "without")
		inventory.Devices[0].Attributes["level"] = resourceapi.DeviceAttribute{IntValue: ptr.To[int64](1)}
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, inventory)
		atLevel := withOwn(sim, "own.level == 1")
		for name, device := range map[string]subject.Device{
			"by-request": sim.Device(atLevel), "by-class": sim.CreateDeviceClass(ctx, "level", atLevel),
		} {
			claim := devices.NewDeviceClaim(fixture.One(device))
			claim.Requests[0].Exactly.AllocationMode, claim.Requests[0].Exactly.Count = resourceapi.DeviceAllocationModeAll, 0
			pods.CreateWithClaim(ctx, e, name, claim)
		}
		const because = "a selector refers to an attribute that a device lacks"
		pods.WaitForPending(ctx, e, because, "by-request", "by-class")
		for _, name := range []string{"by-request", "by-class"} {
			expectMessage(ctx, e, name, "(?i)error|no such key", because)
		}
	},
}

// expectMessage asserts that the message about a pending pod matches a regular
// expression.
func expectMessage(ctx context.Context, e *env.Env, name, pattern, because string) {
	ginkgo.GinkgoHelper()
	gomega.Eventually(ctx, func(ctx context.Context) (string, error) {
		pod, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return "", err
		}
		return ptr.Deref(pods.Condition(pod, corev1.PodScheduled), corev1.PodCondition{}).Message, nil
	}).WithTimeout(e.Timeouts.Response).Should(gomega.MatchRegexp(pattern), "the status of pod %s should state that %s", name, because)
}
