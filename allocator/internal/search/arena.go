// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search

// arena allocates memory that is released all at once, so that consecutive searches reuse it.
type arena[T any] struct {
	chunk []T
	used  int
	total int // Since the last reset.
}

// take returns n zero values without spare capacity.
func (a *arena[T]) take(n int) []T {
	a.total += n
	if a.used+n > len(a.chunk) {
		// Earlier results of take keep their old chunk.
		a.chunk, a.used = make([]T, max(n, 2*len(a.chunk))), 0
	}
	list := a.chunk[a.used : a.used+n : a.used+n]
	a.used += n
	clear(list)
	return list
}

// reset releases all memory. The next chunk is large enough for the total since the last reset.
func (a *arena[T]) reset() {
	if a.total > len(a.chunk) {
		a.chunk = make([]T, a.total)
	}
	a.used, a.total = 0, 0
}

// forget is like reset. It also clears the memory so that it does not keep referenced objects alive.
func (a *arena[T]) forget() {
	clear(a.chunk[:a.used])
	a.reset()
}
