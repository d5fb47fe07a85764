// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/internal/gocmd"
)

// script writes a shell script into a folder.
func script(t *testing.T, dir, name, content string) {
	t.Helper()
	NewWithT(t).Expect(os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+content), 0o755)).To(Succeed())
}

// prepared returns a preparation whose go command is a script.
func prepared(t *testing.T, goCommand string, out *bytes.Buffer) preparation {
	t.Helper()
	path, bin := t.TempDir(), t.TempDir()
	script(t, path, "go", goCommand)
	t.Setenv("PATH", path+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	return preparation{reporter: progress.New(out), bin: bin}
}

// called returns the flags that the go command is called with, each with a space.
func called() string {
	_, few := gocmd.Processors(runtime.NumCPU())
	all := ""
	for _, flag := range slices.Concat(gocmd.Flags, few) {
		all += flag + " "
	}
	return all
}

func TestCompileReportsTheNumberOfPackages(t *testing.T) {
	for name, test := range map[string]struct{ said, want string }{
		"of packages": {"echo example.com/a >&2\necho example.com/b >&2", ` ✓ compile draconform: 2 packages compiled \(\d+m?s\)\n$`},
		"of nothing":  {"", ` ✓ compile draconform: up to date \(\d+m?s\)\n$`},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			var out bytes.Buffer
			args := filepath.Join(t.TempDir(), "args")
			p := prepared(t, test.said+"\necho CGO_ENABLED=$CGO_ENABLED \"$@\" >"+args, &out)
			g.Expect(p.compile(t.Context(), draconform, "draconform", "./e2e/cmd/draconform")).To(Succeed())
			g.Expect(os.ReadFile(args)).To(BeEquivalentTo("CGO_ENABLED=0 build -v " + called() + "-o " + p.bin + "/ ./e2e/cmd/draconform\n"))
			g.Expect(out.String()).To(MatchRegexp(test.want))
		})
	}
}

func TestCompileErrorHasTheOutputOfTheGoCommand(t *testing.T) {
	g := NewWithT(t)
	var out bytes.Buffer
	p := prepared(t, "echo 'x.go:1: undefined: y' >&2\nexit 1", &out)
	err := p.compile(t.Context(), "", "draconform", "./e2e/cmd/draconform")
	g.Expect(err).To(MatchError("compile draconform: exit status 1: x.go:1: undefined: y"))
	g.Expect(out.String()).NotTo(ContainSubstring("undefined"))
}

func TestUnknownGoalIsRejected(t *testing.T) {
	NewWithT(t).Expect(run(t.Context(), "verdicts", false)).To(MatchError(`--until "verdicts" is not known, use spec or verdict`))
}

func TestEnsureEnginePrintsItsOutput(t *testing.T) {
	g := NewWithT(t)
	var out bytes.Buffer
	p := prepared(t, "", &out)
	script(t, p.bin, "engine", "[ \"$1\" = ensure ] || exit 2\necho ' ✓ docker answers'")
	g.Expect(p.ensureEngine(t.Context())).To(Succeed())
	g.Expect(out.String()).To(Equal(" ✓ docker answers\n"))
	script(t, p.bin, "engine", "echo 'error: no space left' >&2\nexit 1")
	g.Expect(p.ensureEngine(t.Context())).To(MatchError("no space left"))
	script(t, p.bin, "engine", "exit 1")
	g.Expect(p.ensureEngine(t.Context())).To(MatchError("set up the container engine: exit status 1"))
}

// A command whose output is no longer read blocks.
func TestEnsureEngineEndsAfterATooLongLine(t *testing.T) {
	g := NewWithT(t)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	var out bytes.Buffer
	p := prepared(t, "", &out)
	script(t, p.bin, "engine", "echo first\nprintf '%1000000s\\n' long")
	g.Expect(p.ensureEngine(ctx)).To(Succeed())
	g.Expect(out.String()).To(Equal("first\n"))
}

func TestExpectLeavesOutExistingResults(t *testing.T) {
	g := NewWithT(t)
	var out bytes.Buffer
	p := prepared(t, "", &out)
	p.expect(true)
	g.Expect(out.String()).To(MatchRegexp(`^   compiled first: draconform, and a node image .*\n   about \d+ min until the first spec, \d+ min until the verdict\n$`))
	g.Expect(os.MkdirAll(filepath.Join(os.Getenv("XDG_CACHE_HOME"), "draconform", "node-image", "layers-0123456789ab"), 0o755)).To(Succeed())
	script(t, p.bin, draconform, "")
	out.Reset()
	p.expect(false)
	g.Expect(out.String()).To(MatchRegexp(`^   about \d+ s until the first spec\n$`), "with existing results, of some specs")
}
