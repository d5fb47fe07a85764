// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package features_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/features"
)

func TestMissing(t *testing.T) {
	g := NewWithT(t)
	found := features.Set{features.Core: {Present: true, Source: "seen"}, features.Partitions: {Source: "dropped"}}
	both := []features.Feature{features.Core, features.Partitions}
	g.Expect(found.Missing(nil)).To(BeEmpty())
	g.Expect(found.Missing(both[:1])).To(BeEmpty())
	g.Expect(found.Missing(both)).To(Equal("feature partitionable-devices is absent: dropped"))
	g.Expect(features.Set{}.Missing(both)).To(HavePrefix("feature core is absent: "), "an unknown feature is absent")
}

func TestNames(t *testing.T) {
	g := NewWithT(t)
	found := features.Set{features.Partitions: {Present: true}, features.Core: {Present: true}, "another": {}}
	g.Expect(found.Names()).To(Equal([]features.Feature{features.Core, features.Partitions}))
	g.Expect(features.Set{}.Names()).To(BeEmpty())
}
