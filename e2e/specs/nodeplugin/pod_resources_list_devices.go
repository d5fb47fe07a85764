// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/subject/driverfile"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/nodeagent"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// podResourcesListDevices runs a pod with two containers, of which one uses a claim
// for two devices, and calls List of the kubelet's PodResources API, as a
// monitoring agent does. It compares the devices of each container with the
// allocation and the answer of the driver. If pods of a node can share a claim, it does so
// with another pod, too. Finally it deletes the pods.
var podResourcesListDevices = suite.Spec{
	ID:           "pod-resources-list-devices",
	Description:  "The kubelet's PodResources API lists the devices of a claim, with the CDI devices of the driver, for the container that uses the claim and for no other one, until the pod is gone. It lists a claim for each pod that uses it.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Kubelet,
	Kinds:        exclusiveKinds,
	Capabilities: agentCapabilities,
	Devices:      2,
	MinNodes:     1,
	OneNode:      true,
	Needs:        agentNeeds,
	Since:        "1.36",
	Requirements: []string{"3695-devices-are-listed", "3695-cdi-devices-are-listed", "3695-own-claims-only", "3695-ended-pods-are-not-listed"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		user, claim, answers := device.runWithIdleContainer(ctx, e)
		nodeagent.WaitForPodResources(ctx, e, device.plugin, "pod", user, claim, answers)
		users := []string{"pod"}
		if e.Subject.Capabilities[device.Driver][subject.ClaimSharing].Answer != driverfile.No {
			pods.CreateUsingClaims(ctx, e, "second", pods.Options{Node: device.plugin.Node}, "claim")
			pods.WaitForContainersRunning(ctx, e, "second")
			nodeagent.WaitForPodResources(ctx, e, device.plugin, "second", user, claim, answers)
			users = append(users, "second")
		}
		pods.DeleteWithClaim(ctx, e, "claim", users...)
		nodeagent.WaitForNoPodResources(ctx, e, device.plugin, "pod")
	},
}

// runWithIdleContainer runs the pod "pod", whose main container uses the claim "claim" for
// two devices, and whose other container uses none. It returns the name of the main
// container, the claim and the answers of the driver.
func (d deviceOnNode) runWithIdleContainer(ctx context.Context, e *env.Env) (user string, claim nodeagent.Claim, answers nodeagent.Answers) {
	ginkgo.GinkgoHelper()
	d.createClaim(ctx, e, "claim", devices.Request{Name: "one", Device: d.Device}, devices.Request{Name: "two", Device: d.Device})
	pods.CreateUsingClaims(ctx, e, "pod", pods.Options{Node: d.plugin.Node, Change: func(pod *corev1.PodSpec) {
		other := *pod.Containers[0].DeepCopy()
		user, other.Name, other.Resources.Claims = pod.Containers[0].Name, "other", nil
		pod.Containers = append(pod.Containers, other)
	}}, "claim")
	pods.WaitForContainersRunning(ctx, e, "pod")
	claim = nodeagent.GetClaim(ctx, e, "claim")
	d.expectCalls(e, claim)
	return user, claim, nodeagent.WaitForPrepared(ctx, e, d.plugin, claim)
}
