// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2/types"
)

// Selection selects the specs that match all of its fields. The zero value
// selects all.
type Selection struct {
	// Labels is a label filter in Ginkgo's syntax, such as "partitioning &&
	// !driver".
	Labels string
	// Focus is a regular expression that the ID of a spec must match.
	Focus string
	// IDs, Profiles, Features and Requirements are lists of names. A spec must
	// have one name of each list that is not empty. A requirement is an ID, or
	// the number of a KEP for all of its requirements.
	IDs, Profiles, Features, Requirements []string
}

// String returns the selection as command-line flags.
func (s Selection) String() string {
	var parts []string
	if s.Labels != "" {
		parts = append(parts, fmt.Sprintf("--labels %q", s.Labels))
	}
	if s.Focus != "" {
		parts = append(parts, fmt.Sprintf("--focus %q", s.Focus))
	}
	for _, f := range s.NameFlags() {
		if len(*f.Names) > 0 {
			parts = append(parts, "--"+f.Flag+" "+strings.Join(*f.Names, ","))
		}
	}
	return strings.Join(parts, " ")
}

// Select returns the selected specs. It returns an error if the selection is
// malformed, names something that no spec has, or selects no spec.
func (s Selection) Select(specs []Spec) ([]Spec, error) {
	if err := s.checkLabels(KnownLabels(specs)); err != nil {
		return nil, err
	}
	filter, err := types.ParseLabelFilter(s.Labels)
	if err != nil {
		return nil, fmt.Errorf("read the label filter %q: %w", s.Labels, err)
	}
	focus, err := regexp.Compile(s.Focus)
	if err != nil {
		return nil, fmt.Errorf("read the focus %q: %w", s.Focus, err)
	}
	flags := s.NameFlags()
	for _, f := range flags {
		if err := f.check(specs); err != nil {
			return nil, err
		}
	}
	var selected []Spec
	for _, spec := range specs {
		named := !slices.ContainsFunc(flags, func(f NameFlag) bool { return !f.matches(spec) })
		if named && filter(spec.Labels()) && focus.MatchString(spec.ID) {
			selected = append(selected, spec)
		}
	}
	if len(selected) == 0 {
		return nil, fmt.Errorf("no spec matches %s: \"draconform list\" shows their ids and labels", s)
	}
	return selected, nil
}

var (
	// patterns and sets match the operands of a filter that may name labels
	// that no spec has: /regular expressions/, and "key: operation {values}".
	// Without a space after the colon, an operand is a label.
	patterns = regexp.MustCompile(`/[^/]*/`)
	sets     = regexp.MustCompile(`[^&|!(),:]*:\s+\w+\s*(\{[^}]*\}|[^&|!(),{}]*)`)
	// operators match the separators of operands.
	operators = regexp.MustCompile(`&&|\|\||[!(),]`)
)

// checkLabels returns an error if a filter names a label that no spec has. Such
// a filter, for example with a typo, would select nothing or everything.
func (s Selection) checkLabels(known []string) error {
	plain := sets.ReplaceAllString(patterns.ReplaceAllString(s.Labels, ""), "")
	for _, label := range operators.Split(plain, -1) {
		label = strings.TrimSpace(label)
		if label != "" && !slices.Contains(known, strings.ToLower(label)) {
			return unknown(fmt.Sprintf("label %q is not known", label), label, known)
		}
	}
	return nil
}

// KnownLabels returns the labels of all specs, sorted.
func KnownLabels(specs []Spec) []string {
	var all []string
	for _, s := range specs {
		all = append(all, s.Labels()...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
