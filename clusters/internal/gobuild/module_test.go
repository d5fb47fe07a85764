// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package gobuild

import (
	"testing"

	. "github.com/onsi/gomega"
	"golang.org/x/mod/module"

	"github.com/draconform/draconform/clusters/internal/fake"
)

func TestDownload(t *testing.T) {
	g := NewWithT(t)
	f := fake.NewCommands(t).Command("go", fake.Answer{Args: "mod download -json a@v1.0.0", Stdout: `{"Dir":"/cache/a","GoMod":"/cache/a.mod"}`})
	g.Expect(Download(t.Context(), module.Version{Path: "a", Version: "v1.0.0"})).To(Equal("/cache/a"))
	g.Expect(f.Lines()).To(HaveLen(1))
}

func TestDownloadedDownloadsNothing(t *testing.T) {
	g := NewWithT(t)
	m := module.Version{Path: "example.invalid/none", Version: "v1.0.0"}
	t.Setenv("GOPROXY", "https://proxy.invalid")
	g.Expect(Downloaded(t.Context(), m)).To(BeEmpty())
	fake.NewCommands(t).Command("go", fake.Answer{Args: "mod download -json", Stdout: `{"Dir":"/cache/none"}`})
	g.Expect(Downloaded(t.Context(), m)).To(Equal("/cache/none"))
}

func TestGoModDownloadsOnlyGoMod(t *testing.T) {
	g := NewWithT(t)
	f := fake.NewCommands(t).Command("go", fake.Answer{Args: "list -m -json a@v1.0.0", Stdout: `{"GoMod":"/cache/a.mod"}`})
	g.Expect(GoMod(t.Context(), module.Version{Path: "a", Version: "v1.0.0"})).To(Equal("/cache/a.mod"))
	g.Expect(f.Lines()).To(HaveLen(1))
}

func TestDownloadErrors(t *testing.T) {
	m := module.Version{Path: "example.invalid/none", Version: "v1.0.0"}
	t.Run("of a module that does not exist", func(t *testing.T) {
		t.Setenv("GOPROXY", "off")
		_, err := Download(t.Context(), m)
		NewWithT(t).Expect(err).To(MatchError(MatchRegexp(
			`^download module example.invalid/none@v1.0.0: .*module lookup disabled by GOPROXY=off$`)))
	})
	t.Run("of the go command", func(t *testing.T) {
		fake.NewCommands(t).Command("go", fake.Answer{Args: "mod download", Exit: 2, Stderr: "go: no space left\n"})
		_, err := Download(t.Context(), m)
		NewWithT(t).Expect(err).To(MatchError("download module example.invalid/none@v1.0.0: exit status 2: go: no space left"))
	})
}
