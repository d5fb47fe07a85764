// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import "sync"

// queue hands out specs that several workers could run, each to the first that asks.
// How long specs take differs from run to run, so that specs that were divided before
// would leave some workers idle while others have several left.
type queue struct {
	// together has the IDs of the specs that the same worker must run, by each of them. Other
	// specs do not depend on each other.
	together map[string][]string

	mu sync.Mutex
	// by has the number of the worker that runs a spec, by its ID.
	by map[string]int
}

func newQueue(groups []group) *queue {
	q := &queue{together: map[string][]string{}, by: map[string]int{}}
	for _, g := range groups {
		var ids []string
		for _, s := range g.specs {
			ids = append(ids, s.ID)
		}
		for _, id := range ids {
			q.together[id] = ids
		}
	}
	return q
}

// take reports whether a worker runs a spec. No other one does then.
func (q *queue) take(worker int, id string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if by, taken := q.by[id]; taken {
		return by == worker
	}
	q.by[id] = worker
	for _, other := range q.together[id] {
		q.by[other] = worker
	}
	return true
}
