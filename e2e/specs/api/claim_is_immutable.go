// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// claimIsImmutable updates two claims, of which one is allocated, in dry runs: their
// metadata, which is possible, and their spec, which is not.
var claimIsImmutable = suite.Spec{
	ID:           "claim-is-immutable",
	Description:  "The API server rejects changes of the spec of a claim, whether it is allocated or not. Its labels and annotations can be changed.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.Core},
	Component:    env.Cluster,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-claim-is-immutable"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card"))
		request := devices.NewDeviceClaim(fixture.RequestFor(sim, "card"))
		request.Config = []resourceapi.DeviceClaimConfiguration{{DeviceConfiguration: configurationFor(sim.Driver, "first")}}
		_, err := claims.Create(ctx, e, "unallocated", request)
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		pods.CreateWithClaim(ctx, e, "allocated", request)
		pods.WaitForScheduled(ctx, e, "allocated")

		for _, claim := range []string{"unallocated", "allocated"} {
			stored := expectAccepted(ctx, e, theClaim, claim, "its metadata", annotate)
			gomega.Expect(stored.Annotations).To(gomega.HaveKeyWithValue(note, "changed"), "the API server should store the annotations of claim %s", claim)
			gomega.Expect(stored.Labels).To(gomega.HaveKeyWithValue(note, "changed"), "the API server should store the labels of claim %s", claim)
			for what, change := range changesOfClaims(sim.Driver) {
				expectRejected(ctx, e, theClaim, claim, "spec", what, func(c *resourceapi.ResourceClaim) { change(&c.Spec.Devices) })
			}
		}
	},
}

// annotate changes a label and an annotation of a claim.
func annotate(claim *resourceapi.ResourceClaim) {
	metav1.SetMetaDataLabel(&claim.ObjectMeta, note, "changed")
	metav1.SetMetaDataAnnotation(&claim.ObjectMeta, note, "changed")
}

// changesOfClaims are changes of a claim with one request, a selector and configuration
// for a driver. The changed claims are valid.
func changesOfClaims(driver string) map[string]func(*resourceapi.DeviceClaim) {
	return map[string]func(*resourceapi.DeviceClaim){
		"the class of its request":     func(d *resourceapi.DeviceClaim) { d.Requests[0].Exactly.DeviceClassName = "other.draconform.dev" },
		"the number of its devices":    func(d *resourceapi.DeviceClaim) { d.Requests[0].Exactly.Count = 2 },
		"the selectors of its request": func(d *resourceapi.DeviceClaim) { d.Requests[0].Exactly.Selectors = nil },
		"the name of its request":      func(d *resourceapi.DeviceClaim) { d.Requests[0].Name = "other" },
		"its requests": func(d *resourceapi.DeviceClaim) {
			other := *d.Requests[0].DeepCopy()
			other.Name = "other"
			d.Requests = append(d.Requests, other)
		},
		"its constraints": func(d *resourceapi.DeviceClaim) {
			d.Constraints = []resourceapi.DeviceConstraint{{MatchAttribute: ptr.To[resourceapi.FullyQualifiedName]("draconform.dev/parent")}}
		},
		"its configuration": func(d *resourceapi.DeviceClaim) { d.Config = nil },
		"the parameters of its configuration": func(d *resourceapi.DeviceClaim) {
			d.Config[0].DeviceConfiguration = configurationFor(driver, "second")
		},
	}
}

// configurationFor returns configuration of a driver with a parameter.
func configurationFor(driver, value string) resourceapi.DeviceConfiguration {
	return resourceapi.DeviceConfiguration{Opaque: &resourceapi.OpaqueDeviceConfiguration{
		Driver: driver, Parameters: runtime.RawExtension{Raw: []byte(`{"kind":"` + value + `"}`)},
	}}
}
