// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package gates

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Flag returns the value of the flag --feature-gates for feature gates, or of --runtime-config for API versions: for
// example "A=true,B=false", sorted by the keys.
func Flag[T bool | string](values map[string]T) string {
	var items []string
	for _, key := range slices.Sorted(maps.Keys(values)) {
		items = append(items, fmt.Sprintf("%s=%v", key, values[key]))
	}
	return strings.Join(items, ",")
}
