// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package gobuild

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"golang.org/x/mod/module"

	"github.com/draconform/draconform/clusters/internal/fake"
)

func TestMain(m *testing.M) { fake.Main(m) }

func TestWriteModule(t *testing.T) {
	g := NewWithT(t)
	dir := filepath.Join(t.TempDir(), "module")
	b := Build{
		Dir:     dir,
		Require: []module.Version{{Path: "k8s.io/kubernetes", Version: "v1.37.1"}, {Path: "example.com/a/v2", Version: "v2.0.1"}},
		Pin:     []module.Version{{Path: "k8s.io/api", Version: "v0.37.1"}, {Path: "k8s.io/client-go", Version: "v0.37.1"}},
		Sources: map[string][]byte{"main.go": []byte("package main\n"), "sub/a.go": []byte("package sub\n")},
	}
	sum := filepath.Join(dir, "go.sum")
	for range 2 { // the second time with existing files
		g.Expect(b.writeModule([]module.Version{{Path: "k8s.io/api", Version: "v0.38.0"}})).To(Succeed())
		got, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		g.Expect(err).NotTo(HaveOccurred())
		want, err := os.ReadFile("testdata/go.mod.golden")
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(string(got)).To(Equal(string(want)))
		for name, content := range b.Sources {
			g.Expect(os.ReadFile(filepath.Join(dir, name))).To(Equal(content))
		}
		g.Expect(os.WriteFile(sum, []byte("sums"), 0o600)).To(Succeed())
	}
	g.Expect(os.ReadFile(sum)).To(Equal([]byte("sums")), "stays")
}

const hello = `package main

import "fmt"

var greeting = "unset"

func main() { fmt.Print(greeting) }
`

// build returns a build of a throw-away module without requirements.
func build(t *testing.T, main string) Build {
	t.Helper()
	t.Setenv("GOPROXY", "off")
	dir := t.TempDir()
	return Build{
		Dir: filepath.Join(dir, "module"), Out: filepath.Join(dir, "bin"), Commands: []string{"."},
		Sources: map[string][]byte{"main.go": []byte(main)},
	}
}

func TestRunBuildsAStaticCommand(t *testing.T) {
	g := NewWithT(t)
	b := build(t, hello)
	b.Tags, b.LDFlags = []string{"one", "two"}, "-X main.greeting=stamped"
	// Packages in the build cache are not reported, so compile new content.
	b.Sources["new.go"] = []byte("package main\n\nconst _ = \"" + b.Dir + "\"\n")
	b.Sources["tagged.go"] = []byte("//go:build one && two\n\npackage main\n\nfunc init() { greeting += \", tagged\" }\n")
	var last string
	g.Expect(b.Run(t.Context(), func(format string, args ...any) { last = fmt.Sprintf(format, args...) })).To(Succeed())
	out, err := exec.CommandContext(t.Context(), filepath.Join(b.Out, "throwaway")).Output()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(out)).To(Equal("stamped, tagged"))
	g.Expect(last).To(MatchRegexp(`^[1-9][0-9]* packages compiled$`))
}

func TestRunBuildsInACheckoutWithoutChangingIt(t *testing.T) {
	g := NewWithT(t)
	b := build(t, hello)
	g.Expect(b.writeModule(nil)).To(Succeed())
	mod := filepath.Join(b.Dir, "go.mod")
	const own = "module example.com/own\n\ngo 1.26\n"
	g.Expect(os.WriteFile(mod, []byte(own), 0o600)).To(Succeed())
	b.Checkout, b.Sources, b.Commands = true, nil, []string{"example.com/own"}
	g.Expect(b.Run(t.Context(), func(string, ...any) {})).To(Succeed())
	g.Expect(filepath.Join(b.Out, "own")).To(BeAnExistingFile())
	g.Expect(os.ReadFile(mod)).To(Equal([]byte(own)))
}

func TestRunErrorHasTheOutputOfTheCompiler(t *testing.T) {
	b := build(t, "package main\n\nfunc main() { missing() }\n")
	NewWithT(t).Expect(b.Run(t.Context(), func(string, ...any) {})).To(MatchError(MatchRegexp(
		`(?s)^build \.: exit status 1: .*main\.go:3:15: undefined: missing`)))
}

func TestRunWithoutAGoCommand(t *testing.T) {
	b := build(t, hello)
	t.Setenv("PATH", t.TempDir())
	NewWithT(t).Expect(b.Run(t.Context(), func(string, ...any) {})).To(MatchError(And(
		HavePrefix("build .: start the go command: "), HaveSuffix("executable file not found in $PATH"))))
}

func TestRunEndsWithItsContext(t *testing.T) {
	g := NewWithT(t)
	b := build(t, hello)
	fake.NewCommands(t).Command("go", fake.Answer{Args: "build", Stderr: "internal/abi\n", Hang: true, Exit: 1})
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	var pressed time.Time
	err := b.Run(ctx, func(string, ...any) {
		pressed = time.Now()
		cancel(errors.New("the user pressed ^C"))
	})
	g.Expect(err).To(MatchError("build .: the user pressed ^C"))
	g.Expect(time.Since(pressed)).To(BeNumerically("<", 8*time.Second), "it was interrupted, and not killed after 10 seconds")
}
