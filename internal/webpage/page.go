// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package webpage reads HTML pages, and finds what they lack for people who use a
// screen reader or a keyboard. The site and the pages of reports are checked by it.
package webpage

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Headings are the elements of headings by their level.
var Headings = []atom.Atom{atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6}

// Page is an HTML page.
type Page struct {
	root *html.Node
	// IDs are those of all elements, in the order of the page.
	IDs []string
}

// Parse reads a page.
func Parse(r io.Reader) (*Page, error) {
	root, err := html.Parse(r)
	if err != nil {
		return nil, fmt.Errorf("parse a page: %w", err)
	}
	p := &Page{root: root}
	for n := range p.Elements() {
		if id := Attribute(n, "id"); id != "" {
			p.IDs = append(p.IDs, id)
		}
	}
	return p, nil
}

// Elements yields the elements of a page of certain kinds, or all.
func (p *Page) Elements(kinds ...atom.Atom) func(yield func(*html.Node) bool) {
	return func(yield func(*html.Node) bool) {
		for n := range p.root.Descendants() {
			if n.Type == html.ElementNode && (len(kinds) == 0 || slices.Contains(kinds, n.DataAtom)) && !yield(n) {
				return
			}
		}
	}
}

// Attribute returns the value of an attribute, or an empty text.
func Attribute(n *html.Node, name string) string {
	value, _ := Lookup(n, name)
	return value
}

// Lookup returns the value of an attribute, and whether the element has it.
func Lookup(n *html.Node, name string) (value string, ok bool) {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

// Text returns the text of an element, with single spaces.
func Text(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
