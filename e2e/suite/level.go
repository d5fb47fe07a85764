// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package suite

import "fmt"

// Level is the effect of a spec on the conformance to its profile.
type Level int

// The levels of specs. In all profiles, core specs need nothing that an
// implementation of the profile may lack.
const (
	// Extended specs depend on something that not every implementation offers,
	// which their other fields name. They may be not-supported or
	// not-applicable, but must not fail.
	Extended Level = iota
	// Core specs must pass. Without one of them, nothing conforms to the
	// profile.
	Core
	// Provisional specs are new. Their outcome has no effect on the verdict
	// and on the conformance to the profile.
	Provisional
)

// String returns the level in one word.
func (l Level) String() string {
	switch l {
	case Extended:
		return "extended"
	case Core:
		return "core"
	case Provisional:
		return "provisional"
	}
	return fmt.Sprintf("level %d", int(l))
}

// label returns the label of the level. It has a prefix because core is also
// the name of a feature.
func (l Level) label() string { return "level:" + l.String() }
