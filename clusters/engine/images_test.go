// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"bytes"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters/internal/fake"
)

func TestHasImage(t *testing.T) {
	for name, test := range map[string]struct {
		answer  answer
		want    bool
		wantErr string
	}{
		"that exists":               {answer: answer{Stdout: "sha256:0123\n"}, want: true},
		"that Docker does not have": {answer: answer{Exit: 1, Stderr: "Error response from daemon: No such image: foo:1\n"}},
		"that Podman does not have": {answer: answer{Exit: 125, Stderr: "Error: foo:1: image not known\n"}},
		"of an engine that stopped": {answer: answer{Exit: 1, Stderr: "Cannot connect\n"}, wantErr: "Cannot connect"},
		"of an unreachable engine":  {answer: answer{Exit: 1, Stderr: "lookup host: no such host\n"}, wantErr: "no such host"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			e, f := newDocker(t, test.answer)
			has, err := e.HasImage(t.Context(), "foo:1")
			g.Expect(f.Lines()).To(Equal([]string{"docker image inspect --format {{.Id}} foo:1"}))
			if test.wantErr != "" {
				g.Expect(err).To(MatchError(ContainSubstring(test.wantErr)))
				return
			}
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(has).To(Equal(test.want))
		})
	}
}

func TestPull(t *testing.T) {
	g := NewWithT(t)
	e, f := newDocker(t, answer{Args: "pull foo:1", Stdout: "1: Pulling from foo\n"},
		answer{Args: "pull", Exit: 1, Stderr: "Error response from daemon: dial tcp: lookup registry.example.com: no such host\n"})
	var progress bytes.Buffer
	g.Expect(e.Pull(t.Context(), "foo:1", &progress)).To(Succeed())
	g.Expect(progress.String()).To(Equal("1: Pulling from foo\n"))
	g.Expect(e.Pull(t.Context(), "foo:1", nil)).To(Succeed())
	g.Expect(e.Pull(t.Context(), "bar:1", nil)).To(MatchError(ContainSubstring("no such host")))
	g.Expect(f.Lines()).To(Equal([]string{"docker pull foo:1", "docker pull foo:1", "docker pull bar:1"}))
}

func TestSaveWritesOneArchive(t *testing.T) {
	g := NewWithT(t)
	e, f := newDocker(t, answer{})
	g.Expect(e.Save(t.Context(), "a.tar", "one:1", "two:1")).To(Succeed())
	g.Expect(f.Lines()).To(Equal([]string{"docker save --output a.tar one:1 two:1"}))
	e, f = newPodman(t, answer{})
	g.Expect(e.Save(t.Context(), "a.tar", "one:1", "two:1")).To(Succeed())
	g.Expect(f.Lines()).To(Equal([]string{"podman save --output a.tar --format docker-archive --multi-image-archive one:1 two:1"}))
	e, _ = newDocker(t, answer{Exit: 1, Stderr: "Error response from daemon: reference does not exist\n"})
	g.Expect(e.Save(t.Context(), "a.tar", "one:1")).To(MatchError(ContainSubstring("reference does not exist")))
}

func TestPullNamesTheRegistryForPodman(t *testing.T) {
	for ref, want := range map[string]string{
		"kindest/node:v1.37.1":           "docker.io/kindest/node:v1.37.1",
		"busybox":                        "docker.io/library/busybox",
		"busybox:1.37":                   "docker.io/library/busybox:1.37",
		"registry.k8s.io/pause:3.10":     "registry.k8s.io/pause:3.10",
		"registry:5000/pause:3.10":       "registry:5000/pause:3.10",
		"localhost/draconform/run:first": "localhost/draconform/run:first",
	} {
		t.Run(ref, func(t *testing.T) {
			g := NewWithT(t)
			e, f := newPodman(t, answer{Args: "pull"})
			g.Expect(e.Pull(t.Context(), ref, nil)).To(Succeed())
			g.Expect(f.Lines()).To(Equal([]string{"podman pull " + want}))
		})
	}
}

func TestLoad(t *testing.T) {
	g := NewWithT(t)
	e, f := newPodman(t, answer{Args: "load"})
	g.Expect(e.Load(t.Context(), strings.NewReader("an archive"))).To(Succeed())
	g.Expect(f.Calls()).To(Equal([]fake.Call{{Line: "podman load", Stdin: "an archive"}}))
}

func TestTag(t *testing.T) {
	g := NewWithT(t)
	e, f := newDocker(t, answer{Args: "tag"})
	g.Expect(e.Tag(t.Context(), "foo:1", "bar:2")).To(Succeed())
	g.Expect(f.Lines()).To(Equal([]string{"docker tag foo:1 bar:2"}))
}

func TestRemoveImages(t *testing.T) {
	g := NewWithT(t)
	e, f := newDocker(t,
		answer{Args: "image rm gone", Exit: 1, Stderr: "Error response from daemon: No such image: gone:latest\n"},
		answer{Args: "image rm used", Exit: 1, Stderr: "Error response from daemon: conflict: container uses it\n"},
		answer{Args: "image rm"})
	g.Expect(e.RemoveImages(t.Context())).To(Succeed(), "nothing to remove")
	g.Expect(e.RemoveImages(t.Context(), "foo:1", "bar:2")).To(Succeed())
	g.Expect(e.RemoveImages(t.Context(), "gone")).To(Succeed())
	g.Expect(e.RemoveImages(t.Context(), "used")).To(MatchError(ContainSubstring("container uses it")))
	g.Expect(f.Lines()).To(Equal([]string{
		"docker image rm foo:1 bar:2", "docker image rm gone", "docker image rm used",
	}), "without --force, which would remove images of containers")
}
