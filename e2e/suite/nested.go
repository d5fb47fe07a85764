package suite

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite/auditor"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/journey"
	"github.com/draconform/draconform/e2e/suite/namespaces"
)

// ExpectSpecsPass runs specs in a step of a journey, one after the other. Each
// spec runs in its own namespace, against the current state of the cluster.
// ExpectSpecsPass fails the step if a spec fails. It also fails the step if a
// spec cannot run, except when the spec needs a feature in lacking, or
// behaviour that a later release introduces. It returns the number of passed
// specs.
func ExpectSpecsPass(ctx context.Context, r *journey.Run, specs []Spec, lacking ...features.Feature) int {
	ginkgo.GinkgoHelper()
	there, err := r.Look(ctx)
	gomega.Expect(err).NotTo(gomega.HaveOccurred(), "what the cluster is should be known")
	var unfit []string
	passed := 0
	for _, s := range specs {
		if outcome, why := s.unfit(there); outcome != "" {
			ginkgo.By(fmt.Sprintf("spec %s: %s: %s", s.ID, outcome, why))
			needed := slices.Concat(s.Features, there.Subject.Needs(s.Kinds))
			lacks := slices.ContainsFunc(needed, func(f features.Feature) bool { return slices.Contains(lacking, f) })
			if !lacks && there.TooOld(s.Since, s.Component) == "" {
				unfit = append(unfit, fmt.Sprintf("spec %s: %s: %s", s.ID, outcome, why))
			}
			continue
		}
		ginkgo.By("spec " + s.ID)
		expectSpecPasses(ctx, r, s, there)
		passed++
	}
	gomega.Expect(unfit).To(gomega.BeEmpty(), "the cluster should have what these specs need")
	return passed
}

// expectSpecPasses runs one spec. It fails the step if the spec fails, if the
// auditor raises an alarm, or if the cleanup fails.
func expectSpecPasses(ctx context.Context, r *journey.Run, s Spec, there env.Target) {
	ginkgo.GinkgoHelper()
	inner := *r.Env
	inner.Namespace, inner.Subject = r.NestedNamespace(), there.Subject
	inner.SimulatedDriver, inner.PlacePod, inner.DeviceClasses, inner.Cleanups, inner.OnDelete = "", nil, nil, nil, nil
	gomega.Expect(namespaces.Create(ctx, &inner)).To(gomega.Succeed())
	watched, over := auditor.Start(ctx, &inner, there), false
	ginkgo.DeferCleanup(func(ctx ginkgo.SpecContext) { //nolint:contextcheck // The spec's context has ended by then.
		if over {
			return
		}
		watched.Stop(ctx)
		if err := namespaces.Dump(ctx, &inner, filepath.Join(r.ArtifactsDir, s.ID)); err != nil {
			ginkgo.GinkgoWriter.Printf("keep what spec %s left: %v\n", s.ID, err)
		}
		gomega.Expect(namespaces.CleanUp(ctx, &inner)).To(gomega.Succeed())
	}, ginkgo.NodeTimeout(2*r.Timeouts.Deletion))
	gomega.Expect(namespaces.WaitForServiceAccount(ctx, &inner)).To(gomega.Succeed())
	s.Body(ctx, &inner)
	alarms := watched.Stop(ctx)
	gomega.Expect(alarms).To(gomega.BeEmpty(), "nothing in the cluster should break a promise while spec %s runs", s.ID)
	gomega.Expect(namespaces.CleanUp(ctx, &inner)).To(gomega.Succeed(), "all that spec %s created should disappear when it is deleted", s.ID)
	over = true
	r.AwaitRemoval(inner.Namespace)
}
