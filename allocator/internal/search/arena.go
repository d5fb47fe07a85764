package search

// arena hands out memory that is given back all at once, so that one search after the other uses the same.
type arena[T any] struct {
	chunk []T
	used  int
	total int // Since the last reset.
}

// take returns n zero values with no room to grow.
func (a *arena[T]) take(n int) []T {
	a.total += n
	if a.used+n > len(a.chunk) {
		// What was handed out stays where it is.
		a.chunk, a.used = make([]T, max(n, 2*len(a.chunk))), 0
	}
	list := a.chunk[a.used : a.used+n : a.used+n]
	a.used += n
	clear(list)
	return list
}

// reset takes everything back. Memory for as much as was handed out is kept.
func (a *arena[T]) reset() {
	if a.total > len(a.chunk) {
		a.chunk = make([]T, a.total)
	}
	a.used, a.total = 0, 0
}

// forget is reset for memory that must not keep alive what it refers to.
func (a *arena[T]) forget() {
	clear(a.chunk[:a.used])
	a.reset()
}
