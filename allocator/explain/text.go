// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"fmt"
	"strings"
)

// String returns the explanation as text of several lines, including the pictures.
func (x *Explanation) String() string {
	t := &text{}
	t.line(0, "%s", x.headline())
	for i := range x.Pools {
		p := &x.Pools[i]
		t.line(1, "pool %s/%s (%s not available): %s", p.Driver, p.Pool, devices(p.Devices), p.Message)
	}
	if x.Devices == 0 && x.Elsewhere > 0 {
		t.line(1, "the node sees no device; there are %d in slices for other nodes", x.Elsewhere)
	}
	for i := range x.Claims {
		t.line(0, "claim %s", x.Claims[i].Name)
		if x.Claims[i].Error != "" {
			t.line(1, "%s", x.Claims[i].Error)
		}
		for j := range x.Claims[i].Requests {
			t.request(&x.Claims[i].Requests[j])
		}
	}
	if x.Conflict != nil {
		t.conflict(x.Conflict)
	}
	for i := range x.Pictures {
		t.WriteString(x.Pictures[i].String())
	}
	return t.String()
}

func (x *Explanation) headline() string {
	switch {
	case x.Outcome == OutcomeFit:
		return "fits on node " + x.Node
	case x.Error != "":
		return fmt.Sprintf("error on node %s: %s", x.Node, x.Error)
	case x.Conflict != nil:
		return fmt.Sprintf("no fit on node %s: every request fits alone, not together", x.Node)
	case len(x.Blocking) > 0:
		return fmt.Sprintf("no fit on node %s because of %s", x.Node, strings.Join(x.Blocking, ", "))
	}
	return "no fit on node " + x.Node
}

// text builds indented lines.
type text struct{ strings.Builder }

func (t *text) line(level int, format string, args ...any) {
	t.WriteString(strings.Repeat("  ", level))
	fmt.Fprintf(t, format, args...)
	t.WriteByte('\n')
}

func (t *text) request(r *Request) {
	if r.Error != "" {
		t.line(1, "request %s: %s", r.Name, r.Error)
	}
	for i := range r.Alternatives {
		t.alternative(1, &r.Alternatives[i])
	}
}

func (t *text) alternative(level int, a *Alternative) {
	t.line(level, "request %s: %s", a.Name, a.verdict())
	for _, device := range a.Chosen {
		t.line(level+1, "%s", device)
	}
	for i := range a.Reasons {
		t.line(level+1, "%s", a.Reasons[i].text(a.Considered))
	}
	if a.Remainder != nil {
		t.line(level+1, "no more than %d of the %d at the same time; after the allocation of", a.Most, a.Count)
		t.remainder(level+2, a.Remainder)
	}
}

func (t *text) remainder(level int, r *Remainder) {
	for _, choice := range r.Chosen {
		t.line(level, "%s (%s)", choice.Device, choice.Request)
	}
	for i := range r.Alternatives {
		t.alternative(level-1, &r.Alternatives[i])
	}
}

func (t *text) conflict(c *Conflict) {
	what := "do not fit together"
	if c.Smallest {
		what += ", though any of them can without one of the others"
		if len(c.Requests) == 2 {
			what = "do not fit together"
		}
	}
	t.line(0, "requests %s %s", strings.Join(c.Requests, ", "), what)
	if c.Example != nil {
		t.line(1, "for instance after the allocation of")
		t.remainder(2, c.Example)
	}
}

// verdict returns a short result of an alternative.
func (a *Alternative) verdict() string {
	switch {
	case a.Error != "":
		return a.Error
	case len(a.Chosen) > 0:
		return a.requested() + ", allocated"
	case a.Matched == 0:
		return fmt.Sprintf("%s, none of %s matching", a.requested(), devices(a.Considered))
	}
	verdict := fmt.Sprintf("%s, %d of %s matching, %d free", a.requested(), a.Matched, devices(a.Considered), a.Free)
	switch a.Alone {
	case OutcomeFit:
		verdict += ", fits alone"
	case OutcomeUnknown:
		verdict += ", not known whether it fits alone"
	default:
	}
	return verdict
}

// requested returns how many devices an alternative requests.
func (a *Alternative) requested() string {
	if a.All {
		return "all requested"
	}
	return fmt.Sprintf("%d requested", a.Count)
}

func (r *Reason) text(of int) string {
	s := fmt.Sprintf("%d of %s: %s", r.Devices, devices(of), r.Message)
	if len(r.HeldDevices) > 0 {
		s += ", used by " + strings.Join(r.HeldDevices, ", ")
	}
	if len(r.Holders) > 0 {
		s += ", held by " + strings.Join(r.Holders, ", ")
	}
	switch {
	case r.Kind == ReasonSelector || r.Kind == ReasonClass:
		// A selector usually excludes most devices. Their names do not help.
	case r.Devices == len(r.Examples):
		s += " (" + strings.Join(r.Examples, ", ") + ")"
	case len(r.Examples) > 0:
		s += " (" + strings.Join(r.Examples, ", ") + ", ...)"
	}
	return s
}

func devices(n int) string {
	if n == 1 {
		return "1 device"
	}
	return fmt.Sprintf("%d devices", n)
}
