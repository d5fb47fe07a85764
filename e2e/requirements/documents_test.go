// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package requirements

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"sigs.k8s.io/yaml"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/gates"
)

// The embedded files are parsed on first use, which panics if one is invalid.
func TestEveryKEPHasADocument(t *testing.T) {
	g := NewWithT(t)
	var keps []string
	for _, d := range Documents() {
		keps = append(keps, d.KEP)
		g.Expect(d.Requirements).NotTo(BeEmpty(), d.KEP)
	}
	files, err := filepath.Glob("*.yaml")
	g.Expect(err).NotTo(HaveOccurred())
	var want []string
	for _, f := range files {
		want = append(want, strings.TrimSuffix(f, ".yaml"))
	}
	g.Expect(keps).To(ConsistOf(want))
}

func TestAllAndFind(t *testing.T) {
	g := NewWithT(t)
	var ids, statements []string
	for _, d := range Documents() {
		for _, r := range d.Requirements {
			ids, statements = append(ids, r.ID), append(statements, r.Statement)
			g.Expect(r.KEP()).To(Equal(d.KEP), r.ID)
			found, ok := Find(r.ID)
			g.Expect(ok).To(BeTrue())
			g.Expect(found).To(Equal(r))
		}
	}
	var all []string
	for _, r := range All() {
		all = append(all, r.ID)
	}
	g.Expect(all).To(Equal(ids))
	for i, statement := range statements {
		g.Expect(statements[:i]).NotTo(ContainElement(statement), "duplicate statement: %s", ids[i])
	}
	_, ok := Find("4815-no-such-requirement")
	g.Expect(ok).To(BeFalse())
}

// A misspelled gate, a gate that the release lacks, or contradictory gates
// would make a requirement unobservable in every cluster.
func TestGatesOfRequirementsExist(t *testing.T) {
	for _, r := range All() {
		var wanted []string
		for _, gate := range r.Gates {
			if !strings.Contains(gate, "=") {
				gate += "=true"
			}
			wanted = append(wanted, gate)
		}
		for _, release := range clusters.All() {
			if r.ObservableIn(release.Minor) {
				_, err := gates.Parse(strings.Join(wanted, ","), release)
				NewWithT(t).Expect(err).NotTo(HaveOccurred(), "%s in %s", r.ID, release)
			}
		}
	}
}

// The file and the test, or the case of a datadriven test, must exist.
func TestShownTestsExist(t *testing.T) {
	const root = "../.."
	for _, r := range All() {
		if r.Unproved == nil {
			continue
		}
		for _, test := range r.Unproved.Shown {
			g := NewWithT(t)
			path, name, _ := strings.Cut(test, "#")
			content, err := os.ReadFile(filepath.Join(root, path))
			g.Expect(err).NotTo(HaveOccurred(), r.ID)
			begin := "\n# " + name
			if strings.HasSuffix(path, ".go") {
				begin = "\nfunc " + name + "(t *testing.T) {"
			}
			g.Expect(strings.Contains("\n"+string(content), begin)).To(BeTrue(), "%s is shown by %s, which does not exist", r.ID, test)
		}
	}
}

// row returns a document with one valid requirement after the given text
// replacements.
func row(replace ...string) []byte {
	return []byte(strings.NewReplacer(replace...).Replace(`
kep: "4815"
title: Partitionable devices
text: some revision
requirements:
- id: 4815-some-words
  statement: Something holds.
  level: must
  source: Proposal
  from: "1.35"
  gates: [DRAPartitionableDevices, DRAAdminAccess=false]
  unproved: {kind: pending, reason: No spec checks it.}
`))
}

func TestParse(t *testing.T) {
	g := NewWithT(t)
	d, err := parse("4815.yaml", row())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(d.Requirements).To(ConsistOf(Requirement{
		ID: "4815-some-words", Statement: "Something holds.", Level: Must, Source: "Proposal", From: "1.35",
		Gates: []string{"DRAPartitionableDevices", "DRAAdminAccess=false"}, Unproved: &Gap{Kind: Pending, Reason: "No spec checks it."},
	}))
	_, err = parse("4815.yaml", row("unproved: {kind: pending, reason: No spec checks it.}", "specs: [a-spec]"))
	g.Expect(err).NotTo(HaveOccurred())
	_, err = parse("4815.yaml", row("kind: pending", "kind: release", `  from: "1.35"`, ""))
	g.Expect(err).NotTo(HaveOccurred())
	_, err = parse("4815.yaml", row("kind: pending", "kind: restated, released: [5981-a]"))
	g.Expect(err).NotTo(HaveOccurred())
	_, err = parse("4815.yaml", row("kind: pending", "kind: described, shown: [a/b_test.go#TestB, a/testdata/b/c.txt#A case.]", `  from: "1.35"`, ""))
	g.Expect(err).NotTo(HaveOccurred())
	_, err = parse("4815-draft.yaml", row(`"4815"`, `"4815-draft"`, "4815-some", "4815-draft-some"))
	g.Expect(err).NotTo(HaveOccurred())
}

func TestParseErrors(t *testing.T) {
	unproved := "unproved: {kind: pending, reason: No spec checks it.}"
	for name, test := range map[string]struct {
		content []byte
		want    string
	}{
		"an unknown field":      {row("statement:", "sentence:"), `unknown field "sentence"`},
		"a field twice":         {row("level: must", "level: must\n  level: may"), `key "level" already set`},
		"another file":          {row(`kep: "4815"`, `kep: "4816"`), `is for KEP "4816", so it should be 4816.yaml`},
		"no title":              {row("title: Partitionable devices", ""), "a document needs a title"},
		"no requirements":       {[]byte("kep: \"4815\"\ntitle: x\ntext: y\nrequirements: []\n"), "and requirements"},
		"an id of another KEP":  {row("- id: 4815-", "- id: 4816-"), `id "4816-some-words" must be 4815-`},
		"an id of the draft":    {row("- id: 4815-", "- id: 4815-draft-"), `id "4815-draft-some-words" belongs to the document of KEP 4815-draft`},
		"an id in capitals":     {row("some-words", "Some-words"), `id "4815-Some-words" must be`},
		"an id without words":   {row("4815-some-words", `"4815"`), `id "4815" must be`},
		"no statement":          {row("statement: Something holds.", ""), "4815-some-words: needs a statement and a source"},
		"no source":             {row("source: Proposal", ""), "4815-some-words: needs a statement and a source"},
		"an unknown level":      {row("level: must", "level: shall"), `level "shall" is not known`},
		"an unknown scheduler":  {row("level: must", "level: must\n  scheduler: volcano"), `scheduler "volcano" is not known`},
		"a gate with a value":   {row("=false", "=true"), `gate "DRAAdminAccess=true" must be a name`},
		"a patch release":       {row(`"1.35"`, `"1.35.4"`), `release "1.35.4" must be a minor release`},
		"an end before":         {row(`"1.35"`, "\"1.35\"\n  until: \"1.9\""), "it ends with release 1.9, before it begins"},
		"an end alone":          {row("from:", "until:"), "it ends with release 1.35, before it begins"},
		"no proof":              {row(unproved, ""), "needs specs, or the reason why there are none"},
		"no reason":             {row(", reason: No spec checks it.", ""), "needs specs, or the reason why there are none"},
		"specs and a reason":    {row(unproved, unproved+"\n  specs: [a-spec]"), "has specs, so it needs a release and no reason"},
		"an unknown kind":       {row("kind: pending", "kind: later"), `unproved as "later", which is not known`},
		"pending, no release":   {row(`  from: "1.35"`, ""), "needs the first release, because it is pending"},
		"specs, no release":     {row(`  from: "1.35"`, "", unproved, "specs: [a-spec]"), "needs a release"},
		"no release, from 1.35": {row("kind: pending", "kind: release"), "is in no release, but has a first one or a scheduler"},
		"restated, no release":  {row("kind: pending", "kind: restated, released: [5981-a]", `  from: "1.35"`, ""), "needs the first release, because it is restated"},
		"restated as nothing":   {row("kind: pending", "kind: restated"), "needs the released requirements that state the same"},
		"described, from 1.35":  {row("kind: pending", "kind: described, shown: [a_test.go#TestA]"), "is in no release, but has a first one or a scheduler"},
		"described, no tests":   {row("kind: pending", "kind: described", `  from: "1.35"`, ""), "needs the tests that have shown it if it is described, and only then"},
		"pending, with tests":   {row("kind: pending", "kind: pending, shown: [a_test.go#TestA]"), "needs the tests that have shown it if it is described, and only then"},
		"shown by a whole file": {row("kind: pending", "kind: described, shown: [a_test.go]", `  from: "1.35"`, ""), `shown by "a_test.go", which must be a file, #, and`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parse("4815.yaml", test.content)
			NewWithT(t).Expect(err).To(MatchError(And(HavePrefix("4815.yaml: "), ContainSubstring(test.want))))
		})
	}
}

func TestCheckReferences(t *testing.T) {
	document := func(kep string, r Requirement) Document { return Document{KEP: kep, Requirements: []Requirement{r}} }
	proved := document("4815", Requirement{ID: "4815-a", Specs: []string{"a-spec"}})
	unproved := document("4815", Requirement{ID: "4815-a", Unproved: &Gap{Kind: Unobservable}})
	draft := func(kind Kind, released string) Document {
		return document("4815-draft", Requirement{ID: "4815-draft-a", Unproved: &Gap{Kind: kind, Released: []string{released}}})
	}
	for name, test := range map[string]struct {
		documents []Document
		want      string // empty for no error
	}{
		"restated and proved":       {[]Document{proved, draft(Restated, "4815-a")}, ""},
		"restated and not proved":   {[]Document{unproved, draft(Restated, "4815-a")}, "requirement 4815-draft-a: is restated as 4815-a, which no spec proves"},
		"differs from a difference": {[]Document{unproved, draft(Differs, "4815-a")}, ""},
		"unknown":                   {[]Document{proved, draft(Differs, "4815-b")}, `requirement 4815-draft-a: "4815-b" is no requirement of another document`},
		"of the same document":      {[]Document{proved, draft(Differs, "4815-draft-a")}, `requirement 4815-draft-a: "4815-draft-a" is no requirement of another document`},
	} {
		t.Run(name, func(t *testing.T) {
			err := checkReferences(test.documents)
			if test.want == "" {
				NewWithT(t).Expect(err).NotTo(HaveOccurred())
				return
			}
			NewWithT(t).Expect(err).To(MatchError(test.want))
		})
	}
}

func TestParseDuplicateID(t *testing.T) {
	g := NewWithT(t)
	var d Document
	g.Expect(yaml.UnmarshalStrict(row(), &d)).To(Succeed())
	d.Requirements = append(d.Requirements, d.Requirements[0])
	content, err := yaml.Marshal(d)
	g.Expect(err).NotTo(HaveOccurred())
	_, err = parse("4815.yaml", content)
	g.Expect(err).To(MatchError("4815.yaml: duplicate requirement 4815-some-words"))
}
