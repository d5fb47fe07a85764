// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package extendedresources

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

// A claim that is deleted when the next attempt begins is not deleted after the failed one.
func TestClaimsOfFailedAttemptsHaveEnded(t *testing.T) {
	const tick = 200 * time.Millisecond
	type span struct{ owned, without time.Duration }
	repeated := func(n int, s span) (all []span) {
		for range n {
			all = append(all, s)
		}
		return all
	}
	for name, test := range map[string]struct {
		unseen   time.Duration // between the pod's creation and the first observation
		attempts []span
		want     bool
	}{
		"deleted at once, attempts that are far apart":       {attempts: []span{{tick, 4 * time.Second}}, want: true},
		"deleted before the first observation":               {unseen: time.Second, attempts: []span{{0, 10 * time.Second}}, want: true},
		"deleted at once, attempts soon again":               {attempts: repeated(3, span{tick, time.Second}), want: true},
		"deleted soon, on a busy machine":                    {unseen: 2 * time.Second, attempts: []span{{time.Second, 2 * time.Second}, {time.Second, 4 * time.Second}}, want: true},
		"too few attempts soon again":                        {attempts: repeated(2, span{tick, time.Second}), want: false},
		"deleted by the next attempt, which follows at once": {attempts: repeated(20, span{time.Second, 2 * tick}), want: false},
		"deleted by the next attempt, with growing waits":    {unseen: tick, attempts: []span{{time.Second, 2 * time.Second}, {4 * time.Second, 8 * time.Second}, {10 * time.Second, 10 * time.Second}}, want: false},
		"the same, observed late":                            {unseen: 3 * time.Second, attempts: []span{{tick, 5 * time.Second}, {5 * time.Second, 10 * time.Second}}, want: false},
		"the same, first observed while there is none":       {unseen: 3 * time.Second, attempts: []span{{0, 5 * time.Second}, {5 * time.Second, 10 * time.Second}}, want: false},
		"never deleted": {attempts: []span{{time.Minute, 0}}, want: false},
	} {
		t.Run(name, func(t *testing.T) {
			now, ended := time.Unix(0, 0), false
			o := ownership{last: now}
			now = now.Add(test.unseen)
			observe := func(has bool, lasts time.Duration) {
				for at := time.Duration(0); at < lasts; at += tick {
					o.add(now, has)
					ended = ended || o.ended(3*time.Second)
					now = now.Add(tick)
				}
			}
			for _, a := range test.attempts {
				observe(true, a.owned)
				observe(false, a.without)
			}
			NewWithT(t).Expect(ended).To(Equal(test.want))
		})
	}
}
