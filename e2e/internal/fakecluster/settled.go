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

// settled is the moment after which no component has anything to do until time passes or
// somebody else locks the cluster.
type settled struct {
	at    time.Time
	locks int
}

// advanceForRead lets every component perform its due actions before a read, unless the
// last thing that happened was another read at the same time that led to no changes.
// Many reads follow each other while the time of a run stands still. The caller holds the
// lock.
func (c *Cluster) advanceForRead() {
	now := time.Now()
	if !now.Equal(c.settled.at) || c.settled.locks != c.mu.locks-1 {
		before := c.tracker.count()
		c.advance()
		if c.tracker.count() != before {
			return
		}
	}
	c.settled = settled{now, c.mu.locks}
}
