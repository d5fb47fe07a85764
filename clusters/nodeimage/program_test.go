// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeimage

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/internal/gocmd"
)

// mainPackage writes a main package that prints a text, and returns its folder.
func mainPackage(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		NewWithT(t).Expect(os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600)).To(Succeed())
	}
	return dir
}

func TestOneProgramRunsTheCommandOfItsName(t *testing.T) {
	g := NewWithT(t)
	files, err := oneProgram(map[string]string{
		"kube-first": mainPackage(t, map[string]string{
			"first.go":       "// Main.\npackage main\n\nfunc main() { println(main2()) }\n",
			"more.go":        "package main\n\nfunc main2() string { return \"first\" }\n",
			"first_test.go":  "package main\n\nfunc main2() string { return \"of a test\" }\n",
			"win_windows.go": "package main\n\nfunc main2() string { return \"of Windows\" }\n",
		}),
		"second": mainPackage(t, map[string]string{"main.go": "package main\n\nimport \"os\"\n\nfunc main() { println(\"second\", os.Args[1]) }\n"}),
	}, "")
	g.Expect(err).NotTo(HaveOccurred())
	dir := t.TempDir()
	files["go.mod"] = []byte("module draconform.dev/throwaway\n\ngo 1.26.0\n")
	for name, content := range files {
		g.Expect(os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755)).To(Succeed())
		g.Expect(os.WriteFile(filepath.Join(dir, name), content, 0o600)).To(Succeed())
	}
	build := exec.CommandContext(t.Context(), "go", slices.Concat([]string{"build"}, gocmd.Flags, []string{"-o", "program", "./" + program})...)
	build.Dir, build.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=", "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	g.Expect(err).NotTo(HaveOccurred(), string(out))
	called := func(name string) (string, error) {
		path := filepath.Join(t.TempDir(), name)
		g.Expect(os.Symlink(filepath.Join(dir, "program"), path)).To(Succeed())
		out, err := exec.CommandContext(t.Context(), path, "argument").CombinedOutput()
		return string(out), err
	}
	g.Expect(called("kube-first")).To(Equal("first\n"))
	g.Expect(called("second")).To(Equal("second argument\n"))
	g.Expect(called("second-v1.37.2")).To(Equal("second argument\n"), "one of several versions")
	second := filepath.Join(t.TempDir(), "second")
	g.Expect(os.Link(filepath.Join(dir, "program"), second)).To(Succeed())
	running := exec.CommandContext(t.Context(), "/proc/self/fd/3", "argument") // as with /proc/PID/exe, the name is not that of a command
	f, err := os.Open(second)
	g.Expect(err).NotTo(HaveOccurred())
	defer f.Close()
	running.ExtraFiles = []*os.File{f}
	out, err = running.CombinedOutput()
	g.Expect(err).NotTo(HaveOccurred(), string(out))
	g.Expect(string(out)).To(Equal("second argument\n"))
	message, err := called("third")
	g.Expect(err).To(HaveOccurred())
	g.Expect(message).To(ContainSubstring("called by the name of one of its commands"))
}

func TestOneProgramRejectsOtherPackages(t *testing.T) {
	for name, test := range map[string]struct {
		files map[string]string
		want  string
	}{
		"no files":         {nil, "^read the main package of kubelet: .*no buildable Go source files|no Go files"},
		"no main function": {map[string]string{"a.go": "package main\n\nfunc run() {}\n"}, "has no main function$"},
		"a method":         {map[string]string{"a.go": "package main\n\ntype t int\n\nfunc (t) main() {}\n"}, "has no main function$"},
		"no Go":            {map[string]string{"a.go": "<html>"}, "^read the main package of kubelet: .*expected 'package'"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := oneProgram(map[string]string{"kubelet": mainPackage(t, test.files)}, "")
			NewWithT(t).Expect(err).To(MatchError(MatchRegexp(test.want)))
		})
	}
}
