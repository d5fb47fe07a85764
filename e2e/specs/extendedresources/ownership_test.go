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
	const enough = 3 * time.Second
	for name, test := range map[string]struct {
		owned, without time.Duration // in each of the attempts
		attempts       int
		want           bool
	}{
		"deleted at once, attempts that are far apart": {owned: 200 * time.Millisecond, without: enough, attempts: 1, want: true},
		"deleted at once, attempts soon again":         {owned: 200 * time.Millisecond, without: time.Second, attempts: 3, want: true},
		"too few attempts soon again":                  {owned: 200 * time.Millisecond, without: time.Second, attempts: 2, want: false},
		"deleted by the next attempt":                  {owned: time.Second, without: 400 * time.Millisecond, attempts: 20, want: false},
		"never deleted":                                {owned: time.Minute, attempts: 1, want: false},
	} {
		t.Run(name, func(t *testing.T) {
			var o ownership
			now, ended := time.Unix(0, 0), false
			observe := func(has bool, lasts time.Duration) {
				for at := time.Duration(0); at < lasts; at += 200 * time.Millisecond {
					o.add(now, has)
					ended = ended || o.ended(enough)
					now = now.Add(200 * time.Millisecond)
				}
			}
			for range test.attempts {
				observe(true, test.owned)
				observe(false, test.without)
			}
			o.add(now, test.without == 0)
			ended = ended || o.ended(enough)
			NewWithT(t).Expect(ended).To(Equal(test.want))
		})
	}
}
