// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devicetaints

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// attempt is a request for a device with taints.
type attempt struct {
	// Name is the name of the device, and of the claim and the pod for it.
	Name string
	// Before are the taints that the device has at first under its pod, where taints
	// change. Taints are the taints of the device, or those after the change.
	Before, Taints []resourceapi.DeviceTaint
	// Tolerations are those of the request.
	Tolerations []resourceapi.DeviceToleration
	// Refused states why the device must not be allocated, or why the pod must be
	// evicted. It is empty if neither is the case.
	Refused string
}

// expectAttempts publishes a device for each attempt of a file, and asserts
// which of them are allocated.
func expectAttempts(ctx context.Context, e *env.Env, file string) {
	ginkgo.GinkgoHelper()
	all := fixture.ReadList[attempt](data, file)
	sim := simulated.CreateNodes(ctx, e, 1)
	inventory := &simulated.Inventory{}
	for _, a := range all {
		devices := fixture.Devices(a.Name).Devices
		devices[0].Taints = a.Taints
		inventory.Devices = append(inventory.Devices, devices...)
	}
	sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, inventory)
	refused, accepted := createPods(ctx, e, sim, all)
	pods.WaitForScheduled(ctx, e, accepted...)
	pods.WaitForEachUnschedulable(ctx, e, refused)
}

// createPods creates a pod for the device of each attempt. It returns why some
// of them are refused, and the names of the others.
func createPods(ctx context.Context, e *env.Env, sim *simulated.Nodes, all []attempt) (refused map[string]string, accepted []string) {
	ginkgo.GinkgoHelper()
	refused = map[string]string{}
	for _, a := range all {
		createPodFor(ctx, e, sim, a.Name, a.Name, a.Tolerations...)
		if a.Refused == "" {
			accepted = append(accepted, a.Name)
		} else {
			refused[a.Name] = a.Refused
		}
	}
	return refused, accepted
}

// createPodFor creates a pod, and a claim of the same name that requests a
// device by its name and has tolerations.
func createPodFor(ctx context.Context, e *env.Env, sim *simulated.Nodes, pod, device string, tolerations ...resourceapi.DeviceToleration) {
	ginkgo.GinkgoHelper()
	pods.CreateWithClaim(ctx, e, pod, claimFor(sim, device, tolerations...))
}

// claimFor returns a claim that requests a device by its name and has
// tolerations.
func claimFor(sim *simulated.Nodes, device string, tolerations ...resourceapi.DeviceToleration) resourceapi.DeviceClaim {
	claim := devices.NewDeviceClaim(fixture.RequestFor(sim, device))
	claim.Requests[0].Exactly.Tolerations = tolerations
	return claim
}
