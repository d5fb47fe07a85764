// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"fmt"
	"strings"

	"github.com/draconform/draconform/allocator/explain"
)

// Reasons in addition to the allocator's kinds, for when the claims as a whole cannot be allocated.
const (
	reasonError    = "Error"
	reasonConflict = "Conflict"
	reasonNone     = "NoDevices"
)

// reasonsOf returns a key for the kinds of an explanation's reasons. The key excludes what differs from node to node:
// devices, the claims that hold them, and the remaining amounts. It also returns the first kind.
func reasonsOf(x *explain.Explanation) (key, first string) {
	var b strings.Builder
	switch {
	case x.Outcome == explain.OutcomeError:
		fmt.Fprintf(&b, "error %s\n", x.Error)
		first = reasonError
	case x.Conflict != nil:
		fmt.Fprintf(&b, "conflict %v\n", x.Conflict.Requests)
		first = reasonConflict
	}
	eachAlternative(x, func(claim string, a *explain.Alternative) {
		fmt.Fprintf(&b, "%s %s %t %t %s\n", claim, a.Name, a.Free >= a.Count, a.Most > 0, a.Error)
		for i := range a.Reasons {
			r := &a.Reasons[i]
			fmt.Fprintf(&b, "%s %s %s\n", r.Kind, r.Name, r.Expression)
			if first == "" {
				first = string(r.Kind)
			}
		}
	})
	for i := range x.Pools {
		fmt.Fprintf(&b, "pool %s %s\n", x.Pools[i].Driver, x.Pools[i].Kind)
	}
	if first == "" {
		first = reasonNone
	}
	return b.String(), first
}

// permanent returns 1 if no release by other claims can make the node fit, otherwise 0. Groups of nodes that could fit
// later are listed first.
func permanent(x *explain.Explanation) int {
	if x.Conflict != nil {
		return 0
	}
	out := 1
	eachAlternative(x, func(_ string, a *explain.Alternative) {
		for i := range a.Reasons {
			switch a.Reasons[i].Kind {
			case explain.ReasonCounter, explain.ReasonCapacityLeft, explain.ReasonAffinity, explain.ReasonConstraint,
				explain.ReasonGroups, explain.ReasonTaken, explain.ReasonLater, explain.ReasonInUse, explain.ReasonTaint:
				out = 0
			default:
			}
		}
	})
	return out
}

func eachAlternative(x *explain.Explanation, do func(claim string, a *explain.Alternative)) {
	for i := range x.Claims {
		for j := range x.Claims[i].Requests {
			r := &x.Claims[i].Requests[j]
			for k := range r.Alternatives {
				do(x.Claims[i].Name, &r.Alternatives[k])
			}
		}
	}
}
