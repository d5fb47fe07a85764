// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package picture

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
)

// addSet adds the counters of a set. If nothing of it is in use, only those
// counters are added that are in series, unless it has no series.
func (d *drawing) addSet(set resourceapi.CounterSet) {
	var single []Row
	used, before := false, len(d.picture.Rows)
	for _, s := range seriesOf(set.Counters) {
		row := Row{Group: set.Name, Label: s.label(), Amount: len(s.members) == 1}
		for _, m := range s.members {
			c := d.cell(m.name, set.Counters[m.name].Value, d.consumers(set.Name, m.name))
			row.Cells = append(row.Cells, c)
			used = used || !c.Free()
		}
		if row.Amount {
			single = append(single, row)
			continue
		}
		d.add(row)
	}
	if used || len(d.picture.Rows) == before {
		d.picture.Rows = append(d.picture.Rows, single...)
	}
}

// consumers returns the held devices that consume a counter. A device consumes
// it once, even if several claims hold it.
func (d *drawing) consumers(set, counter string) []use {
	var all []use
	for _, h := range d.holders {
		i := slices.IndexFunc(d.devices, func(device resourceapi.Device) bool { return device.Name == h.device })
		if i < 0 || slices.ContainsFunc(all, func(u use) bool { return u.device == h.device }) {
			continue
		}
		for _, consumed := range d.devices[i].ConsumesCounters {
			if amount, ok := consumed.Counters[counter]; ok && consumed.CounterSet == set {
				all = append(all, use{h, amount.Value})
			}
		}
	}
	return all
}

// series are counters with the same total whose names differ only in the number
// at the end.
type series struct {
	prefix  string
	members []member
}

// member is a counter of a series. The number is -1 if its name has none.
type member struct {
	name   string
	number int
}

// seriesOf divides the counters of a set into series, in the order of their
// names, and of the numbers at the end. A counter with the total zero is left
// out: nothing can use it.
func seriesOf(counters map[string]resourceapi.Counter) []series {
	by := map[string]*series{}
	var order []string
	for _, name := range slices.SortedFunc(maps.Keys(counters), compareNames) {
		total := counters[name].Value
		if total.IsZero() {
			continue
		}
		prefix, number := splitNumber(name)
		key := prefix + " " + total.String()
		if number < 0 {
			key = name
		}
		if by[key] == nil {
			by[key] = &series{prefix: prefix}
			order = append(order, key)
		}
		by[key].members = append(by[key].members, member{name, number})
	}
	var all []series
	for _, key := range order {
		for part := range slices.Chunk(by[key].members, maxCells) {
			all = append(all, series{by[key].prefix, part})
		}
	}
	return all
}

// compareNames compares the numbers in names by their values.
func compareNames(a, b string) int {
	for a != "" && b != "" {
		x, y := leading(a), leading(b)
		m, errA := strconv.Atoi(x)
		n, errB := strconv.Atoi(y)
		if errA == nil && errB == nil && m != n {
			return cmp.Compare(m, n)
		}
		if x != y {
			return cmp.Compare(x, y)
		}
		a, b = a[len(x):], b[len(y):]
	}
	return cmp.Compare(a, b)
}

// leading returns the digits that a name begins with, or else its part before
// the first digit.
func leading(name string) string {
	rest := strings.TrimLeft(name, digits)
	if len(rest) < len(name) {
		return name[:len(name)-len(rest)]
	}
	if i := strings.IndexAny(name, digits); i >= 0 {
		return name[:i]
	}
	return name
}

const digits = "0123456789"

// splitNumber returns the name without the number at its end, and the number,
// or -1 if there is none.
func splitNumber(name string) (prefix string, number int) {
	prefix = strings.TrimRight(name, digits)
	number, err := strconv.Atoi(name[len(prefix):])
	if err != nil {
		return name, -1
	}
	return prefix, number
}

// label returns the common name with the numbers: a range if it has no gap, and
// otherwise the first and the last.
func (s series) label() string {
	first, last := s.members[0], s.members[len(s.members)-1]
	switch {
	case len(s.members) == 1:
		return first.name
	case last.number-first.number == len(s.members)-1:
		return fmt.Sprintf("%s[%d-%d]", s.prefix, first.number, last.number)
	}
	return fmt.Sprintf("%s[%d..%d]", s.prefix, first.number, last.number)
}
