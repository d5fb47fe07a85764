// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"bytes"
	"testing"

	. "github.com/onsi/gomega"
)

// The estimate is of the specs that can run. How long journeys take is not known.
func TestExpectVerdict(t *testing.T) {
	g := NewWithT(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	var out bytes.Buffer
	r := workersRunner(&out, nil)
	specs := independentSpecs("a", "b", "c")
	r.expectVerdict(append(specs, newJourneys("up")...), nil)
	g.Expect(out.String()).To(BeEmpty())
	r.expectVerdict(specs, []share{{specs: specs[:1]}, {specs: specs[1:2]}})
	g.Expect(out.String()).To(MatchRegexp(`^   about \d+ (s|min) until the verdict\n$`))
}
