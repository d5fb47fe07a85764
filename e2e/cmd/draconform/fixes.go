// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/draconform/draconform/allocator"
)

// allFixes selects all fixes.
const allFixes = "all"

// fixNames returns the fields of allocator.Fixes.
func fixNames() []string {
	var names []string
	for _, field := range reflect.VisibleFields(reflect.TypeFor[allocator.Fixes]()) {
		names = append(names, field.Name)
	}
	return names
}

// parseFixes enables the named fixes.
func parseFixes(names []string) (allocator.Fixes, error) {
	var fixes allocator.Fixes
	for _, name := range names {
		if name != allFixes && !slices.Contains(fixNames(), name) {
			return allocator.Fixes{}, fmt.Errorf("fix %q is not known, use %s, %s", name, allFixes, strings.Join(fixNames(), ", "))
		}
		for _, known := range fixNames() {
			if name == allFixes || name == known {
				reflect.ValueOf(&fixes).Elem().FieldByName(known).SetBool(true)
			}
		}
	}
	return fixes, nil
}

// completeFixes completes the names that are not in the list yet.
func completeFixes(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	before := typed[:strings.LastIndex(typed, ",")+1]
	var names []string
	for _, name := range append([]string{allFixes}, fixNames()...) {
		if !slices.Contains(strings.Split(before, ","), name) {
			names = append(names, before+name)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
