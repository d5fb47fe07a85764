// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package staticpod

import (
	"testing"

	. "github.com/onsi/gomega"
)

// Wherever the manifest is, Stop removes it from the kubelet's folder and Start restores it.
func TestStopAndStart(t *testing.T) {
	for name, test := range map[string]struct{ path, where string }{
		"running":     {manifestPath, There},
		"stopped":     {stoppedPath, Stopped},
		"interrupted": {parkedPath, Parked},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			n := newNode(t)
			n.Write(test.path, "old\n")
			for _, step := range []struct{ script, where string }{{"", test.where}, {Stop, Stopped}, {Stop, Stopped}, {Start, There}, {Start, There}} {
				out, err := n.Run(step.script, "kube-scheduler", "")
				g.Expect(err).NotTo(HaveOccurred(), out)
				out, err = n.Run(Read, "kube-scheduler")
				g.Expect(err).NotTo(HaveOccurred(), out)
				g.Expect(out).To(Equal(step.where + "\nold"))
			}
			onlyManifest(g, n, "old\n")
		})
	}
}

func TestStopReplacesTheManifest(t *testing.T) {
	g := NewWithT(t)
	n := newNode(t)
	n.Write(manifestPath, "new\n")
	out, err := n.Run(Stop, "kube-scheduler", "old\n")
	g.Expect(err).NotTo(HaveOccurred(), out)
	g.Expect(n.Files(manifestPath)).To(BeEmpty())
	g.Expect(n.Read(stoppedPath)).To(Equal("old\n"))
	g.Expect(n.Info(stoppedPath).Mode().Perm()).To(BeEquivalentTo(0o600))
	g.Expect(n.Files(draftPaths)).To(BeEmpty())
}

// A swap that was interrupted at its very end leaves both the old and the new manifest.
func TestStartKeepsTheNewManifest(t *testing.T) {
	g := NewWithT(t)
	n := newNode(t)
	n.Write(manifestPath, "new\n")
	n.Write(parkedPath, "old\n")
	out, err := n.Run(Start, "kube-scheduler")
	g.Expect(err).NotTo(HaveOccurred(), out)
	onlyManifest(g, n, "new\n")
}

func TestReadWithoutAManifest(t *testing.T) {
	g := NewWithT(t)
	out, err := newNode(t).Run(Read, "kube-scheduler")
	g.Expect(err).To(HaveOccurred())
	g.Expect(out).To(Equal("there is no manifest of kube-scheduler"))
}
