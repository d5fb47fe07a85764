// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// site is a built site.
type site struct {
	dir   string
	files []string // all files, relative to dir, with slashes
	pages []*page
}

// page is an HTML file of a site.
type page struct {
	name string // relative to the site
	root *html.Node
	ids  []string // of all elements, in the order of the page
}

// load reads a site from a folder.
func load(dir string) (*site, error) {
	s := &site{dir: dir}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		s.files = append(s.files, name)
		if !strings.HasSuffix(name, ".html") {
			return nil
		}
		p, err := read(dir, name)
		s.pages = append(s.pages, p)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the site %s: %w", dir, err)
	}
	if len(s.pages) == 0 {
		return nil, fmt.Errorf("read the site %s: it has no pages", dir)
	}
	return s, nil
}

func read(dir, name string) (_ *page, err error) {
	f, err := os.Open(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	root, err := html.Parse(f)
	if err != nil {
		return nil, fmt.Errorf("parse %s: %w", name, err)
	}
	p := &page{name: name, root: root}
	for n := range p.elements() {
		if id := attribute(n, "id"); id != "" {
			p.ids = append(p.ids, id)
		}
	}
	return p, nil
}

// page returns the page with a name, or nil.
func (s *site) page(name string) *page {
	i := slices.IndexFunc(s.pages, func(p *page) bool { return p.name == name })
	if i < 0 {
		return nil
	}
	return s.pages[i]
}

// elements yields the elements of a page of certain kinds, or all.
func (p *page) elements(kinds ...atom.Atom) func(yield func(*html.Node) bool) {
	return func(yield func(*html.Node) bool) {
		for n := range p.root.Descendants() {
			if n.Type == html.ElementNode && (len(kinds) == 0 || slices.Contains(kinds, n.DataAtom)) && !yield(n) {
				return
			}
		}
	}
}

// attribute returns the value of an attribute, or an empty text.
func attribute(n *html.Node, name string) string {
	value, _ := lookup(n, name)
	return value
}

func lookup(n *html.Node, name string) (value string, ok bool) {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

// text returns the text of an element, with single spaces.
func text(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
