// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package change

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters/internal/fake"
)

const (
	inPlace = "usr/bin/kubelet"
	older   = "/usr/bin/kubelet-v1.36.3"
	newer   = "/usr/bin/kubelet-v1.37.2"
	config  = "var/lib/kubelet/config.yaml"
	flags   = "var/lib/kubelet/kubeadm-flags.env"
)

// newKubelet returns a node with an installed kubelet and a newer staged one. Its systemctl records the commands and
// their times.
func newKubelet(t *testing.T) *fake.Node {
	t.Helper()
	n := fake.NewNode(t, "usr/bin")
	n.Executable(inPlace, "echo Kubernetes v1.36.3")
	n.Executable(newer[1:], "echo Kubernetes v1.37.2")
	n.Write(config, "old config\n")
	n.Write(flags, "old flags\n")
	n.Stub("systemctl", `echo "$1" "$2" >>asked; date +%s >>"$1"`)
	return n
}

func restart(n *fake.Node, kubelet, content, then string) *fake.Script {
	return n.Start(restartKubelet, kubelet, content+" config\n", content+" flags\n", then)
}

func TestRestartKubelet(t *testing.T) {
	g := NewWithT(t)
	n := newKubelet(t)
	out, err := restart(n, newer, "new", "start").Wait()
	g.Expect(err).NotTo(HaveOccurred(), out)
	g.Expect(n.Read(inPlace)).To(ContainSubstring("v1.37.2"))
	g.Expect(n.Read(older[1:])).To(ContainSubstring("v1.36.3"), "it is kept for a rollback")
	g.Expect(n.Read(config)).To(Equal("new config\n"))
	g.Expect(n.Read(flags)).To(Equal("new flags\n"))
	g.Expect(n.Files("var/lib/kubelet/*")).To(HaveLen(2))
	g.Expect(n.Read("asked")).To(Equal("stop kubelet\nreset-failed kubelet\nstart kubelet\n"))
	g.Expect(out > strings.TrimSpace(n.Read("stop"))).To(BeTrue(), "the old one reported in an earlier second")
	g.Expect(out <= strings.TrimSpace(n.Read("start"))).To(BeTrue(), "the new one reports later")

	out, err = restart(n, older, "old", "").Wait()
	g.Expect(err).NotTo(HaveOccurred(), out)
	g.Expect(n.Read(inPlace)).To(ContainSubstring("v1.36.3"))
	g.Expect(n.Read("asked")).To(HaveSuffix("start kubelet\nstop kubelet\nreset-failed kubelet\n"), "it stays stopped")
}

// A broken kubelet cannot print its version.
func TestRestartKubeletReplacesABrokenOne(t *testing.T) {
	g := NewWithT(t)
	n := newKubelet(t)
	n.Executable(inPlace, "exit 1")
	g.Expect(os.Link(filepath.Join(n.Dir, inPlace), filepath.Join(n.Dir, older))).To(Succeed())
	n.Stub("systemctl", `[ "$1" != reset-failed ]`) // there is nothing to reset
	out, err := restart(n, newer, "new", "start").Wait()
	g.Expect(err).NotTo(HaveOccurred(), out)
	g.Expect(n.Read(inPlace)).To(ContainSubstring("v1.37.2"))
}

// An interrupted change may leave its script running while another script restores the old kubelet.
func TestConcurrentRestartsOfAKubeletAreSerialized(t *testing.T) {
	g := NewWithT(t)
	n := newKubelet(t)
	// The file has its name once it has its content, as a redirection creates it empty.
	n.Stub("systemctl", `echo "$1" >asking; mv asking asked; until [ -e go ]; do sleep 0.02; done`)
	first := restart(n, newer, "first", "start")
	g.Eventually(func() []string { return n.Files("asked") }).WithTimeout(time.Minute).ShouldNot(BeEmpty())
	second := restart(n, older, "second", "start")
	g.Consistently(func() string { return n.Read("asked") + n.Read(config) + n.Read(inPlace) }).WithTimeout(500 * time.Millisecond).
		Should(Equal("stop\nfirst config\n#!/bin/sh\necho Kubernetes v1.37.2\n"))
	n.Write("go", "")
	for _, script := range []*fake.Script{first, second} {
		out, err := script.Wait()
		g.Expect(err).NotTo(HaveOccurred(), out)
	}
	g.Expect(n.Read(config)).To(Equal("second config\n"))
	g.Expect(n.Read(inPlace)).To(ContainSubstring("v1.36.3"))
}

// clone copies a program of this machine to the path of a kubelet.
func clone(g *WithT, n *fake.Node, program, path string) {
	from, err := exec.LookPath(program)
	g.Expect(err).NotTo(HaveOccurred())
	in, err := os.Open(from)
	g.Expect(err).NotTo(HaveOccurred())
	defer in.Close()
	out, err := os.OpenFile(filepath.Join(n.Dir, path), os.O_CREATE|os.O_WRONLY, 0o755)
	g.Expect(err).NotTo(HaveOccurred())
	_, err = io.Copy(out, in)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(out.Close()).To(Succeed())
}

// A program that sleeps represents the running kubelet, and another program represents a newly installed one.
func TestReadKubelet(t *testing.T) {
	for name, test := range map[string]struct {
		active, pid string
		change      func(*WithT, *fake.Node)
		want        string
	}{
		"settled": {want: ""},
		"replaced and not restarted": {
			change: func(g *WithT, n *fake.Node) {
				clone(g, n, "cat", "usr/bin/.kubelet")
				g.Expect(os.Rename(filepath.Join(n.Dir, "usr/bin/.kubelet"), filepath.Join(n.Dir, inPlace))).To(Succeed())
			},
			want: "it does not run the installed binary",
		},
		"changed and not restarted": {
			change: func(g *WithT, n *fake.Node) {
				later := time.Now().Add(time.Minute)
				g.Expect(os.Chtimes(filepath.Join(n.Dir, config), later, later)).To(Succeed())
			},
			want: "it has not read its configuration",
		},
		"stopped":  {active: "inactive", pid: "0", want: "stopped"},
		"crashing": {active: "activating", pid: "0", want: "it does not run"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			n := fake.NewNode(t, "usr/bin")
			clone(g, n, "sleep", inPlace)
			n.Write(config, "the config\n")
			long := time.Now().Add(-time.Hour)
			g.Expect(os.Chtimes(filepath.Join(n.Dir, config), long, long)).To(Succeed())
			n.Start(`"$1/usr/bin/kubelet" 3600 & echo $! >"$1/pid"; echo active >"$1/.active"; mv "$1/.active" "$1/active"; wait`)
			g.Eventually(func() []string { return n.Files("active") }).WithTimeout(time.Minute).ShouldNot(BeEmpty())
			runs := "/proc/" + strings.TrimSpace(n.Read("pid")) + "/exe"
			g.Eventually(func() (string, error) { return os.Readlink(runs) }).WithTimeout(time.Minute).Should(HaveSuffix(inPlace))
			n.Stub("systemctl", `case $1 in show) cat pid;; is-active) cat active;; esac`)
			if test.active != "" {
				n.Write("active", test.active+"\n")
				n.Write("pid", test.pid+"\n")
			}
			if test.change != nil {
				test.change(g, n)
			}
			out, err := n.Run(readKubelet)
			g.Expect(err).NotTo(HaveOccurred(), out)
			lines := strings.Split(out, "\n")
			g.Expect(lines[0]).To(ContainSubstring("sleep"), "the version is of the running program")
			g.Expect(lines[len(lines)-2:]).To(Equal([]string{test.want, "the config"}))
		})
	}
}
