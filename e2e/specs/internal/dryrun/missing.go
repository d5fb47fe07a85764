// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package dryrun

import "fmt"

// Missing returns a description of the first part of an object that is not
// stored as written, or an empty string. The stored object may contain
// additional fields, such as defaults.
func Missing(path string, written, stored any) string {
	switch written := written.(type) {
	case map[string]any:
		actual, _ := stored.(map[string]any)
		for name, value := range written {
			if problem := Missing(path+"."+name, value, actual[name]); problem != "" {
				return problem
			}
		}
		return ""
	case []any:
		actual, _ := stored.([]any)
		if len(actual) != len(written) {
			return fmt.Sprintf("%s should have %d items, and has %d", path, len(written), len(actual))
		}
		for i, value := range written {
			if problem := Missing(fmt.Sprintf("%s[%d]", path, i), value, actual[i]); problem != "" {
				return problem
			}
		}
		return ""
	}
	if fmt.Sprint(written) != fmt.Sprint(stored) {
		return fmt.Sprintf("%s should be %v, and is %v", path, written, stored)
	}
	return ""
}
