// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"fmt"
	"strings"

	"github.com/draconform/draconform/internal/similar"
)

// unknown returns an error about an unknown name. The error lists the known
// names: all of them if there are few, otherwise the similar ones.
func unknown(problem, name string, known []string) error {
	const few = 16
	if len(known) <= few {
		return fmt.Errorf("%s, use %s", problem, strings.Join(known, ", "))
	}
	if names := similar.Names(name, known); len(names) > 0 {
		return fmt.Errorf("%s, did you mean %s?", problem, strings.Join(names, ", "))
	}
	return fmt.Errorf("%s: \"draconform list -o wide\" shows all specs", problem)
}
