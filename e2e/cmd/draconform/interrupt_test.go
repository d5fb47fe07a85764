// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	. "github.com/onsi/gomega"
)

// waiting is a program that does not end after a signal, as a command that
// removes what it has created. It prints a line when it waits for a signal, and
// after the first one.
func waiting() {
	ctx, stop := interruptible()
	defer stop()
	fmt.Println("waits")
	<-ctx.Done()
	fmt.Println("removes")
	select {}
}

// The second signal ends a command at once. Parts of a run go on, because they
// also have the signal of the terminal.
func TestSecondSignal(t *testing.T) {
	for name, test := range map[string]struct {
		args []string
		ends bool
	}{"a command": {[]string{"run"}, true}, "a worker": {[]string{workerCommand}, false}, "a journey": {[]string{journeyCommand}, false}} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			cmd := exec.CommandContext(t.Context(), "waiting", test.args...)
			var messages strings.Builder
			cmd.Stderr = &messages
			out, err := cmd.StdoutPipe()
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(cmd.Start()).To(Succeed())
			lines := bufio.NewScanner(out)
			// Shells let commands in the background ignore SIGINT.
			signal := func() { _ = cmd.Process.Signal(syscall.SIGTERM) }
			g.Expect(lines.Scan()).To(BeTrue())
			g.Expect(lines.Text()).To(Equal("waits"))
			signal()
			g.Expect(lines.Scan()).To(BeTrue())
			g.Expect(lines.Text()).To(Equal("removes"))
			ended := make(chan struct{})
			go func() { _ = cmd.Wait(); close(ended) }()
			// The handler is removed shortly after the context has ended.
			repeated := func() <-chan struct{} { signal(); return ended }
			if test.ends {
				g.Eventually(repeated, "10s").Should(BeClosed())
				g.Expect(cmd.ProcessState.Sys().(syscall.WaitStatus).Signal()).To(Equal(syscall.SIGTERM))
				g.Expect(messages.String()).To(Equal(interrupted+"\n"), "what the user can do")
				return
			}
			g.Consistently(repeated, "300ms").ShouldNot(BeClosed())
			g.Expect(cmd.Process.Kill()).To(Succeed())
			g.Eventually(ended, "10s").Should(BeClosed())
			g.Expect(messages.String()).To(BeEmpty(), "the process that started it says so")
		})
	}
}
