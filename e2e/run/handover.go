// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"errors"
	"sync"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/journey"
)

// handover hands clusters on from journeys that have left them as they had found them to
// journeys that have not begun and start with such a cluster.
type handover struct {
	// remove removes a cluster that no journey takes, if it exists.
	remove func(context.Context, leftCluster) error

	mu   sync.Mutex
	left map[journey.InitialCluster][]leftCluster
	// waiting are the numbers of journeys that have not begun.
	waiting map[journey.InitialCluster]int
}

// newHandover returns a handover between journeys.
func newHandover(selected []suite.Spec, remove func(context.Context, leftCluster) error) *handover {
	h := &handover{remove: remove, left: map[journey.InitialCluster][]leftCluster{}, waiting: map[journey.InitialCluster]int{}}
	for _, s := range selected {
		h.waiting[s.Journey.InitialCluster]++
	}
	return h
}

// begin returns the cluster for a journey that begins, or nil for a new one, and whether
// others may take the cluster after it.
func (h *handover) begin(start journey.InitialCluster) (taken *leftCluster, handsOn bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.waiting[start]--
	if all := h.left[start]; len(all) > 0 {
		taken, h.left[start] = &all[0], all[1:]
	}
	return taken, h.waiting[start] > len(h.left[start])
}

// skip is begin for a journey that cannot run.
func (h *handover) skip(start journey.InitialCluster) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.waiting[start]--
}

// end keeps the cluster that a journey has left, if others may take it, and removes it
// otherwise.
func (h *handover) end(ctx context.Context, start journey.InitialCluster, left leftCluster) error {
	h.mu.Lock()
	keep := h.waiting[start] > len(h.left[start])
	if keep {
		h.left[start] = append(h.left[start], left)
	}
	h.mu.Unlock()
	if keep {
		return nil
	}
	return h.remove(ctx, left)
}

// close removes the clusters that no journey has taken.
func (h *handover) close(ctx context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	var errs []error
	for start, all := range h.left {
		for _, left := range all {
			errs = append(errs, h.remove(ctx, left))
		}
		delete(h.left, start)
	}
	return errors.Join(errs...)
}
