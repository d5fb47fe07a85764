// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"sigs.k8s.io/yaml"

	"github.com/draconform/draconform/e2e/suite"
)

// The components that can be broken.
const (
	scheduler = "scheduler"
	driver    = "driver"
)

//go:embed faults.yaml
var data []byte

// catalogue is the content of faults.yaml, which documents the fields.
type catalogue struct {
	Workers int     `json:"workers"`
	Faults  []fault `json:"faults"`
}

type fault struct {
	Name     string   `json:"name"`
	Broken   string   `json:"broken"`
	Does     string   `json:"does"`
	Specs    []string `json:"specs,omitempty"`
	Journeys []string `json:"journeys,omitempty"`
	Reason   string   `json:"reason,omitempty"`
	Awaits   string   `json:"awaits,omitempty"`

	reason *regexp.Regexp
}

// detectingSpecs returns the ids of the specs or journeys that must fail.
func (f fault) detectingSpecs() []string { return slices.Concat(f.Specs, f.Journeys) }

// load parses a catalogue and validates it against the existing specs and
// journeys.
func load(data []byte, specs, journeys []suite.Spec) (catalogue, error) {
	var c catalogue
	if err := yaml.UnmarshalStrict(data, &c); err != nil {
		return c, fmt.Errorf("read faults.yaml: %w", err)
	}
	if c.Workers < 1 {
		return c, fmt.Errorf("workers must be positive, not %d", c.Workers)
	}
	seen := map[string]bool{}
	for i := range c.Faults {
		f := &c.Faults[i]
		if err := f.check(specs, journeys); err != nil {
			return c, fmt.Errorf("fault %q: %w", f.Name, err)
		}
		if seen[f.Name] {
			return c, fmt.Errorf("duplicate fault %q", f.Name)
		}
		seen[f.Name] = true
	}
	return c, nil
}

func (f *fault) check(specs, journeys []suite.Spec) error {
	switch {
	case f.Name == "" || f.Does == "":
		return errors.New("it needs name and does")
	case f.Broken != scheduler && f.Broken != driver:
		return fmt.Errorf("broken must be %s or %s, not %q", scheduler, driver, f.Broken)
	case (f.Awaits == "") == (len(f.detectingSpecs()) == 0) || len(f.Specs) > 0 && len(f.Journeys) > 0:
		return errors.New("it needs exactly one of specs, journeys and awaits")
	case (f.Reason == "") != (len(f.detectingSpecs()) == 0):
		return errors.New("it needs reason with specs or journeys, and only then")
	}
	err := errors.Join(exist("spec", f.Specs, specs), exist("journey", f.Journeys, journeys))
	if err != nil {
		return err
	}
	if f.reason, err = regexp.Compile(f.Reason); err != nil {
		return fmt.Errorf("read its reason: %w", err)
	}
	return nil
}

// exist returns an error for each id that does not exist.
func exist(what string, ids []string, all []suite.Spec) error {
	var errs []error
	for _, id := range ids {
		if !slices.ContainsFunc(all, func(s suite.Spec) bool { return s.ID == id }) {
			errs = append(errs, fmt.Errorf("there is no %s %q", what, id))
		}
	}
	return errors.Join(errs...)
}

// choose returns the faults whose names match a regular expression. Faults of
// schedulers come first, so that the scheduler is changed back only once before
// the faults of drivers. It returns an error if no fault matches.
func (c catalogue) choose(expression string) ([]fault, error) {
	matches, err := regexp.Compile(expression)
	if err != nil {
		return nil, fmt.Errorf("choose faults: %w", err)
	}
	var chosen []fault
	for _, broken := range []string{scheduler, driver} {
		for _, f := range c.Faults {
			if f.Broken == broken && matches.MatchString(f.Name) {
				chosen = append(chosen, f)
			}
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("no fault matches %q", expression)
	}
	return chosen, nil
}
