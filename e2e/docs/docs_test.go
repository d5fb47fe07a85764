// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/docs"
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/journeys"
	"github.com/draconform/draconform/e2e/requirements"
	"github.com/draconform/draconform/e2e/specs"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/journey"
)

// folder is the directory of the pages in the repository.
const folder = "../../docs"

func TestPagesAreUpToDate(t *testing.T) {
	g := NewWithT(t)
	pages, err := docs.Pages(folder, slices.Concat(specs.All(), journeys.All()), requirements.Documents())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(pages).NotTo(BeEmpty())
	for name, want := range pages {
		content, err := os.ReadFile(filepath.Join(folder, name))
		g.Expect(err).NotTo(HaveOccurred())
		if string(content) != want {
			t.Errorf("docs/%s is not up to date: run \"make docs\"", name)
		}
	}
}

var (
	linked = regexp.MustCompile(`\]\(([^)#]*)(?:#([^)]*))?\)`)
	anchor = regexp.MustCompile(`<a id="([^"]*)">`)
)

// Links between pages must have a target, because they refer to proofs.
func TestLinks(t *testing.T) {
	g := NewWithT(t)
	files, err := filepath.Glob(filepath.Join(folder, "*.md"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(files).NotTo(BeEmpty())
	read := func(path string) string {
		content, err := os.ReadFile(path)
		g.Expect(err).NotTo(HaveOccurred())
		return string(content)
	}
	for _, file := range files {
		for _, link := range linked.FindAllStringSubmatch(read(file), -1) {
			target, name := link[1], link[2]
			if strings.Contains(target, "://") {
				continue
			}
			path := filepath.Join(folder, target)
			g.Expect(path).To(Or(BeARegularFile(), BeADirectory()), "%s links %s", file, link[0])
			if name == "" {
				continue
			}
			var anchors []string
			for _, a := range anchor.FindAllStringSubmatch(read(path), -1) {
				anchors = append(anchors, a[1])
			}
			g.Expect(anchors).To(ContainElement(name), "%s links %s", file, link[0])
		}
	}
}

// Readers look for a page in the README or in the navigation of the site.
func TestPagesAreListed(t *testing.T) {
	g := NewWithT(t)
	readme, err := os.ReadFile(filepath.Join(folder, "../README.md"))
	g.Expect(err).NotTo(HaveOccurred())
	_, table, ok := strings.Cut(string(readme), "\n## Documentation\n")
	g.Expect(ok).To(BeTrue())
	navigation, err := os.ReadFile(filepath.Join(folder, "../hack/site/data/nav.yaml"))
	g.Expect(err).NotTo(HaveOccurred())
	files, err := filepath.Glob(filepath.Join(folder, "*.md"))
	g.Expect(err).NotTo(HaveOccurred())
	for _, file := range files {
		name := filepath.Base(file)
		g.Expect(table).To(ContainSubstring("](docs/"+name+")"), "the table in README.md")
		g.Expect(string(navigation)).To(ContainSubstring("{page: "+strings.TrimSuffix(name, ".md")+","), "hack/site/data/nav.yaml")
	}
}

// version matches the section of a version in the changelog.
var version = regexp.MustCompile(`(?m)^## \d`)

// Until the first version is tagged, the pages that begin with an installation say so, and
// what works instead. Afterwards none does.
func TestPagesSayWhetherThereIsAVersion(t *testing.T) {
	g := NewWithT(t)
	const untagged = "No version has been tagged yet"
	read := func(path string) string {
		content, err := os.ReadFile(filepath.Join(folder, path))
		g.Expect(err).NotTo(HaveOccurred())
		return strings.Join(strings.Fields(string(content)), " ")
	}
	changelog, err := os.ReadFile(filepath.Join(folder, "../CHANGELOG.md"))
	g.Expect(err).NotTo(HaveOccurred())
	for _, page := range []string{"../README.md", "install.md", "start.md", "github.md"} {
		g.Expect(strings.Contains(read(page), untagged)).To(Equal(!version.Match(changelog)), "%s: %s", page, untagged)
	}
}

// paths matches the paths of the repository that a page names as code. It
// leaves out those with placeholders.
var paths = regexp.MustCompile("`((?:allocator|clusters|docs|e2e|fakedriver|hack|internal|manifests)(?:/[\\w.-]+)*)`")

func TestMapNamesExistingPaths(t *testing.T) {
	g := NewWithT(t)
	content, err := os.ReadFile(filepath.Join(folder, "architecture.md"))
	g.Expect(err).NotTo(HaveOccurred())
	named := paths.FindAllStringSubmatch(string(content), -1)
	g.Expect(named).NotTo(BeEmpty())
	for _, path := range named {
		g.Expect(filepath.Join(folder, "..", path[1])).To(Or(BeARegularFile(), BeADirectory()), "docs/architecture.md names %s", path[1])
	}
}

// The pages of a spec and a requirement with unusual content.
func TestWrite(t *testing.T) {
	spec := suite.Spec{
		ID: "a-spec", Description: "It | behaves.", Profile: "p", Level: suite.Core, Component: env.Driver, MinNodes: 2, Needs: []env.Need{env.NeedsNodes},
		Kinds: []subject.Kind{subject.KindPartition, subject.KindShared}, Fields: []subject.Field{subject.PartitionParents},
		Features: []features.Feature{features.Core, features.Partitions}, Requirements: []string{"4815-a"},
	}
	late := suite.Spec{ID: "late", Description: "Later.", Profile: "q", Component: env.Driver, Features: []features.Feature{features.Core}, Since: "1.36"}
	off := suite.Spec{
		ID: "off", Description: "Off.", Profile: "q", Component: env.Cluster,
		Features: []features.Feature{features.Core}, AbsentFeatures: []features.Feature{features.PrioritizedList},
	}
	journey := suite.Spec{
		ID: "journey", Description: "Up *and* down.", Profile: "r", Component: env.Cluster, Requirements: []string{"4815-a"},
		Journey: &journey.Journey{InitialCluster: journey.InitialCluster{Release: "1.36", Gates: "alpha", Scheduler: "kube-scheduler", Workers: 3}, Steps: func() []journey.Step {
			return []journey.Step{{Text: "one"}, {Text: "two | three"}}
		}},
	}
	document := requirements.Document{KEP: "4815", Title: "Partitions", Text: "One\nrevision.", Requirements: []requirements.Requirement{
		{ID: "4815-a", Statement: "A *thing* holds.", Level: requirements.Must, Source: "Proposal", From: "1.35", Gates: []string{"DRAPartitionableDevices"}, Scheduler: "draconform", Specs: []string{"a-spec"}},
		{ID: "4815-b", Statement: "B.", Level: requirements.May, Source: "API", Unproved: &requirements.Gap{Kind: requirements.NotReleased, Reason: "No release has it."}},
		{ID: "4815-c", Statement: "C.", Level: requirements.Must, Source: "API", Unproved: &requirements.Gap{
			Kind: requirements.Described, Reason: "No release has it.", Released: []string{"4815-a", "4815-b"}, Shown: []string{"e2e/a_test.go#TestA", "e2e/testdata/a.txt#A *case*"},
		}},
	}}
	g := NewWithT(t)
	dir := checkout(t, `// Package p has the specs of the profile p: things | that
// are so. They need nothing.
package p

// aSpec does *this*
// and that.
var aSpec = suite.Spec{ID: "a-spec"}

// Both are alike.
var both = forEach("late", "off")
`, "// Package q has the specs of the profile q: others.\npackage q\n")
	paths, err := docs.Write(dir, []suite.Spec{spec, late, off, journey, spec}, []requirements.Document{document})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(paths).To(Equal([]string{filepath.Join(dir, "catalogue.md"), filepath.Join(dir, "requirements.md"), filepath.Join(dir, "alarms.md"), filepath.Join(dir, "reports.md")}))
	catalogue, err := os.ReadFile(paths[0])
	g.Expect(err).NotTo(HaveOccurred())
	entry := "\n### <a id=\"a-spec\"></a>a-spec\n\nIt \\| behaves.\n\n- Method: Does \\*this\\* and that.\n- Level: core\n- Component: driver\n" +
		"- Runs on: 1.36+; 1.34 with DRAPartitionableDevices; features core, partitionable-devices; 2 worker nodes\n" +
		"- Devices: partition, shared; roles.partitions.parents\n- Needs: nodes\n- Proves: [4815-a](requirements.md#4815-a)\n"
	g.Expect(strings.Count(string(catalogue), entry)).To(Equal(2))
	g.Expect(string(catalogue)).To(ContainSubstring("\n## <a id=\"profile-p\"></a>Profile p\n" + entry))
	g.Expect(string(catalogue)).To(ContainSubstring("\n| [p](catalogue.md#profile-p) | Things \\| that are so. They need nothing. |\n" +
		"| [q](catalogue.md#profile-q) | Others. |\n| [upgrade](catalogue.md#journeys) | Journeys: "))
	g.Expect(string(catalogue)).To(ContainSubstring("late\"></a>late\n\nLater.\n\n- Method: Both are alike.\n- Level: extended\n- Component: driver\n- Runs on: 1.36+; features core\n\n"))
	g.Expect(string(catalogue)).To(ContainSubstring("\n\nOff.\n\n- Method: Both are alike.\n- Level: extended\n- Component: cluster\n- Runs on: 1.34 with DRAPrioritizedList=false; features core, not prioritized-list\n\n"))
	g.Expect(string(catalogue)).To(ContainSubstring("\n| prioritized-list | DRAPrioritizedList | 1.34+ |\n"))
	g.Expect(string(catalogue)).To(ContainSubstring("\n### <a id=\"journey\"></a>journey\n\nUp \\*and\\* down.\n\n- Level: extended\n- Component: cluster\n- Starts with: Kubernetes 1.36 with gates alpha and " +
		"scheduler kube-scheduler, 3 worker nodes\n- Proves: [4815-a](requirements.md#4815-a)\n\n1. one\n2. two \\| three\n"))
	g.Expect(string(catalogue)).NotTo(ContainSubstring("Profile r"), "journeys have a separate section")
	requirementsPage, err := os.ReadFile(paths[1])
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(requirementsPage)).To(ContainSubstring("\n## <a id=\"kep-4815\"></a>KEP-4815: Partitions\n\nOne revision.\n"))
	g.Expect(string(requirementsPage)).To(ContainSubstring(`| <a id="4815-a"></a>4815-a | A \*thing\* holds. | must | Proposal | 1.35+, DRAPartitionableDevices, scheduler draconform | [a-spec](catalogue.md#a-spec) |` + "\n"))
	g.Expect(string(requirementsPage)).To(ContainSubstring(`| <a id="4815-b"></a>4815-b | B. | may | API | none | *release*: No release has it. |` + "\n"))
	g.Expect(string(requirementsPage)).To(ContainSubstring("*described*: No release has it. Released: [4815-a](requirements.md#4815-a), [4815-b](requirements.md#4815-b). " +
		`Tests: [TestA](../e2e/a_test.go), [A \*case\*](../e2e/testdata/a.txt). |` + "\n"))
	_, err = docs.Write(filepath.Join(dir, "missing"), nil, nil)
	g.Expect(err).To(MatchError(ContainSubstring("write a page of the documentation")))
}

func TestEverySpecHasAMethod(t *testing.T) {
	spec := suite.Spec{ID: "a-spec", Profile: "p"}
	for name, source := range map[string]string{
		"no variable": "package p\n",
		"no comment":  "package p\n\nvar aSpec = suite.Spec{ID: \"a-spec\"}\n",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := docs.Pages(checkout(t, source), []suite.Spec{spec}, nil)
			NewWithT(t).Expect(err).To(MatchError(ContainSubstring("spec a-spec has no comment")))
		})
	}
	_, err := docs.Pages(checkout(t, "package"), []suite.Spec{spec}, nil)
	NewWithT(t).Expect(err).To(MatchError(ContainSubstring("parse the source of a spec")))
}

// Readers of the catalogue choose a profile first.
func TestEveryProfileSaysWhatItIsAbout(t *testing.T) {
	spec := suite.Spec{ID: "a-spec", Profile: "p"}
	const variable = "\n// aSpec is.\nvar aSpec = suite.Spec{ID: \"a-spec\"}\n"
	for name, comment := range map[string]string{
		"no comment":      "",
		"another one":     "// Package p has specs.\n",
		"another profile": "// Package p has the specs of the profile q: others.\n",
		"nothing":         "// Package p has the specs of the profile p.\n",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := docs.Pages(checkout(t, comment+"package p\n"+variable), []suite.Spec{spec}, nil)
			NewWithT(t).Expect(err).To(MatchError(ContainSubstring("profile p has no package in ../e2e/specs whose comment says what it is about")))
		})
	}
}

// checkout returns the directory docs of a checkout in which each profile has one of
// these sources.
func checkout(t *testing.T, sources ...string) (dir string) {
	root := t.TempDir()
	dir = filepath.Join(root, "docs")
	g := NewWithT(t)
	g.Expect(os.MkdirAll(dir, 0o755)).To(Succeed())
	for i, source := range sources {
		profile := filepath.Join(root, "e2e", "specs", fmt.Sprintf("p%d", i))
		g.Expect(os.MkdirAll(profile, 0o755)).To(Succeed())
		g.Expect(os.WriteFile(filepath.Join(profile, "a_spec.go"), []byte(source), 0o600)).To(Succeed())
	}
	return dir
}
