// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Choose returns those of all whose names match a regular expression, and an error if
// there are none. The empty expression matches all. what is the kind of thing in errors,
// such as "fault".
func Choose[T any](what, expression string, all []T, name func(T) string) ([]T, error) {
	matches, err := regexp.Compile(expression)
	if err != nil {
		return nil, fmt.Errorf("choose %ss: %w", what, err)
	}
	chosen := slices.DeleteFunc(slices.Clone(all), func(one T) bool { return !matches.MatchString(name(one)) })
	if len(chosen) == 0 {
		return nil, fmt.Errorf("no %s matches %q", what, expression)
	}
	return chosen, nil
}

// Exactly returns a regular expression that matches exactly these names. Without names it
// returns the empty one, which matches all.
func Exactly(names []string) string {
	if len(names) == 0 {
		return ""
	}
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = regexp.QuoteMeta(name)
	}
	return "^(" + strings.Join(quoted, "|") + ")$"
}
