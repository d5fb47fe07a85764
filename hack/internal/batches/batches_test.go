// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package batches

import (
	"testing"

	. "github.com/onsi/gomega"
)

func TestOverlap(t *testing.T) {
	for name, test := range map[string]struct {
		one, two []string
		want     bool
	}{
		"nothing in common":        {[]string{"a", "b"}, []string{"c", "d"}, false},
		"one thing in common":      {[]string{"a", "b"}, []string{"c", "b"}, true},
		"everything":               {[]string{Everything}, []string{"a"}, true},
		"a part of a thing":        {[]string{"a/x"}, []string{"a"}, true},
		"different parts":          {[]string{"a/x"}, []string{"a/y"}, false},
		"a longer name is no part": {[]string{"ab"}, []string{"a"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(Overlap(test.one, test.two)).To(Equal(test.want))
			g.Expect(Overlap(test.two, test.one)).To(Equal(test.want), "in the other order")
		})
	}
}

// Each change is in one batch, and no two of a batch interfere.
func TestDivide(t *testing.T) {
	interfere := func(a, b int) bool { return a%3 == b%3 }
	NewWithT(t).Expect(Divide([]int{1, 2, 4, 3, 5, 7}, interfere)).To(Equal([][]int{{1, 2, 3}, {4, 5}, {7}}))
	NewWithT(t).Expect(Divide(nil, interfere)).To(BeEmpty())
}
