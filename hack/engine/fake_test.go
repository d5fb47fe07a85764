// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"golang.org/x/sys/unix"

	"github.com/draconform/draconform/clusters/engine"
	"github.com/draconform/draconform/clusters/progress"
)

// fakeEnv is the environment variable with the folder that a test and its fake
// programs share.
const fakeEnv = "DRACONFORM_TEST_FAKE"

// TestMain runs a fake program if the binary was started as one. If a file with
// the name of the program and the suffix "fails" exists, the program fails with
// the content of the file.
func TestMain(m *testing.M) {
	dir := os.Getenv(fakeEnv)
	if dir == "" {
		os.Exit(m.Run())
	}
	program := filepath.Base(os.Args[0])
	record(dir, program)
	if content, err := os.ReadFile(filepath.Join(dir, program+" fails")); err == nil {
		fmt.Fprintln(os.Stderr, string(content))
		os.Exit(1)
	}
	switch program {
	case "docker":
		os.Exit(fakeDocker(dir))
	case "dockerd":
		fakeDockerd(dir)
	case "apt-get":
		os.Exit(fakeAptGet(dir))
	}
}

func record(dir, program string) {
	f, err := os.OpenFile(filepath.Join(dir, "calls"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	fmt.Fprintln(f, strings.Join(append([]string{program}, os.Args[1:]...), " "))
}

// fakeDocker responds while the fake daemon runs.
func fakeDocker(dir string) int {
	if os.Args[1] == "--version" {
		fmt.Println("Docker version 1.2.3")
		return 0
	}
	if _, err := os.Stat(filepath.Join(dir, "running")); err != nil {
		fmt.Fprintln(os.Stderr, "Cannot connect to the Docker daemon")
		return 1
	}
	fmt.Println("1.2.3")
	return 0
}

// fakeDockerd writes its pid file and runs until it is terminated.
func fakeDockerd(dir string) {
	end := make(chan os.Signal, 1)
	signal.Notify(end, unix.SIGTERM)
	running := filepath.Join(dir, "running")
	for _, arg := range os.Args[1:] {
		if path, ok := strings.CutPrefix(arg, "--pidfile="); ok {
			write(path, strconv.Itoa(os.Getpid()))
			defer os.Remove(path)
		}
	}
	fmt.Println("API listen")
	write(running, "")
	defer os.Remove(running)
	<-end
}

// fakeAptGet finds packages only after an update of its lists.
func fakeAptGet(dir string) int {
	updated := filepath.Join(dir, "updated")
	if os.Args[1] == "update" {
		write(updated, "")
		return 0
	}
	if _, err := os.Stat(updated); err != nil {
		fmt.Fprintln(os.Stderr, "E: Unable to locate package docker.io")
		return 100
	}
	return 0
}

func write(path, content string) {
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		panic(err)
	}
}

// environment is a setup with its own folders and with fake programs on an
// otherwise empty PATH.
type environment struct {
	setup
	dir string
	out *bytes.Buffer
}

func newEnvironment(t *testing.T, programs ...string) environment {
	t.Helper()
	g := NewWithT(t)
	e := environment{dir: t.TempDir(), out: &bytes.Buffer{}}
	self, err := os.Executable()
	g.Expect(err).NotTo(HaveOccurred())
	for _, program := range programs {
		g.Expect(os.Symlink(self, filepath.Join(e.dir, program))).To(Succeed())
	}
	t.Setenv("PATH", e.dir)
	t.Setenv(fakeEnv, e.dir)
	t.Setenv(engine.EnvName, "")
	// With the race detector a fake program would otherwise sleep one second at
	// exit.
	t.Setenv("GORACE", "atexit_sleep_ms=0")
	e.setup = setup{
		Reporter: progress.New(e.out),
		files:    stateFiles(filepath.Join(e.dir, "state")),
		docker: docker{
			config:           filepath.Join(e.dir, "daemon.json"),
			pid:              filepath.Join(e.dir, "docker.pid"),
			containerdPid:    filepath.Join(e.dir, "containerd.pid"),
			containerdSocket: filepath.Join(e.dir, "containerd.sock"),
		},
		proc: "/proc",
	}
	g.Expect(os.MkdirAll(e.files.dir, 0o755)).To(Succeed())
	t.Cleanup(func() {
		if pid, ok := e.ownDaemon(); ok {
			g.Expect(unix.Kill(pid, unix.SIGKILL)).To(Succeed())
		}
	})
	return e
}

// calls returns the command lines of the programs that were called.
func (e environment) calls(t *testing.T) []string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(e.dir, "calls"))
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return strings.Split(strings.TrimSpace(string(content)), "\n")
}
