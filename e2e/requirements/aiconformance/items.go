// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package aiconformance has the items of the Kubernetes AI Conformance
// checklist that specs give evidence for.
package aiconformance

import (
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/mod/semver"
	"sigs.k8s.io/yaml"

	"github.com/draconform/draconform/e2e/requirements"
)

//go:embed items.yaml
var file []byte

// Item is an item of the checklist.
type Item struct {
	// ID is the id in the checklist.
	ID string `json:"id"`
	// Statement is what the item demands, in our words.
	Statement string `json:"statement"`
	// Levels are the releases with the item.
	Levels []Level `json:"levels"`
	// Proofs are the alternatives that prove the item.
	Proofs []Proof `json:"proofs,omitempty"`
	// Gap is what no spec checks. An item with a gap is not proved.
	Gap string `json:"gap,omitempty"`
}

// Level is the level of an item in a range of minor releases of Kubernetes,
// such as 1.37.
type Level struct {
	From string `json:"from"`
	// Until is the last release. It is empty if there is none.
	Until string             `json:"until,omitempty"`
	Level requirements.Level `json:"level"`
}

// Proof is a set of specs that prove an item together.
type Proof struct {
	// Strategy names one of several proofs.
	Strategy string `json:"strategy,omitempty"`
	// Specs are ids of specs.
	Specs []string `json:"specs"`
}

// Items returns all items in the order of their file.
func Items() []Item { return slices.Clone(items()) }

// items parses the embedded file. It panics if the file is invalid: it is part
// of the binary, and a test parses it.
var items = sync.OnceValue(func() []Item {
	all, err := parse(file)
	if err != nil {
		panic(fmt.Sprintf("embedded items.yaml: %v", err))
	}
	return all
})

func parse(content []byte) ([]Item, error) {
	var all []Item
	if err := yaml.UnmarshalStrict(content, &all); err != nil {
		return nil, fmt.Errorf("decode: %w", err)
	}
	seen := map[string]bool{}
	for _, item := range all {
		if err := item.check(); err != nil {
			return nil, fmt.Errorf("item %q: %w", item.ID, err)
		}
		if seen[item.ID] {
			return nil, fmt.Errorf("duplicate item %s", item.ID)
		}
		seen[item.ID] = true
	}
	return all, nil
}

func (i Item) check() error {
	switch {
	case i.ID == "" || i.Statement == "" || len(i.Levels) == 0:
		return errors.New("needs an id, a statement and a level")
	case len(i.Proofs) == 0 && i.Gap == "":
		return errors.New("needs a proof, or the gap that there is none")
	}
	for _, l := range i.Levels {
		switch {
		case !slices.Contains([]requirements.Level{requirements.Must, requirements.Should}, l.Level):
			return fmt.Errorf("level %q is not known, use must or should", l.Level)
		case !semver.IsValid("v"+l.From) || l.Until != "" && semver.Compare("v"+l.From, "v"+l.Until) > 0:
			return fmt.Errorf("releases from %q until %q are not valid", l.From, l.Until)
		}
	}
	for _, p := range i.Proofs {
		switch {
		case len(p.Specs) == 0:
			return errors.New("a proof needs specs")
		case len(i.Proofs) > 1 && p.Strategy == "":
			return errors.New("each of several proofs needs a strategy")
		}
	}
	return nil
}

// LevelIn returns the level of the item in a release such as v1.37.1. It
// reports whether the release has the item.
func (i Item) LevelIn(release string) (requirements.Level, bool) {
	minor := semver.MajorMinor(release)
	for _, l := range i.Levels {
		if minor != "" && semver.Compare(minor, "v"+l.From) >= 0 && (l.Until == "" || semver.Compare(minor, "v"+l.Until) <= 0) {
			return l.Level, true
		}
	}
	return "", false
}

// Specs returns the specs of all proofs.
func (i Item) Specs() []string {
	var all []string
	for _, p := range i.Proofs {
		all = append(all, p.Specs...)
	}
	return all
}
