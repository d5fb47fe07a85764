// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package diagnose

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// String describes the pool in several lines: the devices in use one by one, the others by their state.
func (p Pool) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "pool %s/%s, %s: %s, %d free, %d held", p.Driver, p.Pool, p.Nodes, count(len(p.Devices), "device"), p.Free, p.Held)
	if p.Blocked > 0 {
		fmt.Fprintf(&b, ", %d blocked", p.Blocked)
	}
	if p.Tainted > 0 {
		fmt.Fprintf(&b, ", %d tainted", p.Tainted)
	}
	b.WriteByte('\n')
	if p.Problem != "" {
		fmt.Fprintf(&b, "  no device can be allocated: %s\n", p.Problem)
	}
	var order []string
	others := map[string][]string{}
	for i := range p.Devices {
		d := &p.Devices[i]
		if len(d.Holders) > 0 || len(d.Capacity) > 0 {
			fmt.Fprintf(&b, "  %s\n", d)
			continue
		}
		key := string(d.State)
		if d.Why != "" {
			key += ", " + d.Why
		}
		if _, known := others[key]; !known {
			order = append(order, key)
		}
		others[key] = append(others[key], d.Name)
	}
	for _, key := range order {
		fmt.Fprintf(&b, "  %s: %s\n", key, some(others[key]))
	}
	if p.Counters != nil {
		_, rows, _ := strings.Cut(p.Counters.String(), "\n") // The first line names the pool.
		b.WriteString(rows)
	}
	return b.String()
}

// String describes a device that claims use or can share.
func (d *Device) String() string {
	var parts []string
	for _, c := range d.Capacity {
		parts = append(parts, fmt.Sprintf("%s %s of %s used", c.Name, c.Used, c.Total))
	}
	for i := range d.Holders {
		parts = append(parts, d.Holders[i].String())
	}
	line := fmt.Sprintf("%s: %s", d.State, d.Name)
	if d.Why != "" {
		line += " (" + d.Why + ")"
	}
	return line + ": " + strings.Join(parts, ", ")
}

// String names a claim, its pods and what it consumes.
func (h *Holder) String() string {
	text := "by " + h.Claim
	if h.AdminAccess {
		text = "admin access of " + h.Claim
	}
	switch {
	case len(h.Pods) == 1:
		text += " (pod " + h.Pods[0] + ")"
	case len(h.Pods) > 1:
		text += " (pods " + some(h.Pods) + ")"
	default:
		text += " (no pod)"
	}
	for _, name := range slices.Sorted(maps.Keys(h.Consumes)) {
		text += fmt.Sprintf(" %s=%s", name, h.Consumes[name])
	}
	return text
}
