// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package evidence_test

import (
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/draconform/draconform/e2e/report/evidence"
)

// document is a parsed page or an element of it.
type document struct{ *html.Node }

func rendered(t *testing.T, e evidence.Evidence) document {
	t.Helper()
	var b strings.Builder
	NewWithT(t).Expect(e.HTML(t.Context(), &b)).To(Succeed())
	root, err := html.Parse(strings.NewReader(b.String()))
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return document{root}
}

// all returns the descendant elements in document order.
func (d document) all(names ...atom.Atom) []document {
	var found []document
	for n := range d.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		for _, name := range names {
			if n.DataAtom == name {
				found = append(found, document{n})
			}
		}
		if len(names) == 0 {
			found = append(found, document{n})
		}
	}
	return found
}

func (d document) one(t *testing.T, name atom.Atom) document {
	t.Helper()
	found := d.all(name)
	NewWithT(t).Expect(found).To(HaveLen(1), "one %s", name)
	return found[0]
}

func (d document) id(t *testing.T, id string) document {
	t.Helper()
	for _, e := range d.all() {
		if e.attr("id") == id {
			return e
		}
	}
	t.Fatalf("nothing has the id %q", id)
	return document{}
}

// section returns the section whose heading has the given id.
func (d document) section(t *testing.T, heading string) document {
	t.Helper()
	return document{d.id(t, heading).Parent}
}

func (d document) attr(key string) string {
	for _, a := range d.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// open reports whether a collapsible section is expanded.
func (d document) open() bool {
	return slices.ContainsFunc(d.Attr, func(a html.Attribute) bool { return a.Key == "open" })
}

// text returns the text as a screen reader reads it, with words separated by
// one space.
func (d document) text() string { return strings.Join(strings.Fields(d.raw()), " ") }

func (d document) raw() string {
	var b strings.Builder
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		}
		for _, a := range n.Attr {
			if a.Key == "aria-hidden" && a.Val == "true" {
				return
			}
		}
		for c := range n.ChildNodes() {
			walk(c)
		}
		if n.Type == html.ElementNode && n.DataAtom != atom.A && n.DataAtom != atom.Pre {
			b.WriteByte(' ')
		}
	}
	walk(d.Node)
	return b.String()
}

func texts(elements []document) []string {
	var all []string
	for _, e := range elements {
		all = append(all, e.text())
	}
	return all
}
