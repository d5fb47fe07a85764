// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/draconform/draconform/internal/webpage"
)

// indexFile is the index of the search, in the root of the site. It is a script that
// sets indexVariable, because browsers let no script read files of a folder: the search
// also works if a page is opened without a server.
const (
	indexFile     = "search-index.js"
	indexVariable = "searchIndex"
)

// longest is the maximum length of the text of an entry in runes.
const longest = 2500

// entry is a place that the search finds.
type entry struct {
	Title string `json:"title"`
	Kind  string `json:"kind"` // spec, requirement, alarm, or the title of the page
	URL   string `json:"url"`
	Text  string `json:"text"`
}

// kinds are the kinds of entries of pages that list something: of headings of
// the third level, and of rows of tables with an anchor.
var kinds = map[string]string{"catalogue.html": "spec", "requirements.html": "requirement", "alarms.html": "alarm"}

// writeIndex writes the index of the site and returns the number of its
// entries.
func (s *site) writeIndex() (int, error) {
	all := []entry{}
	for _, p := range s.pages {
		all = append(all, p.entries()...)
	}
	content, err := json.Marshal(all)
	if err != nil {
		return 0, fmt.Errorf("encode the index of the search: %w", err)
	}
	content = slices.Concat([]byte("var "+indexVariable+" = "), content, []byte(";\n"))
	if err := os.WriteFile(filepath.Join(s.dir, indexFile), content, 0o644); err != nil {
		return 0, fmt.Errorf("write the index of the search: %w", err)
	}
	if !slices.Contains(s.files, indexFile) {
		s.files = append(s.files, indexFile)
	}
	return len(all), nil
}

// entries returns the sections of a page, and the rows of its tables that have
// an anchor.
func (p *page) entries() []entry {
	var all []entry
	var texts []string
	title := ""
	end := func() {
		if len(all) > 0 && texts != nil {
			all[len(all)-1].Text = shorten(strings.Join(texts, " "))
		}
		texts = nil
	}
	for n := range p.content() {
		switch level := slices.Index(webpage.Headings, n.DataAtom) + 1; {
		case level > 0 && webpage.Attribute(n, "id") != "":
			end()
			e := entry{Title: headingText(n), Kind: title, URL: p.name + "#" + webpage.Attribute(n, "id")}
			switch {
			case level == 1:
				title, e.Kind, e.URL = e.Title, "page", p.name
			case level == 3 && kinds[p.name] == "spec":
				e.Kind = kinds[p.name]
			}
			all, texts = append(all, e), []string{}
		case n.DataAtom == atom.Tr:
			if id := anchor(n); id != "" {
				end()
				all = append(all, entry{Title: id, Kind: kinds[p.name], URL: p.name + "#" + id, Text: shorten(strings.Join(cells(n)[1:], cellEnd))})
			} else if texts != nil {
				texts = append(texts, strings.Join(cells(n), cellEnd))
			}
		case texts != nil:
			texts = append(texts, webpage.Text(n))
		}
	}
	end()
	return all
}

// content yields the headings, paragraphs, items, code blocks and rows of the
// main part of a page, none within another.
func (p *page) content() func(yield func(*html.Node) bool) {
	wanted := append([]atom.Atom{atom.P, atom.Li, atom.Pre, atom.Tr}, webpage.Headings...)
	return func(yield func(*html.Node) bool) {
		var walk func(*html.Node) bool
		walk = func(n *html.Node) bool {
			for c := range n.ChildNodes() {
				if c.Type == html.ElementNode && slices.Contains(wanted, c.DataAtom) {
					if !yield(c) {
						return false
					}
				} else if !walk(c) {
					return false
				}
			}
			return true
		}
		for main := range p.Elements(atom.Main) {
			if !walk(main) {
				return
			}
		}
	}
}

// headingText returns the text of a heading without its link to itself.
func headingText(n *html.Node) string { return strings.TrimSuffix(webpage.Text(n), " #") }

// anchor returns the id of the first anchor in a row.
func anchor(row *html.Node) string {
	for d := range row.Descendants() {
		if d.DataAtom == atom.A && webpage.Attribute(d, "id") != "" {
			return webpage.Attribute(d, "id")
		}
	}
	return ""
}

// cellEnd separates the texts of a row's cells.
const cellEnd = " · "

// cells returns the texts of a row's cells.
func cells(row *html.Node) []string {
	var all []string
	for c := range row.ChildNodes() {
		if c.DataAtom == atom.Td || c.DataAtom == atom.Th {
			all = append(all, webpage.Text(c))
		}
	}
	return all
}

func shorten(text string) string {
	if runes := []rune(text); len(runes) > longest {
		return string(runes[:longest]) + " …"
	}
	return text
}
