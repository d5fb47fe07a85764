// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package suite_test

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"sigs.k8s.io/yaml"

	"github.com/draconform/draconform/e2e/internal/suiterun"
	"github.com/draconform/draconform/e2e/suite"
)

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
	g.Expect(events.Kind).To(Equal("EventList"))
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

func TestRunWithoutFolder(t *testing.T) {
	g := NewWithT(t)
	got := suiterun.Run(t, "no folder")
	g.Expect(got.Err).To(ContainSubstring("create Ginkgo's log: "))
	g.Expect(got.Of("passes").Outcome).To(BeEmpty(), "no outcome")
}
