// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"context"
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/cel"

	"github.com/draconform/draconform/internal/rules"
)

// checkConstraint returns how the devices of a claim violate a constraint. It ignores
// constraints, requests and attribute values of unknown kinds, and devices that no
// slice offers.
func (inv *Inventory) checkConstraint(ctx context.Context, constraint resourceapi.DeviceConstraint, claim *resourceapi.ResourceClaim) []finding {
	name, distinct := rules.AttributeOf(&constraint)
	if name == nil {
		return nil
	}
	rule, want := AttributesMatch, "must match"
	if distinct {
		rule, want = AttributesDiffer, "must differ"
	}
	var found []finding
	report := func(id DeviceID, format string, args ...any) {
		text := fmt.Sprintf(format, args...)
		found = append(found, finding{rule: rule, about: text, dependsOn: poolOfDevice(id), text: text})
	}
	requests := requestsOf(claim)
	var earlier []attributed
	for _, r := range results(claim) {
		id := idOf(r)
		device, known := inv.devices[id]
		request, asked := requests[r.Request]
		if !known || !asked || !rules.Applies(constraint.Requests, r.Request) {
			continue
		}
		attribute, ok, err := rules.Derive(derive).Attribute(ctx, &request, device.of(id.Driver), *name)
		switch this := (attributed{id, rules.Values(attribute, rules.Quirks{})}); {
		case err != nil && cannotDerive(request, *name, &device.Device):
		case err != nil:
			report(id, "request %s on device %s: %v", r.Request, id, err)
		case !ok:
			report(id, "device %s lacks the attribute %s, which %s", id, *name, want)
		case this.values.Len() == 0: // Of an unknown kind.
		case distinct:
			for _, other := range earlier {
				if !rules.Distinct(other.values, this.values) {
					report(id, "devices %s and %s have the attribute %s in common, which must differ", other.id, id, *name)
				}
			}
			earlier = append(earlier, this)
		case len(earlier) == 0:
			earlier = append(earlier, this)
		case !rules.Match(earlier[0].values, this.values):
			report(id, "devices %s and %s differ in the attribute %s, which must match", earlier[0].id, id, *name)
		default:
			// All devices must have a value in common. A common value of each
			// pair is not enough.
			earlier[0].values = earlier[0].values.Intersection(this.values)
		}
	}
	return found
}

// attributed is a device with the values of an attribute.
type attributed struct {
	id     DeviceID
	values sets.Set[string]
}

// derive compiles the expression of a derived attribute.
func derive(expression string) cel.CompilationResult {
	return compile(expression, cel.Options{DerivedAttribute: true})
}
