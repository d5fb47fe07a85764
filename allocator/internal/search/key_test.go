// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search

import (
	"testing"

	. "github.com/onsi/gomega"
)

// The order of compatibility groups has no meaning. What belongs to which name has.
func TestKeysOfNames(t *testing.T) {
	g := NewWithT(t)
	names := []string{"b", "a"}
	key := appendNames(nil, names)
	g.Expect(key).To(Equal(appendNames(nil, []string{"a", "b"})))
	g.Expect(names).To(Equal([]string{"b", "a"}), "names are not changed")
	for _, others := range [][]string{nil, {"a"}, {"ab"}, {"a", "c"}, {"a", "b", ""}} {
		g.Expect(key).NotTo(Equal(appendNames(nil, others)), "%q", others)
	}
}
