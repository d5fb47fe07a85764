// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/allocator/internal/search"
)

// bare disables all prunings except the memory of failed situations.
var bare = search.Limits{Steps: 10_000, PruneAtOnce: true, Skip: search.AllPrunings &^ search.PruneNogoods}

// With the first GPU, the NIC has no solution because its root differs. With the second GPU it has one. The failure
// with the first GPU must not be reused for the second.
func TestSituationsDifferByTheStateOfConstraints(t *testing.T) {
	for name, test := range map[string]struct {
		constraint string
		want       []string
	}{
		"match":    {"match", []string{"dev-1", "dev-0"}},
		"distinct": {"distinct", []string{"dev-1", "dev-0"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			w := &world{}
			w.pool("gpu", nil, devices(2, attribute("example.com/root", of("a", "b")))...)
			if test.constraint == "match" {
				w.pool("nic", nil, devices(1, attribute("example.com/root", of("b")))...)
				constrained(w.claim(exactly("gpu", 1), exactly("nic", 1)), match("example.com/root"))
			} else {
				w.pool("nic", nil, devices(1, attribute("example.com/root", of("a")))...)
				constrained(w.claim(exactly("gpu", 1), exactly("nic", 1)), distinct("example.com/root"))
			}
			found, _, err := w.run(t, bare)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(found).To(Equal(test.want))
		})
	}
}
