// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/workload/report"
)

func TestMain(m *testing.M) {
	if os.Getenv("BE_THE_WORKLOAD") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

func TestRunOnce(t *testing.T) {
	g := NewWithT(t)
	var out bytes.Buffer
	g.Expect(run(t.Context(), []string{"--once"}, []string{"A=1", "B=2"}, &out, io.Discard)).To(Succeed())
	g.Expect(report.Read(out.Bytes())).To(HaveField("Env", map[string]string{"A": "1", "B": "2"}))
}

func TestRunFails(t *testing.T) {
	g := NewWithT(t)
	var out bytes.Buffer
	g.Expect(run(t.Context(), []string{"--fail"}, []string{"A=1"}, &out, io.Discard)).To(MatchError("failed because of --fail"))
	g.Expect(report.Read(out.Bytes())).To(HaveField("Env", map[string]string{"A": "1"}))
}

func TestRunReportsBeforeItWaits(t *testing.T) {
	g := NewWithT(t)
	ctx, cancel := context.WithCancel(t.Context())
	in, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, nil, nil, out, io.Discard) }()
	line, err := bufio.NewReader(in).ReadString('\n')
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(line).To(HavePrefix(`{"apiVersion":"draconform.dev/v1alpha2","kind":"Devices"`))
	g.Consistently(ended, "100ms").ShouldNot(Receive(), "it must wait to be stopped")
	cancel()
	g.Eventually(ended, time.Minute).Should(Receive(BeNil()))
}

func TestSignalsEndTheProcessWithSuccess(t *testing.T) {
	for _, sent := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		g := NewWithT(t)
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), "BE_THE_WORKLOAD=1")
		stdout, err := cmd.StdoutPipe()
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(cmd.Start()).To(Succeed())
		_, err = bufio.NewReader(stdout).ReadString('\n')
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(cmd.Process.Signal(sent)).To(Succeed())
		g.Expect(cmd.Wait()).To(Succeed(), sent.String())
	}
}

func TestRunErrors(t *testing.T) {
	g := NewWithT(t)
	g.Expect(run(t.Context(), []string{"--unknown"}, nil, io.Discard, io.Discard)).To(MatchError(ContainSubstring("unknown")))
	g.Expect(run(t.Context(), []string{"extra"}, nil, io.Discard, io.Discard)).To(MatchError(`unexpected argument "extra"`))
	g.Expect(run(t.Context(), []string{"--once"}, nil, broken{}, io.Discard)).To(MatchError("print report: pipe is closed"))
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("pipe is closed") }
