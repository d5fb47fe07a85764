// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package clusters

import (
	"encoding/json"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

func TestReleasesAreNewestFirst(t *testing.T) {
	g := NewWithT(t)
	releases := Releases()
	g.Expect(releases).NotTo(BeEmpty())
	g.Expect(Newest()).To(Equal(releases[0]))
	for i, r := range releases {
		g.Expect(r.Version).To(HavePrefix(r.Minor + "."))
		g.Expect(Newest().AtLeast(r.Minor)).To(BeTrue(), "the newest release is at least %s", r)
		if i > 0 {
			g.Expect(r.AtLeast(releases[i-1].Minor)).To(BeFalse(), "%s is older than %s", r, releases[i-1])
		}
	}
}

func TestReleasesAreACopy(t *testing.T) {
	g := NewWithT(t)
	Releases()[0].Minor = "0.0"
	g.Expect(Newest().Minor).NotTo(Equal("0.0"))
}

func TestLegacyReleasesAreOlder(t *testing.T) {
	g := NewWithT(t)
	oldest := Releases()[len(Releases())-1]
	for _, r := range Legacy() {
		g.Expect(r.AtLeast(oldest.Minor)).To(BeFalse(), "%s is a legacy release", r)
		g.Expect(Releases()).NotTo(ContainElement(r))
	}
	g.Expect(All()).To(Equal(append(Releases(), Legacy()...)))
}

func TestLegacyReleasesAreNotInTheMatrix(t *testing.T) {
	g := NewWithT(t)
	for _, entry := range Matrix().Include {
		for _, r := range Legacy() {
			g.Expect(entry.Release).NotTo(Equal(r.Minor))
		}
	}
}

func TestAtLeastComparesNumbers(t *testing.T) {
	g := NewWithT(t)
	r := Release{Minor: "1.100", Version: "1.100.2"}
	g.Expect(r.AtLeast("1.99")).To(BeTrue())
	g.Expect(r.AtLeast("1.100")).To(BeTrue())
	g.Expect(r.AtLeast("1.101")).To(BeFalse())
	g.Expect(func() { r.AtLeast("1.1OO") }).To(Panic())
}

func TestFindRelease(t *testing.T) {
	for _, r := range All() {
		for _, s := range []string{r.Minor, "v" + r.Minor, r.Version, "v" + r.Version} {
			t.Run(s, func(t *testing.T) {
				NewWithT(t).Expect(FindRelease(s)).To(Equal(r))
			})
		}
	}
}

func TestFindReleaseErrorListsTheReleases(t *testing.T) {
	for _, s := range []string{"1.12", "1.37.99", "", "vv1.37", "latest"} {
		t.Run(s, func(t *testing.T) {
			g := NewWithT(t)
			_, err := FindRelease(s)
			g.Expect(err).To(MatchError(And(
				HavePrefix("kubernetes release %q is not supported, use one of ", s),
				ContainSubstring("%s (%s)", Newest().Minor, Newest().Version),
			)))
			g.Expect(strings.Count(err.Error(), "(")).To(Equal(len(All())))
		})
	}
}

func TestMatrixCombinesAllAxes(t *testing.T) {
	g := NewWithT(t)
	m := Matrix()
	g.Expect(m.Include).To(HaveLen(len(Releases())*3*2 - len(Excluded())))
	seen := map[MatrixEntry]bool{}
	for _, entry := range m.Include {
		g.Expect(seen[entry]).To(BeFalse(), "%v is in the matrix twice", entry)
		seen[entry] = true
	}
	for _, r := range Releases() {
		for _, gates := range []string{"default", "alpha", "off"} {
			g.Expect(seen).To(HaveKey(MatrixEntry{Release: r.Minor, Gates: gates, Scheduler: "kube-scheduler"}))
		}
		for _, gates := range []string{"default", "off"} {
			g.Expect(seen).To(HaveKey(MatrixEntry{Release: r.Minor, Gates: gates, Scheduler: "draconform"}))
		}
		g.Expect(seen[MatrixEntry{Release: r.Minor, Gates: "alpha", Scheduler: "draconform"}]).To(Equal(r == Newest()), "alpha APIs of %s", r)
	}
}

func TestMatrixMarshalsToAWorkflowMatrix(t *testing.T) {
	g := NewWithT(t)
	content, err := json.Marshal(Matrix())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(content)).To(HavePrefix(
		`{"include":[{"release":"` + Newest().Minor + `","gates":"default","scheduler":"kube-scheduler"},`))
}

func TestParseErrors(t *testing.T) {
	const (
		releases = "releases: [{minor: '1.37', version: 1.37.1}]\n"
		matrix   = "matrix: {gates: [default], scheduler: [kube-scheduler]}\n"
	)
	for name, tc := range map[string]struct{ content, want string }{
		"an unknown field":          {releases + matrix + "extra: 1\n", "unknown field"},
		"no releases":               {matrix, "no releases"},
		"a minor that is a version": {"releases: [{minor: 1.37.1, version: 1.37.1}]\n" + matrix, "releases[0]: minor"},
		"a version without a patch": {"releases: [{minor: '1.37', version: '1.37'}]\n" + matrix, "releases[0]: version"},
		"a patch of another minor":  {"releases: [{minor: '1.3', version: 1.37.1}]\n" + matrix, "1.37.1 is not a patch of 1.3"},
		"the oldest first": {
			"releases: [{minor: '1.36', version: 1.36.3}, {minor: '1.37', version: 1.37.1}]\n" + matrix,
			"releases[1]: 1.37 must be older than 1.36 before it",
		},
		"a release twice": {
			"releases: [{minor: '1.37', version: 1.37.1}, {minor: '1.37', version: 1.37.2}]\n" + matrix,
			"releases[1]: 1.37 must be older than 1.37 before it",
		},
		"a legacy release that is as new as a supported one": {
			releases + "legacy: [{minor: '1.31', version: 1.31.4}, {minor: '1.37', version: 1.37.1}]\n" + matrix,
			"legacy[1]: 1.37 must be older than 1.31 before it",
		},
		"a legacy release with a patch of another minor": {
			releases + "legacy: [{minor: '1.31', version: 1.30.4}]\n" + matrix, "legacy[0]: version 1.30.4 is not a patch of 1.31",
		},
		"an axis without values": {releases + "matrix: {gates: [], scheduler: [kube-scheduler]}\n", "matrix: no gates"},
		"an unquoted off": {
			releases + "matrix: {gates: [default, off], scheduler: [kube-scheduler]}\n", "are quotes missing?",
		},
		"an exclusion of an unknown release": {
			releases + "matrix: {gates: [default], scheduler: [a], exclude: [{release: '1.36', gates: default, scheduler: a}]}\n", "exclude[0]: ",
		},
		"an exclusion of an unknown set of gates": {
			releases + "matrix: {gates: [default], scheduler: [a], exclude: [{release: '1.37', gates: beta, scheduler: a}]}\n", "exclude[0]: ",
		},
		"an exclusion of an unknown scheduler": {
			releases + "matrix: {gates: [default], scheduler: [a], exclude: [{release: '1.37', gates: default, scheduler: b}]}\n", "exclude[0]: ",
		},
		"a value twice": {
			releases + "matrix: {gates: [default, default], scheduler: [kube-scheduler]}\n", "appears twice",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parse([]byte(tc.content))
			NewWithT(t).Expect(err).To(MatchError(ContainSubstring(tc.want)))
		})
	}
}
