// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package version says which version of draconform a program is.
package version

import (
	"cmp"
	"runtime/debug"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// Module is the path of this module.
const Module = "github.com/draconform/draconform"

// Stamp is the variable that the linker sets in released binaries, which are
// built from a checkout: see .goreleaser.yaml.
const Stamp = Module + "/internal/version.stamped"

var stamped string

// Source returns the version of this module from which the go command can build
// the same program again, such as v1.2.3. It is empty if the program was built
// from a checkout and is no release.
func Source() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return stamped
	}
	return cmp.Or(stamped, ofModule(info))
}

// Release returns the release that the program is, such as v1.2.3 or
// v1.2.3-rc.1. It is empty if the program is no release. Releases have images
// in a registry.
func Release() string { return release(Source()) }

// String returns the version for people: that of the source, or what the go
// command knows about the checkout, or "(devel)".
func String() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return cmp.Or(stamped, "(devel)")
	}
	return cmp.Or(Source(), info.Main.Version, "(devel)")
}

// ofModule returns the version of this module if the go command took it from
// the module proxy.
func ofModule(info *debug.BuildInfo) string {
	for _, m := range append([]*debug.Module{&info.Main}, info.Deps...) {
		// In a checkout, the go command sets a version derived from the last
		// commit, but no checksum.
		if m.Path == Module && m.Sum != "" && m.Replace == nil {
			return m.Version
		}
	}
	return ""
}

// release returns a version if it is that of a tag. Versions of other commits
// have no images.
func release(version string) string {
	if !semver.IsValid(version) || semver.Canonical(version) != version || module.IsPseudoVersion(version) {
		return ""
	}
	return version
}
