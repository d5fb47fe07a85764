// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters/engine"
)

func TestEnsureUsesTheEngineThatAnswers(t *testing.T) {
	g := NewWithT(t)
	e := newEnvironment(t, "docker", "dockerd", "apt-get")
	write(filepath.Join(e.dir, "running"), "")
	g.Expect(os.RemoveAll(e.files.dir)).To(Succeed())
	g.Expect(e.ensure(t.Context())).To(Succeed())
	g.Expect(e.out.String()).To(Equal(" ✓ docker 1.2.3 answers\n"))
	g.Expect(e.calls(t)).To(HaveEach(HavePrefix("docker ")), "it only queries the engine")
	g.Expect(e.files.dir).NotTo(BeADirectory(), "it stores no state")
}

func TestEnsureRejectsAnUnknownEngine(t *testing.T) {
	g := NewWithT(t)
	e := newEnvironment(t)
	t.Setenv(engine.EnvName, "lxc")
	g.Expect(e.ensure(t.Context())).To(MatchError(ContainSubstring("want docker or podman")))
}

func TestMayStart(t *testing.T) {
	debian, fedora := distribution{"Debian", []string{"debian"}}, distribution{"Fedora Linux 44", []string{"fedora"}}
	none := fmt.Errorf("%w: docker is not installed", engine.ErrNone)
	denied := fmt.Errorf("%w: docker version: permission denied", engine.ErrNone)
	for name, test := range map[string]struct {
		facts facts
		none  error
		want  string // empty if an engine may be started
	}{
		"root on Debian":                 {facts{distro: debian}, none, ""},
		"root on Debian, docker forced":  {facts{distro: debian, forced: "docker"}, none, ""},
		"root on Debian, its own socket": {facts{distro: debian, dockerHost: "unix:///var/run/docker.sock"}, none, ""},
		"root on Fedora":                 {facts{distro: fedora}, none, "only on Debian and Ubuntu, not on Fedora Linux 44: no container engine answers"},
		"root, podman forced":            {facts{distro: debian, forced: "podman"}, none, "unset DRACONFORM_ENGINE"},
		"root, another host":             {facts{distro: debian, dockerHost: "tcp://build:2375"}, none, "DOCKER_HOST=tcp://build:2375"},
		"user":                           {facts{uid: 1000, distro: debian}, none, `"sudo systemctl start docker", or run this as root`},
		"user outside of the group":      {facts{uid: 1000, distro: debian}, denied, "sudo usermod -aG docker"},
		"user, podman forced":            {facts{uid: 1000, distro: debian, forced: "podman"}, none, "unset DRACONFORM_ENGINE"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			err := test.facts.check(test.none)
			if test.want == "" {
				g.Expect(err).NotTo(HaveOccurred())
				return
			}
			g.Expect(err).To(MatchError(engine.ErrNone))
			g.Expect(err).To(MatchError(ContainSubstring(test.want)))
			g.Expect(strings.Count(err.Error(), "\n")).To(BeZero(), "one line")
		})
	}
}
