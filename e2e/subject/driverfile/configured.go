// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driverfile

import (
	"fmt"
	"slices"

	"github.com/draconform/draconform/e2e/workload/report"
)

// SeesConfigured reports whether a container sees that its device has the
// configuration of the role exclusive, which the driver must have. instead has the
// variables that could show it and have another value.
func (d *Driver) SeesConfigured(r report.Report) (configured bool, instead []string, err error) {
	seen := d.Roles.Exclusive.Configured.Seen
	found, problems := d.matches(seen, r)
	// A variable with another value is what a container without the configuration
	// has.
	if seen.Environment == nil && len(problems) > 0 {
		return false, nil, fmt.Errorf("the container could not read what shows the configuration of its devices: %v", problems)
	}
	return slices.ContainsFunc(found, func(m match) bool { return d.other(m) == "" }), problems, nil
}
