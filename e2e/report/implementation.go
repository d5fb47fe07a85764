// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"

	"github.com/draconform/draconform/e2e/subject/driverfile"
)

// Implementation identifies a driver that a run judged, as its driver file
// does. The fields from Organization on are empty if the file does not have
// them. Such a report cannot be published.
type Implementation struct {
	// Driver is the name of the driver in ResourceSlices.
	Driver string `json:"driver"`
	// Mode is the configuration of the driver, "default" if the driver file
	// does not name one.
	Mode         string   `json:"mode"`
	Organization string   `json:"organization,omitempty"`
	Project      string   `json:"project,omitempty"`
	URL          string   `json:"url,omitempty"`
	Version      string   `json:"version,omitempty"`
	Contact      []string `json:"contact,omitempty"`
}

// Implementations returns what the files of drivers say about their
// implementations, for [Subject].
func Implementations(drivers []*driverfile.Driver) []Implementation {
	all := make([]Implementation, 0, len(drivers))
	for _, d := range drivers {
		i := Implementation{Driver: d.Name, Mode: cmp.Or(d.Mode, "default")}
		if of := d.Implementation; of != nil {
			i.Organization, i.Project, i.URL, i.Version, i.Contact = of.Organization, of.Project, of.URL, of.Version, of.Contact
		}
		all = append(all, i)
	}
	return all
}

// String returns the implementation in one line.
func (i Implementation) String() string {
	text := i.Driver
	if i.Project != "" {
		text += ": " + i.Organization + " " + i.Project + " " + i.Version
	}
	return text + ", mode " + i.Mode
}
