// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package requirements

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
)

var (
	wellFormed = regexp.MustCompile(`^[0-9]{4}(-[a-z0-9]+)+$`)
	minor      = regexp.MustCompile(`^1\.[1-9][0-9]*$`)
	gate       = regexp.MustCompile(`^[A-Z][A-Za-z0-9]+(=false)?$`)
	shown      = regexp.MustCompile(`^[\w./-]+(_test\.go#Test\w+|\.txt#.+)$`)
)

// check returns the first error in a document.
func (d Document) check() error {
	if d.Title == "" || d.Text == "" || len(d.Requirements) == 0 {
		return errors.New("a document needs a title, a text, and requirements")
	}
	seen := map[string]bool{}
	for i, r := range d.Requirements {
		switch {
		case !wellFormed.MatchString(r.ID) || !strings.HasPrefix(r.ID, d.KEP+"-"):
			return fmt.Errorf("requirement %d: id %q must be %s-, then lower-case words joined by dashes", i+1, r.ID, d.KEP)
		case r.KEP() != d.KEP:
			return fmt.Errorf("requirement %d: id %q belongs to the document of KEP %s", i+1, r.ID, r.KEP())
		case seen[r.ID]:
			return fmt.Errorf("duplicate requirement %s", r.ID)
		}
		seen[r.ID] = true
		if err := r.check(); err != nil {
			return fmt.Errorf("requirement %s: %w", r.ID, err)
		}
	}
	return nil
}

func (r Requirement) check() error {
	switch {
	case r.Statement == "" || r.Source == "":
		return errors.New("needs a statement and a source")
	case !slices.Contains([]Level{Must, Should, May}, r.Level):
		return fmt.Errorf("level %q is not known, use must, should, may", r.Level)
	case r.Scheduler != "" && r.Scheduler != Draconform:
		return fmt.Errorf("scheduler %q is not known, use draconform or none", r.Scheduler)
	}
	for _, g := range r.Gates {
		if !gate.MatchString(g) {
			return fmt.Errorf("gate %q must be a name, or a name and =false", g)
		}
	}
	if err := r.checkReleases(); err != nil {
		return err
	}
	return r.checkProof()
}

func (r Requirement) checkReleases() error {
	for _, release := range []string{r.From, r.Until} {
		if release != "" && !minor.MatchString(release) {
			return fmt.Errorf("release %q must be a minor release like 1.36", release)
		}
	}
	if r.Until != "" && (r.From == "" || semver.Compare("v"+r.From, "v"+r.Until) > 0) {
		return fmt.Errorf("it ends with release %s, before it begins", r.Until)
	}
	return nil
}

// checkProof requires either specs or a reason why there are none, and the
// first release for requirements that a spec could observe.
func (r Requirement) checkProof() error {
	if len(r.Specs) > 0 {
		if r.Unproved != nil || r.From == "" {
			return errors.New("has specs, so it needs a release and no reason why it is unproved")
		}
		return nil
	}
	if r.Unproved == nil || r.Unproved.Reason == "" {
		return errors.New("needs specs, or the reason why there are none")
	}
	switch r.Unproved.Kind {
	case Unobservable:
	case Pending, Differs, Restated:
		if r.From == "" {
			return fmt.Errorf("needs the first release, because it is %s", r.Unproved.Kind)
		}
	case NotReleased, Described:
		if r.From != "" || r.Scheduler != "" {
			return errors.New("is in no release, but has a first one or a scheduler")
		}
	default:
		return fmt.Errorf("unproved as %q, which is not known, use one of %s", r.Unproved.Kind, Kinds())
	}
	return r.Unproved.check()
}

// check requires what the kind of a gap refers to.
func (g Gap) check() error {
	if g.Kind == Restated && len(g.Released) == 0 {
		return errors.New("is restated, so it needs the released requirements that state the same")
	}
	if (g.Kind == Described) != (len(g.Shown) > 0) {
		return errors.New("needs the tests that have shown it if it is described, and only then")
	}
	for _, test := range g.Shown {
		if !shown.MatchString(test) {
			return fmt.Errorf("shown by %q, which must be a file, #, and a Go test or the comment of a case", test)
		}
	}
	return nil
}

// checkReferences returns an error if a gap refers to a requirement that does
// not exist, or that no spec proves although it restates the gap's requirement.
func checkReferences(documents []Document) error {
	all := map[string]Requirement{}
	for _, d := range documents {
		for _, r := range d.Requirements {
			all[r.ID] = r
		}
	}
	for _, d := range documents {
		for _, r := range d.Requirements {
			if r.Unproved == nil {
				continue
			}
			for _, released := range r.Unproved.Released {
				other, ok := all[released]
				switch {
				case !ok || other.KEP() == d.KEP:
					return fmt.Errorf("requirement %s: %q is no requirement of another document", r.ID, released)
				case r.Unproved.Kind == Restated && len(other.Specs) == 0:
					return fmt.Errorf("requirement %s: is restated as %s, which no spec proves", r.ID, released)
				}
			}
		}
	}
	return nil
}
