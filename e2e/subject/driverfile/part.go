// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driverfile

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/draconform/draconform/e2e/workload/report"
)

// Part is the part of a multi-host device on one node.
type Part struct {
	// Nodes lists all nodes of the device.
	Nodes []string
	// Node is the node of this part.
	Node string
	// Pieces lists the names of the pieces of the device on the node. The names
	// are unique across nodes.
	Pieces []string
}

// Part returns the part of the only multi-host device that a container sees.
// The driver must have the role multiHost with a part.
func (d *Driver) Part(r report.Report, offered Offered) (Part, error) {
	seen, err := d.Seen(r, offered)
	if err != nil {
		return Part{}, err
	}
	groups, err := d.partGroups(r)
	switch {
	case err != nil:
		return Part{}, err
	case len(d.Containers) > 0 && !seen.Unidentified && len(seen.Devices) != 1:
		return Part{}, fmt.Errorf("the container should have a part of one device, it reports %d devices: %v", len(seen.Devices), seen.Devices)
	case groups[groupNodes] == "" || groups[groupPieces] == "" || groups[groupNode] == "" && groups[groupIndex] == "":
		return Part{}, fmt.Errorf("the container should have a part of one device, it reports %d devices and %v", len(seen.Devices), groups)
	}
	return d.partOf(groups)
}

// partGroups returns the groups of all patterns of the part. The pieces may be
// in several matches.
func (d *Driver) partGroups(r report.Report) (map[string]string, error) {
	part := d.Roles.MultiHost.Part
	all := map[string]string{}
	for _, source := range part.Sources {
		// What is not described may belong to other devices.
		found, _ := d.matches(source, r)
		for _, m := range found {
			if d.other(m) != "" {
				continue
			}
			for group, text := range m.groups {
				switch earlier, again := all[group]; {
				case !again:
					all[group] = text
				case group == groupPieces:
					all[group] = earlier + part.separator() + text
				case earlier != text:
					return nil, fmt.Errorf("the container should have a part of one device, it reports two values for %s: %q and %q", group, earlier, text)
				}
			}
		}
	}
	return all, nil
}

// partOf returns the part with the given groups.
func (d *Driver) partOf(groups map[string]string) (Part, error) {
	described := d.Roles.MultiHost.Part
	part := Part{
		Nodes: strings.Split(groups[groupNodes], described.separator()), Node: groups[groupNode],
		Pieces: strings.Split(groups[groupPieces], described.separator()),
	}
	if index, ok := groups[groupIndex]; ok {
		i, err := strconv.Atoi(index)
		if err != nil || i < 0 || i >= len(part.Nodes) {
			return Part{}, fmt.Errorf("the container has the part of host %s, of %v", index, part.Nodes)
		}
		part.Node = part.Nodes[i]
	}
	if described.LocalPieces {
		for i := range part.Pieces {
			part.Pieces[i] = part.Node + "/" + part.Pieces[i]
		}
	}
	return part, nil
}

func (p *HostPart) separator() string { return cmp.Or(p.Separator, ",") }
