// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"

	"sigs.k8s.io/yaml"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/e2e/suite"
)

// expectedFile is the name of the file with the expected outcomes, which
// documents the fields.
const expectedFile = "expected.yaml"

// expected is the content of the file.
type expected struct {
	Gates  map[string]string `json:"gates,omitempty"`
	Passed []passed          `json:"passed"`
	Failed []failed          `json:"failed"`
}

// passed is a spec that must pass.
type passed struct {
	ID    string `json:"id"`
	Since string `json:"since,omitempty"`
	Until string `json:"until,omitempty"`

	spec suite.Spec
}

// failed is a spec that must fail.
type failed struct {
	ID       string   `json:"id"`
	Releases []string `json:"releases,omitempty"`
	Because  string   `json:"because"`
	Says     string   `json:"says"`

	says *regexp.Regexp
}

// readExpected reads the expected outcomes and validates them against the
// existing specs.
func readExpected(path string, specs []suite.Spec) (expected, error) {
	var e expected
	content, err := os.ReadFile(path)
	if err != nil {
		return e, fmt.Errorf("read the expected outcomes: %w", err)
	}
	if err := yaml.UnmarshalStrict(content, &e); err != nil {
		return e, fmt.Errorf("read %s: %w", path, err)
	}
	if err := e.check(specs); err != nil {
		return e, fmt.Errorf("check %s: %w", path, err)
	}
	return e, nil
}

func (e *expected) check(specs []suite.Spec) error {
	var problems []error
	problem := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	known := func(id string, minors ...string) (spec suite.Spec) {
		if i := slices.IndexFunc(specs, func(s suite.Spec) bool { return s.ID == id }); i >= 0 {
			spec = specs[i]
		} else {
			problem("there is no spec %q", id)
		}
		for _, minor := range minors {
			if !isRelease(minor) {
				problem("%s: %q is not a supported release", id, minor)
			}
		}
		return spec
	}
	seen := map[string]bool{}
	for i, p := range e.Passed {
		e.Passed[i].spec = known(p.ID, slices.DeleteFunc([]string{p.Since, p.Until}, func(minor string) bool { return minor == "" })...)
		if seen[p.ID] {
			problem("%s is expected to pass twice", p.ID)
		}
		seen[p.ID] = true
	}
	for i := range e.Failed {
		f := &e.Failed[i]
		known(f.ID, f.Releases...)
		if f.Because == "" || f.Says == "" {
			problem("%s: a spec that fails needs because and says", f.ID)
		}
		var err error
		if f.says, err = regexp.Compile(f.Says); err != nil {
			problem("%s: read says: %w", f.ID, err)
		}
	}
	for minor := range e.Gates {
		if !isRelease(minor) {
			problem("gates: %q is not a supported release", minor)
		}
	}
	return errors.Join(problems...)
}

func isRelease(minor string) bool {
	return slices.ContainsFunc(clusters.Releases(), func(r clusters.Release) bool { return r.Minor == minor })
}

// gatesOf returns the feature gates that the drivers need in a release. It is
// empty for the default ones.
func (e expected) gatesOf(release clusters.Release) string { return e.Gates[release.Minor] }

// passes reports whether a spec is expected to pass in a release.
func (e expected) passes(id string, release clusters.Release) bool {
	_, fails := e.fails(id, release)
	return !fails && slices.ContainsFunc(e.Passed, func(p passed) bool {
		return p.ID == id && p.spec.RunsOn(release.Version) && (p.Since == "" || release.AtLeast(p.Since)) && (p.Until == "" || release.Minor == p.Until || !release.AtLeast(p.Until))
	})
}

// fails returns how a spec is expected to fail in a release, if it is.
func (e expected) fails(id string, release clusters.Release) (failed, bool) {
	i := slices.IndexFunc(e.Failed, func(f failed) bool {
		return f.ID == id && (len(f.Releases) == 0 || slices.Contains(f.Releases, release.Minor))
	})
	if i < 0 {
		return failed{}, false
	}
	return e.Failed[i], true
}
