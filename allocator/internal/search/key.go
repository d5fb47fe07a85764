// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search

import (
	"encoding/binary"
	"slices"
)

// Keys are byte sequences that are equal if and only if the encoded values are equal. Every part either has a fixed
// length or starts with its length.

func flag(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// appendIndex appends an index, a position or a count.
func appendIndex(key []byte, i int) []byte {
	return binary.LittleEndian.AppendUint64(key, uint64(i)) //nolint:gosec // Equal numbers have equal encodings.
}

// appendNames appends names independent of their order.
func appendNames(key []byte, names []string) []byte {
	key = appendIndex(key, len(names))
	if len(names) > 1 {
		names = slices.Sorted(slices.Values(names))
	}
	for _, name := range names {
		key = append(appendIndex(key, len(name)), name...)
	}
	return key
}

func (c common) appendKey(key []byte) []byte {
	return appendNames(append(key, flag(c.any), flag(c.none)), c.names)
}
