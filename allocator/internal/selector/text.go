// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package selector

import (
	"slices"
	"strconv"
	"strings"
)

// Text returns a value as readable text. It searches all values, so it is meant for rare use.
func (m *Memo) Text(v Value) string {
	if !v.Set {
		return "nothing"
	}
	ids := v.IDs
	if !m.lists && v.Own != 0 {
		ids = []uint32{v.Own}
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	var list []string
	for known, id := range m.values {
		if slices.Contains(ids, id) {
			list = append(list, known.text())
		}
	}
	slices.Sort(list)
	if len(list) == 1 {
		return list[0]
	}
	return "[" + strings.Join(list, " ") + "]"
}

func (v value) text() string {
	switch v.kind {
	case 'i':
		return strconv.FormatInt(v.n, 10)
	case 'b':
		return strconv.FormatBool(v.n == 1)
	default:
		return strconv.Quote(v.s)
	}
}
