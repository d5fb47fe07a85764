package suite

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// unknown returns an error about an unknown name. The error lists the known
// names: all of them if there are few, otherwise the similar ones.
func unknown(problem, name string, known []string) error {
	const few = 16
	if len(known) <= few {
		return fmt.Errorf("%s, use %s", problem, strings.Join(known, ", "))
	}
	if similar := similar(name, known); len(similar) > 0 {
		return fmt.Errorf("%s, did you mean %s?", problem, strings.Join(similar, ", "))
	}
	return fmt.Errorf("%s: \"draconform list -o wide\" shows all specs", problem)
}

// similar returns the known names that contain a name or differ from it by a
// few letters. It returns at most three, the most similar first.
func similar(name string, known []string) []string {
	const maxNames, minSubstring = 3, 3
	maxDistance := max(2, len(name)/5)
	name = strings.ToLower(name)
	similar := slices.DeleteFunc(slices.Clone(known), func(k string) bool {
		return distance(name, k) > maxDistance && (len(name) < minSubstring || !strings.Contains(k, name))
	})
	slices.SortStableFunc(similar, func(a, b string) int { return cmp.Compare(distance(name, a), distance(name, b)) })
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
