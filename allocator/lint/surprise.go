// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package lint

import (
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"
)

// deviceOrder reports for each counter set the first device that consumes more than a later
// device.
func deviceOrder(p *pass) {
	for _, pool := range p.pools {
		consumers := map[string][]consumer{}
		var order []string
		for at, c := range consumptionsOf(pool) {
			if consumers[c.CounterSet] == nil {
				order = append(order, c.CounterSet)
			}
			consumers[c.CounterSet] = append(consumers[c.CounterSet], consumer{at, c})
		}
		for _, set := range order {
			if large, small, found := misplaced(consumers[set]); found {
				p.report(large.at, "device %s consumes more of counter set %s than device %s, which comes after it: a request that both match gets %s first",
					large.device.Name, set, small.device.Name, large.device.Name)
			}
		}
	}
}

type consumer struct {
	at place
	consumption
}

func misplaced(list []consumer) (large, small consumer, found bool) {
	for i := range list {
		for j := i + 1; j < len(list); j++ {
			if less(list[j].Counters, list[i].Counters) {
				return list[i], list[j], true
			}
		}
	}
	return consumer{}, consumer{}, false
}

// less reports whether a is less than b in some counter and not greater in any.
func less(a, b map[string]resourceapi.Counter) bool {
	below := false
	for name, counter := range a {
		other := b[name].Value
		if counter.Value.Cmp(other) > 0 {
			return false
		}
		below = below || counter.Value.Cmp(other) < 0
	}
	for name, counter := range b {
		if _, ok := a[name]; !ok && counter.Value.Sign() > 0 {
			below = true
		}
	}
	return below
}

func capacityNoDefault(p *pass) {
	for at, device := range p.devices() {
		if !ptr.Deref(device.AllowMultipleAllocations, false) {
			continue
		}
		for _, name := range sorted(device.Capacity) {
			if policy := device.Capacity[name].RequestPolicy; policy == nil || policy.Default == nil {
				value := device.Capacity[name].Value
				p.report(at.child("capacity").key(string(name)), "has no requestPolicy with a default: a claim that does not request an amount consumes all %s", &value)
			}
		}
	}
}
