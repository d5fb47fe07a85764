// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package similar finds the names that a user may have meant.
package similar

import (
	"cmp"
	"slices"
	"strings"
)

// Names returns the known names that contain a name or differ from it by a few
// letters. It returns at most three, the most similar first.
func Names(name string, known []string) []string {
	const maxNames, minSubstring = 3, 3
	maxDistance := max(2, len(name)/5)
	name = strings.ToLower(name)
	similar := slices.DeleteFunc(slices.Clone(known), func(k string) bool {
		k = strings.ToLower(k)
		return distance(name, k) > maxDistance && (len(name) < minSubstring || !strings.Contains(k, name))
	})
	slices.SortStableFunc(similar, func(a, b string) int {
		return cmp.Compare(distance(name, strings.ToLower(a)), distance(name, strings.ToLower(b)))
	})
	return similar[:min(maxNames, len(similar))]
}

// distance returns the Levenshtein distance of two ASCII texts: the number of
// letters to insert, remove or replace to turn one into the other.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
