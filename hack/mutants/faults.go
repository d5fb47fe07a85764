// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/hack/internal/command"
)

// The components that can be broken.
const (
	scheduler = "scheduler"
	driver    = "driver"
	// plugin is the part of a scheduler around the allocator.
	plugin = "plugin"
	// kubelet is a component whose faults are in the image of the driver, between
	// the real kubelet and the driver.
	kubelet = "kubelet"
	// apiServer is a component whose faults are admission policies.
	apiServer = "API server"
)

// ownComponents are the components in faults.yaml. Faults of schedulers come
// first, so that the scheduler is changed back only once before the faults of
// others.
var ownComponents = []string{scheduler, driver, kubelet, apiServer}

//go:embed faults.yaml
var data []byte

// catalogue is the content of faults.yaml or foreign.yaml, which document the
// fields.
type catalogue struct {
	Workers int     `json:"workers"`
	Faults  []fault `json:"faults"`

	// components are those that faults can be in, in the order in which they are
	// broken.
	components []string
}

type fault struct {
	Name     string   `json:"name"`
	Broken   string   `json:"broken"`
	Part     string   `json:"part,omitempty"`
	Does     string   `json:"does"`
	Specs    []string `json:"specs,omitempty"`
	Journeys []string `json:"journeys,omitempty"`
	Touches  []string `json:"touches,omitempty"`
	Reason   string   `json:"reason,omitempty"`
	Awaits   string   `json:"awaits,omitempty"`

	reason *regexp.Regexp
}

// detectingSpecs returns the ids of the specs or journeys that must fail.
func (f fault) detectingSpecs() []string { return slices.Concat(f.Specs, f.Journeys) }

// load parses the catalogue of the faults of some components and validates it
// against the existing specs and journeys.
func load(data []byte, components []string, specs, journeys []suite.Spec) (catalogue, error) {
	c := catalogue{components: components}
	if err := yaml.UnmarshalStrict(data, &c); err != nil {
		return c, fmt.Errorf("read the faults: %w", err)
	}
	if needsNodes := !slices.Contains(components, classicDriver); needsNodes && c.Workers < 1 {
		return c, fmt.Errorf("workers must be positive, not %d", c.Workers)
	}
	seen := map[string]bool{}
	for i := range c.Faults {
		f := &c.Faults[i]
		if err := f.check(components, specs, journeys); err != nil {
			return c, fmt.Errorf("fault %q: %w", f.Name, err)
		}
		if seen[f.Name] {
			return c, fmt.Errorf("duplicate fault %q", f.Name)
		}
		seen[f.Name] = true
	}
	return c, nil
}

func (f *fault) check(components []string, specs, journeys []suite.Spec) error {
	switch {
	case f.Name == "" || f.Does == "":
		return errors.New("it needs name and does")
	case !slices.Contains(components, f.Broken):
		return fmt.Errorf("broken must be %s, not %q", strings.Join(components, " or "), f.Broken)
	case f.Part != "" && (f.Broken != scheduler || f.Part != plugin):
		return fmt.Errorf("part must be %s of a %s, or empty", plugin, scheduler)
	case (f.Awaits == "") == (len(f.detectingSpecs()) == 0) || len(f.Specs) > 0 && len(f.Journeys) > 0:
		return errors.New("it needs exactly one of specs, journeys and awaits")
	case (f.Reason == "") != (len(f.detectingSpecs()) == 0):
		return errors.New("it needs reason with specs or journeys, and only then")
	case len(f.Journeys) > 0 && (f.Broken == kubelet || f.Broken == apiServer):
		return fmt.Errorf("journeys cannot have clusters with a broken %s", f.Broken)
	}
	err := errors.Join(exist("spec", f.Specs, specs), exist("journey", f.Journeys, journeys))
	if err != nil {
		return err
	}
	if f.reason, err = regexp.Compile(f.Reason); err != nil {
		return fmt.Errorf("read its reason: %w", err)
	}
	return f.complete(specs)
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

// choose returns the faults whose names match a regular expression, in the order
// of the components. It returns an error if no fault matches.
func (c catalogue) choose(expression string) ([]fault, error) {
	var inOrder []fault
	for _, broken := range c.components {
		for _, f := range c.Faults {
			if f.Broken == broken {
				inOrder = append(inOrder, f)
			}
		}
	}
	return command.Choose("fault", expression, inOrder, func(f fault) string { return f.Name })
}
