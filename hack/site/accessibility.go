// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// checkAccessibility returns what a page lacks for people who use a screen
// reader or a keyboard, as far as a program can see it.
func (p *page) checkAccessibility() []string {
	var problems []string
	for _, check := range []func() []string{p.checkDocument, p.checkHeadings, p.checkNames, p.checkIDs, p.checkTables} {
		for _, problem := range check() {
			problems = append(problems, p.name+": "+problem)
		}
	}
	return problems
}

// checkDocument checks the language, the title and the main part.
func (p *page) checkDocument() []string {
	var problems []string
	count := map[atom.Atom]int{}
	for n := range p.elements(atom.Html, atom.Title, atom.Main) {
		count[n.DataAtom]++
		switch {
		case n.DataAtom == atom.Html && attribute(n, "lang") == "":
			problems = append(problems, "html has no lang")
		case n.DataAtom == atom.Title && text(n) == "":
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

// headings are the levels of headings.
var headings = []atom.Atom{atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6}

// checkHeadings checks that there is one heading of the first level, and that no
// level is left out on the way down.
func (p *page) checkHeadings() []string {
	var problems []string
	last, firsts := 0, 0
	for n := range p.elements(headings...) {
		level := slices.Index(headings, n.DataAtom) + 1
		if level == 1 {
			firsts++
		}
		if level > last+1 {
			problems = append(problems, fmt.Sprintf("heading %q has level %d after level %d", text(n), level, last))
		}
		last = level
	}
	if firsts != 1 {
		problems = append(problems, fmt.Sprintf("there are %d headings of level 1, not 1", firsts))
	}
	return problems
}

// checkNames checks that images, links, buttons, fields and regions have a name.
func (p *page) checkNames() []string {
	labelled := map[string]bool{}
	for n := range p.elements(atom.Label) {
		labelled[attribute(n, "for")] = text(n) != ""
	}
	var problems []string
	for n := range p.elements() {
		_, hasAlt := lookup(n, "alt")
		label := attribute(n, "aria-label")
		switch {
		case n.DataAtom == atom.Img && !hasAlt:
			problems = append(problems, fmt.Sprintf("image %s has no alt", attribute(n, "src")))
		case n.DataAtom == atom.Input && !labelled[attribute(n, "id")] && label == "":
			problems = append(problems, fmt.Sprintf("input %q has no label", attribute(n, "id")))
		case (n.DataAtom == atom.Nav || n.DataAtom == atom.Form && attribute(n, "role") == "") && label == "":
			problems = append(problems, fmt.Sprintf("%s has no aria-label", n.Data))
		case isControl(n) && text(n) == "" && label == "" && !hasNamedImage(n):
			problems = append(problems, fmt.Sprintf("%s %s has no text", n.Data, attribute(n, "href")))
		}
	}
	return problems
}

func isControl(n *html.Node) bool {
	_, link := lookup(n, "href")
	return n.DataAtom == atom.Button || n.DataAtom == atom.Summary || n.DataAtom == atom.A && link
}

func hasNamedImage(n *html.Node) bool {
	for d := range n.Descendants() {
		if d.DataAtom == atom.Img && attribute(d, "alt") != "" {
			return true
		}
	}
	return false
}

// checkIDs checks that ids are unique.
func (p *page) checkIDs() []string {
	var problems []string
	seen := map[string]bool{}
	for _, id := range p.ids {
		if seen[id] {
			problems = append(problems, fmt.Sprintf("id %q is used twice", id))
		}
		seen[id] = true
	}
	return problems
}

// checkTables checks that tables have headers.
func (p *page) checkTables() []string {
	var problems []string
	for n := range p.elements(atom.Table) {
		has := false
		for d := range n.Descendants() {
			has = has || d.DataAtom == atom.Th && attribute(d, "scope") != ""
		}
		if !has {
			problems = append(problems, fmt.Sprintf("table %.40q has no headers with a scope", text(n)))
		}
	}
	return problems
}
