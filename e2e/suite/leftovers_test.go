// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package suite_test

import (
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/internal/suiterun"
	"github.com/draconform/draconform/e2e/suite"
)

// Objects that hold devices would affect the next spec.
func TestRunReportsRemainingNamespaces(t *testing.T) {
	g := NewWithT(t)
	got := suiterun.Run(t, "namespace stays")
	g.Expect(got.Of("passes").Outcome).To(Equal(suite.Passed), "the namespace does not affect the outcome of the spec")
	g.Expect(got.Err).To(ContainSubstring("wait until the namespaces of the specs are removed, for 1s: namespace draconform-test-1; some content is left"))
}

// The end of the cluster removes them faster.
func TestRunInTemporaryClusterDoesNotWaitForNamespaces(t *testing.T) {
	g := NewWithT(t)
	got := suiterun.Run(t, "namespace stays in a temporary cluster")
	g.Expect(got.Of("passes").Outcome).To(Equal(suite.Passed))
	g.Expect(got.Err).To(BeEmpty())
	g.Expect(got.Namespaces).NotTo(BeEmpty())
}

// The end of a cluster without kubelets removes the namespaces. What holds devices does
// not stay until then.
func TestRunKeepsEmptyNamespacesInTemporaryClusterWithoutKubelets(t *testing.T) {
	g := NewWithT(t)
	got := suiterun.Run(t, "namespace is not deleted")
	g.Expect(got.Err).To(BeEmpty())
	for _, id := range []string{"leaves-pods", "finds-nothing"} {
		g.Expect(got.Of(id).Outcome).To(Equal(suite.Passed), got.Of(id).Reason)
	}
	g.Expect(got.Namespaces).To(ConsistOf("draconform-test-1", "draconform-test-1-other", "draconform-test-2"))
}

// The devices of a pod that is not removed are not available for the next
// specs.
func TestRunFailsSpecsWithRemainingPods(t *testing.T) {
	g := NewWithT(t)
	got := suiterun.Run(t, "pod stays")
	g.Expect(got.Of("passes").Outcome).To(Equal(suite.Failed))
	g.Expect(got.Of("passes").Reason).To(And(
		ContainSubstring("all objects of the spec should be removed"),
		ContainSubstring("wait until the objects of the spec are removed, for 1s: pod one still exists"),
	))
	g.Expect(filepath.Join(got.Dir, "artifacts", "passes", "pods.yaml")).To(BeAnExistingFile())
}
