// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/journey"
)

// ExpectSpecsPass runs specs in a step of a journey, one after the other. Each
// spec runs in its own namespace, against the current state of the cluster.
// ExpectSpecsPass fails the step if a spec fails. It also fails the step if a
// spec cannot run, except when the spec needs a feature in lacking, or
// behaviour that a later release introduces. It returns the number of passed
// specs.
func ExpectSpecsPass(ctx context.Context, r *journey.Run, specs []Spec, lacking ...features.Feature) int {
	ginkgo.GinkgoHelper()
	target, err := r.DetectTarget(ctx)
	gomega.Expect(err).NotTo(gomega.HaveOccurred(), "the state of the cluster should be detected")
	var unexpected []string
	passed := 0
	for _, s := range specs {
		if outcome, why := s.precludedOutcome(target); outcome != "" {
			ginkgo.By(fmt.Sprintf("spec %s: %s: %s", s.ID, outcome, why))
			needed := slices.Concat(s.Features, target.Subject.Needs(s.Kinds))
			expected := slices.ContainsFunc(needed, func(f features.Feature) bool { return slices.Contains(lacking, f) })
			if !expected && target.TooOld(s.Since, s.Component) == "" {
				unexpected = append(unexpected, fmt.Sprintf("spec %s: %s: %s", s.ID, outcome, why))
			}
			continue
		}
		ginkgo.By("spec " + s.ID)
		expectSpecPasses(ctx, r, s, target)
		passed++
	}
	gomega.Expect(unexpected).To(gomega.BeEmpty(), "the cluster should support these specs")
	return passed
}

// expectSpecPasses runs one spec. It fails the step if the spec fails, if the
// auditor raises an alarm, or if the cleanup fails.
func expectSpecPasses(ctx context.Context, r *journey.Run, s Spec, target env.Target) {
	ginkgo.GinkgoHelper()
	nested := *r.Env
	nested.Namespace, nested.Subject, nested.ArtifactsDir = r.NestedNamespace(), target.Subject, filepath.Join(r.ArtifactsDir, s.ID)
	nested.Unique, nested.Sees = nested.Namespace, s.Sees
	nested.SimulatedDrivers, nested.PlacePod, nested.DeviceClasses, nested.Cleanups, nested.OnDelete = nil, nil, nil, nil, nil
	nested.ClassicDrivers = nil
	nested.NotApplicable = func(reason string) { ginkgo.Fail(fmt.Sprintf("spec %s is not applicable: %s", s.ID, reason)) }
	created, err := setUp(ctx, ctx, &nested, target, "spec "+s.ID, false, func(err error) {
		if err == nil {
			r.AwaitRemoval(nested.Namespace)
		}
	})
	gomega.Expect(err).NotTo(gomega.HaveOccurred(), "the namespace of spec %s should be created", s.ID)
	s.Body(ctx, &nested)
	created.cleanUp(ctx)
}
