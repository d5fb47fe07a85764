// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"errors"
	"os/exec"
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

func TestOutput(t *testing.T) {
	g := NewWithT(t)
	e, f := newDocker(t, answer{Args: "ps", Stdout: "one\ntwo\n\n"})
	out, err := e.Output(t.Context(), "ps", "--all")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(out).To(Equal("one\ntwo"))
	g.Expect(f.Lines()).To(Equal([]string{"docker ps --all"}))
}

func TestOutputError(t *testing.T) {
	for name, test := range map[string]struct {
		stderr string
		want   string
	}{
		"with its reason": {
			stderr: "Error: no such image\n",
			want:   "engine: docker image inspect foo: exit status 3: Error: no such image",
		},
		"with the last lines only": {
			stderr: "one\ntwo\n\nthree\nfour\n",
			want:   "engine: docker image inspect foo: exit status 3: two; three; four",
		},
		"without the client's hints": {
			stderr: "docker: invalid.\n\nRun 'docker run --help' for more information\nSee 'docker run --help'.\n",
			want:   "engine: docker image inspect foo: exit status 3: docker: invalid.",
		},
		"of a client without output": {
			want: "engine: docker image inspect foo: exit status 3",
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			e, _ := newDocker(t, answer{Args: "image inspect", Stderr: test.stderr, Exit: 3})
			_, err := e.Output(t.Context(), "image", "inspect", "foo")
			g.Expect(err).To(MatchError(test.want))
			var exit *exec.ExitError
			g.Expect(errors.As(err, &exit)).To(BeTrue(), "the cause is wrapped")
		})
	}
}

func TestOutputEndsWithItsContext(t *testing.T) {
	g := NewWithT(t)
	e, _ := newDocker(t, answer{Hang: true})
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err := e.Output(ctx, "pull", "foo")
	g.Expect(err).To(MatchError(context.DeadlineExceeded))
	g.Expect(err).To(MatchError(ContainSubstring("docker pull foo")))
}

func TestIsAbsent(t *testing.T) {
	for stderr, want := range map[string]bool{
		"Error response from daemon: No such image: foo:latest\n":                      true,
		"Error: No such container: foo\nError: No such container: bar\n":               true,
		"Error: foo: image not known\n":                                                true,
		"Error: no container with name or ID \"foo\" found: no such container\n":       true,
		"Error: No such object: foo\n":                                                 true,
		"Error: No such image: foo\nError: conflict: image is used by container bar\n": false,
		"dial unix /var/run/docker.sock: connect: no such file or directory\n":         false,
		"error during connect: dial tcp: lookup build.example.com: no such host\n":     false,
		"": false,
	} {
		t.Run(stderr, func(t *testing.T) {
			g := NewWithT(t)
			e, _ := newDocker(t, answer{Stderr: stderr, Exit: 1})
			_, err := e.Output(t.Context(), "image", "rm", "foo")
			g.Expect(isAbsent(err)).To(Equal(want))
		})
	}
}
