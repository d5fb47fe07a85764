// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package suite_test

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"sigs.k8s.io/yaml"

	"github.com/draconform/draconform/e2e/internal/suiterun"
	"github.com/draconform/draconform/e2e/suite"
)

func TestRunReturnsAllOutcomes(t *testing.T) {
	g := NewWithT(t)
	got := suiterun.Run(t, "outcomes")
	g.Expect(got.Err).To(BeEmpty())
	var order []string
	for _, r := range got.Results {
		order = append(order, r.ID+" "+string(r.Outcome))
	}
	g.Expect(order).To(Equal([]string{
		"z-passes passed", "fails failed", "unsupported not-supported", "panics failed", "big not-applicable", "excluded skipped", "a-passes passed",
	}), "in the order of the configuration")
	g.Expect(got.Progress).To(Equal([]string{
		"1 of 4: z-passes starts", "1 of 4: z-passes passed", "2 of 4: fails starts", "2 of 4: fails failed",
		"3 of 4: panics starts", "3 of 4: panics failed", "4 of 4: a-passes starts", "4 of 4: a-passes passed",
	}), "one after the other, in the order of the configuration")
	g.Expect(got.Namespaces).To(BeEmpty(), "every spec's namespace is removed")

	g.Expect(got.Of("z-passes").Reason).To(BeEmpty())
	g.Expect(got.Of("z-passes").Duration).To(BeNumerically(">", 0))
	g.Expect(got.Of("unsupported").Reason).To(Equal("feature missing-feature is absent: "))
	g.Expect(got.Of("big").Reason).To(Equal("needs 2 worker nodes, the cluster has 1"))
	g.Expect(got.Of("excluded").Reason).To(Equal(`excluded by the selection --labels "!third"`))
	failure := got.Of("fails").Reason
	g.Expect(failure).To(HavePrefix("while comparing numbers: the numbers should be equal\n"), "the step and the expectation")
	g.Expect(failure).To(MatchRegexp(`<int>: 2\nto equal\n *<int>: 1`), "and the observation")
	g.Expect(got.Of("panics").Reason).To(Equal("while creating claim and pod one: Test Panicked: test panic"))
}

func TestRunRecordsSteps(t *testing.T) {
	g := NewWithT(t)
	got := suiterun.Run(t, "outcomes")
	failed := got.Of("fails")
	g.Expect(failed.Steps).To(HaveLen(3))
	last := failed.Started
	for i, text := range []string{"creating claim and pod one", "waiting until pod one runs", "comparing numbers"} {
		g.Expect(failed.Steps[i].Text).To(Equal(text))
		g.Expect(failed.Steps[i].Started).To(BeTemporally(">=", last), "steps follow each other")
		last = failed.Steps[i].Started
	}
	g.Expect(last).To(BeTemporally("<=", failed.Started.Add(failed.Duration)))
	g.Expect(failed.Started).To(BeTemporally(">", got.Of("z-passes").Started), "specs run one after the other")
	g.Expect(failed.FailedAt).To(And(BeTemporally(">=", last), BeTemporally("<=", failed.Started.Add(failed.Duration))), "it failed after the last step")
	g.Expect(got.Of("panics").FailedAt).To(BeTemporally(">", failed.FailedAt))
	g.Expect(got.Of("z-passes").FailedAt).To(BeZero())
	g.Expect(got.Of("z-passes").Namespace).To(BeEmpty())
	for _, id := range []string{"unsupported", "big", "excluded"} {
		g.Expect(got.Of(id).Started).To(BeZero(), "%s did not run", id)
		g.Expect(got.Of(id).Steps).To(BeEmpty(), id)
	}
}

func TestRunDumpsFailedSpecs(t *testing.T) {
	g := NewWithT(t)
	got := suiterun.Run(t, "outcomes")
	folders, err := os.ReadDir(filepath.Join(got.Dir, "artifacts"))
	g.Expect(err).NotTo(HaveOccurred())
	var failed []string
	for _, f := range folders {
		failed = append(failed, f.Name())
	}
	g.Expect(failed).To(ConsistOf("fails", "panics"), "a folder for each failed spec, and no other")
	read := func(name string) []byte {
		content, err := os.ReadFile(filepath.Join(got.Dir, "artifacts", "fails", name))
		g.Expect(err).NotTo(HaveOccurred())
		return content
	}
	var pods corev1.PodList
	g.Expect(yaml.UnmarshalStrict(read("pods.yaml"), &pods)).To(Succeed())
	g.Expect(pods.Kind).To(Equal("PodList"))
	g.Expect(pods.Items).To(HaveLen(1))
	g.Expect(pods.Items[0].Status.Phase).To(Equal(corev1.PodRunning), "the state when the spec failed")
	var claims resourceapi.ResourceClaimList
	g.Expect(yaml.UnmarshalStrict(read("claims.yaml"), &claims)).To(Succeed())
	g.Expect(claims.APIVersion).To(Equal("resource.k8s.io/v1"))
	g.Expect(claims.Items).To(HaveLen(1))
	g.Expect(claims.Items[0].Status.Allocation).NotTo(BeNil())
	g.Expect(got.Of("fails").Namespace).To(Equal(claims.Items[0].Namespace), "the report says whose claims these are")
	var slices resourceapi.ResourceSliceList
	g.Expect(yaml.UnmarshalStrict(read("slices.yaml"), &slices)).To(Succeed())
	g.Expect(slices.Items).NotTo(BeEmpty())
	var events corev1.EventList
	g.Expect(yaml.UnmarshalStrict(read("events.yaml"), &events)).To(Succeed())
	g.Expect(string(read("one.log"))).To(ContainSubstring("gpu-0-mig-1g-5gb-0"), "the container's log")
}

// junit has the fields of a JUnit report that other programs read.
type junit struct {
	Suites []struct {
		Tests      int `xml:"tests,attr"`
		Skipped    int `xml:"skipped,attr"`
		Errors     int `xml:"errors,attr"`
		Failures   int `xml:"failures,attr"`
		Properties []struct {
			Name  string `xml:"name,attr"`
			Value string `xml:"value,attr"`
		} `xml:"properties>property"`
		Cases []struct {
			Name    string `xml:"name,attr"`
			Status  string `xml:"status,attr"`
			Failure *struct {
				Message string `xml:"message,attr"`
			} `xml:"failure"`
			Skipped *struct {
				Message string `xml:"message,attr"`
			} `xml:"skipped"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

// readJUnit reads the JUnit report of a run.
func readJUnit(t *testing.T, dir string) junit {
	t.Helper()
	g := NewWithT(t)
	content, err := os.ReadFile(filepath.Join(dir, "junit_01.xml"))
	g.Expect(err).NotTo(HaveOccurred())
	var report junit
	g.Expect(xml.Unmarshal(content, &report)).To(Succeed())
	g.Expect(report.Suites).To(HaveLen(1))
	return report
}

func TestRunWritesJUnit(t *testing.T) {
	g := NewWithT(t)
	got := suiterun.Run(t, "outcomes")
	report := readJUnit(t, got.Dir)
	s := report.Suites[0]
	g.Expect(s.Tests).To(Equal(7))
	g.Expect(s.Skipped).To(Equal(3), "the excluded specs, and those that cannot run in the cluster")
	g.Expect(s.Failures).To(Equal(1))
	g.Expect(s.Errors).To(Equal(1), "the panic")
	g.Expect(s.Properties).To(ContainElement(And(HaveField("Name", "SuiteSucceeded"), HaveField("Value", "false"))))
	g.Expect(s.Cases).To(HaveLen(7))
	for _, c := range s.Cases {
		switch c.Name {
		case "draconform first fails":
			g.Expect(c.Failure.Message).To(ContainSubstring("the numbers should be equal"))
		case "draconform first unsupported":
			g.Expect(c.Skipped.Message).To(ContainSubstring("not-supported: feature missing-feature is absent"))
		}
	}
	log, err := os.ReadFile(filepath.Join(got.Dir, "ginkgo_01.log"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(log)).To(ContainSubstring("comparing numbers"))
}

// A failed provisional spec does not end the run. In the JUnit report it is
// skipped, with the reason, so that CI jobs do not fail.
func TestRunProvisional(t *testing.T) {
	g := NewWithT(t)
	got := suiterun.Run(t, "provisional")
	g.Expect(got.Err).To(BeEmpty())
	g.Expect(got.Of("news").Outcome).To(Equal(suite.Failed))
	g.Expect(got.Of("panicking-news").Outcome).To(Equal(suite.Failed))
	g.Expect(got.Of("passes").Outcome).To(Equal(suite.Passed))
	g.Expect(filepath.Join(got.Dir, "artifacts", "news")).To(BeADirectory(), "its objects are collected")
	s := readJUnit(t, got.Dir).Suites[0]
	g.Expect(s.Tests).To(Equal(3))
	g.Expect(s.Failures).To(BeZero())
	g.Expect(s.Errors).To(BeZero())
	g.Expect(s.Skipped).To(Equal(2))
	g.Expect(s.Properties).To(ContainElement(And(HaveField("Name", "SuiteSucceeded"), HaveField("Value", "true"))))
	g.Expect(s.Cases[0].Failure).To(BeNil())
	g.Expect(s.Cases[0].Skipped.Message).To(And(
		ContainSubstring("provisional, without effect on the verdict: failed: while comparing numbers: the numbers should be equal"), ContainSubstring("to equal")))
	g.Expect(s.Cases[1].Skipped.Message).To(ContainSubstring("provisional, without effect on the verdict: panicked: "))
}

func TestRunFailFast(t *testing.T) {
	g := NewWithT(t)
	got := suiterun.Run(t, "fail-fast")
	g.Expect(got.Err).To(BeEmpty())
	g.Expect(got.Of("passes").Outcome).To(Equal(suite.Passed))
	g.Expect(got.Of("fails").Outcome).To(Equal(suite.Failed))
	g.Expect(got.Of("never").Outcome).To(Equal(suite.Skipped))
	g.Expect(got.Of("never").Reason).To(Equal("not run, because an earlier spec failed or the run was interrupted"))
	g.Expect(got.Progress).To(HaveLen(4), "the third spec does not start")
	g.Expect(got.Namespaces).To(BeEmpty())
}

// An interrupted run returns the results so far and deletes its namespaces.
// Specs that did not finish are not failures.
func TestRunInterrupted(t *testing.T) {
	g := NewWithT(t)
	got := suiterun.Run(t, "interrupted")
	g.Expect(got.Err).To(Equal("context canceled"))
	g.Expect(got.Duration).To(BeNumerically("<", 10*time.Second), "long before the 30 s that the spec would wait")
	g.Expect(got.Of("before").Outcome).To(Equal(suite.Passed))
	g.Expect(got.Of("during").Outcome).To(Equal(suite.Skipped))
	g.Expect(got.Of("during").Reason).To(HavePrefix("not finished, because the run was interrupted: while waiting until pod one runs: "))
	g.Expect(got.Of("after").Outcome).To(Equal(suite.Skipped))
	g.Expect(got.Progress).To(Equal([]string{"1 of 3: before starts", "1 of 3: before passed", "2 of 3: during starts", "2 of 3: during skipped"}))
	g.Expect(got.Namespaces).To(BeEmpty(), "the cleanup is not interrupted")
}

// Ginkgo handles signals too, possibly before the caller's context ends.
func TestRunInterruptedBySignal(t *testing.T) {
	g := NewWithT(t)
	got := suiterun.Run(t, "signalled")
	g.Expect(got.Err).To(Equal("the run was interrupted by a signal"), "without an error the run would count as passed")
	g.Expect(got.Duration).To(BeNumerically("<", 25*time.Second), "before the 30 s that the spec would wait")
	g.Expect(got.Of("during").Outcome).To(Equal(suite.Skipped))
	g.Expect(got.Of("after").Outcome).To(Equal(suite.Skipped))
	g.Expect(got.Namespaces).To(BeEmpty())
}

func TestRunSpecTimeout(t *testing.T) {
	g := NewWithT(t)
	got := suiterun.Run(t, "timeout")
	g.Expect(got.Err).To(BeEmpty())
	g.Expect(got.Duration).To(BeNumerically("<", 10*time.Second))
	slow := got.Of("slow")
	g.Expect(slow.Outcome).To(Equal(suite.Failed))
	g.Expect(slow.Reason).To(ContainSubstring("while waiting until pod one runs: A spec timeout occurred"))
	g.Expect(slow.Reason).To(ContainSubstring("the driver does not answer"), "the last observation")
	g.Expect(got.Namespaces).To(BeEmpty())
}

// The specs of these tests wait for what never happens. That must take no time, and
// must end in the same way on a busy machine.
func TestWaitsOfARunTakeNoTime(t *testing.T) {
	g := NewWithT(t)
	begun := time.Now()
	got := suiterun.Run(t, "waits")
	g.Expect(got.Of("waits").Outcome).To(Equal(suite.Passed), got.Of("waits").Reason)
	g.Expect(got.Duration).To(BeNumerically(">=", 40*time.Second))
	g.Expect(time.Since(begun)).To(BeNumerically("<", 40*time.Second))
}

// Objects that hold devices would affect the next spec.
func TestRunReportsRemainingNamespaces(t *testing.T) {
	g := NewWithT(t)
	got := suiterun.Run(t, "namespace stays")
	g.Expect(got.Of("passes").Outcome).To(Equal(suite.Passed), "the namespace does not affect the outcome of the spec")
	g.Expect(got.Err).To(And(
		ContainSubstring("wait until the namespaces of the specs are removed, for 1s: namespace draconform-test-1; some content is left"),
	))
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

func TestRunWithoutLabels(t *testing.T) {
	got := suiterun.Run(t, "without labels")
	NewWithT(t).Expect(got.Of("passes").Outcome).To(Equal(suite.Passed), got.Of("passes").Reason)
}

func TestRunWithoutFolder(t *testing.T) {
	g := NewWithT(t)
	got := suiterun.Run(t, "no folder")
	g.Expect(got.Err).To(ContainSubstring("create Ginkgo's log: "))
	g.Expect(got.Of("passes").Outcome).To(BeEmpty(), "no outcome")
}
