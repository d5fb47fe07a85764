// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	. "github.com/onsi/gomega"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"draconform": main, "waiting": waiting})
}

// The scripts find no program except draconform, so that none accesses the
// container engine of the host.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			bin := filepath.SplitList(os.Getenv("PATH"))[0] // testscript puts its commands first.
			e.Setenv("PATH", bin)
			e.Setenv("KUBECONFIG", filepath.Join(e.WorkDir, "no-kubeconfig"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "lines": lines},
	})
}

// exits runs a program that must end with this exit code: exits CODE PROGRAM
// ARG...
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code program [args...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code is %d, not %d", got, want)
	}
}

// lines counts the lines of an output: lines N stdout|stderr
func lines(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: lines n stdout|stderr")
	}
	n := 0
	for _, c := range ts.ReadFile(args[1]) {
		if c == '\n' {
			n++
		}
	}
	if want, err := strconv.Atoi(args[0]); err != nil || n != want {
		ts.Fatalf("%s has %d lines, not %s", args[1], n, args[0])
	}
}

// kubectl runs plugins by the name of their file. Help and errors then have the command
// that the user has typed.
func TestPluginOfKubectl(t *testing.T) {
	g := NewWithT(t)
	for program, want := range map[string]bool{
		"/home/me/.krew/bin/kubectl-draconform": true, "kubectl-draconform.exe": true, "/usr/bin/draconform": false, "/kubectl-bin/draconform": false,
	} {
		g.Expect(isPlugin(program)).To(Equal(want), program)
	}
	args := os.Args
	defer func() { os.Args = args }()
	os.Args = []string{"kubectl-draconform"}
	cmd := newCommand()
	run, _, err := cmd.Find([]string{"run"})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(run.CommandPath()).To(Equal("kubectl draconform run"))
}

// Every command must have a test of its help and of invalid arguments.
func TestCommandsHaveHelp(t *testing.T) {
	g := NewWithT(t)
	script, err := os.ReadFile("testdata/script/help.txtar")
	g.Expect(err).NotTo(HaveOccurred())
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		g.Expect(cmd.Short).NotTo(BeEmpty(), cmd.CommandPath())
		g.Expect(cmd.Args).NotTo(BeNil(), "%s should validate its arguments", cmd.CommandPath())
		g.Expect(cmd.Runnable()).To(BeTrue(), "%s should be runnable to validate its arguments", cmd.CommandPath())
		g.Expect(string(script)).To(ContainSubstring("draconform"+cmd.CommandPath()[len("draconform"):]+" --help\n"), "in help.txtar")
		for _, c := range cmd.Commands() {
			walk(c)
		}
	}
	walk(newCommand())
}
