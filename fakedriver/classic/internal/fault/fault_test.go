// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fault

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
)

// Both variants of the package must define the same faults.
func TestFaultsAreTheSameWithAndWithoutTheTag(t *testing.T) {
	g := NewWithT(t)
	off, on := identifiers(t, "off.go"), identifiers(t, "on.go")
	g.Expect(off).NotTo(BeEmpty())
	g.Expect(on).To(Equal(off))
}

// With a mistyped name the run would not try any fault.
func TestProgramRejectsAnUnknownFault(t *testing.T) {
	g := NewWithT(t)
	program := filepath.Join(t.TempDir(), "program")
	// The flags of all builds of the suite, so that no package is compiled twice.
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-gcflags=all=-dwarf=false -d=gcstart=128", "-tags", "draconform_faults", "-o", program, "./testdata/program")
	out, err := build.CombinedOutput()
	g.Expect(err).NotTo(HaveOccurred(), string(out))
	for name, want := range map[string]string{"": "false", "gives-devices-twice": "true", "waits-for-pods": "false", "gives-twice": "DRACONFORM_FAULT=gives-twice: no such fault, use one of [ignores-selected-node "} {
		cmd := exec.CommandContext(t.Context(), program)
		cmd.Env = []string{"DRACONFORM_FAULT=" + name}
		out, _ := cmd.CombinedOutput()
		g.Expect(string(out)).To(HavePrefix(want), name)
	}
}

// identifiers returns the exported identifiers of a file.
func identifiers(t *testing.T, file string) (all []string) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	for _, d := range parsed.Decls {
		declared, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, s := range declared.Specs {
			if v, ok := s.(*ast.ValueSpec); ok && v.Names[0].IsExported() {
				all = append(all, v.Names[0].Name)
			}
		}
	}
	return all
}
