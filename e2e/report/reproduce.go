// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"regexp"
	"slices"
	"strings"
)

var (
	released = regexp.MustCompile(`^v\d+\.\d+\.\d+$`)
	// plain matches words that need no quoting in a shell.
	plain = regexp.MustCompile(`^[\w@%+=:,./-]+$`)
)

// Commands returns the lines of a shell that reproduce the run.
func (r Report) Commands() []string {
	var lines []string
	if released.MatchString(r.Run.Version) {
		lines = append(lines, "go install github.com/draconform/draconform/e2e/cmd/draconform@"+r.Run.Version)
	}
	words := []string{"draconform", "run"}
	if slices.ContainsFunc(r.Specs, func(s Spec) bool { return s.Journey != nil }) {
		words[1] = "skew"
	}
	for _, word := range r.Run.Flags {
		if !plain.MatchString(word) {
			word = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
		words = append(words, word)
	}
	return append(lines, strings.Join(words, " "))
}
