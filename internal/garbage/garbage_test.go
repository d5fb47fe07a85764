// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package garbage

import (
	"runtime/debug"
	"testing"

	. "github.com/onsi/gomega"
)

func TestTheUserDecides(t *testing.T) {
	before := debug.SetGCPercent(100)
	t.Cleanup(func() { debug.SetGCPercent(before) })
	for set, want := range map[string]struct {
		environ []string
		percent int
	}{
		"":   {[]string{"GOGC=250"}, 250},
		"50": {nil, 100},
	} {
		g := NewWithT(t)
		t.Setenv("GOGC", set)
		debug.SetGCPercent(100)
		g.Expect(Environ(250)).To(Equal(want.environ))
		SetPercent(250)
		g.Expect(debug.SetGCPercent(100)).To(Equal(want.percent))
	}
}
