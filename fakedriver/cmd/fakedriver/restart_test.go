// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

// restartSocket is set in a process that restarts whenever a line is written to
// its standard input.
const restartSocket = "DRACONFORM_TEST_RESTART_SOCKET"

func TestMain(m *testing.M) {
	if socket := os.Getenv(restartSocket); socket != "" {
		os.Exit(restartForLines(socket))
	}
	os.Exit(m.Run())
}

// restartForLines listens on a socket as a plugin does, and prints its process
// ID and arguments.
func restartForLines(socket string) int {
	_ = os.Remove(socket)
	if _, err := (&net.ListenConfig{}).Listen(context.Background(), "unix", socket); err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println(os.Getpid(), os.Args[1:])
	var one [1]byte
	if _, err := os.Stdin.Read(one[:]); err != nil {
		return 0
	}
	restart()
	return 1
}

// Guards that a restart keeps the container's process and command line, so that
// the kubelet sees no terminated container, and closes the driver's sockets, so
// that the kubelet sees a terminated driver.
func TestRestartInPlace(t *testing.T) {
	g := NewWithT(t)
	self, err := os.Executable()
	g.Expect(err).NotTo(HaveOccurred())
	socket := filepath.Join(t.TempDir(), "s")
	command := exec.CommandContext(t.Context(), self, "--some", "argument")
	command.Env = append(os.Environ(), restartSocket+"="+socket)
	command.Stderr = t.Output()
	input, err := command.StdinPipe()
	g.Expect(err).NotTo(HaveOccurred())
	output, err := command.StdoutPipe()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(command.Start()).To(Succeed())
	lines := bufio.NewScanner(output)
	next := func() string {
		g.Expect(lines.Scan()).To(BeTrue(), "the process should print a line")
		return lines.Text()
	}

	first := next()
	g.Expect(first).To(Equal(fmt.Sprintf("%d [--some argument]", command.Process.Pid)))
	connection, err := (&net.Dialer{}).DialContext(t.Context(), "unix", socket)
	g.Expect(err).NotTo(HaveOccurred())
	for range 3 {
		_, err = input.Write([]byte("\n"))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(next()).To(Equal(first))
	}
	_, err = connection.Read(make([]byte, 1))
	g.Expect(err).To(HaveOccurred(), "the connection to the first process should be closed")
	g.Expect(input.Close()).To(Succeed())
	g.Expect(strings.TrimSpace(lines.Text())).To(Equal(first))
	g.Expect(command.Wait()).To(Succeed())
}
