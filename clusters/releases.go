// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package clusters

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"golang.org/x/mod/semver"
	"sigs.k8s.io/yaml"
)

//go:embed releases.yaml
var releasesYAML []byte

// Release is a Kubernetes release that draconform supports.
type Release struct {
	// Minor is the release without the patch, for example 1.37.
	Minor string `json:"minor"`
	// Version is the exact version that clusters of this release run, for example 1.37.1.
	Version string `json:"version"`
}

// String returns the minor release, for example 1.37.
func (r Release) String() string { return r.Minor }

// AtLeast reports whether the release is the given minor release or a newer one. It panics if minor does not have the
// form 1.36: callers pass constants, and any result for a misspelled release would be wrong.
func (r Release) AtLeast(minor string) bool {
	if !isMinor(minor) {
		panic(fmt.Sprintf("%q is not a minor release like 1.36", minor))
	}
	return semver.Compare("v"+r.Minor, "v"+minor) >= 0
}

// Releases returns all supported releases, the newest first. Legacy releases are not among them.
func Releases() []Release {
	return slices.Clone(supported().Releases)
}

// Legacy returns the releases in which behaviour can be judged that supported ones no longer have, the newest first. All
// of them are older than the supported ones.
func Legacy() []Release {
	return slices.Clone(supported().Legacy)
}

// IsLegacy reports whether a minor release, such as 1.31, is a legacy one.
func IsLegacy(minor string) bool {
	return slices.ContainsFunc(supported().Legacy, func(r Release) bool { return r.Minor == minor })
}

// All returns the supported and the legacy releases, the newest first.
func All() []Release {
	return supported().all()
}

// Newest returns the newest supported release, which is the default wherever a release can be chosen.
func Newest() Release {
	return supported().Releases[0]
}

// FindRelease returns the supported or legacy release with the given minor or exact version, with or without a leading v: 1.37,
// v1.37, 1.37.1 and v1.37.1 are the same release.
func FindRelease(s string) (Release, error) {
	wanted := strings.TrimPrefix(s, "v")
	var known []string
	for _, r := range All() {
		if wanted == r.Minor || wanted == r.Version {
			return r, nil
		}
		known = append(known, fmt.Sprintf("%s (%s)", r.Minor, r.Version))
	}
	return Release{}, fmt.Errorf("kubernetes release %q is not supported, use one of %s", s, strings.Join(known, ", "))
}

// MatrixSpec is the CI matrix in the format of a workflow's strategy.matrix. It marshals to
// {"include":[{"release":"1.37","gates":"default","scheduler":"kube-scheduler"},...]}.
type MatrixSpec struct {
	Include []MatrixEntry `json:"include"`
}

// MatrixEntry is one tested combination.
type MatrixEntry struct {
	// Release is the minor release of Kubernetes.
	Release string `json:"release"`
	// Gates is the name of the set of DRA feature gates, as accepted by gates.Parse.
	Gates string `json:"gates"`
	// Scheduler is the scheduler that runs in the cluster.
	Scheduler string `json:"scheduler"`
}

// Excluded returns the combinations of the matrix's axes that are impossible.
func Excluded() []MatrixEntry {
	return slices.Clone(supported().Matrix.Exclude)
}

// Matrix returns the combinations of every supported release, the newest first, with every set of gates and every
// scheduler. It leaves out the excluded combinations.
func Matrix() MatrixSpec {
	f := supported()
	var m MatrixSpec
	for _, r := range f.Releases {
		for _, gates := range f.Matrix.Gates {
			for _, scheduler := range f.Matrix.Scheduler {
				entry := MatrixEntry{Release: r.Minor, Gates: gates, Scheduler: scheduler}
				if !slices.Contains(f.Matrix.Exclude, entry) {
					m.Include = append(m.Include, entry)
				}
			}
		}
	}
	return m
}

// file is the content of releases.yaml.
type file struct {
	Releases []Release `json:"releases"`
	Legacy   []Release `json:"legacy"`
	Matrix   axes      `json:"matrix"`
}

// all returns the supported releases, followed by the legacy ones.
func (f file) all() []Release {
	return slices.Concat(f.Releases, f.Legacy)
}

// axes are the values that are combined with each release.
type axes struct {
	Gates     []string `json:"gates"`
	Scheduler []string `json:"scheduler"`
	// Exclude lists the impossible combinations.
	Exclude []MatrixEntry `json:"exclude"`
}

// supported returns the content of the embedded releases.yaml. It panics if the file is invalid: the file is part of
// the binary, and a test parses it.
var supported = sync.OnceValue(func() file {
	f, err := parse(releasesYAML)
	if err != nil {
		panic(fmt.Sprintf("embedded releases.yaml: %v", err))
	}
	return f
})

// parse decodes releases.yaml strictly and validates what the rest of the package relies on.
func parse(content []byte) (file, error) {
	var f file
	if err := yaml.UnmarshalStrict(content, &f); err != nil {
		return file{}, fmt.Errorf("decode: %w", err)
	}
	if len(f.Releases) == 0 {
		return file{}, fmt.Errorf("no releases")
	}
	for i, r := range f.all() {
		field := fmt.Sprintf("releases[%d]", i)
		if i >= len(f.Releases) {
			field = fmt.Sprintf("legacy[%d]", i-len(f.Releases))
		}
		if err := r.validate(); err != nil {
			return file{}, fmt.Errorf("%s: %w", field, err)
		}
		if i > 0 && r.AtLeast(f.all()[i-1].Minor) {
			return file{}, fmt.Errorf("%s: %s must be older than %s before it", field, r, f.all()[i-1])
		}
	}
	if err := f.Matrix.validate(); err != nil {
		return file{}, fmt.Errorf("matrix: %w", err)
	}
	for i, e := range f.Matrix.Exclude {
		known := slices.ContainsFunc(f.Releases, func(r Release) bool { return r.Minor == e.Release })
		if !known || !slices.Contains(f.Matrix.Gates, e.Gates) || !slices.Contains(f.Matrix.Scheduler, e.Scheduler) {
			return file{}, fmt.Errorf("matrix: exclude[%d]: %+v is not in the matrix", i, e)
		}
	}
	return f, nil
}

func (r Release) validate() error {
	switch v := "v" + r.Version; {
	case !isMinor(r.Minor):
		return fmt.Errorf("minor %q is not a minor release like 1.36", r.Minor)
	case semver.Canonical(v) != v:
		return fmt.Errorf("version %q is not an exact version like 1.36.3", r.Version)
	case semver.MajorMinor(v) != "v"+r.Minor:
		return fmt.Errorf("version %s is not a patch of %s", r.Version, r.Minor)
	}
	return nil
}

// isMinor reports whether s has the form 1.36.
func isMinor(s string) bool {
	return semver.IsValid("v"+s) && semver.MajorMinor("v"+s) == "v"+s
}

func (a axes) validate() error {
	for name, values := range map[string][]string{"gates": a.Gates, "scheduler": a.Scheduler} {
		if len(values) == 0 {
			return fmt.Errorf("no %s", name)
		}
		// YAML decodes an unquoted off to "false".
		if i := slices.IndexFunc(values, func(v string) bool { return v == "" || v == "true" || v == "false" }); i >= 0 {
			return fmt.Errorf("%s[%d]: %q is not a name, are quotes missing?", name, i, values[i])
		}
		if len(slices.Compact(slices.Sorted(slices.Values(values)))) != len(values) {
			return fmt.Errorf("%s: a value appears twice in %v", name, values)
		}
	}
	return nil
}
