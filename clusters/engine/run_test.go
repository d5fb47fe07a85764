// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

const (
	createLine = "docker create --pull=never --label draconform.dev/run=r1 node:1"
	commitLine = "docker commit --change LABEL draconform.dev/run=r1 c1 draconform/run:r1"
	removeLine = "docker rm --force --volumes c1"
)

func TestWithRunLabel(t *testing.T) {
	g := NewWithT(t)
	e, f := newDocker(t, answer{Args: "create", Stdout: "c1\n"}, answer{Args: "commit", Stdout: "sha256:i1\n"}, answer{Args: "rm"})
	ref, err := e.WithRunLabel(t.Context(), "node:1", "r1")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(ref).To(Equal("draconform/run:r1"))
	g.Expect(f.Lines()).To(Equal([]string{createLine, commitLine, removeLine}))
}

func TestWithRunLabelErrors(t *testing.T) {
	created, failure := answer{Args: "create", Stdout: "c1\n"}, "Error: denied\n"
	for name, test := range map[string]struct {
		answers []answer
		calls   []string
	}{
		"nothing created": {
			[]answer{{Args: "create", Stderr: failure, Exit: 1}},
			[]string{createLine},
		},
		"not committed": {
			[]answer{created, {Args: "commit", Stderr: failure, Exit: 1}, {Args: "rm"}},
			[]string{createLine, commitLine, removeLine},
		},
		"container stays": {
			[]answer{created, {Args: "commit"}, {Args: "rm", Stderr: failure, Exit: 1}},
			[]string{createLine, commitLine, removeLine},
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			e, f := newDocker(t, test.answers...)
			_, err := e.WithRunLabel(t.Context(), "node:1", "r1")
			g.Expect(err).To(MatchError(ContainSubstring("denied")))
			g.Expect(f.Lines()).To(Equal(test.calls))
		})
	}
}

func TestWithRunLabelCleansUpAfterItsContext(t *testing.T) {
	g := NewWithT(t)
	e, f := newDocker(t, answer{Args: "create", Stdout: "c1\n"}, answer{Args: "commit", Hang: true}, answer{Args: "rm"})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	failed := make(chan error, 1)
	go func() {
		_, err := e.WithRunLabel(ctx, "node:1", "r1")
		failed <- err
	}()
	g.Eventually(f.Lines, time.Minute).Should(ContainElement(commitLine), "the commit is in progress")
	cancel()
	g.Eventually(failed, time.Minute).Should(Receive(MatchError(context.Canceled)))
	g.Expect(f.Lines()).To(Equal([]string{createLine, commitLine, removeLine}))
}
