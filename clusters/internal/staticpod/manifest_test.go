// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package staticpod

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/gates"
	"github.com/draconform/draconform/clusters/images"
)

// read parses a manifest that kubeadm 1.34 wrote for a cluster with the alpha
// gates.
func read(t *testing.T, name string) *Manifest {
	t.Helper()
	g := NewWithT(t)
	content, err := os.ReadFile(filepath.Join("testdata", name+".yaml"))
	g.Expect(err).NotTo(HaveOccurred())
	m, err := Parse(content)
	g.Expect(err).NotTo(HaveOccurred())
	return m
}

// Each case changes a manifest and prints the lines that differ from kubeadm's.
func TestSet(t *testing.T) {
	datadriven.RunTest(t, "testdata/set", func(t *testing.T, d *datadriven.TestData) string {
		g := NewWithT(t)
		m := read(t, d.Cmd)
		before, err := m.YAML()
		g.Expect(err).NotTo(HaveOccurred())
		for line := range strings.Lines(d.Input) {
			change(t, m, strings.Fields(line))
		}
		after, err := m.YAML()
		g.Expect(err).NotTo(HaveOccurred())
		return diff(string(before), string(after))
	})
}

func change(t *testing.T, m *Manifest, words []string) {
	t.Helper()
	g := NewWithT(t)
	switch words[0] {
	case "set":
		r, err := clusters.FindRelease(words[1])
		g.Expect(err).NotTo(HaveOccurred())
		set, err := gates.Parse(words[2], r)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(m.Set(r, set)).To(Succeed())
		now, _, err := m.Gates()
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(now.Equal(set)).To(BeTrue(), "the gates that were set")
		release, err := m.Release()
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(release).To(Equal(r))
	case "add":
		m.container().Command = append(m.container().Command, words[1])
	case "append-to":
		before, _ := m.flag(words[1])
		m.setFlag(words[1], before+","+words[2])
	case "created-so": // only kubeadm's own annotations
		delete(m.pod.Annotations, servedForGates)
	case "draconform":
		g.Expect(m.UseDraconform(images.Scheduler)).To(Succeed())
	case "kube-scheduler":
		g.Expect(m.UseKubeScheduler()).To(Succeed())
	case "look-soon":
		m.ProbeEverySecond()
	default:
		t.Fatalf("unknown change %s", words[0])
	}
}

// diff returns the removed and the added lines, sorted.
func diff(before, after string) string {
	var out strings.Builder
	only := func(mark string, here, there string) {
		for line := range strings.Lines(here) {
			if strings.Count(here, line) != strings.Count(there, line) {
				out.WriteString(mark + line)
			}
		}
	}
	only("-", before, after)
	only("+", after, before)
	if out.Len() == 0 {
		return "unchanged\n"
	}
	return out.String()
}

func TestReleaseOfAnUnsupportedPatch(t *testing.T) {
	g := NewWithT(t)
	r, err := ReleaseOf("registry.k8s.io/kube-apiserver:v1.37.0")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(r).To(Equal(clusters.Release{Minor: "1.37", Version: "1.37.0"}))
	g.Expect(WithTag("localhost:5000/kube-apiserver:v1.37.0", clusters.Release{Minor: "1.36", Version: "1.36.3"})).
		To(Equal("localhost:5000/kube-apiserver:v1.36.3"))
}

func TestReleaseOfNeedsATag(t *testing.T) {
	for _, image := range []string{"kube-apiserver", "kube-apiserver:latest", "kube-apiserver:v1.37", ""} {
		_, err := ReleaseOf(image)
		NewWithT(t).Expect(err).To(MatchError(ContainSubstring("is not tagged with a release like v1.37.1")), image)
	}
}

// The copies differ only in their UIDs.
func TestWithNewUID(t *testing.T) {
	g := NewWithT(t)
	m := read(t, "kube-scheduler")
	first, second := m.WithNewUID(), m.WithNewUID()
	g.Expect(m.UID()).To(BeEmpty())
	g.Expect(first.UID()).NotTo(BeEmpty())
	g.Expect(second.UID()).NotTo(Or(BeEmpty(), Equal(first.UID())))
	text, err := first.YAML()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(text)).To(ContainSubstring("\n  uid: " + string(first.UID()) + "\n"))
	first.pod.UID = ""
	g.Expect(first).To(Equal(m))
}

func TestParseErrors(t *testing.T) {
	for name, test := range map[string]struct{ manifest, want string }{
		"not YAML":              {"{", "did not find expected"},
		"without a container":   {"kind: Pod\n", "it does not have one container with a command"},
		"of an image's command": {"spec: {containers: [{name: a}]}\n", "it does not have one container with a command"},
		"with two containers":   {"spec: {containers: [{name: a, command: [a]}, {name: b, command: [b]}]}\n", "it does not have one container with a command"},
		"with an unknown field": {"spec: {containers: [{name: a, command: [a], probe: {}}]}\n", "unknown field"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse([]byte(test.manifest))
			NewWithT(t).Expect(err).To(MatchError(ContainSubstring(test.want)))
		})
	}
}

func TestGatesErrors(t *testing.T) {
	g := NewWithT(t)
	m := read(t, "kube-scheduler")
	m.setFlag("feature-gates", "A=perhaps")
	_, _, err := m.Gates()
	g.Expect(err).To(MatchError(ContainSubstring("--feature-gates: A=perhaps: ")))
	m.container().Image = "kube-scheduler"
	g.Expect(m.Set(clusters.Newest(), gates.Set{})).To(MatchError(ContainSubstring("is not tagged")))
	g.Expect(m.UseDraconform(images.Scheduler)).To(MatchError(ContainSubstring("is not tagged")))
}

// With another pull policy the kubelet would pull draconform's image from a
// registry.
func TestUseDraconformNeverPulls(t *testing.T) {
	g := NewWithT(t)
	m := read(t, "kube-scheduler")
	g.Expect(m.UseDraconform(images.Scheduler)).To(Succeed())
	g.Expect(m.container().ImagePullPolicy).To(Equal(corev1.PullNever))
}
