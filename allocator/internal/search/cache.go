// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search

import "sync"

// cache stores a computed value for each key. It is safe for concurrent use. Concurrent callers with the same key
// may each compute the value. The zero value is empty.
type cache[K comparable, V any] struct {
	mu    sync.RWMutex
	known map[K]V
}

// get returns the stored value of the key. If there is none, it stores and returns the result of create.
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
