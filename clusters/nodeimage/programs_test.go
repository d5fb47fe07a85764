// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeimage

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters"
)

func TestProgramsAreFoundWithoutTheGoCommand(t *testing.T) {
	g := NewWithT(t)
	o := Options{Release: clusters.Newest(), CacheDir: t.TempDir()}
	g.Expect(ProgramsExist(o)).To(BeFalse())
	c, programs, err := programsOf(o)
	g.Expect(err).NotTo(HaveOccurred())
	dir, _ := c.has(programs)
	g.Expect(os.Mkdir(dir, 0o755)).To(Succeed())
	t.Setenv("PATH", "")
	g.Expect(ProgramsExist(o)).To(BeTrue())
	g.Expect(Programs(t.Context(), o)).To(Equal(dir))
	o.Release = clusters.Releases()[1]
	g.Expect(ProgramsExist(o)).To(BeFalse(), "of another release")
	_, err = Programs(t.Context(), o)
	g.Expect(err).To(MatchError(ContainSubstring("building a control plane needs the Go toolchain")))
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	c, _, err = programsOf(Options{Release: clusters.Newest()})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(c.dir).To(HaveSuffix(filepath.Join("draconform", "control-plane")), "not removed with node images")
}

func TestControlPlaneIsThatOfTheNodeImageIfFinished(t *testing.T) {
	g := NewWithT(t)
	b, dir := builderOf(t), kubernetesDir(t)
	small, err := b.controlPlane(dir)
	g.Expect(err).NotTo(HaveOccurred())
	whole, err := kubernetes(b.release.Version, dir)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(small.key).NotTo(Equal(whole.key))
	finished, _ := b.cache.has(whole)
	g.Expect(os.MkdirAll(finished, 0o755)).To(Succeed())
	chosen, err := b.controlPlane(dir)
	g.Expect(err).NotTo(HaveOccurred())
	want := whole
	if runtime.GOOS != "linux" { // the programs of nodes do not run here
		want = small
	}
	g.Expect([]string{chosen.name, chosen.key}).To(Equal([]string{want.name, want.key}))
}

func TestProgramsForAnotherOperatingSystemAreOthers(t *testing.T) {
	g := NewWithT(t)
	dir := kubernetesDir(t)
	forNodes, err := kubernetesCommands("c", "1.37.2", dir, "", controlPlaneCommands)
	g.Expect(err).NotTo(HaveOccurred())
	forMac, err := kubernetesCommands("c", "1.37.2", dir, "darwin", controlPlaneCommands)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(forMac.key).NotTo(Equal(forNodes.key))
	images := kubeadmImages{etcd: "3.7.0-0"}
	g.Expect(etcd("1.37.2", "darwin", images).key).NotTo(Equal(etcd("1.37.2", "", images).key))
}

func TestCopyFileKeepsTheMode(t *testing.T) {
	g := NewWithT(t)
	from, to := filepath.Join(t.TempDir(), "from"), filepath.Join(t.TempDir(), "to")
	g.Expect(os.WriteFile(from, []byte("program"), 0o755)).To(Succeed())
	g.Expect(copyFile(from, to)).To(Succeed())
	info, err := os.Stat(to)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(info.Mode().Perm()).To(Equal(os.FileMode(0o755)))
	g.Expect(copyFile("/nonexistent", to)).To(MatchError(os.ErrNotExist))
}
