// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fault

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/internal/gocmd"
	"github.com/draconform/draconform/internal/variant"
)

// build builds a command and returns the path of the program. It takes over packages
// that other builds of the suite have compiled.
func build(t *testing.T, command string, flags ...string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "program")
	args := slices.Concat([]string{"build"}, gocmd.Flags, flags, []string{"-o", program, command})
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	NewWithT(t).Expect(err).NotTo(HaveOccurred(), string(out))
	return program
}

func TestProgramHasTheSelectedFault(t *testing.T) {
	whole, breakable := build(t, "./testdata/program"), build(t, "./testdata/program", "-tags", Tag)
	for name, test := range map[string]struct {
		program, fault string
		want           string
	}{
		"no fault":                 {breakable, "", "false"},
		"several faults":           {breakable, "never-falls-back,prefers-second", "true"},
		"its fault":                {breakable, "prefers-second", "true"},
		"another fault":            {breakable, "never-falls-back", "false"},
		"a program without faults": {whole, "prefers-second", "false"},
		"an unknown fault":         {whole, "unheard-of", "false"},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), test.program)
			cmd.Env = append(os.Environ(), Variable+"="+test.fault)
			got, err := cmd.Output()
			g := NewWithT(t)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(string(got)).To(Equal(test.want))
		})
	}
}

// With a mistyped name the run would not try any fault.
func TestProgramRejectsAnUnknownFault(t *testing.T) {
	g := NewWithT(t)
	cmd := exec.CommandContext(t.Context(), build(t, "./testdata/program", "-tags", Tag))
	cmd.Env = append(os.Environ(), Variable+"=prefers-secnd")
	out, err := cmd.CombinedOutput()
	ended, ok := errors.AsType[*exec.ExitError](err)
	g.Expect(ok).To(BeTrue())
	g.Expect(ended.ExitCode()).To(Equal(2))
	g.Expect(string(out)).To(HavePrefix("DRACONFORM_FAULT=prefers-secnd: no such fault, use one of [ignores-memory-slices "))
}

// Released programs must not contain faults. These two programs contain all
// code that a driver or allocator fault can break.
func TestReleasedProgramsHaveNoFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("links two programs")
	}
	traces := func(program string) (found []string) {
		content, err := os.ReadFile(program)
		NewWithT(t).Expect(err).NotTo(HaveOccurred())
		for _, trace := range []string{"internal/fault", Variable, "internal/variant", variant.Variable} {
			if bytes.Contains(content, []byte(trace)) {
				found = append(found, trace)
			}
		}
		return found
	}
	g := NewWithT(t)
	g.Expect(traces(build(t, "./testdata/program", "-tags", Tag))).To(HaveLen(2), "the search finds faults")
	for _, command := range []string{"fakedriver/cmd/fakedriver", "e2e/cmd/draconform"} {
		g.Expect(traces(build(t, "../../"+command))).To(BeEmpty(), command)
	}
}
