// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package version

import (
	"os"
	"runtime/debug"
	"testing"

	. "github.com/onsi/gomega"
)

func TestVersionOfTheModule(t *testing.T) {
	this := func(m debug.Module) debug.Module {
		m.Path = Module
		return m
	}
	released := this(debug.Module{Version: "v0.3.0", Sum: "h1:x"})
	replaced := released
	replaced.Replace = &debug.Module{Path: "../draconform"}
	for name, test := range map[string]struct {
		info debug.BuildInfo
		want string
	}{
		"installed":                {debug.BuildInfo{Main: released}, "v0.3.0"},
		"a part of a program":      {debug.BuildInfo{Main: debug.Module{Path: "example.com/a"}, Deps: []*debug.Module{{Path: "example.com/b", Sum: "h1:y"}, &released}}, "v0.3.0"},
		"not a part of it":         {debug.BuildInfo{Main: debug.Module{Path: "example.com/a", Version: "v2.0.0", Sum: "h1:x"}}, ""},
		"replaced":                 {debug.BuildInfo{Main: debug.Module{Path: "example.com/a"}, Deps: []*debug.Module{&replaced}}, ""},
		"built from a checkout":    {debug.BuildInfo{Main: this(debug.Module{Version: "(devel)"})}, ""},
		"built at a clean commit":  {debug.BuildInfo{Main: this(debug.Module{Version: "v0.3.1-0.20261120093000-0123456789ab"})}, ""},
		"built at a tagged commit": {debug.BuildInfo{Main: this(debug.Module{Version: "v0.3.0"})}, ""},
		"built with changes":       {debug.BuildInfo{Main: this(debug.Module{Version: "v0.3.0+dirty"})}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			NewWithT(t).Expect(ofModule(&test.info)).To(Equal(test.want))
		})
	}
}

func TestOnlyTagsAreReleases(t *testing.T) {
	for version, want := range map[string]string{
		"v1.2.3":                               "v1.2.3",
		"v1.2.3-rc.1":                          "v1.2.3-rc.1",
		"v0.3.1-0.20261120093000-0123456789ab": "",
		"v0.3.0+dirty":                         "",
		"v1":                                   "",
		"(devel)":                              "",
		"":                                     "",
	} {
		t.Run(version, func(t *testing.T) { NewWithT(t).Expect(release(version)).To(Equal(want)) })
	}
}

func TestStampedBinaryIsARelease(t *testing.T) {
	g := NewWithT(t)
	g.Expect(Release()).To(BeEmpty(), "tests are built from a checkout")
	stamped = "v1.2.3"
	defer func() { stamped = "" }()
	g.Expect([]string{Source(), Release(), String()}).To(HaveEach("v1.2.3"))
}

// The linker ignores variables that do not exist.
func TestReleasesAreStamped(t *testing.T) {
	g := NewWithT(t)
	for _, path := range []string{".goreleaser.yaml", ".github/workflows/release.yaml"} {
		content, err := os.ReadFile("../../" + path)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(string(content)).To(ContainSubstring("-X "+Stamp+"="), path)
	}
}
