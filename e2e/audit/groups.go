// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/internal/rules"
)

// members are the held devices that consume from one counter set.
type members struct {
	// allocated and chosen are the compatibility groups of the devices that
	// were held before, and of the newly allocated ones.
	allocated, chosen [][]string
	by                []string
	causes            [][]string // The claims of the newly allocated devices.
}

// checkGroups returns the counter sets from which newly allocated devices
// consume although they have no compatibility group in common with the others.
// fresh are the newly allocated claims by name.
func (inv *Inventory) checkGroups(held holders, fresh map[string]*resourceapi.ResourceClaim) []finding {
	sets := map[counterID]*members{}
	for _, id := range held.devices() {
		claims := held.names(id)
		isOld := slices.ContainsFunc(claims, func(name string) bool { return fresh[name] == nil })
		for _, c := range inv.devices[id].ConsumesCounters {
			set := counterID{id.Driver, id.Pool, inv.devices[id].counters, rules.Counter{Set: c.CounterSet}}
			if sets[set] == nil {
				sets[set] = &members{}
			}
			m := sets[set]
			m.by = append(m.by, fmt.Sprintf("%s of %s with %v", id.Device, strings.Join(claims, ", "), c.CompatibilityGroups))
			if isOld {
				m.allocated = append(m.allocated, c.CompatibilityGroups)
				continue
			}
			m.chosen = append(m.chosen, c.CompatibilityGroups)
			m.causes = append(m.causes, claims)
		}
	}
	var found []finding
	for set, m := range sets {
		if !rules.MayJoin(m.allocated, m.chosen) {
			pool := poolID{set.driver, set.pool}.String()
			about := fmt.Sprintf("counter set %s in pool %s", set.Set, pool)
			text := about + " is consumed by devices that have no compatibility group in common: " + strings.Join(m.by, "; ")
			found = append(found, finding{GroupsCompatible, about, m.causes, []string{pool}, text})
		}
	}
	slices.SortFunc(found, func(a, b finding) int { return cmp.Compare(a.text, b.text) })
	return found
}
