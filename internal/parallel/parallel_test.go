// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package parallel

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"
)

func never() bool { return false }

func TestJobsStartInOrderAtMostSomeAtATime(t *testing.T) {
	for limit, want := range map[int]int32{0: 1, 1: 1, 2: 2, 9: 5} {
		synctest.Test(t, func(t *testing.T) {
			g := NewWithT(t)
			var mu sync.Mutex
			var order []int
			var running, most atomic.Int32
			err := InOrder(5, limit, never, func(i int) error {
				mu.Lock()
				order = append(order, i)
				mu.Unlock()
				most.Store(max(most.Load(), running.Add(1)))
				defer running.Add(-1)
				<-time.After(time.Duration(i+1) * time.Second) // time is faked
				return nil
			})
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(most.Load()).To(Equal(want))
			g.Expect(order).To(ConsistOf(0, 1, 2, 3, 4))
			if limit < 2 {
				g.Expect(order).To(HaveExactElements(0, 1, 2, 3, 4))
			}
		})
	}
}

func TestNoJobStartsAfterTheReasonToStop(t *testing.T) {
	g := NewWithT(t)
	var stopped atomic.Bool
	started := 0
	err := InOrder(5, 1, stopped.Load, func(i int) error {
		started++
		stopped.Store(i == 1)
		return nil
	})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(started).To(Equal(2))
}

func TestErrorsOfAllJobsAreReturnedInTheirOrder(t *testing.T) {
	err := InOrder(3, 3, never, func(i int) error { return []error{errors.New("first"), nil, errors.New("last")}[i] })
	NewWithT(t).Expect(err).To(MatchError("first\nlast"))
}
