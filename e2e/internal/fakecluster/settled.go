// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"sync"
	"time"
)

// countingMutex is a mutex that counts how often it was locked.
type countingMutex struct {
	sync.Mutex
	locks int // read and written while it is locked
}

func (m *countingMutex) Lock() {
	m.Mutex.Lock()
	m.locks++
}

// settled is the time at which no component had anything to do, and the number of locks
// at the last read since then. A larger number of locks means that something other than
// a read may have changed the cluster.
type settled struct {
	at    time.Time
	locks int
}

// restTime is how long components rest when they had nothing to do. It is much shorter than
// the time between two polls of a spec, which reads many objects at once.
const restTime = 5 * time.Millisecond

// advanceForRead lets every component perform its due actions before a read, unless they
// rest: they had nothing to do a moment ago, and there were only reads since then. The
// caller holds the lock.
func (c *Cluster) advanceForRead() {
	if now := time.Now(); now.Sub(c.settled.at) > restTime || c.settled.locks != c.mu.locks-1 {
		before := c.tracker.count()
		c.advance()
		if c.tracker.count() != before {
			return
		}
		c.settled.at = now
	}
	c.settled.locks = c.mu.locks
}

// advanceBeforeList is advanceForRead for a caller that does not hold the lock.
func (c *Cluster) advanceBeforeList() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.advanceForRead()
}
