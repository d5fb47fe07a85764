// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package gobuild

import (
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
)

func TestDiscardedPackagesAreCompiledAgain(t *testing.T) {
	g := NewWithT(t)
	t.Setenv("GOCACHE", filepath.Join(t.TempDir(), "cache"))
	b := build(t, "package main\n\nimport (\n\t_ \"draconform.dev/throwaway/kept\"\n\t_ \"draconform.dev/throwaway/discarded\"\n)\n\nfunc main() {}\n")
	b.Sources["kept/kept.go"] = []byte("package kept\n")
	b.Sources["discarded/discarded.go"] = []byte("package discarded\n")
	var compiled string
	run := func() {
		compiled = ""
		g.Expect(b.Run(t.Context(), func(_ string, args ...any) { compiled = args[0].(interface{ String() string }).String() })).To(Succeed())
	}
	run()
	g.Expect(b.Packages(t.Context())).To(ContainElements(Package{Path: "draconform.dev/throwaway/kept"}, Package{Path: "draconform.dev/throwaway/discarded"}, Package{Path: "runtime"}))
	freed, err := b.Discard(t.Context(), func(p Package) bool { return p.Path == "draconform.dev/throwaway/discarded" })
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(freed).To(BeNumerically(">", 0))
	b.Sources["kept/kept.go"] = []byte("package kept\n\nconst One = 1\n")
	g.Expect(os.RemoveAll(b.Out)).To(Succeed())
	run()
	g.Expect(compiled).To(Equal("3 packages compiled"), "the changed one, the discarded one and the command")
}

func TestPackagesOfACheckoutIncludeThoseOfTests(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	for name, content := range map[string]string{
		"go.mod":         "module example.com/own\n\ngo 1.26\n",
		"own.go":         "package own\n",
		"own_test.go":    "package own\n\nimport _ \"example.com/own/helper\"\n",
		"helper/help.go": "package helper\n",
	} {
		g.Expect(os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755)).To(Succeed())
		g.Expect(os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600)).To(Succeed())
	}
	g.Expect(Build{Dir: dir, Checkout: true}.Packages(t.Context())).To(ContainElements(Package{Path: "example.com/own/helper"}, Package{Path: "testing"}))
}

func TestListErrorHasTheOutputOfTheGoCommand(t *testing.T) {
	_, err := Build{Dir: t.TempDir(), Checkout: true}.Packages(t.Context())
	NewWithT(t).Expect(err).To(MatchError(And(HavePrefix("list packages: exit status 1: "), ContainSubstring("main module"))))
}
