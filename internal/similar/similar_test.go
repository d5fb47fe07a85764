// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package similar

import (
	"testing"

	. "github.com/onsi/gomega"
)

func TestNames(t *testing.T) {
	known := []string{"class", "selectors", "capacity", "nodeSelector", "runtimeClassName"}
	for name, want := range map[string][]string{
		"klass":         {"class"},
		"selector":      {"selectors", "nodeSelector"},
		"nodeselector":  {"nodeSelector"},
		"runtimeclass":  {"runtimeClassName"},
		"parameters":    {},
		"nodeSelectors": {"nodeSelector"},
	} {
		NewWithT(t).Expect(Names(name, known)).To(Equal(want), name)
	}
}

func TestDistance(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0}, {"abc", "adc", 1}, {"kitten", "sitting", 3}, {"ab", "ba", 2}, {"whole", "hole", 1}} {
		NewWithT(t).Expect(distance(test.a, test.b)).To(Equal(test.want), "%s, %s", test.a, test.b)
	}
}
