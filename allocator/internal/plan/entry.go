// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"slices"

	"github.com/draconform/draconform/allocator/internal/affinity"
)

// entry collects the sharing affinity parameters of class and claim for an alternative. It uses the same
// configuration that the driver will receive.
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
