// Package requirements holds what the KEPs of Dynamic Resource Allocation
// demand, statement by statement, with the specs that prove it or the reason
// why none does.
package requirements

import (
	"fmt"
	"strings"

	"golang.org/x/mod/semver"
)

// Document is what one KEP demands, one YAML file.
type Document struct {
	// KEP is its number, such as "4815".
	KEP   string `json:"kep"`
	Title string `json:"title"`
	// Text says which revision of the KEP was read, and what else.
	Text         string        `json:"text"`
	Requirements []Requirement `json:"requirements"`
}

// Requirement is one normative statement. It is proved by specs, or says why
// not.
type Requirement struct {
	// ID is its stable name: the number of the KEP and lower-case words, all
	// joined by dashes.
	ID string `json:"id"`
	// Statement says what holds, in one or two sentences.
	Statement string `json:"statement"`
	Level     Level  `json:"level"`
	// Source is where it is from: sections of the KEP, or fields of the API.
	Source string `json:"source"`
	// From is the first minor release of Kubernetes in which it can be
	// observed; empty if there is none so far.
	From string `json:"from,omitempty"`
	// Until is the last one; empty if there is no end so far.
	Until string `json:"until,omitempty"`
	// Gates are the feature gates that must be on beside
	// DynamicResourceAllocation, or off if written as "Name=false".
	Gates []string `json:"gates,omitempty"`
	// Scheduler is the one that must run for it to be observed: Draconform, or
	// empty for any.
	Scheduler string `json:"scheduler,omitempty"`
	// Specs are the ids of those that prove it, each by itself: whatever
	// breaks the requirement makes each of them fail.
	Specs []string `json:"specs,omitempty"`
	// Unproved says why there are no specs.
	Unproved *Gap `json:"unproved,omitempty"`
}

// Draconform is the scheduler that some requirements need.
const Draconform = "draconform"

// Level is how strict a statement is.
type Level string

// The levels, as RFC 2119 has them.
const (
	Must   Level = "must"
	Should Level = "should"
	May    Level = "may"
)

// Gap is why no spec proves a requirement.
type Gap struct {
	Kind   Kind   `json:"kind"`
	Reason string `json:"reason"`
}

// String is the gap in one line.
func (g Gap) String() string { return string(g.Kind) + ": " + g.Reason }

// Kind is a kind of gap.
type Kind string

// The kinds of gaps.
const (
	// Pending: a spec could prove it, and there is none yet.
	Pending Kind = "pending"
	// Unobservable: it cannot be seen from outside of a cluster's components,
	// or nothing could violate it.
	Unobservable Kind = "unobservable"
	// NotReleased: no release has it.
	NotReleased Kind = "release"
	// Differs: releases do something else than the KEP says, or the KEP
	// contradicts itself; the reason says what releases do.
	Differs Kind = "differs"
)

// KEP is the number of the KEP that the requirement is from.
func (r Requirement) KEP() string {
	kep, _, _ := strings.Cut(r.ID, "-")
	return kep
}

// ObservableIn reports whether a release of Kubernetes, such as 1.37, v1.37 or
// v1.37.1, can show it, with the gates and the scheduler that it needs. What is
// no release shows nothing.
func (r Requirement) ObservableIn(release string) bool {
	minor := minorOf(release)
	if r.From == "" || minor == "" {
		return false
	}
	return semver.Compare(minor, "v"+r.From) >= 0 && (r.Until == "" || semver.Compare(minor, "v"+r.Until) <= 0)
}

// minorOf is a minor release as v1.37; empty for what is no release.
func minorOf(release string) string {
	return semver.MajorMinor("v" + strings.TrimPrefix(release, "v"))
}

// Releases are those that can show it, in short: "1.35+", "1.33-1.34", or
// "none".
func (r Requirement) Releases() string {
	switch {
	case r.From == "":
		return "none"
	case r.Until == "":
		return r.From + "+"
	case r.Until == r.From:
		return r.From
	}
	return fmt.Sprintf("%s-%s", r.From, r.Until)
}
