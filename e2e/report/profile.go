// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"

	"github.com/draconform/draconform/e2e/suite"
)

// Conformance is the result of a run for a profile.
type Conformance string

// The results for a profile.
const (
	// Conformant: every core spec passed, and no spec failed or was skipped.
	Conformant Conformance = "conformant"
	// NotConformant: a spec failed, or the profile was claimed and a spec was
	// skipped.
	NotConformant Conformance = "not-conformant"
	// Undecided: a core spec was not-applicable, specs of a profile that is not
	// claimed were skipped, or specs have no outcome.
	Undecided Conformance = "undecided"
	// NotSupported: all core specs were not-supported, because the cluster
	// lacks the feature of the profile.
	NotSupported Conformance = "not-supported"
)

// Profile is the part of a verdict about a profile. Provisional specs are not
// part of it.
type Profile struct {
	Name string `json:"name"`
	// Claimed states that the profile is claimed as a whole.
	Claimed bool                  `json:"claimed"`
	Result  Conformance           `json:"result"`
	Counts  map[suite.Outcome]int `json:"counts"`
	// Core and Extended count the specs of these levels. They are nil in
	// reports that predate these fields.
	Core     *Core     `json:"core,omitempty"`
	Extended *Extended `json:"extended,omitempty"`
	// Reason states why the profile is not conformant.
	Reason string `json:"reason,omitempty"`
}

// Core is the part of a profile about its core specs.
type Core struct {
	Specs  int `json:"specs"`
	Passed int `json:"passed"`
	// Missing are the ids of the specs that did not pass.
	Missing []string `json:"missing,omitempty"`
}

// Extended is the part of a profile about its extended specs.
type Extended struct {
	Specs int `json:"specs"`
	// Executable is the number of specs that are neither not-supported nor
	// not-applicable.
	Executable int `json:"executable"`
	// Executed is the number of specs that passed or failed.
	Executed int `json:"executed"`
	// Missing are the ids of the specs that were not executed.
	Missing []string `json:"missing,omitempty"`
}

// newProfile returns the part of a verdict about a profile, given the results
// of its core and extended specs. incomplete states that the run ended early.
func newProfile(name string, results []suite.Result, claimed, incomplete bool) Profile {
	p := Profile{Name: name, Claimed: claimed, Counts: map[suite.Outcome]int{}, Core: &Core{}, Extended: &Extended{}}
	for _, r := range results {
		p.Counts[r.Outcome]++
		if r.Spec.Level == suite.Core {
			p.Core.add(r)
		} else {
			p.Extended.add(r)
		}
	}
	p.Result, p.Reason = p.conformance(results, incomplete)
	return p
}

func (c *Core) add(r suite.Result) {
	c.Specs++
	if r.Outcome == suite.Passed {
		c.Passed++
	} else {
		c.Missing = append(c.Missing, r.Spec.ID)
	}
}

func (e *Extended) add(r suite.Result) {
	e.Specs++
	if r.Outcome != suite.NotSupported && r.Outcome != suite.NotApplicable {
		e.Executable++
	}
	if r.Outcome == suite.Passed || r.Outcome == suite.Failed {
		e.Executed++
	} else {
		e.Missing = append(e.Missing, r.Spec.ID)
	}
}

// conformance returns the result for the profile, and the reason unless it is
// conformant. Specs that a run did not reach because it ended early do not make
// a profile not conformant.
func (p Profile) conformance(results []suite.Result, incomplete bool) (Conformance, string) {
	skipped := p.Counts[suite.Skipped] + p.Counts[""]
	switch {
	case p.Counts[suite.Failed] > 0:
		return NotConformant, fmt.Sprintf("%d of %d specs failed", p.Counts[suite.Failed], len(results))
	case skipped > 0 && p.Claimed && !incomplete:
		return NotConformant, fmt.Sprintf("%d of %d specs were not completed", skipped, len(results))
	case skipped > 0:
		return Undecided, fmt.Sprintf("%d of %d specs were not completed", skipped, len(results))
	case p.Core.Specs == 0:
		return Undecided, "it has no core spec"
	case p.Core.Passed == p.Core.Specs:
		return Conformant, ""
	}
	return p.missingCore(results)
}

// missingCore returns the result for a profile of which core specs could not
// run. The reason is that of the first one.
func (p Profile) missingCore(results []suite.Result) (Conformance, string) {
	var first suite.Result
	notSupported := 0
	for _, r := range results {
		if r.Spec.Level != suite.Core || r.Outcome == suite.Passed {
			continue
		}
		if first.Outcome == "" {
			first = r
		}
		if r.Outcome == suite.NotSupported {
			notSupported++
		}
	}
	if notSupported == p.Core.Specs {
		return NotSupported, first.Reason
	}
	return Undecided, fmt.Sprintf("%d of %d core specs could not run, such as %s: %s", len(p.Core.Missing), p.Core.Specs, first.Spec.ID, first.Reason)
}

// String returns the result of the profile in one line.
func (p Profile) String() string {
	text := string(p.Result)
	if p.Reason != "" {
		text += ", as " + p.Reason
	}
	if !p.Claimed {
		text += ", not claimed"
	}
	if p.Core == nil || p.Extended == nil {
		return text + ": " + counted(p.Counts)
	}
	return text + ": core " + p.Core.String() + ", extended " + p.Extended.String()
}

// String returns how many core specs passed.
func (c Core) String() string { return fmt.Sprintf("%d of %d passed", c.Passed, c.Specs) }

// String returns how many extended specs were executed.
func (e Extended) String() string {
	text := fmt.Sprintf("%d of %d executed", e.Executed, e.Executable)
	if n := e.Specs - e.Executable; n > 0 {
		text += fmt.Sprintf(", %d not executable", n)
	}
	return text
}
