// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package gatetable lists the feature gates of Dynamic Resource Allocation with
// the requirements that judge them, or the reasons why none does.
package gatetable

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"sync"

	"sigs.k8s.io/yaml"
)

//go:embed gates.yaml
var file []byte

// Line is a line of the table: a feature gate, or a feature without one.
type Line struct {
	// Gate is the name of a feature gate of package gates. It is empty for a
	// feature without such a gate, which Feature names instead.
	Gate    string `json:"gate,omitempty"`
	Feature string `json:"feature,omitempty"`
	// Releases describes the releases with a Feature, and its stage there. The
	// releases of gates are known.
	Releases string `json:"releases,omitempty"`
	// KEP is the number of the KEP, such as "4815".
	KEP string `json:"kep"`
	// Does is what the gate or the feature enables.
	Does string `json:"does"`
	// Documents are the documents of requirements that specs prove, such as
	// "4815" (see requirements.Document).
	Documents []string `json:"documents,omitempty"`
	// Profiles are the profiles of these specs.
	Profiles []string `json:"profiles,omitempty"`
	// Reason states what no spec judges, and why. It is empty if there is no such
	// thing.
	Reason string `json:"reason,omitempty"`
}

// Name returns the gate or the feature.
func (l Line) Name() string { return cmp.Or(l.Gate, l.Feature) }

// Lines returns the table in the order of its file.
func Lines() []Line { return slices.Clone(lines()) }

// lines parses the embedded file. It panics if the file is invalid: it is part
// of the binary, and a test parses it.
var lines = sync.OnceValue(func() []Line {
	all, err := parse(file)
	if err != nil {
		panic(fmt.Sprintf("embedded gates.yaml: %v", err))
	}
	return all
})

func parse(content []byte) ([]Line, error) {
	var all []Line
	if err := yaml.UnmarshalStrict(content, &all); err != nil {
		return nil, fmt.Errorf("decode: %w", err)
	}
	seen := map[string]bool{}
	for i, l := range all {
		if err := l.check(); err != nil {
			return nil, fmt.Errorf("line %d, %q: %w", i+1, l.Name(), err)
		}
		if seen[l.Name()] {
			return nil, fmt.Errorf("line %d: duplicate %s", i+1, l.Name())
		}
		seen[l.Name()] = true
	}
	return all, nil
}

func (l Line) check() error {
	switch {
	case (l.Gate == "") == (l.Feature == ""):
		return errors.New("needs either a gate or a feature")
	case (l.Feature == "") != (l.Releases == ""):
		return errors.New("needs releases if it is a feature, and only then")
	case l.KEP == "" || l.Does == "":
		return errors.New("needs the KEP, and what it does")
	case len(l.Documents) == 0 && l.Reason == "":
		return errors.New("needs documents, or the reason why there are none")
	case (len(l.Documents) == 0) != (len(l.Profiles) == 0):
		return errors.New("needs both documents and profiles, or neither")
	}
	return nil
}
