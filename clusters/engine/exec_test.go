// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"testing"

	. "github.com/onsi/gomega"
)

func TestExec(t *testing.T) {
	g := NewWithT(t)
	e, f := newDocker(t, answer{Args: "exec c cat", Stdout: "text\n"})
	out, err := e.Exec(t.Context(), "c", "cat", "/a")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(out).To(Equal("text"))
	g.Expect(f.Lines()).To(Equal([]string{"docker exec c cat /a"}))
}

// A script in the error would hide the reason of the failure.
func TestExecErrorOmitsTheCommand(t *testing.T) {
	g := NewWithT(t)
	e, _ := newDocker(t, answer{Args: "exec c", Stderr: "no space left\n", Exit: 2})
	_, err := e.Exec(t.Context(), "c", "sh", "-ec", "a long script")
	g.Expect(err).To(MatchError("engine: docker exec c ...: exit status 2: no space left"))
}

func TestExecEndsWithItsContext(t *testing.T) {
	g := NewWithT(t)
	e, _ := newDocker(t, answer{Args: "exec c"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := e.Exec(ctx, "c", "cat")
	g.Expect(err).To(MatchError(context.Canceled))
}
