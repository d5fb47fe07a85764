package plan

import (
	"slices"

	"github.com/draconform/draconform/allocator/internal/affinity"
)

// entry collects what class and claim state for an alternative about sharing affinity: the same configuration
// that the driver will get for it.
func (c *compiler) entry(a *Alternative, parent string) {
	var entry *affinity.Entry
	for i := range a.Class.Spec.Config {
		entry = entry.Add(&a.Class.Spec.Config[i].DeviceConfiguration)
	}
	config := c.plan.Claims[a.Claim].API.Spec.Devices.Config
	for i := range config {
		names := config[i].Requests
		if len(names) == 0 || slices.Contains(names, parent) || slices.Contains(names, a.Result) {
			entry = entry.Add(&config[i].DeviceConfiguration)
		}
	}
	a.Entry = entry
}
