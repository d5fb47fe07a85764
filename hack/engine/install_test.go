// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

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
	e := newEnvironment(t, "apt-get", "docker")
	g.Expect(e.install(t.Context(), 0)).To(Succeed())
	g.Expect(e.calls(t)).To(Equal([]string{aptInstallLine, aptUpdateLine, aptInstallLine}))
	g.Expect(e.install(t.Context(), 0)).To(Succeed())
	g.Expect(e.calls(t)[3:]).To(Equal([]string{aptInstallLine}))
	g.Expect(e.out.String()).To(ContainSubstring("✓ no container engine answers: install docker.io iptables"))
}

func TestInstallAddsTheClient(t *testing.T) {
	g := NewWithT(t)
	e := newEnvironment(t, "apt-get")
	write(filepath.Join(e.dir, "updated"), "")
	g.Expect(e.install(t.Context(), 0)).To(Succeed())
	g.Expect(e.calls(t)).To(ConsistOf(aptInstallLine, HaveSuffix(" docker-cli")))
}

func TestInstallReportsTheLog(t *testing.T) {
	g := NewWithT(t)
	e := newEnvironment(t, "apt-get")
	write(filepath.Join(e.dir, "apt-get fails"), "E: Could not get lock")
	err := e.install(t.Context(), 0)
	g.Expect(err).To(MatchError(ContainSubstring("docker.io iptables: exit status 1")))
	g.Expect(err).To(MatchError(ContainSubstring("last lines of " + e.files.apt)))
	g.Expect(err).To(MatchError(ContainSubstring("E: Could not get lock")))
}
