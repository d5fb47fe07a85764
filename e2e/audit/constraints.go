package audit

import (
	"fmt"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
)

// broken returns how the devices of a claim violate a constraint. Derived
// attributes of requests (KEP-6080) are not computed, so constraints on them
// are skipped.
func (inv *Inventory) broken(constraint resourceapi.DeviceConstraint, claim *resourceapi.ResourceClaim) []finding {
	rule, want, name := AttributesMatch, "must match", constraint.MatchAttribute
	if name == nil {
		rule, want, name = AttributesDiffer, "must differ", constraint.DistinctAttribute
	}
	if name == nil || derives(claim, string(*name)) {
		return nil
	}
	var found []finding
	report := func(id DeviceID, format string, args ...any) {
		text := fmt.Sprintf(format, args...)
		found = append(found, finding{rule: rule, about: text, judgedBy: poolOfDevice(id), text: text})
	}
	var earlier []attributed
	for _, id := range inv.under(constraint, claim) {
		attribute, ok := inv.attribute(id, string(*name))
		if !ok {
			report(id, "device %s lacks the attribute %s, which %s", id, *name, want)
			continue
		}
		this := attributed{id, valuesOf(attribute)}
		for i := range earlier {
			common := intersect(earlier[i].values, this.values)
			switch {
			case rule == AttributesDiffer && len(common) > 0:
				report(id, "devices %s and %s have the attribute %s in common, which must differ", earlier[i].id, id, *name)
			case rule == AttributesMatch && len(common) == 0:
				report(id, "devices %s and %s differ in the attribute %s, which must match", earlier[i].id, id, *name)
			case rule == AttributesMatch:
				// All devices must have a value in common. A common value of
				// each pair is not enough.
				earlier[i].values = common
			}
		}
		if rule == AttributesDiffer || len(earlier) == 0 {
			earlier = append(earlier, this)
		}
	}
	return found
}

// attributed is a device with the values of an attribute.
type attributed struct {
	id     DeviceID
	values []string
}

// under returns the devices of a claim that a constraint applies to and that
// slices offer. A constraint names a request, which includes all its
// subrequests, or a single subrequest.
func (inv *Inventory) under(constraint resourceapi.DeviceConstraint, claim *resourceapi.ResourceClaim) []DeviceID {
	var ids []DeviceID
	for _, r := range results(claim) {
		if _, known := inv.devices[idOf(r)]; known && names(constraint.Requests, r.Request) {
			ids = append(ids, idOf(r))
		}
	}
	return ids
}

// names reports whether the requests of a constraint or a configuration include
// that of a result. An empty list means all.
func names(requests []string, result string) bool {
	request, _, _ := strings.Cut(result, "/")
	return len(requests) == 0 || slices.Contains(requests, request) || slices.Contains(requests, result)
}

func derives(claim *resourceapi.ResourceClaim, attribute string) bool {
	for _, a := range askedOf(claim) {
		if slices.ContainsFunc(a.derived, func(d resourceapi.DeviceDerivedAttribute) bool { return string(d.Name) == attribute }) {
			return true
		}
	}
	return false
}

// valuesOf returns the values of an attribute, prefixed with their type. A list
// is a set (KEP-5491). A single value is a set of one element.
func valuesOf(a resourceapi.DeviceAttribute) []string {
	var all []string
	all = appendValues(all, "int", a.IntValue, a.IntValues)
	all = appendValues(all, "bool", a.BoolValue, a.BoolValues)
	all = appendValues(all, "string", a.StringValue, a.StringValues)
	return appendValues(all, "version", a.VersionValue, a.VersionValues)
}

func appendValues[T any](all []string, kind string, one *T, more []T) []string {
	if one != nil {
		more = append(slices.Clip(more), *one)
	}
	for _, value := range more {
		all = append(all, fmt.Sprintf("%s %v", kind, value))
	}
	return all
}

func intersect(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(value string) bool { return !slices.Contains(b, value) })
}
