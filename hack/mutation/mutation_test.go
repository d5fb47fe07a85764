// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/hack/internal/command"
	"github.com/draconform/draconform/hack/internal/measure"
)

// found is the output of the tool for a package with one file.
const found = `{"files": [{"file_name": "a.go", "mutations": [
	{"type": "CONDITIONALS_BOUNDARY", "status": "LIVED", "line": 2, "column": 5},
	{"type": "CONDITIONALS_NEGATION", "status": "KILLED", "line": 2, "column": 5},
	{"type": "ARITHMETIC_BASE", "status": "TIMED OUT", "line": 3, "column": 1},
	{"type": "ARITHMETIC_BASE", "status": "NOT COVERED", "line": 3, "column": 9}]}]}`

// repository returns the path of a folder with a package p, and the result for it.
func repository(t *testing.T) (string, result) {
	t.Helper()
	g := NewWithT(t)
	dir := t.TempDir()
	g.Expect(os.Mkdir(filepath.Join(dir, "p"), 0o755)).To(Succeed())
	g.Expect(os.WriteFile(filepath.Join(dir, "p", "a.go"), []byte("package p\n\tif a < b {\n\tx + y\n"), 0o644)).To(Succeed())
	g.Expect(os.WriteFile(filepath.Join(dir, "p.json"), []byte(found), 0o644)).To(Succeed())
	r, err := read(dir, "p", filepath.Join(dir, "p.json"))
	g.Expect(err).NotTo(HaveOccurred())
	return dir, r
}

func TestReadFindsTheCodeOfChanges(t *testing.T) {
	dir, r := repository(t)
	g := NewWithT(t)
	g.Expect(r.Changes).To(HaveLen(4))
	g.Expect(r.with(lived)).To(Equal([]change{{File: "p/a.go", Line: 2, Code: "if a < b {", Type: "CONDITIONALS_BOUNDARY", Status: lived}}))
	g.Expect(r.Changes[0].String()).To(Equal("p/a.go:2: CONDITIONALS_BOUNDARY in: if a < b {"))

	path := filepath.Join(dir, "other.json")
	g.Expect(os.WriteFile(path, []byte(`{"files": [{"file_name": "a.go", "mutations": [{"line": 9}]}]}`), 0o644)).To(Succeed())
	_, err := read(dir, "p", path)
	g.Expect(err).To(MatchError("read the changes of package p: p/a.go has no line 9"), "the code has changed since")
}

// A change that was read counts only for its own line and kind.
func TestUnreadChanges(t *testing.T) {
	_, r := repository(t)
	entry := survivor{File: "p/a.go", Code: "if a < b {", Type: "CONDITIONALS_BOUNDARY", Because: "they are never equal"}
	for name, test := range map[string]struct {
		change func(*survivor)
		want   int
	}{
		"read":           {func(*survivor) {}, 0},
		"other code":     {func(s *survivor) { s.Code = "if a <= b {" }, 1},
		"other type":     {func(s *survivor) { s.Type = "CONDITIONALS_NEGATION" }, 1},
		"in other files": {func(s *survivor) { s.File = "p/b.go" }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			changed := entry
			test.change(&changed)
			NewWithT(t).Expect(catalogue{Survivors: []survivor{changed}}.unread(r)).To(HaveLen(test.want))
		})
	}
}

func TestScoreIsThatOfTriedChanges(t *testing.T) {
	_, r := repository(t)
	g := NewWithT(t)
	g.Expect(numbers(r)).To(Equal(row{changes: 4, killed: 1, lived: 1, notTried: 1, score: 100 * 2 / 3.0}))
	g.Expect(numbers(result{Package: "empty"}).score).To(BeZero())
	g.Expect(table([]result{r})).To(HaveSuffix("\np        4        1             1          1          67 %\n"))
}

// The page has a part for each package, and in it the changes that were read.
func TestPartOfAPackage(t *testing.T) {
	_, r := repository(t)
	g := NewWithT(t)
	on := measure.Machine{Date: "2026-11-26", Commit: "0123456789ab"}
	g.Expect(catalogue{}.part(r, on)).To(Equal(measure.Part{Name: "changes of p", By: "make mutation", Text: `### p

Measured on 2026-11-26 at commit 0123456789ab.

| changes | failed tests | not found | not tried | score |
|---|---|---|---|---|
| 4 | 1 | 1 | 1 | 67 % |
`}))
	c := catalogue{Survivors: []survivor{{File: "p/a.go", Code: "if a < b {", Type: "CONDITIONALS_BOUNDARY", Because: "they are never equal"}}}
	g.Expect(c.part(r, on).Text).To(HaveSuffix("67 % |\n\n| not found | change | why |\n|---|---|---|\n| `if a < b {` in `a.go` | CONDITIONALS_BOUNDARY | they are never equal |\n"))
}

// The packages exist, and each entry is about one line that exists: it must not excuse
// others.
func TestCatalogueIsUpToDate(t *testing.T) {
	g := NewWithT(t)
	c, err := load(data)
	g.Expect(err).NotTo(HaveOccurred())
	root := filepath.Join("..", "..")
	for _, p := range c.Packages {
		g.Expect(filepath.Glob(filepath.Join(root, p, "*_test.go"))).NotTo(BeEmpty(), p)
	}
	for _, s := range c.Survivors {
		code, err := os.ReadFile(filepath.Join(root, s.File))
		g.Expect(err).NotTo(HaveOccurred())
		var same []string
		for line := range strings.Lines(string(code)) {
			if strings.TrimSpace(line) == s.Code {
				same = append(same, line)
			}
		}
		g.Expect(same).To(HaveLen(1), "%s: %s", s.File, s.Code)
	}
}

func TestIncompleteCatalogues(t *testing.T) {
	for text, problem := range map[string]string{
		"packages: []": "there are none",
		"packages: [p]\nsurvivors: [{file: a.go}]": "needs file, code, type and because",
		"package: [p]": "unknown field",
	} {
		_, err := load([]byte(text))
		NewWithT(t).Expect(err).To(MatchError(ContainSubstring(problem)))
	}
}

// A change that no test finds and that the catalogue does not have is an error. The page
// has the packages without such changes.
func TestCommandReportsUnreadChanges(t *testing.T) {
	dir, _ := repository(t)
	t.Chdir(dir)
	g := NewWithT(t)
	for _, args := range [][]string{{"init", "--quiet"}, {"-c", "user.name=n", "-c", "user.email=e", "commit", "--quiet", "--allow-empty", "-m", "first"}} {
		g.Expect(exec.CommandContext(t.Context(), "git", args...).Run()).To(Succeed())
	}
	script := `#!/bin/sh
case "$1 $2 $4" in
"unleash --output ./allocator/internal/pools") cp p.json "$3" ;;
"unleash --output ./allocator/internal/selector") echo '{}' >"$3" ;;
*) exit 1 ;;
esac
`
	g.Expect(os.WriteFile("tool", []byte(script), 0o755)).To(Succeed())
	g.Expect(os.MkdirAll("allocator/internal", 0o755)).To(Succeed())
	g.Expect(os.Rename("p", "allocator/internal/pools")).To(Succeed())
	g.Expect(os.WriteFile("page.md", []byte("page\n"), 0o644)).To(Succeed())
	var out bytes.Buffer
	args := []string{"--gremlins", "./tool", "--artifacts", "out", "--page", "page.md", "--package"}
	g.Expect(mutation(t.Context(), append(args, "/pools$|/selector$"), &out)).To(MatchError(errUnread))
	g.Expect(out.String()).To(ContainSubstring("no test finds: allocator/internal/pools/a.go:2: CONDITIONALS_BOUNDARY in: if a < b {\n"))
	page, err := os.ReadFile("page.md")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(page)).To(And(HavePrefix("page\n"), ContainSubstring("### allocator/internal/selector\n"), Not(ContainSubstring("pools"))))

	g.Expect(mutation(t.Context(), append(args, "/selector$"), &out)).To(Succeed())
	g.Expect(mutation(t.Context(), append(args, "/search$"), &out)).To(MatchError(ContainSubstring("change package allocator/internal/search, see out/allocator-internal-search.log: exit status 1")))
	g.Expect(mutation(t.Context(), append(args, "^none$"), &out)).To(MatchError(command.ErrUsage))
}
