package search

import "sync"

// cache keeps what was worked out once for each key. It is safe for concurrent use; two that ask for the same at the
// same time may both work it out. The zero value is empty.
type cache[K comparable, V any] struct {
	mu    sync.RWMutex
	known map[K]V
}

// get returns what is kept for the key, or else what create makes of it.
func (c *cache[K, V]) get(key K, create func(K) V) V {
	c.mu.RLock()
	value, ok := c.known[key]
	c.mu.RUnlock()
	if ok {
		return value
	}
	value = create(key)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil {
		c.known = map[K]V{}
	}
	c.known[key] = value
	return value
}
