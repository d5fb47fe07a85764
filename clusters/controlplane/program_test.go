// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

// Kill ends a program, and reports one that has ended on its own with its output.
func TestKillProgram(t *testing.T) {
	g := NewWithT(t)
	log := filepath.Join(t.TempDir(), "log")
	runs, err := StartProgram(t.Context(), "waiter", "/bin/sh", []string{"-c", "echo waits; exec sleep 600"}, nil, log)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(runs.Kill()).To(Succeed())
	g.Expect(runs.running.done).To(BeClosed())

	ended, err := StartProgram(t.Context(), "loser", "/bin/sh", []string{"-c", "echo no $LOST; exit 3"}, []string{"LOST=kubeconfig"}, log)
	g.Expect(err).NotTo(HaveOccurred())
	g.Eventually(ended.running.done, time.Minute).Should(BeClosed())
	g.Expect(ended.Kill()).To(MatchError(And(ContainSubstring("loser has ended: exit status 3"), ContainSubstring("no kubeconfig"))))

	_, err = StartProgram(t.Context(), "absent", filepath.Join(t.TempDir(), "absent"), nil, nil, log)
	g.Expect(err).To(MatchError(ContainSubstring("start absent: ")))
}
