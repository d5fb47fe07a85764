// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/draconform/draconform/allocator/internal/pools"
)

// maxCells is the maximum number of counters in one row.
const maxCells = 64

// counterSeries is a list of counters whose names differ only in the number at the end.
type counterSeries struct {
	prefix  string
	numbers []int
	members []int // Indices, in the order of the numbers.
}

// series groups the counters of a set. Only counters with the same total form a series. Series are in the order of
// their first counter. A single counter is a series of its own.
func series(counters []pools.Counter) []counterSeries {
	var list []counterSeries
	for i := range counters {
		prefix, number := splitNumber(counters[i].Name)
		at := slices.IndexFunc(list, func(s counterSeries) bool {
			return number >= 0 && s.prefix == prefix && counters[s.members[0]].Total.Cmp(counters[i].Total) == 0 && s.numbers[0] >= 0
		})
		if at < 0 {
			at = len(list)
			list = append(list, counterSeries{prefix: prefix})
		}
		list[at].numbers = append(list[at].numbers, number)
		list[at].members = append(list[at].members, i)
	}
	var rows []counterSeries
	for _, s := range list {
		rows = append(rows, s.sorted()...)
	}
	return rows
}

// splitNumber returns the name without the decimal number at its end, and the number, or -1 if there is none.
func splitNumber(name string) (prefix string, number int) {
	prefix = strings.TrimRight(name, "0123456789")
	number, err := strconv.Atoi(name[len(prefix):])
	if err != nil {
		return name, -1
	}
	return prefix, number
}

// sorted orders the series by number and splits it into rows.
func (s counterSeries) sorted() []counterSeries {
	at := make([]int, len(s.members))
	for i := range at {
		at[i] = i
	}
	slices.SortFunc(at, func(a, b int) int { return cmp.Compare(s.numbers[a], s.numbers[b]) })
	var rows []counterSeries
	for part := range slices.Chunk(at, maxCells) {
		row := counterSeries{prefix: s.prefix}
		for _, i := range part {
			row.numbers = append(row.numbers, s.numbers[i])
			row.members = append(row.members, s.members[i])
		}
		rows = append(rows, row)
	}
	return rows
}

// label returns the common name with the numbers. The numbers are a range if it has no gap, otherwise a list.
func (s counterSeries) label() string {
	first, last := s.numbers[0], s.numbers[len(s.numbers)-1]
	if last-first+1 == len(s.numbers) {
		return s.prefix + "[" + strconv.Itoa(first) + "-" + strconv.Itoa(last) + "]"
	}
	const few = 8
	var texts []string
	for _, n := range s.numbers[:min(few, len(s.numbers))] {
		texts = append(texts, strconv.Itoa(n))
	}
	if len(s.numbers) > few {
		texts = append(texts, "...", strconv.Itoa(last))
	}
	return s.prefix + "[" + strings.Join(texts, ",") + "]"
}
