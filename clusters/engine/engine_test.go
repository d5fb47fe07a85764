// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

var (
	isDocker     = answer{Args: "--version", Stdout: "Docker version 28.2.2, build e6534b4\n"}
	dockerUp     = answer{Args: "version", Stdout: "20.10.24+dfsg1\n"}
	dockerDown   = answer{Args: "version", Exit: 1, Stderr: "Cannot connect to the Docker daemon at unix:///var/run/docker.sock.\n"}
	podmanUp     = answer{Args: "info", Stdout: "5.4.2\n"}
	podmanBroken = answer{Args: "info", Exit: 125, Stderr: "Error: creating runtime: no subuid ranges\n"}
)

func TestFind(t *testing.T) {
	for name, test := range map[string]struct {
		docker, podman []answer // nil: not installed
		forced         string
		want           string
		wantErr        string
	}{
		"docker first": {
			docker: []answer{isDocker, dockerUp}, podman: []answer{podmanUp},
			want: "docker 20.10.24+dfsg1",
		},
		"podman where docker does not answer": {
			docker: []answer{isDocker, dockerDown}, podman: []answer{podmanUp},
			want: "podman 5.4.2",
		},
		"podman without docker": {
			podman: []answer{podmanUp},
			want:   "podman 5.4.2",
		},
		"podman installed as docker": {
			docker: []answer{{Args: "--version", Stdout: "podman version 5.4.2\n"}, dockerUp}, podman: []answer{podmanUp},
			want: "podman 5.4.2",
		},
		"podman forced": {
			docker: []answer{isDocker, dockerUp}, podman: []answer{podmanUp}, forced: "podman",
			want: "podman 5.4.2",
		},
		"docker forced": {
			docker: []answer{isDocker, dockerDown}, podman: []answer{podmanUp}, forced: "docker",
			wantErr: "no container engine answers: docker version --format {{.Server.Version}}: exit status 1: " +
				"Cannot connect to the Docker daemon at unix:///var/run/docker.sock.",
		},
		"an unknown one forced": {
			docker: []answer{isDocker, dockerUp}, forced: "containerd",
			wantErr: `engine: DRACONFORM_ENGINE="containerd": want docker or podman`,
		},
		"none installed": {
			wantErr: "no container engine answers: docker is not installed; podman is not installed",
		},
		"none answers": {
			docker: []answer{{Args: "--version", Stdout: "podman version 5.4.2\n"}}, podman: []answer{podmanBroken},
			wantErr: "no container engine answers: docker is another program (podman version 5.4.2); " +
				"podman info --format {{.Version.Version}}: exit status 125: Error: creating runtime: no subuid ranges",
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			f := newFake(t)
			if test.docker != nil {
				f.Command(docker, test.docker...)
			}
			if test.podman != nil {
				f.Command(podman, test.podman...)
			}
			t.Setenv(EnvName, test.forced)
			found, err := Find(t.Context())
			if test.wantErr != "" {
				g.Expect(err).To(MatchError(test.wantErr))
				return
			}
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(found.Name() + " " + found.Version()).To(Equal(test.want))
		})
	}
}

func TestFindReturnsErrNone(t *testing.T) {
	g := NewWithT(t)
	newFake(t)
	_, err := Find(t.Context())
	g.Expect(err).To(MatchError(ErrNone), "callers branch on it to start one")
	t.Setenv(EnvName, "containerd")
	_, err = Find(t.Context())
	g.Expect(err).NotTo(MatchError(ErrNone), "a wrong setting is another error")
}

func TestFindEndsWithItsContext(t *testing.T) {
	g := NewWithT(t)
	newFake(t).Command(docker, isDocker, answer{Args: "version", Hang: true})
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	_, err := Find(ctx)
	g.Expect(err).To(MatchError(context.DeadlineExceeded))
	g.Expect(err).NotTo(MatchError(ErrNone), "a cancelled search is another error")
}
