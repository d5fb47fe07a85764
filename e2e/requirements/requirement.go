// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package requirements contains the requirements of the KEPs of Dynamic
// Resource Allocation, with the specs that prove them or the reasons why no
// spec does.
package requirements

import (
	"fmt"
	"strings"

	"golang.org/x/mod/semver"
)

// Document contains the requirements of one KEP. It is one YAML file.
type Document struct {
	// KEP is its number, such as "4815". A draft with requirements of its own,
	// or a part of the KEP, has words after the number, such as "4815-draft".
	KEP   string `json:"kep"`
	Title string `json:"title"`
	// Text names the revision of the KEP and the other texts that the
	// requirements are based on.
	Text         string        `json:"text"`
	Requirements []Requirement `json:"requirements"`
}

// Requirement is one normative statement. It is proved by specs or states why
// none proves it.
type Requirement struct {
	// ID is its stable name: the KEP of its document and lower-case words, all
	// joined by dashes.
	ID string `json:"id"`
	// Statement states the requirement in one or two sentences.
	Statement string `json:"statement"`
	Level     Level  `json:"level"`
	// Source are the sections of the KEP or the fields of the API that it is
	// based on.
	Source string `json:"source"`
	// From is the first minor release of Kubernetes in which it can be
	// observed. It is empty if there is none yet.
	From string `json:"from,omitempty"`
	// Until is the last such release. It is empty if there is no end yet.
	Until string `json:"until,omitempty"`
	// Gates are the feature gates that must be enabled in addition to
	// DynamicResourceAllocation, or disabled if written as "Name=false".
	Gates []string `json:"gates,omitempty"`
	// Scheduler is the scheduler that is needed to observe it: Draconform, or
	// empty for any.
	Scheduler string `json:"scheduler,omitempty"`
	// Specs are the ids of the specs that prove it. Each spec proves it
	// independently: a violation makes each of them fail.
	Specs []string `json:"specs,omitempty"`
	// Unproved states why there are no specs.
	Unproved *Gap `json:"unproved,omitempty"`
}

// Draconform is the scheduler that some requirements need.
const Draconform = "draconform"

// Level is the requirement level of a statement.
type Level string

// The levels, as defined by RFC 2119.
const (
	Must   Level = "must"
	Should Level = "should"
	May    Level = "may"
)

// Gap states why no spec proves a requirement.
type Gap struct {
	Kind   Kind   `json:"kind"`
	Reason string `json:"reason"`
	// Released are the ids of requirements of a released KEP that state the
	// same as a draft, or how releases differ from it.
	Released []string `json:"released,omitempty"`
	// Shown are the tests that show a Described requirement. Each is a file of
	// the repository, #, and either a Go test or the first words of the comment
	// of a case of a datadriven test:
	//
	//	fakedriver/describe/dgx_test.go#TestFourGPUs
	//	fakedriver/describe/testdata/compile/sources.txt#An unknown source
	Shown []string `json:"shown,omitempty"`
}

// String returns the gap in one line.
func (g Gap) String() string { return string(g.Kind) + ": " + g.Reason }

// Kind is a kind of gap.
type Kind string

// The kinds of gaps.
const (
	// Pending: a spec could prove it, and there is none yet.
	Pending Kind = "pending"
	// Unobservable: it cannot be observed from outside of a cluster's
	// components, or nothing could violate it.
	Unobservable Kind = "unobservable"
	// NotReleased: no release implements it.
	NotReleased Kind = "release"
	// Differs: releases differ from the KEP, or the KEP contradicts itself. The
	// reason describes the behaviour of releases.
	Differs Kind = "differs"
	// Restated: it is from a draft, and specs prove the same statement of the
	// released KEP.
	Restated Kind = "restated"
	// Described: no release implements it. The descriptions of fake devices,
	// which package describe compiles for releases, do.
	Described Kind = "described"
)

// Kinds returns all kinds of gaps.
func Kinds() []Kind {
	return []Kind{Pending, Unobservable, NotReleased, Differs, Restated, Described}
}

// KEP returns the KEP of its document. This is the longest one that the id
// begins with, so that 4815-draft-fields-kept is of 4815-draft and not of 4815.
// It returns an empty string if there is no document.
func (r Requirement) KEP() string {
	var longest string
	for _, kep := range keps() {
		if strings.HasPrefix(r.ID, kep+"-") && len(kep) > len(longest) {
			longest = kep
		}
	}
	return longest
}

// ObservableIn reports whether the requirement can be observed in a release of
// Kubernetes, such as 1.37, v1.37 or v1.37.1, given the gates and the scheduler
// that it needs. It returns false for an invalid release.
func (r Requirement) ObservableIn(release string) bool {
	minor := minorOf(release)
	if r.From == "" || minor == "" {
		return false
	}
	return semver.Compare(minor, "v"+r.From) >= 0 && (r.Until == "" || semver.Compare(minor, "v"+r.Until) <= 0)
}

// minorOf returns a minor release in the form v1.37, or an empty string for an
// invalid release.
func minorOf(release string) string {
	return semver.MajorMinor("v" + strings.TrimPrefix(release, "v"))
}

// Releases returns the releases in which it can be observed, in short: "1.35+",
// "1.33-1.34", or "none".
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
