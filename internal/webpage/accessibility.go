// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package webpage

import (
	"fmt"
	"slices"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Problems returns what a page lacks for people who use a screen reader or a
// keyboard, as far as a program can see it.
func (p *Page) Problems() []string {
	var problems []string
	for _, check := range []func() []string{p.checkDocument, p.checkHeadings, p.checkNames, p.checkRegions, p.checkIDs, p.checkTables} {
		problems = append(problems, check()...)
	}
	return problems
}

// checkDocument checks the language, the title and the main part.
func (p *Page) checkDocument() []string {
	var problems []string
	count := map[atom.Atom]int{}
	for n := range p.Elements(atom.Html, atom.Title, atom.Main) {
		count[n.DataAtom]++
		switch {
		case n.DataAtom == atom.Html && Attribute(n, "lang") == "":
			problems = append(problems, "html has no lang")
		case n.DataAtom == atom.Title && Text(n) == "":
			problems = append(problems, "the title is empty")
		}
	}
	for _, needed := range []atom.Atom{atom.Title, atom.Main} {
		if count[needed] != 1 {
			problems = append(problems, fmt.Sprintf("there are %d elements %s, not 1", count[needed], needed))
		}
	}
	return problems
}

// checkHeadings checks that there is one heading of the first level, and that no
// level is left out on the way down.
func (p *Page) checkHeadings() []string {
	var problems []string
	last, firsts := 0, 0
	for n := range p.Elements(Headings...) {
		level := slices.Index(Headings, n.DataAtom) + 1
		if level == 1 {
			firsts++
		}
		if level > last+1 {
			problems = append(problems, fmt.Sprintf("heading %q has level %d after level %d", Text(n), level, last))
		}
		last = level
	}
	if firsts != 1 {
		problems = append(problems, fmt.Sprintf("there are %d headings of level 1, not 1", firsts))
	}
	return problems
}

// fields are the elements that need a label.
var fields = []atom.Atom{atom.Input, atom.Select, atom.Textarea, atom.Progress}

// checkNames checks that images, links, buttons, fields and navigations have a name.
func (p *Page) checkNames() []string {
	labelled := p.labels()
	var problems []string
	for n := range p.Elements() {
		_, hasAlt := Lookup(n, "alt")
		label := Attribute(n, "aria-label")
		switch {
		case n.DataAtom == atom.Img && !hasAlt:
			problems = append(problems, fmt.Sprintf("image %s has no alt", Attribute(n, "src")))
		case slices.Contains(fields, n.DataAtom) && !labelled[n] && label == "":
			problems = append(problems, fmt.Sprintf("%s %q has no label", n.Data, Attribute(n, "id")))
		case (n.DataAtom == atom.Nav || n.DataAtom == atom.Form && Attribute(n, "role") == "") && label == "":
			problems = append(problems, fmt.Sprintf("%s has no aria-label", n.Data))
		case isControl(n) && Text(n) == "" && label == "" && !hasNamedImage(n):
			problems = append(problems, fmt.Sprintf("%s %s has no text", n.Data, Attribute(n, "href")))
		}
	}
	return problems
}

// labels returns the fields that a label names, which refers to them or is around them.
func (p *Page) labels() map[*html.Node]bool {
	named := map[string]bool{}
	for n := range p.Elements(atom.Label) {
		named[Attribute(n, "for")] = Text(n) != ""
	}
	labelled := map[*html.Node]bool{}
	for n := range p.Elements(fields...) {
		id := Attribute(n, "id")
		around := n.Parent.DataAtom == atom.Label && Text(n.Parent) != Text(n)
		labelled[n] = id != "" && named[id] || around
	}
	return labelled
}

// checkRegions checks that parts which scroll by themselves can be reached with the
// keyboard, and that what names another element exists.
func (p *Page) checkRegions() []string {
	var problems []string
	for n := range p.Elements() {
		name, named := Lookup(n, "aria-labelledby")
		if named && !slices.Contains(p.IDs, name) {
			problems = append(problems, fmt.Sprintf("%s is named by %q, which does not exist", n.Data, name))
		}
		if Attribute(n, "role") != "region" {
			continue
		}
		if Attribute(n, "tabindex") != "0" {
			problems = append(problems, fmt.Sprintf("region %q cannot be reached with the keyboard", name))
		}
		if !named && Attribute(n, "aria-label") == "" {
			problems = append(problems, fmt.Sprintf("region %.40q has no name", Text(n)))
		}
	}
	return problems
}

func isControl(n *html.Node) bool {
	_, link := Lookup(n, "href")
	return n.DataAtom == atom.Button || n.DataAtom == atom.Summary || n.DataAtom == atom.A && link
}

func hasNamedImage(n *html.Node) bool {
	for d := range n.Descendants() {
		if d.DataAtom == atom.Img && Attribute(d, "alt") != "" {
			return true
		}
	}
	return false
}

// checkIDs checks that ids are unique.
func (p *Page) checkIDs() []string {
	var problems []string
	seen := map[string]bool{}
	for _, id := range p.IDs {
		if seen[id] {
			problems = append(problems, fmt.Sprintf("id %q is used twice", id))
		}
		seen[id] = true
	}
	return problems
}

// checkTables checks that tables have headers.
func (p *Page) checkTables() []string {
	var problems []string
	for n := range p.Elements(atom.Table) {
		has := false
		for d := range n.Descendants() {
			has = has || d.DataAtom == atom.Th && Attribute(d, "scope") != ""
		}
		if !has {
			problems = append(problems, fmt.Sprintf("table %.40q has no headers with a scope", Text(n)))
		}
	}
	return problems
}
