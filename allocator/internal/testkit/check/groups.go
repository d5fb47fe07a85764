package check

import (
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"
)

// groups verifies compatibility groups (KEP-5963): all devices that consume
// from a counter set have one group in common, or none of them has a group.
func (r *Rules) groups(choices []Choice) error {
	if !r.features.CompatibilityGroups {
		return nil
	}
	for _, pool := range r.pools {
		peers, chosen := r.allocatedIn(pool), r.charged(pool, choices)
		for set := range pool.counterSets {
			if len(groupsOn(set, chosen)) == 0 {
				continue
			}
			// A change of the slices may have made the allocated devices
			// incompatible. The KEP does not specify that case.
			if before := groupsOn(set, peers); compatible(before) && !compatible(append(before, groupsOn(set, chosen)...)) {
				return fmt.Errorf("pool %s/%s, counter set %s: the devices have no compatibility group in common", pool.driver, pool.name, set)
			}
		}
	}
	return nil
}

// groupsOn returns the groups of each device that consumes from the counter
// set.
func groupsOn(set string, devices []*resourceapi.Device) []sets.Set[string] {
	var groups []sets.Set[string]
	for _, device := range devices {
		for _, consumption := range device.ConsumesCounters {
			if consumption.CounterSet == set {
				groups = append(groups, sets.New(consumption.CompatibilityGroups...))
			}
		}
	}
	return groups
}

func compatible(groups []sets.Set[string]) bool {
	if len(groups) == 0 {
		return true
	}
	common, grouped := groups[0], false
	for _, own := range groups {
		common = common.Intersection(own)
		grouped = grouped || own.Len() > 0
	}
	return !grouped || common.Len() > 0
}
