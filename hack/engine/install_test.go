package main

import (
	"path/filepath"
	"slices"
	"testing"

	. "github.com/onsi/gomega"
)

const (
	aptInstallLine = "apt-get install --yes --no-install-recommends -o DPkg::Lock::Timeout=300 " +
		"-o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold docker.io iptables"
	aptUpdateLine = "apt-get update -o DPkg::Lock::Timeout=300"
)

func TestMissingPackages(t *testing.T) {
	g := NewWithT(t)
	for _, test := range []struct{ installed, want []string }{
		{nil, []string{"docker.io", "iptables"}},
		{[]string{"iptables"}, []string{"docker.io"}},
		{[]string{"dockerd"}, []string{"iptables"}},
		{[]string{"dockerd", "iptables"}, nil},
	} {
		got := missingPackages(func(program string) bool { return slices.Contains(test.installed, program) })
		g.Expect(got).To(Equal(test.want), "%v", test.installed)
	}
}

func TestInstallUpdatesOnlyWhenNeeded(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t, "apt-get", "docker")
	g.Expect(w.install(t.Context(), 0)).To(Succeed())
	g.Expect(w.calls(t)).To(Equal([]string{aptInstallLine, aptUpdateLine, aptInstallLine}))
	g.Expect(w.install(t.Context(), 0)).To(Succeed())
	g.Expect(w.calls(t)[3:]).To(Equal([]string{aptInstallLine}))
	g.Expect(w.out.String()).To(ContainSubstring("✓ no container engine answers: install docker.io iptables"))
}

func TestInstallFetchesTheClientToo(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t, "apt-get")
	write(filepath.Join(w.dir, "updated"), "")
	g.Expect(w.install(t.Context(), 0)).To(Succeed())
	g.Expect(w.calls(t)).To(ConsistOf(aptInstallLine, HaveSuffix(" docker-cli")))
}

func TestInstallSaysWhyNot(t *testing.T) {
	g := NewWithT(t)
	w := newWorld(t, "apt-get")
	write(filepath.Join(w.dir, "apt-get fails"), "E: Could not get lock")
	err := w.install(t.Context(), 0)
	g.Expect(err).To(MatchError(ContainSubstring("docker.io iptables: exit status 1")))
	g.Expect(err).To(MatchError(ContainSubstring("last lines of " + w.files.apt)))
	g.Expect(err).To(MatchError(ContainSubstring("E: Could not get lock")))
}
