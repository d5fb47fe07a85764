// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package suite_test

import (
	"slices"
	"testing"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/internal/suiterun"
)

// outcomes returns the ids and the outcomes of all specs, in the order of the results.
func outcomes(got suiterun.Outcome) []string {
	var all []string
	for _, r := range got.Results {
		all = append(all, r.ID+" "+string(r.Outcome))
	}
	return all
}

func TestGuestUsesOneNamespaceForAllSpecs(t *testing.T) {
	g := gomega.NewWithT(t)
	got := suiterun.Run(t, "guest in a namespace of its own")
	g.Expect(got.Err).To(gomega.BeEmpty())
	g.Expect(outcomes(got)).To(gomega.Equal([]string{"first passed", "second passed"}), "%v", got.Results)
	g.Expect(got.Namespaces).To(gomega.BeEmpty())
	g.Expect(got.Left).To(gomega.BeEmpty())
}

func TestGuestLeavesAGivenNamespaceAsItWas(t *testing.T) {
	g := gomega.NewWithT(t)
	got := suiterun.Run(t, "guest in a given namespace")
	g.Expect(got.Err).To(gomega.BeEmpty())
	g.Expect(outcomes(got)).To(gomega.Equal([]string{"first passed", "second passed"}), "%v", got.Results)
	g.Expect(got.Namespaces).To(gomega.ConsistOf("team"))
	g.Expect(got.Left).To(gomega.BeEmpty(), "no object of the run, and no lease")
	for _, q := range got.Requests {
		g.Expect(q.Verb == "delete" && q.Resource == "namespaces").To(gomega.BeFalse(), "the namespace is not deleted")
	}
}

func TestGuestIsNotApplicableWithoutFreeDevices(t *testing.T) {
	g := gomega.NewWithT(t)
	got := suiterun.Run(t, "guest whose devices are in use")
	g.Expect(outcomes(got)).To(gomega.Equal([]string{"first not-applicable", "second not-applicable"}), "%v", got.Results)
	g.Expect(got.Of("first").Reason).To(gomega.And(
		gomega.HavePrefix("needs a free device of class mig.example.com (driver mig.example.com)"), gomega.ContainSubstring("did not release within"),
		gomega.HaveSuffix("node node-1 has 1, 1 are held by claim elsewhere/greedy"),
	))
	g.Expect(got.Of("second").Duration).To(gomega.BeNumerically("<", waitForDevices), "it does not wait for what another spec has waited for in vain")
	g.Expect(got.Progress).To(gomega.ContainElement("1 of 2: first not-applicable"))
}

func TestGuestDoesNotBlameTheDriverForNeighbours(t *testing.T) {
	g := gomega.NewWithT(t)
	got := suiterun.Run(t, "guest whose devices are seized")
	g.Expect(outcomes(got)).To(gomega.Equal([]string{"seized not-applicable", "fails failed"}), "it does not end a run with FailFast; %v", got.Results)
	g.Expect(got.Of("seized").Reason).To(gomega.Equal("not conclusive: pod one could not be scheduled, because its devices on node node-1 are held by claim elsewhere/greedy"))
}

func TestGuestDoesNotExcuseOtherFailures(t *testing.T) {
	g := gomega.NewWithT(t)
	got := suiterun.Run(t, "guest whose failure is another")
	g.Expect(outcomes(got)).To(gomega.Equal([]string{"fails failed"}))
	g.Expect(got.Of("fails").Reason).To(gomega.ContainSubstring("pod one should have two devices"))
}

func TestGuestDoesNotExcuseItsOwnLeftovers(t *testing.T) {
	g := gomega.NewWithT(t)
	got := suiterun.Run(t, "guest that leaks")
	g.Expect(outcomes(got)).To(gomega.Equal([]string{"leaks failed", "suffers failed"}), "%v", got.Results)
	g.Expect(got.Of("leaks").Reason).To(gomega.ContainSubstring("all objects of the spec should be removed"))
	g.Expect(got.Of("suffers").Reason).To(gomega.ContainSubstring("PodScheduled: "), "its names are free, because it has another namespace")
	g.Expect(got.Namespaces).To(gomega.ConsistOf("draconform-own", "draconform-own-2"), "pods that never stop keep them")
	g.Expect(got.Err).To(gomega.ContainSubstring("namespace draconform-own"))
}

func TestGuestDoesNotContinueInAGivenNamespaceWithLeftovers(t *testing.T) {
	g := gomega.NewWithT(t)
	got := suiterun.Run(t, "guest that leaks in a given namespace")
	g.Expect(outcomes(got)).To(gomega.Equal([]string{"leaks failed", "not-run skipped"}), "%v", got.Results)
	g.Expect(got.Of("not-run").Reason).To(gomega.HavePrefix("not run, because objects of an earlier spec remain in namespace team: "))
	g.Expect(got.Err).To(gomega.ContainSubstring("it still has pod one"))
}

func TestGuestDoesNotBlameTheDriverForACordonedNode(t *testing.T) {
	g := gomega.NewWithT(t)
	got := suiterun.Run(t, "guest whose node is cordoned")
	g.Expect(outcomes(got)).To(gomega.Equal([]string{"cordoned not-applicable"}), "%v", got.Results)
	g.Expect(got.Of("cordoned").Reason).To(gomega.HaveSuffix("because node node-1 became unusable while the spec ran: it is cordoned"))
}

func TestGuestDoesNotBlameTheDriverForWhatOthersDoToPods(t *testing.T) {
	for name, want := range map[string]string{
		"guest whose pod is evicted": "not conclusive: pod one was deleted by something in the cluster",
		"guest whose node is gone":   "not conclusive: pod one was on node node-1, which is gone",
	} {
		t.Run(name, func(t *testing.T) {
			g := gomega.NewWithT(t)
			got := suiterun.Run(t, name)
			g.Expect(outcomes(got)).To(gomega.Equal([]string{"disrupted not-applicable"}), "%v", got.Results)
			g.Expect(got.Of("disrupted").Reason).To(gomega.Equal(want))
		})
	}
}

// The driver may have tainted a device that is not broken.
func TestGuestDoesNotExcuseEvictionsBecauseOfDevices(t *testing.T) {
	g := gomega.NewWithT(t)
	got := suiterun.Run(t, "guest whose pod is evicted because of its device")
	g.Expect(outcomes(got)).To(gomega.Equal([]string{"disrupted failed"}), "%v", got.Results)
}

func TestGuestThatIsInterruptedLeavesNothing(t *testing.T) {
	g := gomega.NewWithT(t)
	got := suiterun.Run(t, "guest that is interrupted")
	g.Expect(outcomes(got)).To(gomega.Equal([]string{"during skipped"}))
	g.Expect(slices.Concat(got.Left, got.Namespaces)).To(gomega.BeEmpty())
}

// Without an API server nothing can be said about the driver, and nothing else can
// be run.
func TestGuestThatLosesTheAPIServer(t *testing.T) {
	g := gomega.NewWithT(t)
	got := suiterun.Run(t, "guest that loses the API server")
	g.Expect(outcomes(got)).To(gomega.Equal([]string{"before passed", "during skipped", "after skipped"}), "%v", got.Results)
	g.Expect(got.Of("during").Reason).To(gomega.HavePrefix("not finished, because the API server does not answer: "))
	g.Expect(got.Err).To(gomega.ContainSubstring("the API server does not answer: connection refused"), "the run is not complete")
}

func TestGuestThatLosesTheAPIServerForAWhile(t *testing.T) {
	g := gomega.NewWithT(t)
	got := suiterun.Run(t, "guest that loses the API server for a while")
	g.Expect(outcomes(got)).To(gomega.Equal([]string{"before passed", "during not-applicable", "after passed"}), "%v", got.Results)
	g.Expect(got.Of("during").Reason).To(gomega.Equal("not conclusive: the API server did not answer for a while"))
	g.Expect(got.Err).To(gomega.BeEmpty())
	g.Expect(slices.Concat(got.Left, got.Namespaces)).To(gomega.BeEmpty())
}

func TestGuestDoesNotBlameTheDriverForQuota(t *testing.T) {
	g := gomega.NewWithT(t)
	got := suiterun.Run(t, "guest whose namespace has no quota left")
	g.Expect(outcomes(got)).To(gomega.Equal([]string{"rejected not-applicable"}), "%v", got.Results)
	g.Expect(got.Of("rejected").Reason).To(gomega.Equal("not conclusive: the quota of namespace team has no room for another object: theirs, mig.example.com.deviceclass.resource.k8s.io/devices; raise the quota, or use a namespace without one"))
	g.Expect(got.Left).To(gomega.BeEmpty())
}
