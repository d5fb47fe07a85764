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

	"github.com/draconform/draconform/internal/webpage"
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
	*webpage.Page
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
	parsed, err := webpage.Parse(f)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return &page{name, parsed}, nil
}

// page returns the page with a name, or nil.
func (s *site) page(name string) *page {
	i := slices.IndexFunc(s.pages, func(p *page) bool { return p.name == name })
	if i < 0 {
		return nil
	}
	return s.pages[i]
}
