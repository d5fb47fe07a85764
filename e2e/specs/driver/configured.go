// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// configuredFields are those of specs about configurations.
var configuredFields = []subject.Field{subject.ExclusiveConfigured}

// expectConfigured runs a pod with a claim for a device that is configured, one
// before it and one after it that are not, and a container for each of them. Only
// the container of the first one must see the configuration. The names of the
// requests begin with each other, because only equal names are the same request.
func expectConfigured(ctx context.Context, e *env.Env, configured, plain subject.Device) {
	ginkgo.GinkgoHelper()
	expectConfiguredOf(ctx, e, "pod", devices.NewDeviceClaim([]devices.Request{
		{Name: "config", Device: plain}, {Name: "configured", Device: configured}, {Name: "configured-not", Device: plain},
	}))
}

// ofAnotherDriver is a configuration for a driver that a claim has no devices of.
var ofAnotherDriver = resourceapi.DeviceClaimConfiguration{DeviceConfiguration: resourceapi.DeviceConfiguration{
	Opaque: &resourceapi.OpaqueDeviceConfiguration{
		Driver:     "another.draconform.dev",
		Parameters: runtime.RawExtension{Raw: []byte(`{"apiVersion": "another.draconform.dev/v1", "kind": "Settings"}`)},
	},
}}

// alsoConfigured is the name of a second request that is configured.
const alsoConfigured = "also-configured"

// expectConfiguredOf runs a pod with a claim, and a container for each of its
// requests. Only the containers of the requests configured and alsoConfigured must see the
// configuration. What belongs to the pod, such as a network interface, is seen by
// all of its containers.
func expectConfiguredOf(ctx context.Context, e *env.Env, pod string, claim resourceapi.DeviceClaim) {
	ginkgo.GinkgoHelper()
	pods.CreateWithContainerPerRequestOf(ctx, e, pod, claim)
	pods.WaitForRunning(ctx, e, pod)
	ofPod := e.Subject.Exclusive.Configured.OfPod
	for _, request := range claim.Requests {
		if configured := request.Name == "configured" || request.Name == alsoConfigured; configured || !ofPod {
			pods.ExpectConfigured(ctx, e, pod, request.Name, configured)
		}
	}
	if ofPod && len(claim.Requests) > 1 {
		e.NotApplicable("needs to see the configuration of one container, and roles.exclusive.configured.seen describes what all containers of a pod see")
	}
}
