// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package switches has named switches that an environment variable turns on. The
// packages fault and variant use it in programs that are built with their tags.
package switches

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// Set is the switches of one environment variable, whose value is the names of
// those that are on, separated by commas.
type Set struct {
	variable      string
	chosen, known []string
}

// New returns the switches of an environment variable.
func New(variable string) *Set {
	s := &Set{variable: variable}
	if value := os.Getenv(variable); value != "" {
		s.chosen = strings.Split(value, ",")
	}
	return s
}

// On declares a switch and reports whether it is on.
func (s *Set) On(name string) bool {
	s.known = append(s.known, name)
	return slices.Contains(s.chosen, name)
}

// ExitIfUnknown ends the process if the variable names a switch that was not
// declared, because a run without it would prove nothing. what is what the
// switches are.
func (s *Set) ExitIfUnknown(what string) {
	for _, name := range s.chosen {
		if !slices.Contains(s.known, name) {
			fmt.Fprintf(os.Stderr, "%s=%s: no such %s, use one of %v\n", s.variable, name, what, s.known)
			os.Exit(2)
		}
	}
}
