package suite

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite/env"
)

func TestDryRun(t *testing.T) {
	g := NewWithT(t)
	found := features.Set{features.Core: {Present: true}, features.Partitions: {Source: "it is off"}}
	results := DryRun(selectable[:2], env.Target{Found: found, Workers: 1})
	g.Expect(results).To(HaveLen(2))
	g.Expect(results[0].Spec.ID).To(Equal("partition-a"))
	g.Expect(results[0].Outcome).To(Equal(NotSupported))
	g.Expect(results[0].Reason).To(Equal("feature partitionable-devices is absent: it is off"))
	g.Expect(results[1].Spec.ID).To(Equal("partition-b"))
	g.Expect(results[1].Outcome).To(BeEmpty())
}
