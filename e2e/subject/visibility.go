// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package subject

import (
	"fmt"

	"github.com/draconform/draconform/e2e/subject/driverfile"
)

// Visibility is what containers see of the devices of a driver, according to
// its driver file.
type Visibility int

// The degrees of visibility.
const (
	// Hidden devices are not visible in containers.
	Hidden Visibility = iota
	// Present devices are visible, but not which ones.
	Present
	// Identified devices are visible with what identifies them.
	Identified
)

// Visible is the visibility of the devices of a driver.
type Visible struct {
	Visibility
	// Position is the place in the driver file that says it. It is empty for the
	// suite's own drivers.
	Position string
}

// visible returns the visibility of the devices of a driver.
func visible(d *driverfile.Driver) Visible {
	of := Visible{Position: d.Position("containers")}
	// The first entry by which a container sees anything counts.
	switch {
	case len(d.Containers) == 0:
	case d.Containers[0].Presence:
		of.Visibility = Present
	default:
		of.Visibility = Identified
	}
	return of
}

// Unseen returns a message if the devices of a driver are not visible enough for
// a spec, or an empty string. drivers are those whose devices the spec uses.
func (s Subject) Unseen(needed Visibility, drivers []string) string {
	for _, driver := range drivers {
		of := s.Visible[driver]
		switch {
		case of.Visibility >= needed:
		case of.Visibility == Hidden:
			return fmt.Sprintf("needs to see devices in containers, the file of driver %s does not say how containers see devices: add containers to %s", driver, of.Position)
		default:
			return fmt.Sprintf("needs to see which devices a container has, containers of driver %s only shows that there are some: add an entry without presence above it to %s", driver, of.Position)
		}
	}
	return ""
}
