// Package subject describes a driver as specs may use it: what to ask it for,
// and how a container sees what it was given. Specs never name a driver.
package subject

import (
	"fmt"

	"github.com/draconform/draconform/e2e/audit"
)

// Subject is a driver.
type Subject struct {
	// Driver is the DRA driver's name.
	Driver string
	// Class is the DeviceClass of the driver's devices.
	Class string
	// Partitions says how to ask for partitions of a device.
	Partitions Partitions
	// Seen reads which devices a container was given from the log of the
	// workload image.
	Seen func(log []byte) ([]audit.DeviceID, error)
}

// Selector is a CEL expression over a device, as in a request's selectors.
type Selector string

// Partitions are devices that share the counters of one parent (KEP-4815).
type Partitions struct {
	// Parent is the qualified name of the string attribute that is equal for
	// a whole device and all its partitions, and for nothing else.
	Parent string
	// Whole selects whole devices.
	Whole Selector
	// Small selects partitions of one kind, several of which fit a parent.
	Small Selector
	// Mix are partitions of different kinds that fit one parent together.
	Mix []Selector
	// Full are partitions that fit one parent together and use it up so far
	// that Small does not fit any more.
	Full []Selector
}

// OfParent narrows a selector to devices of one parent.
func (p Partitions) OfParent(s Selector, parent string) Selector {
	domain, name := split(p.Parent)
	return Selector(fmt.Sprintf("(%s) && device.attributes[%q].%s == %q", s, domain, name, parent))
}

// split takes a qualified name apart.
func split(qualified string) (domain, name string) {
	for i := range qualified {
		if qualified[i] == '/' {
			return qualified[:i], qualified[i+1:]
		}
	}
	return "", qualified
}
