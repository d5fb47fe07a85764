// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"
)

// copied is a field of an allocation result that is a copy of a field of the request,
// of the device or of its slice. The order of its elements has no meaning.
type copied struct {
	field     string
	got, want []string
	// mayLack states that the scheduler need not set the field.
	mayLack bool
}

// checkCopies returns the fields of allocation results that are not what they were copied
// from. Devices that no slice offers are skipped.
func (s snapshot) checkCopies(claim *resourceapi.ResourceClaim, by Scheduler) []finding {
	requests := requestsOf(claim)
	var found []finding
	for i, r := range results(claim) {
		id := idOf(r)
		var fields []copied
		if request, known := requests[r.Request]; known {
			fields = append(fields, copied{"tolerations", describeTolerations(r.Tolerations), describeTolerations(request.Tolerations), by.OmitsTolerations})
		}
		if d, offered := s.inventory.devices[id]; offered {
			fields = append(fields,
				copied{"bindingConditions", r.BindingConditions, d.BindingConditions, by.OmitsBindingConditions},
				copied{"bindingFailureConditions", r.BindingFailureConditions, d.BindingFailureConditions, by.OmitsBindingConditions},
				copied{"skipNodeOperations", names(r.SkipNodeOperations), names(d.skipNodeOperations), by.OmitsSkippedOperations},
			)
		}
		for _, f := range fields {
			if len(f.got) == 0 && f.mayLack || sets.New(f.got...).Equal(sets.New(f.want...)) {
				continue
			}
			found = append(found, finding{
				rule: ResultsCopied, about: fmt.Sprintf("result %d: %s", i, f.field), dependsOn: poolOfDevice(id),
				text: fmt.Sprintf("request %s has device %s with %s %s, not %s", r.Request, id, f.field, list(f.got), list(f.want)),
			})
		}
	}
	return found
}

func names[T ~string](all []T) []string {
	var names []string
	for _, one := range all {
		names = append(names, string(one))
	}
	return names
}

// describeTolerations returns a short form of each toleration. The same tolerations have
// the same form: without an operator, they compare the value.
func describeTolerations(all []resourceapi.DeviceToleration) []string {
	var texts []string
	for _, t := range all {
		text := fmt.Sprintf("%s %s %s:%s", t.Key, cmp.Or(t.Operator, resourceapi.DeviceTolerationOpEqual), t.Value, t.Effect)
		if t.TolerationSeconds != nil {
			text += fmt.Sprintf(" for %ds", *t.TolerationSeconds)
		}
		texts = append(texts, text)
	}
	return texts
}

// list returns the elements in the order of their names, or the word nothing.
func list(all []string) string {
	return cmp.Or(strings.Join(slices.Sorted(slices.Values(all)), ", "), "nothing")
}
