// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"testing"

	. "github.com/onsi/gomega"
)

const (
	inspectContainers = `container inspect --format {{.Id}}	{{index .Config.Labels "draconform.dev/run"}}	{{.Name}}`
	inspectImages     = `image inspect --format {{.Id}}	{{index .Config.Labels "draconform.dev/run"}}	{{range .RepoTags}}{{.}} {{end}}`
)

func TestLabelled(t *testing.T) {
	g := NewWithT(t)
	e, f := newDocker(t,
		answer{Args: "ps", Stdout: "c2\nc1\n"},
		answer{Args: "container inspect", Stdout: "c1\trun-a\t/a-worker\nc2\trun-b\t/b-worker\n"},
		answer{Args: "image ls", Stdout: "sha256:i1\nsha256:i2\nsha256:i1\n"},
		answer{Args: "image inspect", Stdout: "sha256:i1\trun-a\tdraconform/run:run-a other:1 \nsha256:i2\trun-a\t\n"})
	objects, err := e.Labelled(t.Context(), RunLabel)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(objects).To(Equal(Objects{
		Containers: []Object{{ID: "c1", Name: "a-worker", Value: "run-a"}, {ID: "c2", Name: "b-worker", Value: "run-b"}},
		Images:     []Object{{ID: "sha256:i1", Name: "draconform/run:run-a", Value: "run-a"}, {ID: "sha256:i2", Value: "run-a"}},
	}))
	g.Expect(f.Lines()).To(Equal([]string{
		"docker ps --all --quiet --no-trunc --filter label=draconform.dev/run",
		"docker " + inspectContainers + " c1 c2",
		"docker image ls --quiet --no-trunc --filter label=draconform.dev/run",
		"docker " + inspectImages + " sha256:i1 sha256:i2",
	}))
	g.Expect(objects.WithValue("run-b")).To(Equal(Objects{
		Containers: []Object{{ID: "c2", Name: "b-worker", Value: "run-b"}}, Images: []Object{},
	}))
	g.Expect(objects.Containers).To(HaveLen(2), "the original is unchanged")
}

func TestLabelledSkipsRemovedObjects(t *testing.T) {
	g := NewWithT(t)
	e, _ := newDocker(t,
		answer{Args: "ps", Stdout: "c1\nc2\n"},
		answer{Args: "container inspect", Stdout: "c2\trun-b\t/b\n", Stderr: "Error: No such container: c1\n", Exit: 1},
		answer{Args: "image ls"})
	objects, err := e.Labelled(t.Context(), RunLabel)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(objects).To(Equal(Objects{Containers: []Object{{ID: "c2", Name: "b", Value: "run-b"}}}))
}

func TestLabelledErrors(t *testing.T) {
	down := "Cannot connect to the Docker daemon\n"
	for name, answers := range map[string][]answer{
		"listing containers":    {{Args: "ps", Stderr: down, Exit: 1}},
		"inspecting containers": {{Args: "ps", Stdout: "c1\n"}, {Args: "container", Stderr: down, Exit: 1}},
		"listing images":        {{Args: "ps"}, {Args: "image ls", Stderr: down, Exit: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			e, _ := newDocker(t, answers...)
			_, err := e.Labelled(t.Context(), RunLabel)
			NewWithT(t).Expect(err).To(MatchError(ContainSubstring("Cannot connect")))
		})
	}
}

func TestRemove(t *testing.T) {
	objects := Objects{
		Containers: []Object{{ID: "c1", Value: "run-a"}, {ID: "c2", Value: "run-a"}},
		Images:     []Object{{ID: "i1", Value: "run-a"}},
	}
	t.Run("from Docker", func(t *testing.T) {
		g := NewWithT(t)
		e, f := newDocker(t, answer{})
		g.Expect(e.Remove(t.Context(), objects)).To(Succeed())
		g.Expect(f.Lines()).To(Equal([]string{
			"docker rm --force --volumes c1 c2", "docker image rm --force --no-prune i1",
		}))
	})
	t.Run("from Podman", func(t *testing.T) {
		g := NewWithT(t)
		e, f := newPodman(t, answer{})
		g.Expect(e.Remove(t.Context(), objects)).To(Succeed())
		g.Expect(f.Lines()).To(Equal([]string{"podman rm --force --volumes c1 c2", "podman image rm --force i1"}))
	})
	t.Run("objects that do not exist", func(t *testing.T) {
		e, _ := newDocker(t, answer{Stderr: "Error: No such container: c1\nError: No such image: i1\n", Exit: 1})
		NewWithT(t).Expect(e.Remove(t.Context(), objects)).To(Succeed())
	})
	t.Run("images even if a container cannot be removed", func(t *testing.T) {
		g := NewWithT(t)
		e, f := newDocker(t, answer{Args: "rm", Stderr: "Error: device or resource busy\n", Exit: 1}, answer{})
		g.Expect(e.Remove(t.Context(), objects)).To(MatchError(ContainSubstring("resource busy")))
		g.Expect(f.Lines()).To(ContainElement(HavePrefix("docker image rm")))
	})
	t.Run("nothing", func(t *testing.T) {
		g := NewWithT(t)
		e, f := newDocker(t)
		g.Expect(e.Remove(t.Context(), Objects{})).To(Succeed())
		g.Expect(f.Lines()).To(BeEmpty())
	})
	t.Run("nothing if an object is not labelled", func(t *testing.T) {
		g := NewWithT(t)
		e, f := newDocker(t, answer{})
		mixed := Objects{Containers: objects.Containers, Images: []Object{{ID: "i9", Name: "precious:1"}}}
		g.Expect(e.Remove(t.Context(), mixed)).To(MatchError("engine: remove i9 precious:1: it has no label"))
		g.Expect(f.Lines()).To(BeEmpty())
	})
}
