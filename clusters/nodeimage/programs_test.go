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
	"github.com/draconform/draconform/clusters/internal/fake"
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

// A control plane can start next to a cluster whose node image was built here.
func TestProgramsAreAtHandIfPartsOfTheNodeImageAreFinished(t *testing.T) {
	g := NewWithT(t)
	dir := kubernetesDir(t)
	constants := filepath.Join(dir, "cmd", "kubeadm", "app", "constants")
	g.Expect(os.MkdirAll(constants, 0o755)).To(Succeed())
	g.Expect(os.WriteFile(filepath.Join(constants, "constants.go"), []byte(`package constants

const (
	DefaultEtcdVersion = "3.7.0-0"
	CoreDNSVersion     = "v1.14.6"
)
`), 0o600)).To(Succeed())
	o := Options{Release: clusters.Newest(), CacheDir: t.TempDir()}
	b, err := newBuilder(o)
	g.Expect(err).NotTo(HaveOccurred())
	finish := func(parts ...artifact) {
		for _, part := range parts {
			done, _ := b.cache.has(part)
			g.Expect(os.MkdirAll(done, 0o755)).To(Succeed())
		}
	}
	parts, err := b.partsOfPrograms(dir)
	g.Expect(err).NotTo(HaveOccurred())
	finish(parts[0])
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOMODCACHE", t.TempDir())
	g.Expect(ProgramsAtHand(t.Context(), o)).To(BeFalse(), "the module is not there")
	fake.NewCommands(t).Command("go", fake.Answer{Args: "mod download -json k8s.io/kubernetes@v" + o.Release.Version, Stdout: `{"Dir":"` + dir + `"}`})
	g.Expect(ProgramsAtHand(t.Context(), o)).To(BeFalse(), "without etcd")
	finish(parts[1])
	g.Expect(ProgramsAtHand(t.Context(), o)).To(BeTrue())
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
