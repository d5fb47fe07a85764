// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongDerived are clusters whose scheduler makes mistakes with derived
// attributes.
var wrongDerived = wrong.Table{
	"scheduler ignores derived attributes": {
		Options: wrong.MisreadsClaims(withoutDerived), Spec: "attribute-derived-is-matched",
		Want: []string{"pod equal is not scheduled"},
	},
	"scheduler ignores constraints on derived attributes": {
		Options: wrong.MisreadsClaims(withoutConstraints), Spec: "attribute-derived-is-matched",
		Want: []string{"should be unschedulable"},
	},
	"scheduler prefers attributes of devices": {
		Options: wrong.MisreadsClaims(func(claim *resourceapi.DeviceClaim) {
			if len(claim.Constraints) == 1 && *claim.Constraints[0].MatchAttribute != derived {
				withoutDerived(claim)
			}
		}),
		Spec: "attribute-derived-is-matched", Want: []string{"pod shadowed-and-equal is not scheduled"},
	},
	"scheduler takes an expression that fails for any value": {
		Options: wrong.Misreads(fillMissing), Spec: "attribute-derived-is-matched",
		Want: []string{"pod failing should stay pending, because its expression fails for a device without the attribute"},
	},
	"scheduler evaluates the expression for all devices": {
		Options: wrong.MisreadsClaims(func(claim *resourceapi.DeviceClaim) {
			for i := range claim.Requests {
				claim.Requests[i].Exactly.Selectors = nil
			}
		}),
		Spec: "attribute-derived-is-matched", Want: []string{"is not scheduled"},
	},
	"scheduler ignores derived attributes of requests for all devices": {
		Options: wrong.MisreadsClaims(func(claim *resourceapi.DeviceClaim) {
			if claim.Requests[0].Exactly.AllocationMode == resourceapi.DeviceAllocationModeAll {
				withoutDerived(claim)
			}
		}),
		Spec: "attribute-derived-is-matched", Want: []string{"pod all-with-the-same-quotient is not scheduled"},
	},
	"scheduler reads the first value of derived lists": {
		Options: wrong.MisreadsDevices(func(device *resourceapi.Device) {
			if compared := device.Attributes["compared"]; len(compared.StringValues) > 0 {
				compared.StringValues = compared.StringValues[:1]
				device.Attributes["compared"] = compared
			}
		}),
		Spec: "attribute-derived-lists-match", Want: []string{"one-in-common", "not scheduled"},
	},
	"scheduler ignores constraints on derived lists": {
		Options: wrong.MisreadsClaims(withoutConstraints), Spec: "attribute-derived-lists-match",
		Want: []string{"nothing-in-common should be unschedulable, because the lists that it derives have no value in common"},
	},
	"scheduler ignores distinctAttribute of derived lists": {
		Options: wrong.MisreadsClaims(withoutConstraints), Spec: "attribute-derived-lists-are-distinct",
		Want: []string{"constant-in-common should be unschedulable", "although the attributes differ"},
	},
	"scheduler ignores distinctAttribute of derived attributes": {
		Options: wrong.MisreadsClaims(withoutConstraints), Spec: "attribute-derived-is-distinct",
		Want: []string{"pod equal should be unschedulable"},
	},
	"scheduler derives the attributes of all requests alike": {
		Options: wrong.MisreadsClaims(func(claim *resourceapi.DeviceClaim) {
			for i := range claim.Requests {
				claim.Requests[i].Exactly.DerivedAttributes = claim.Requests[0].Exactly.DerivedAttributes
			}
		}),
		Spec: "attribute-derived-is-of-its-request", Want: []string{"pod pair is not scheduled"},
	},
	"scheduler ignores derived attributes of subrequests": {
		Options: wrong.MisreadsClaims(func(claim *resourceapi.DeviceClaim) {
			for i := range claim.Requests[1].FirstAvailable {
				claim.Requests[1].FirstAvailable[i].DerivedAttributes = nil
			}
		}),
		Spec: "attribute-derived-is-of-its-subrequest", Want: []string{"pod with-disk is not scheduled"},
	},
	"scheduler derives the attributes of all subrequests alike": {
		Options: wrong.MisreadsClaims(func(claim *resourceapi.DeviceClaim) {
			list := claim.Requests[1].FirstAvailable
			list[1].DerivedAttributes = list[0].DerivedAttributes
		}),
		Spec: "attribute-derived-is-of-its-subrequest", Want: []string{"pod with-nic is not scheduled"},
	},
	"scheduler derives an attribute for all requests": {
		Options: wrong.MisreadsClaims(func(claim *resourceapi.DeviceClaim) {
			if len(claim.Requests) == 2 && claim.Requests[1].Exactly.DerivedAttributes == nil {
				claim.Requests[1].Exactly.DerivedAttributes = claim.Requests[0].Exactly.DerivedAttributes
			}
		}),
		Spec: "attribute-derived-goes-with-others", Want: []string{"pod published is not scheduled"},
	},
	"scheduler reads the first derived attribute of a request": {
		Options: wrong.MisreadsClaims(func(claim *resourceapi.DeviceClaim) {
			for _, request := range claim.Requests {
				request.Exactly.DerivedAttributes = request.Exactly.DerivedAttributes[:min(1, len(request.Exactly.DerivedAttributes))]
			}
		}),
		Spec: "attribute-derived-goes-with-others", Want: []string{"pod several is not scheduled"},
	},
	"scheduler reads the first constraint on derived attributes": {
		Options: wrong.MisreadsClaims(func(claim *resourceapi.DeviceClaim) { claim.Constraints = claim.Constraints[:1] }),
		Spec:    "attribute-derived-goes-with-others", Want: []string{"the devices of claim several should be the only ones that satisfy its constraints"},
	},
	"scheduler derives an attribute once for each device": {
		Options: wrong.MisreadsDevices(func(d *resourceapi.Device) {
			if d.Name == "link-1" { // The last request derives first for it.
				d.Attributes["up"] = d.Attributes["down"]
			}
		}),
		Spec: "attribute-derived-goes-with-others", Want: []string{"pod twice is not scheduled"},
	},
	"scheduler ignores the constraint of two requests": {
		Options: wrong.MisreadsClaims(withoutConstraints),
		Spec:    "attribute-derived-is-of-its-request", Want: []string{"the devices with the same number"},
	},
}

const derived resourceapi.FullyQualifiedName = "draconform.dev/derived"

func withoutDerived(claim *resourceapi.DeviceClaim) {
	for i := range claim.Requests {
		claim.Requests[i].Exactly.DerivedAttributes = nil
	}
}

// wrongServers are clusters whose API server makes mistakes.
var wrongServers = wrong.Table{
	"API server accepts invalid lists": {
		Spec: "attribute-lists-are-validated",
		Want: []string{"an empty list: is accepted, and should be rejected because of spec.devices[0].attributes", "49 values: is accepted"},
	},
	"API server loses lists": {
		Options: wrong.With(fakecluster.APIServerMistakes{Misstores: loseLists}), Spec: "attribute-lists-are-validated",
		Want: []string{"strings: spec.devices[0].attributes.a.strings should have 2 items, and has 0"},
	},
	"API server accepts invalid derived attributes": {
		Spec: "attribute-derived-is-validated",
		Want: []string{"a derived attribute that no constraint names: is accepted", "a name twice: is accepted"},
	},
	"API server loses derived attributes": {
		Options: wrong.Misstores("ResourceClaim", func(devices any) {
			request := devices.(map[string]any)["requests"].([]any)[0].(map[string]any)
			if exactly, ok := request["exactly"].(map[string]any); ok {
				delete(exactly, "derivedAttributes")
			}
		}),
		Spec: "attribute-derived-is-validated", Want: []string{"a derived attribute: spec.devices.requests[0].exactly.derivedAttributes should have 1 items, and has 0"},
	},
	"API server keeps lists without the feature": {
		Target: wrong.WithoutFeature(features.ListAttributes), Spec: "attribute-lists-are-not-stored",
		Want: []string{`a list of strings: "strings" should be dropped`, `a list of numbers: "ints" should be dropped`},
	},
	"API server keeps derived attributes without the feature": {
		Target: wrong.WithoutFeature(features.DerivedAttributes), Spec: "attribute-derived-is-dropped",
		Want: []string{"a derived attribute: derivedAttributes should be dropped", "a derived attribute in a template: derivedAttributes should be dropped"},
	},
}

// loseLists removes lists of strings from the attributes of devices.
func loseLists(object map[string]any) {
	devices, _ := object["spec"].(map[string]any)["devices"].([]any)
	for _, device := range devices {
		attributes, _ := device.(map[string]any)["attributes"].(map[string]any)
		for _, attribute := range attributes {
			delete(attribute.(map[string]any), "strings")
		}
	}
}
