// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"fmt"
	"slices"
	"strings"
)

// Summary returns the explanation in one line, the most useful reasons first, for a condition of a pod. most is the
// maximum length in bytes, 0 for no limit.
func (x *Explanation) Summary(most int) string {
	var parts []string
	for i := range x.Pools {
		p := &x.Pools[i]
		parts = append(parts, fmt.Sprintf("pool %s/%s: %s", p.Driver, p.Pool, p.Message))
	}
	switch {
	case x.Outcome == OutcomeFit:
		parts = []string{"fits"}
	case x.Error != "":
		parts = append([]string{x.Error}, parts...)
	case x.Conflict != nil:
		parts = append(x.Conflict.summary(), parts...)
	case x.Devices == 0:
		parts = append(parts, "the node sees no device")
	default:
		parts = append(x.failures(), parts...)
	}
	line := strings.Join(parts, "; ")
	if most > 0 {
		line = shortened(line, most)
	}
	return line
}

// failures describes the requests that do not fit alone, or all requests if these are not known.
func (x *Explanation) failures() []string {
	var list []string
	for i := range x.Claims {
		for j := range x.Claims[i].Requests {
			r := &x.Claims[i].Requests[j]
			if len(x.Blocking) > 0 && !slices.Contains(x.Blocking, x.Claims[i].Name+": "+r.Name) {
				continue
			}
			for k := range r.Alternatives {
				list = append(list, fmt.Sprintf("claim %s, %s", x.Claims[i].Name, r.Alternatives[k].summary()))
			}
		}
	}
	return list
}

func (c *Conflict) summary() []string {
	list := []string{fmt.Sprintf("requests %s do not fit together", strings.Join(c.Requests, ", "))}
	if c.Example != nil {
		for i := range c.Example.Alternatives {
			list = append(list, "after the others "+c.Example.Alternatives[i].summary())
		}
	}
	return list
}

// summary returns one line with up to three reasons.
func (a *Alternative) summary() string {
	const few = 3
	list := a.Reasons
	if a.Remainder != nil && len(a.Remainder.Alternatives) > 0 {
		rest := &a.Remainder.Alternatives[0]
		return fmt.Sprintf("request %s: %d of %d devices fit at the same time; of the others %s", a.Name, a.Most, a.Count, reasonsLine(rest.Reasons, rest.Considered, few))
	}
	if len(list) == 0 || a.Error != "" {
		return fmt.Sprintf("request %s: %s", a.Name, a.verdict())
	}
	return fmt.Sprintf("request %s: %s, %d free: %s", a.Name, a.requested(), a.Free, reasonsLine(list, a.Considered, few))
}

func reasonsLine(list []Reason, of, few int) string {
	var texts []string
	for i := range list[:min(few, len(list))] {
		r := &list[i]
		text := fmt.Sprintf("%d of %s: %s", r.Devices, devices(of), r.Message)
		if len(r.Holders) > 0 {
			text += " (held by " + strings.Join(r.Holders, ", ") + ")"
		}
		texts = append(texts, text)
	}
	if len(list) > few {
		texts = append(texts, fmt.Sprintf("and %d more", len(list)-few))
	}
	return strings.Join(texts, ", ")
}
